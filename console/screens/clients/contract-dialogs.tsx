import { useState } from "preact/hooks";
import { useDryRun } from "../../api/dry-runs.ts";
import { count, money } from "../../languages/format.ts";
import { dictionary } from "../../languages/words.ts";
import { type Account, useAccount } from "../../money/use-account.ts";
import { ReasonField } from "../../parts/action-dialog.tsx";
import { ChoiceField, SelectField, TextField } from "../../parts/field.tsx";
import { namesIn, scopeInWords } from "../../plan-words/plan-words.ts";
import { go } from "../../routing/router.ts";
import { ContractActionDialog, type DialogProps } from "./contract-action-dialog.tsx";
import type { ContractAction } from "./contract-actions.ts";
import {
  CancelDialog,
  EndPauseDialog,
  PauseDialog,
  ReinstateDialog,
  SetEndDialog,
} from "./contract-term-dialogs.tsx";
import { contractWords } from "./contract-words.ts";
import { addressOfClient } from "./records.ts";
import { TermsText } from "./terms-text.tsx";

/** The form of an action. Each says what it will do, as the server works it out, before it is done. */
export function ContractDialog({ action, ...props }: DialogProps & { readonly action: ContractAction }) {
  switch (action.word) {
    case "pause":
      return <PauseDialog {...props} />;
    case "endPause":
      return <EndPauseDialog {...props} pauseId={action.pauseId} />;
    case "cancel":
    case "recancel":
      return <CancelDialog {...props} />;
    case "reinstate":
      return <ReinstateDialog {...props} />;
    case "setEnd":
      return <SetEndDialog {...props} />;
    case "credits":
      return <CreditsDialog {...props} />;
    case "block":
      return <BlockDialog {...props} />;
    case "unblock":
      return <UnblockDialog {...props} />;
    case "answer":
      return <AnswerDialog {...props} />;
    case "voidSale":
      return <VoidDialog {...props} />;
  }
}

function CreditsDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const packs = contract.entitlements.filter(({ type }) => type === "credits");
  const [entitlementId, setEntitlementId] = useState(packs[0]?.id ?? "");
  const [by, setBy] = useState("1");
  const [reason, setReason] = useState("");
  const balance = packs.find(({ id }) => id === entitlementId)?.remainingCredits ?? 0;
  const number = Number(by);
  return (
    <ContractActionDialog
      title={t.creditsTitle}
      name="adjustCredits"
      input={
        by === "" || !Number.isInteger(number) || number === 0
          ? undefined
          : { entitlementId, by: number, reason }
      }
      shown={["by", "reason", "entitlementId"]}
      effects={({ result }) => {
        const after = result?.entitlements.find(({ id }) => id === entitlementId)?.remainingCredits ?? 0;
        return [t.balance(count(balance), count(after))];
      }}
      said={t.adjusted}
      confirm={t.does.credits}
      onClose={onClose}
    >
      {(faultAt) => (
        <>
          {packs.length > 1 && (
            <SelectField
              label={t.entitlement}
              value={entitlementId}
              choices={packs.map((pack) => ({
                value: pack.id,
                label: `${scopeInWords(pack, namesIn(pack))} (${count(pack.remainingCredits ?? 0)})`,
              }))}
              onChoose={setEntitlementId}
              fault={faultAt("entitlementId")}
            />
          )}
          <TextField
            label={t.by}
            hint={t.byHint}
            type="number"
            step={1}
            value={by}
            onInput={setBy}
            fault={faultAt("by")}
            hasFocus
          />
          <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />
        </>
      )}
    </ContractActionDialog>
  );
}

function BlockDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [reason, setReason] = useState("");
  return (
    <ContractActionDialog
      title={t.blockTitle}
      name="blockAccess"
      input={{ contractId: contract.id, reason }}
      shown={["reason"]}
      effects={() => [t.blocks]}
      said={t.blockedDone}
      confirm={t.does.block}
      isDangerous
      onClose={onClose}
    >
      {(faultAt) => <ReasonField value={reason} onInput={setReason} fault={faultAt("reason")} />}
    </ContractActionDialog>
  );
}

function UnblockDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  return (
    <ContractActionDialog
      title={t.unblockTitle}
      name="unblockAccess"
      input={{ contractId: contract.id }}
      effects={() => [t.unblocks]}
      said={t.unblockedDone}
      confirm={t.does.unblock}
      onClose={onClose}
    />
  );
}

function AnswerDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const [termsResponse, setResponse] = useState<"accepted" | "declined">("accepted");
  return (
    <ContractActionDialog
      title={t.answerTitle}
      name="answerTerms"
      input={{ contractId: contract.id, termsResponse }}
      effects={() => [t.accepts]}
      said={t.answered}
      confirm={t.does.answer}
      onClose={onClose}
    >
      {() => (
        <>
          <TermsText label={t.terms} text={contract.terms ?? ""} />
          <ChoiceField
            label={t.termsAnswer}
            value={termsResponse}
            choices={[
              { value: "accepted", label: t.acceptedChoice, hint: t.acceptedHint },
              { value: "declined", label: t.declinedChoice, hint: t.declinedHint },
            ]}
            onChoose={setResponse}
          />
        </>
      )}
    </ContractActionDialog>
  );
}

/** What becomes of the payments of a sale that is undone. */
const paidSaleWords = dictionary(
  {
    voidsPayments: (amount: string) => `What paid it is void, ${amount} in all: it did not come in.`,
    keepsPayments: (amount: string) => `${amount} that was paid becomes the client's balance.`,
    paidAlready: (amount: string) => `${amount} is paid already`,
    voidPayments: "Void the payment too",
    voidPaymentsHint: "If nothing was paid, or the money went back.",
    keepPayments: "Keep it as balance",
    keepPaymentsHint: "It pays what is invoiced next, or can be refunded.",
  },
  {
    voidsPayments: (amount: string) => `O que pagou é anulado, ${amount} ao todo: não entrou.`,
    keepsPayments: (amount: string) => `${amount} que foram pagos viram saldo do cliente.`,
    paidAlready: (amount: string) => `${amount} já foram pagos`,
    voidPayments: "Anular também o pagamento",
    voidPaymentsHint: "Se nada foi pago, ou se o dinheiro foi devolvido.",
    keepPayments: "Manter como saldo",
    keepPaymentsHint: "Paga o que for faturado a seguir, ou pode ser reembolsado.",
  },
  {
    voidsPayments: (amount: string) => `Lo que la pagó se anula, ${amount} en total: no entró.`,
    keepsPayments: (amount: string) => `${amount} que se pagaron pasan a ser saldo del cliente.`,
    paidAlready: (amount: string) => `Ya se pagaron ${amount}`,
    voidPayments: "Anular también el pago",
    voidPaymentsHint: "Si no se pagó nada, o si el dinero se devolvió.",
    keepPayments: "Dejarlo como saldo",
    keepPaymentsHint: "Paga lo que se facture después, o se puede reembolsar.",
  },
);

function VoidDialog({ contract, onClose }: DialogProps) {
  const t = contractWords();
  const paidSale = paidSaleWords();
  const account = useAccount(contract.clientId).data;
  // What was paid is the server's to say: a payment may have come with the sale and pay nothing yet.
  const asked = useDryRun("voidSale", { contractId: contract.id, voidPayments: false });
  const paymentIds = asked.run?.result?.paymentIds ?? [];
  const isPaid = paymentIds.length > 0;
  const [becomes, setBecomes] = useState<"void" | "balance">("void");
  const { paidCents, paymentCents } = paidOf(account, contract.id, paymentIds);
  const paid = money(paidCents, contract.currency);
  return (
    <ContractActionDialog
      title={t.voidTitle}
      name="voidSale"
      input={
        asked.isLoading || (isPaid && !account)
          ? undefined
          : { contractId: contract.id, ...(isPaid && { voidPayments: becomes === "void" }) }
      }
      effects={() => [
        t.voids,
        ...(isPaid
          ? [
              becomes === "void"
                ? paidSale.voidsPayments(money(paymentCents, contract.currency))
                : paidSale.keepsPayments(paid),
            ]
          : []),
      ]}
      said={t.voided}
      confirm={t.does.voidSale}
      isDangerous
      onClose={onClose}
      onDone={() => {
        onClose();
        // Its page is gone with it.
        void go(addressOfClient(contract.clientId), { replace: true });
      }}
    >
      {() =>
        isPaid &&
        account && (
          <ChoiceField
            label={paidSale.paidAlready(paid)}
            value={becomes}
            choices={[
              { value: "void", label: paidSale.voidPayments, hint: paidSale.voidPaymentsHint },
              { value: "balance", label: paidSale.keepPayments, hint: paidSale.keepPaymentsHint },
            ]}
            onChoose={setBecomes}
          />
        )
      }
    </ContractActionDialog>
  );
}

/** What payments of a sale have paid of its invoices, or while they pay nothing of it the whole of them; and that whole. */
function paidOf(account: Account | undefined, contractId: string, paymentIds: readonly string[]) {
  const lines = account?.lines ?? [];
  const paidCents = lines.reduce(
    (sum, { invoice }) => sum + (invoice?.contractId === contractId ? invoice.paidCents : 0),
    0,
  );
  const paymentCents = lines.reduce(
    (sum, { payment }) => sum + (payment && paymentIds.includes(payment.id) ? payment.amountCents : 0),
    0,
  );
  return { paidCents: paidCents || paymentCents, paymentCents };
}
