import { useState } from "preact/hooks";
import { useWrite } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { localIn } from "../languages/format.ts";
import { DateField } from "../parts/date-field.tsx";
import { TextField } from "../parts/field.tsx";
import { StepForm, type StepProps } from "./step-form.tsx";
import { words } from "./words.ts";

/** From which day on the studio invoices what its contracts cost. */
export function MoneyStep({ onDone, onSkip }: StepProps) {
  const t = words();
  const { timezone } = useMe().organization;
  const [invoicesFrom, setFrom] = useState(localIn(Date.now(), timezone).slice(0, 10));
  const [paymentDays, setDays] = useState("0");
  const { run, isBusy, problem } = useWrite("editSettings");
  return (
    <StepForm
      text={t.moneyText}
      save={t.moneySave}
      isBusy={isBusy}
      problem={problem}
      shown={["changes.invoicesFrom", "changes.paymentDays"]}
      onSkip={onSkip}
      onSubmit={async () => {
        const changes = { invoicesFrom, paymentDays: Number.parseInt(paymentDays, 10) || 0 };
        if (await run({ changes }, { said: t.moneySaved })) onDone();
      }}
    >
      <div class="columns">
        <DateField
          label={t.invoicesFrom}
          value={invoicesFrom}
          onInput={setFrom}
          fault={problem?.faultAt("changes.invoicesFrom")}
          isRequired
        />
        <TextField
          label={t.paymentDays}
          hint={t.paymentDaysHint}
          type="number"
          min={0}
          max={90}
          value={paymentDays}
          onInput={setDays}
          fault={problem?.faultAt("changes.paymentDays")}
        />
      </div>
    </StepForm>
  );
}
