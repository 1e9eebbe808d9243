import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { SelectField, TextField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { differences, useRecordFields } from "../../parts/record-fields.ts";
import { cityOf, ZoneField } from "../../parts/zone-field.tsx";
import { organizationWords } from "./organization-words.ts";

/** What the organization is called, by which clocks its days begin, and what it charges in. */
export function OrganizationForm() {
  const t = organizationWords();
  const { name, timezone, currency } = useMe().organization;
  const stored = { name, timezone, currency };
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const write = useWrite("editOrganization");
  const fault = (member: string) => write.problem?.faultAt(`changes.${member}`);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void write.run({ changes: differences(stored, fields) }, { said: t.saved });
      }}
    >
      <Section title={t.title}>
        <ProblemNotice
          problem={write.problem}
          shown={["changes.name", "changes.timezone", "changes.currency"]}
        />
        <ContestedNotice
          parts={contested({
            name: [t.name, name],
            timezone: [t.timezone, cityOf(timezone)],
            currency: [t.currency, currency],
          })}
        />
        <TextField
          label={t.name}
          value={fields.name}
          maxLength={200}
          isRequired
          onInput={(typed) => set({ name: typed })}
          fault={fault("name")}
        />
        <ZoneField
          label={t.timezone}
          value={fields.timezone}
          onChoose={(zone) => set({ timezone: zone })}
          fault={fault("timezone")}
        />
        <p class="field-hint">{t.timezoneHint}</p>
        <SelectField
          label={t.currency}
          value={fields.currency}
          hint={t.currencyHint}
          choices={currencies(fields.currency)}
          onChoose={(code) => set({ currency: code })}
          fault={fault("currency")}
        />
        <div>
          <Button
            kind="main"
            isSubmit
            isBusy={write.isBusy}
            isDisabled={!isChanged || fields.timezone === ""}
          >
            {t.save}
          </Button>
        </div>
      </Section>
      <LeaveGuard isChanged={isChanged} />
    </form>
  );
}

/** Every currency that the browser knows, and the one that is stored. */
function currencies(stored: string) {
  const names = new Intl.DisplayNames(language.value, { type: "currency" });
  return [...new Set([stored, ...Intl.supportedValuesOf("currency")])]
    .sort()
    .map((code) => ({ value: code, label: `${code} · ${names.of(code) ?? code}` }));
}
