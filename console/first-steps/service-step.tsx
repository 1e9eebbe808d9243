import { useState } from "preact/hooks";
import { useWrite } from "../api/writes.ts";
import { ChoiceField, TextField } from "../parts/field.tsx";
import { StepForm, type StepProps } from "./step-form.tsx";
import { words } from "./words.ts";

export function ServiceStep({ onDone, onSkip }: StepProps) {
  const t = words();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<"shared" | "held">("shared");
  const { run, isBusy, problem } = useWrite("addServiceType");
  return (
    <StepForm
      text={t.serviceText}
      save={t.add}
      isBusy={isBusy}
      problem={problem}
      shown={["name"]}
      onSkip={onSkip}
      onSubmit={async () => {
        const content = { name: name.trim(), holdsResource: kind === "held" };
        if (await run(content, { said: t.saved(content.name) })) onDone();
      }}
    >
      <TextField
        label={t.serviceName}
        hint={t.serviceHint}
        value={name}
        onInput={setName}
        fault={problem?.faultAt("name")}
        isRequired
        hasFocus
      />
      <ChoiceField
        label={t.kind}
        value={kind}
        choices={[
          { value: "shared", label: t.shared, hint: t.sharedHint },
          { value: "held", label: t.held, hint: t.heldHint },
        ]}
        onChoose={setKind}
      />
    </StepForm>
  );
}
