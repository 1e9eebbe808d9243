import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useDryRun } from "../../api/dry-runs.ts";
import { type Answer, useRead, useWholeList } from "../../api/reads.ts";
import { type Result, useWrite } from "../../api/writes.ts";
import { useMay } from "../../frame/me.ts";
import { addDays, daysBetween } from "../../languages/days.ts";
import { fullDate, listOf, money } from "../../languages/format.ts";
import { amountText, centsOf } from "../../languages/money.ts";
import { language } from "../../languages/words.ts";
import { PaidNow, usePaidNow } from "../../money/paid-now.tsx";
import { Button } from "../../parts/button.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { Actions } from "../../parts/dialog.tsx";
import { ChecksField, ChoiceField, TextField } from "../../parts/field.tsx";
import { Badge, Empty, Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page, Shown } from "../../parts/page.tsx";
import {
  type CatalogNames,
  durationInWords,
  grantInWords,
  priceInWords,
  useCatalogNames,
} from "../../plan-words/plan-words.ts";
import { go, route } from "../../routing/router.ts";
import { contractWords } from "./contract-words.ts";
import { addressOfClient, type Client, type ClientContracts, type ListedContract } from "./records.ts";
import { type RunningBefore, runningBefore } from "./renewal.ts";
import { TermsText } from "./terms-text.tsx";
import { words } from "./words.ts";

type Plan = Answer<"/app/v1/plans">["data"][number];
type Response = "accepted" | "declined" | "later";

/** With more plans than this there is a field to find one. */
const MANY_PLANS = 8;
const SHOWN = ["startDate", "priceCents", "locationIds", "payment.amountCents"];

/** Sells a plan: what it costs, covers and when it ends stands beside the form before anything is sold. */
export function SellPage({
  client,
  contracts,
  onClose,
}: {
  readonly client: Client;
  readonly contracts: ClientContracts;
  readonly onClose: () => void;
}) {
  const t = contractWords();
  const plans = useWholeList("/app/v1/plans", { status: "active" });
  const names = useCatalogNames();
  const groups = useRead("/app/v1/service-groups").data?.data;
  return (
    <Page title={t.sellTitle(client.contactName)}>
      {client.status === "archived" ? (
        <>
          <Notice tone="warning">{words().archivedNotice}</Notice>
          <div>
            <Button icon="left" onClick={onClose}>
              {t.close}
            </Button>
          </div>
        </>
      ) : (
        <Shown reading={plans}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty
                icon="tag"
                title={t.noPlans}
                action={<Button href="/console/catalog">{t.toPlans}</Button>}
              >
                {t.noPlansText}
              </Empty>
            ) : (
              names &&
              groups && (
                <SellForm
                  client={client}
                  contracts={contracts}
                  plans={data}
                  names={names}
                  groups={groups}
                  onClose={onClose}
                />
              )
            )
          }
        </Shown>
      )}
    </Page>
  );
}

interface SellFormProps {
  readonly client: Client;
  readonly contracts: ClientContracts;
  readonly plans: readonly Plan[];
  readonly names: CatalogNames;
  readonly groups: Answer<"/app/v1/service-groups">["data"];
  readonly onClose: () => void;
}

function SellForm({ client, contracts, plans, names, groups, onClose }: SellFormProps) {
  const t = contractWords();
  const { today } = contracts;
  const isManager = useMay("manager");
  const renewed = contracts.data.find(({ id }) => id === route.value.query.get("renew"));
  const again = renewed && plans.find(({ id, isTrial }) => id === renewed.planId && !isTrial);
  const startOf = (chosen: Plan) => runningBefore(contracts.data, chosen, groups, today)?.nextDay ?? today;
  const priceOf = ({ priceCents, currency }: Plan) => amountText(priceCents, currency, language.value);
  const [plan, setPlan] = useState(again);
  const [startDate, setStartDate] = useState(() => (again ? startOf(again) : today));
  const [isDateTyped, setDateTyped] = useState(false);
  const [price, setPrice] = useState(() => (again ? priceOf(again) : ""));
  const [placeKind, setPlaceKind] = useState<"all" | "some">("all");
  const [places, setPlaces] = useState<readonly string[]>([]);
  const [response, setResponse] = useState<Response>("later");
  const selling = useWrite("sellContract");

  const priceCents = plan && centsOf(price, plan.currency);
  const paidNow = usePaidNow(plan && { ...plan, ...(priceCents !== undefined && { priceCents }) });
  const isPriceWrong = plan !== undefined && isManager && priceCents === undefined;
  const lacksPlace = placeKind === "some" && places.length === 0;
  const input =
    plan === undefined || startDate === "" || isPriceWrong || lacksPlace || paidNow.isMissing
      ? undefined
      : {
          clientId: client.id,
          planId: plan.id,
          startDate,
          ...(isManager && priceCents !== undefined && { priceCents }),
          ...(placeKind === "some" && { locationIds: places }),
          ...(plan.terms !== undefined && response !== "later" && { termsResponse: response }),
          ...(paidNow.payment && { payment: paidNow.payment }),
        };
  const preview = useDryRun("sellContract", selling.isBusy ? undefined : input);
  const problem = selling.problem ?? preview.problem;
  // Until the answer for another plan is there, nothing is said about its dates.
  const soldOf = (sold: Result<"sellContract"> | undefined) =>
    input && sold?.planId === plan?.id ? sold : undefined;
  const before = plan && runningBefore(contracts.data, plan, groups, today);
  const choose = (chosen: Plan) => {
    setPlan(chosen);
    // What was typed into the field stays; a day that was only proposed gives way to the next proposal.
    if (!isDateTyped) setStartDate(startOf(chosen));
    setPrice(priceOf(chosen));
    setPlaceKind("all");
    setPlaces([]);
    setResponse("later");
    paidNow.forget();
    selling.forget();
  };
  const sell = async () => {
    if (input === undefined || plan === undefined) return;
    const answer = await selling.run(input, { said: t.sold(plan.name, client.contactName) });
    if (answer) void go(addressOfClient(client.id), { replace: true, isSaved: true });
  };
  const offered = plan ? offeredPlaces(plan, names) : [];
  return (
    <form
      class="sell-page"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void sell();
      }}
    >
      <div class="stack">
        {renewed && !again && <Notice tone="warning">{t.notSoldAnyMore(renewed.planName)}</Notice>}
        <PlanChoice
          plans={plans}
          names={names}
          chosen={plan}
          hasHistory={contracts.total > 0}
          onChoose={choose}
        />
        {plan && (
          <>
            {before && (
              <OverRunning
                before={before}
                startDate={startDate}
                today={today}
                onStart={(date) => {
                  setStartDate(date);
                  setDateTyped(true);
                }}
              />
            )}
            <div class="columns">
              <DateField
                label={t.start}
                hint={t.startHint}
                min={addDays(today, -31)}
                max={addDays(today, 366)}
                value={startDate}
                onInput={(date) => {
                  setStartDate(date);
                  setDateTyped(true);
                }}
                fault={problem?.faultAt("startDate")}
              />
              <TextField
                label={`${t.price} (${plan.currency})`}
                hint={isManager ? t.priceHint(money(plan.priceCents, plan.currency)) : t.priceManager}
                inputMode="decimal"
                value={price}
                onInput={setPrice}
                isDisabled={!isManager}
                fault={isPriceWrong ? t.priceFault : problem?.faultAt("priceCents")}
              />
            </div>
            {offered.length > 1 && (
              <>
                <ChoiceField
                  label={t.placeChoice}
                  value={placeKind}
                  choices={[
                    { value: "all", label: t.allPlaces },
                    { value: "some", label: t.somePlaces },
                  ]}
                  onChoose={setPlaceKind}
                />
                {placeKind === "some" && (
                  <ChecksField
                    label={t.somePlaces}
                    values={places}
                    choices={offered}
                    onChange={setPlaces}
                    fault={lacksPlace ? t.placesFault : problem?.faultAt("locationIds")}
                  />
                )}
              </>
            )}
            {plan.terms !== undefined && (
              <section class="stack">
                <h2>{t.termsOfPlan}</h2>
                <TermsText label={t.termsOfPlan} text={plan.terms} />
                <ChoiceField
                  label={t.termsAnswer}
                  value={response}
                  choices={[
                    { value: "accepted", label: t.acceptedChoice },
                    { value: "declined", label: t.declinedChoice, hint: t.declinedHint },
                    { value: "later", label: t.laterChoice, hint: t.laterHint },
                  ]}
                  onChoose={setResponse}
                />
              </section>
            )}
            <PaidNow
              paidNow={paidNow}
              clientId={client.id}
              priceCents={priceCents ?? plan.priceCents}
              currency={plan.currency}
              faultAt={(member) => problem?.faultAt(member)}
            />
          </>
        )}
      </div>
      <aside class="card sell-summary" aria-label={t.summary}>
        <h2>{t.summary}</h2>
        {plan ? (
          <Summary plan={plan} names={names} sold={soldOf(preview.run?.result)} isBusy={preview.isLoading} />
        ) : (
          <p class="soft">{t.choosePlan}</p>
        )}
        {problem && !(problem.status === 422 && problem.faultsBeside(SHOWN).length === 0) && (
          <ProblemNotice problem={problem} shown={SHOWN} />
        )}
        <Actions>
          <Button
            kind="main"
            icon="check"
            isSubmit
            isBusy={selling.isBusy}
            isDisabled={input === undefined || preview.problem !== undefined}
          >
            {t.sellNow}
          </Button>
          <Button onClick={onClose}>{t.close}</Button>
        </Actions>
      </aside>
    </form>
  );
}

/** Says that something of the same runs, and how the two follow each other. */
function OverRunning({
  before: { contract, nextDay },
  startDate,
  today,
  onStart,
}: {
  readonly before: RunningBefore<ListedContract>;
  readonly startDate: string;
  readonly today: string;
  readonly onStart: (date: string) => void;
}) {
  const t = contractWords();
  if (nextDay === undefined) return <Notice tone="warning">{t.runsOn(contract.planName)}</Notice>;
  const isAfter = startDate >= nextDay;
  return (
    <Notice tone={isAfter ? "info" : "warning"}>
      <p>
        {t.runsTo(contract.planName, fullDate(contract.endDate ?? ""))}{" "}
        {isAfter ? startDate === nextDay && t.beginsAfter : t.overlaps}
      </p>
      <Button isSmall onClick={() => onStart(isAfter ? today : nextDay)}>
        {isAfter ? t.beginToday : t.beginOn(fullDate(nextDay))}
      </Button>
    </Notice>
  );
}

/** The plans that are sold, each with its price, its term and what it covers; once one is chosen, that one alone. */
function PlanChoice({
  plans,
  names,
  chosen,
  hasHistory,
  onChoose,
}: {
  readonly plans: readonly Plan[];
  readonly names: CatalogNames;
  readonly chosen: Plan | undefined;
  /** A trial is for who has never had a contract. */
  readonly hasHistory: boolean;
  readonly onChoose: (plan: Plan) => void;
}) {
  const t = contractWords();
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(chosen === undefined);
  const isByPointer = useRef(false);
  const group = useRef<HTMLFieldSetElement>(null);
  const isFolded = chosen !== undefined && !isOpen;
  // The button that has opened the list again is gone.
  useLayoutEffect(() => {
    if (isOpen && chosen) group.current?.querySelector<HTMLInputElement>(":checked")?.focus();
  }, [isOpen]);
  const wanted = text.trim().toLowerCase();
  const found = plans.filter((plan) =>
    isFolded ? plan.id === chosen.id : plan.name.toLowerCase().includes(wanted) || plan.id === chosen?.id,
  );
  return (
    <fieldset
      ref={group}
      class="choices sell-plan-choices"
      // With the arrow keys one goes through the plans: then the list folds when it is left.
      onPointerDown={() => {
        isByPointer.current = true;
      }}
      onKeyDown={() => {
        isByPointer.current = false;
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        const goesOn = relatedTarget instanceof Node && !currentTarget.contains(relatedTarget);
        if (goesOn && chosen) setOpen(false);
      }}
    >
      <legend>{t.plan}</legend>
      {!isFolded && plans.length > MANY_PLANS && (
        <TextField label={t.plansFilter} type="search" value={text} onInput={setText} />
      )}
      {found.length === 0 && <p class="soft">{t.noPlanFound}</p>}
      {found.map((plan) => {
        const isRefused = plan.isTrial && hasHistory;
        return (
          <label key={plan.id} class={isRefused ? "sell-plan-choice sell-plan-refused" : "sell-plan-choice"}>
            <input
              type="radio"
              name="plan"
              checked={plan.id === chosen?.id}
              disabled={isRefused}
              onChange={() => {
                onChoose(plan);
                if (isByPointer.current) setOpen(false);
              }}
            />
            <span class="sell-plan-text">
              <span class="sell-plan-name">
                {plan.name} {plan.isTrial && <Badge tone="accent">{t.trial}</Badge>}
              </span>
              <span class="sell-plan-price">{priceInWords(plan)}</span>
              <span class="field-hint sell-plan-grants">
                {plan.entitlements.map((grant, place) => (
                  <span key={place}>{grantInWords(grant, names)}</span>
                ))}
              </span>
              <span class="field-hint sell-plan-price">{durationInWords(plan)}</span>
              {plan.isTrial && (
                <span class="field-hint sell-plan-note">{isRefused ? t.trialUsed : t.trialHint}</span>
              )}
            </span>
          </label>
        );
      })}
      {isFolded && plans.length > 1 && (
        <div>
          <Button isSmall icon="swap" onClick={() => setOpen(true)}>
            {t.anotherPlan}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

type Sold = { readonly startDate: string; readonly endDate?: string; readonly priceCents: number };

/** The contract as it would be sold; the dates are the server's. */
function Summary({
  plan,
  names,
  sold,
  isBusy,
}: {
  readonly plan: Plan;
  readonly names: CatalogNames;
  readonly sold:
    | (Sold & { readonly allLocations: boolean; readonly locationIds: readonly string[] })
    | undefined;
  readonly isBusy: boolean;
}) {
  const t = contractWords();
  const { allLocations, locationIds } = sold ?? plan;
  const places = locationIds.flatMap((id) => names.locations.get(id) ?? []);
  return (
    <div class="stack" aria-live="polite" aria-busy={isBusy}>
      <p class="summary-price">
        <strong>{plan.name}</strong>
        <span>{priceInWords({ ...plan, ...(sold && { priceCents: sold.priceCents }) })}</span>
      </p>
      <ul class="contract-grants">
        {plan.entitlements.map((grant, place) => (
          <li key={place}>{grantInWords(grant, names)}</li>
        ))}
      </ul>
      <dl class="client-facts client-facts-narrow">
        <div>
          <dt>{t.term}</dt>
          <dd>
            {sold ? (
              <>
                {t.start}: {fullDate(sold.startDate)}
                <br />
                <strong>
                  {sold.endDate === undefined
                    ? t.endless
                    : t.lastDayIs(fullDate(sold.endDate), daysBetween(sold.startDate, sold.endDate) + 1)}
                </strong>
              </>
            ) : (
              <span class="soft">{t.checking}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>{t.places}</dt>
          <dd>{allLocations ? t.everywhere : t.at(listOf(places))}</dd>
        </div>
      </dl>
    </div>
  );
}

/** Where a contract of the plan can be used. */
function offeredPlaces({ allLocations, locationIds }: Plan, { locations }: CatalogNames) {
  return [...locations]
    .filter(([id]) => allLocations || locationIds.includes(id))
    .map(([value, label]) => ({ value, label }));
}
