import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { type Input, useWrite } from "../../api/writes.ts";
import { CheckField, ChecksField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { webhookWords } from "./webhook-words.ts";

type Webhook = Schemas["Webhook"];
type Events = NonNullable<Input<"addWebhook">["events"]>;

/** Makes an endpoint, or changes the one given. */
export function WebhookForm({
  of,
  onClose,
  onSecret,
}: {
  readonly of?: Webhook;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}) {
  const t = webhookWords();
  const [url, setUrl] = useState(of?.url ?? "");
  const [name, setName] = useState(of?.name ?? "");
  const [events, setEvents] = useState<readonly string[]>(of?.events ?? []);
  const [sendsRecord, setSendsRecord] = useState(of?.include === "record");
  const adding = useWrite("addWebhook");
  const editing = useWrite("editWebhook");
  const { problem, isBusy } = of ? editing : adding;
  const fault = (member: string) => problem?.faultAt(of ? `changes.${member}` : member);
  const kinds = Object.keys(t.kinds) as (keyof typeof t.kinds)[];
  const submit = async () => {
    const chosen = events as Events;
    if (of) {
      const changes = {
        url: url.trim(),
        name: name.trim() === "" ? null : name.trim(),
        events: chosen.length > 0 ? chosen : null,
        include: sendsRecord ? ("record" as const) : null,
      };
      const said = t.saved(changes.name ?? changes.url);
      if (await editing.run({ webhookId: of.id, changes }, { said })) onClose();
      return;
    }
    const answer = await adding.run({
      url: url.trim(),
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(chosen.length > 0 && { events: chosen }),
      ...(sendsRecord && { include: "record" }),
    });
    if (!answer) return;
    onClose();
    onSecret(answer.result?.secret ?? "");
  };
  return (
    <FormDialog
      title={of ? t.editTitle(of.name ?? of.url) : t.addTitle}
      save={of ? undefined : t.addSave}
      isBusy={isBusy}
      problem={problem}
      shown={["url", "name", "events"].map((member) => (of ? `changes.${member}` : member))}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextField
        label={t.address}
        hint={t.addressHint}
        type="url"
        value={url}
        onInput={setUrl}
        fault={fault("url")}
        maxLength={2_000}
        isRequired
        hasFocus
      />
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        onInput={setName}
        fault={fault("name")}
        maxLength={100}
      />
      <ChecksField
        label={t.events}
        hint={t.eventsHint}
        values={events}
        choices={[
          ...kinds.map((kind) => ({ value: `${kind}.*`, label: t.kinds[kind] })),
          // Single events, which another program chose.
          ...(of?.events ?? [])
            .filter((event) => !event.endsWith(".*"))
            .map((event) => ({ value: event, label: event })),
        ]}
        onChange={setEvents}
        fault={fault("events")}
      />
      <CheckField label={t.include} hint={t.includeHint} isChecked={sendsRecord} onChange={setSendsRecord} />
    </FormDialog>
  );
}
