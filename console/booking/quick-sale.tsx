import { useState } from "preact/hooks";
import { useFreshDryRun } from "../api/dry-runs.ts";
import { type Answer, useWholeList } from "../api/reads.ts";
import { useWrite } from "../api/writes.ts";
import { fullDate, money } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { PaidNow, usePaidNow } from "../money/paid-now.tsx";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { ChoiceField, SelectField } from "../parts/field.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";

type Plan = Answer<"/app/v1/plans">["data"][number];

const words = dictionary(
  {
    plan: "Plan",
    choose: "Choose a plan",
    noPlans: "There is no plan to sell yet.",
    terms: "Terms of the plan",
    answer: "Terms",
    accepted: "The client accepts them",
    later: "To be answered later",
    sell: "Sell",
    back: "Back",
    runs: (price: string, from: string, until: string) => `${price}, from ${from} to ${until}.`,
    runsOn: (price: string, from: string) => `${price}, from ${from}, without an end.`,
    sold: (plan: string) => `“${plan}” is sold.`,
    whole: "Another price, day or place",
  },
  {
    plan: "Plano",
    choose: "Escolha um plano",
    noPlans: "Ainda não há plano para vender.",
    terms: "Termos do plano",
    answer: "Termos",
    accepted: "O cliente aceita",
    later: "Responder depois",
    sell: "Vender",
    back: "Voltar",
    runs: (price: string, from: string, until: string) => `${price}, de ${from} a ${until}.`,
    runsOn: (price: string, from: string) => `${price}, a partir de ${from}, sem fim.`,
    sold: (plan: string) => `“${plan}” foi vendido.`,
    whole: "Outro preço, dia ou unidade",
  },
  {
    plan: "Plan",
    choose: "Elija un plan",
    noPlans: "Todavía no hay planes que vender.",
    terms: "Condiciones del plan",
    answer: "Condiciones",
    accepted: "El cliente las acepta",
    later: "Responder más tarde",
    sell: "Vender",
    back: "Volver",
    runs: (price: string, from: string, until: string) => `${price}, del ${from} al ${until}.`,
    runsOn: (price: string, from: string) => `${price}, desde el ${from}, sin fin.`,
    sold: (plan: string) => `Se vendió «${plan}».`,
    whole: "Otro precio, día o sede",
  },
);

/**
 * Sells a plan as it is, from today, without leaving the session. It stands inside of the form of a booking, so it has no form
 * of its own.
 */
export function QuickSale({
  clientId,
  onDone,
}: {
  readonly clientId: string;
  /** Sold, or left. */
  readonly onDone: () => void;
}) {
  const t = words();
  const plans = useWholeList("/app/v1/plans", { status: "active" });
  return (
    <Shown reading={plans} lines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <Notice>{t.noPlans}</Notice>
        ) : (
          <Sale clientId={clientId} plans={data} onDone={onDone} />
        )
      }
    </Shown>
  );
}

function Sale({
  clientId,
  plans,
  onDone,
}: {
  readonly clientId: string;
  readonly plans: readonly Plan[];
  readonly onDone: () => void;
}) {
  const t = words();
  const [planId, setPlan] = useState("");
  const [response, setResponse] = useState<"accepted" | "later">("later");
  const selling = useWrite("sellContract");
  const plan = plans.find(({ id }) => id === planId);
  const paidNow = usePaidNow(plan);
  const input = plan &&
    !paidNow.isMissing && {
      clientId,
      planId,
      ...(plan.terms !== undefined && response === "accepted" && { termsResponse: response }),
      ...(paidNow.payment && { payment: paidNow.payment }),
    };
  const preview = useFreshDryRun("sellContract", selling.isBusy || !input ? undefined : input);
  const problem = selling.problem ?? preview.problem;
  const sold = preview.run?.result;
  const sell = async () => {
    if (input && plan && (await selling.run(input, { said: t.sold(plan.name) }))) onDone();
  };
  const price = (cents: number) => money(cents, plan?.currency ?? "");
  return (
    <div class="stack quick-sale">
      <SelectField
        label={t.plan}
        value={planId}
        choices={[
          ...(plan ? [] : [{ value: "", label: t.choose }]),
          ...plans.map(({ id, name, priceCents, currency }) => ({
            value: id,
            label: `${name} · ${money(priceCents, currency)}`,
          })),
        ]}
        onChoose={(chosen) => {
          setPlan(chosen);
          paidNow.forget();
        }}
      />
      {plan?.terms !== undefined && (
        <>
          <textarea class="input" aria-label={t.terms} rows={5} readOnly value={plan.terms} />
          <ChoiceField
            label={t.answer}
            value={response}
            choices={[
              { value: "accepted", label: t.accepted },
              { value: "later", label: t.later },
            ]}
            onChoose={setResponse}
          />
        </>
      )}
      {plan && (
        <PaidNow
          paidNow={paidNow}
          clientId={clientId}
          priceCents={plan.priceCents}
          currency={plan.currency}
          faultAt={(member) => problem?.faultAt(member)}
        />
      )}
      <ProblemNotice problem={problem} shown={["payment.amountCents"]} />
      {sold && (
        <p role="status">
          {sold.endDate === undefined
            ? t.runsOn(price(sold.priceCents), fullDate(sold.startDate))
            : t.runs(price(sold.priceCents), fullDate(sold.startDate), fullDate(sold.endDate))}
        </p>
      )}
      <Actions>
        <Button
          kind="main"
          icon="ticket"
          isBusy={selling.isBusy}
          isDisabled={!input || preview.problem !== undefined}
          onClick={() => void sell()}
        >
          {t.sell}
        </Button>
        <Button onClick={onDone}>{t.back}</Button>
        <a href={`/console/clients/${clientId}/sell`}>{t.whole}</a>
      </Actions>
    </div>
  );
}
