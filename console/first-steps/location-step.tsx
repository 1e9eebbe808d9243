import { useState } from "preact/hooks";
import { useWrite } from "../api/writes.ts";
import { useMe } from "../frame/me.ts";
import { TextField } from "../parts/field.tsx";
import { ZoneField } from "../parts/zone-field.tsx";
import { StepForm, type StepProps } from "./step-form.tsx";
import { words } from "./words.ts";

export function LocationStep({ onDone, onSkip }: StepProps) {
  const t = words();
  const { organization } = useMe();
  const [name, setName] = useState(organization.name);
  const [address, setAddress] = useState("");
  const [timezone, setTimezone] = useState(organization.timezone);
  const { run, isBusy, problem } = useWrite("addLocation");
  return (
    <StepForm
      text={t.locationText}
      save={t.add}
      isBusy={isBusy}
      problem={problem}
      shown={["name", "address", "timezone"]}
      onSkip={onSkip}
      onSubmit={async () => {
        const where = address.trim();
        const content = { name: name.trim(), timezone, ...(where !== "" && { address: where }) };
        if (await run(content, { said: t.saved(content.name) })) onDone();
      }}
    >
      <TextField
        label={t.locationName}
        value={name}
        onInput={setName}
        fault={problem?.faultAt("name")}
        isRequired
      />
      <TextField label={t.address} value={address} onInput={setAddress} fault={problem?.faultAt("address")} />
      <ZoneField
        label={t.timezone}
        value={timezone}
        onChoose={setTimezone}
        fault={problem?.faultAt("timezone")}
      />
    </StepForm>
  );
}
