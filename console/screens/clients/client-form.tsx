import { useRef } from "preact/hooks";
import type { Problem } from "../../api/problem.ts";
import { useRead } from "../../api/reads.ts";
import { showToast } from "../../api/toasts.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { DateField } from "../../parts/date-field.tsx";
import { Actions } from "../../parts/dialog.tsx";
import { ChecksField, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { differences, type RecordFields, useRecordFields } from "../../parts/record-fields.ts";
import { go, route } from "../../routing/router.ts";
import {
  ADDRESS_MEMBERS,
  type ClientFields,
  changesBetween,
  fieldsOf,
  inputOf,
  NO_FIELDS,
} from "./client-fields.ts";
import { addressOfClient, type Client } from "./records.ts";
import { words } from "./words.ts";

/** The members that have a field of their own. */
const SHOWN = [
  "contactName",
  "contactEmail",
  "contactPhone",
  "birthdate",
  "idDocument",
  "idDocument.type",
  "idDocument.value",
  "locationIds",
  "notes",
  ...ADDRESS_MEMBERS.map((member) => `address.${member}`),
];

/** A new client, or changes to one. */
export function ClientForm({
  client,
  isErased = false,
}: {
  readonly client?: Client;
  /** The record takes no data any more. */
  readonly isErased?: boolean;
}) {
  const t = words();
  const { staff } = useMe();
  const before = client
    ? fieldsOf(client)
    : {
        ...NO_FIELDS,
        contactName: route.value.query.get("name") ?? "",
        // Whoever works at one place adds people there.
        locationIds: staff.allLocations || staff.locationIds.length !== 1 ? [] : staff.locationIds,
      };
  const { fields, set, contested } = useRecordFields<ClientFields>(before);
  const sent = useRef<ClientFields>(undefined);
  const adding = useWrite("addClient");
  const editing = useWrite("editClient");
  const { isBusy, problem } = client ? editing : adding;
  const faultAt = (member: string) => problem?.faultAt(client ? `changes.${member}` : member);
  const isChanged = Object.keys(changesBetween(before, fields)).length > 0;
  // What is typed into an edit while it is saved is not saved with it, and stays.
  const latest = useRef({ before, fields });
  latest.current = { before, fields };
  const hasMore = () => {
    if (!sent.current) return false;
    const sinceSent = Object.keys(differences(sent.current, latest.current.fields));
    const unsaved = differences(latest.current.before, latest.current.fields);
    return sinceSent.some((name) => name in unsaved);
  };

  const save = async () => {
    if (isBusy) return;
    sent.current = fields;
    if (!client) {
      const answer = await adding.run(inputOf(fields), { said: t.added(fields.contactName.trim()) });
      if (answer?.result) void go(addressOfClient(answer.result.id), { replace: true, isSaved: true });
      return;
    }
    const profile = addressOfClient(client.id);
    if (!isChanged) {
      showToast(t.unchanged);
      return void go(profile, { replace: true });
    }
    const answer = await editing.run(
      { clientId: client.id, changes: changesBetween(before, fields) },
      {
        said: t.saved,
        undo: {
          operation: "editClient",
          input: { clientId: client.id, changes: changesBetween(fields, before) },
        },
      },
    );
    if (answer && !hasMore()) void go(profile, { replace: true, isSaved: true });
  };

  return (
    <Page
      title={client ? t.editTitle : t.newTitle}
      subtitle={client && <a href={addressOfClient(client.id)}>{nameOfClient(client.contactName)}</a>}
    >
      <form
        class="stack client-form"
        noValidate
        // Somebody who is being added twice would be two clients.
        inert={isBusy && !client}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isErased ? (
          <Notice tone="bad">{t.erasedMeanwhile}</Notice>
        ) : problem && holderOf(problem) ? (
          <HeldNotice problem={problem} />
        ) : (
          <ProblemNotice
            problem={problem}
            shown={client ? SHOWN.map((member) => `changes.${member}`) : SHOWN}
          />
        )}
        {!isErased && <ContestedFields stored={before} contested={contested} sent={sent.current} />}
        <div class="columns">
          <TextField
            label={t.name}
            value={fields.contactName}
            onInput={(contactName) => set({ contactName })}
            fault={faultAt("contactName")}
            maxLength={200}
            hasFocus
            isRequired
          />
          <TextField
            label={t.phone}
            type="tel"
            value={fields.contactPhone}
            onInput={(contactPhone) => set({ contactPhone })}
            fault={faultAt("contactPhone")}
          />
          <TextField
            label={t.email}
            type="email"
            value={fields.contactEmail}
            onInput={(contactEmail) => set({ contactEmail })}
            fault={faultAt("contactEmail")}
          />
          <DateField
            label={t.birthdate}
            value={fields.birthdate}
            onInput={(birthdate) => set({ birthdate })}
            fault={faultAt("birthdate")}
          />
          <SelectField
            label={t.documentType}
            value={fields.document.type}
            choices={(["none", "cpf", "other"] as const).map((value) => ({
              value,
              label: t.documentTypes[value],
            }))}
            onChoose={(type) => set({ document: { ...fields.document, type } })}
            fault={faultAt("idDocument.type")}
          />
          {fields.document.type !== "none" && (
            <TextField
              label={t.documentValue}
              value={fields.document.value}
              onInput={(value) => set({ document: { ...fields.document, value } })}
              fault={faultAt("idDocument.value") ?? faultAt("idDocument")}
              {...(fields.document.type === "cpf" && { inputMode: "numeric" as const })}
            />
          )}
        </div>
        {!client && <Similar name={fields.contactName} />}
        <Places
          chosen={fields.locationIds}
          onChange={(locationIds) => set({ locationIds })}
          fault={faultAt("locationIds")}
        />
        <TextArea
          label={t.notes}
          hint={t.notesHint}
          value={fields.notes}
          onInput={(notes) => set({ notes })}
          fault={faultAt("notes")}
        />
        <fieldset class="choices client-address">
          <legend>{t.address}</legend>
          <div class="columns">
            {ADDRESS_MEMBERS.map((member) => (
              <TextField
                key={member}
                label={t.addressParts[member]}
                value={fields[member]}
                onInput={(value) => set({ [member]: value })}
                fault={faultAt(`address.${member}`)}
                hint={member === "country" ? t.countryHint : undefined}
              />
            ))}
          </div>
        </fieldset>
        <Actions>
          <Button kind="main" isSubmit isBusy={isBusy} isDisabled={isErased}>
            {t.save}
          </Button>
          <Button href={client ? addressOfClient(client.id) : "/console/clients"}>{t.cancel}</Button>
        </Actions>
      </form>
      <LeaveGuard isChanged={!isErased && (isBusy ? hasMore() : isChanged)} />
    </Page>
  );
}

/** What somebody else has saved meanwhile, and saving would replace. */
function ContestedFields({
  stored,
  contested,
  sent,
}: {
  readonly stored: ClientFields;
  readonly contested: RecordFields<ClientFields>["contested"];
  readonly sent: ClientFields | undefined;
}) {
  const t = words();
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const { document, locationIds, ...texts } = stored;
  const labels = {
    ...t.addressParts,
    contactName: t.name,
    contactPhone: t.phone,
    contactEmail: t.email,
    birthdate: t.birthdate,
    notes: t.notes,
  };
  const textNames = Object.keys(texts) as (keyof typeof texts)[];
  const described = Object.fromEntries(textNames.map((name) => [name, [labels[name], texts[name]] as const]));
  const places = locations.filter(({ id }) => locationIds.includes(id)).map(({ name }) => name);
  return (
    <ContestedNotice
      parts={contested(
        {
          ...(described as Record<keyof typeof texts, readonly [string, string]>),
          document: [
            t.documentType,
            document.type === "none" ? "" : `${t.documentTypes[document.type]} ${document.value}`,
          ],
          locationIds: [t.places, places.join(", ")],
        },
        sent,
      )}
    />
  );
}

/** Where the client belongs; with one location there is nothing to choose. */
function Places({
  chosen,
  onChange,
  fault,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (locationIds: readonly string[]) => void;
  readonly fault: string | undefined;
}) {
  const t = words();
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const choices = locations
    .filter(({ id, status }) => status === "active" || chosen.includes(id))
    .map(({ id, name }) => ({ value: id, label: name }));
  if (locations.length < 2) return null;
  return (
    <ChecksField
      label={t.places}
      hint={t.placesHint}
      values={chosen}
      choices={choices}
      onChange={onChange}
      fault={fault}
    />
  );
}

const SHORTEST_NAME = 4;

/** Who is here already under such a name, so that nobody is added twice. */
function Similar({ name }: { readonly name: string }) {
  const t = words();
  const text = name.trim();
  const { data } = useRead(
    text.length < SHORTEST_NAME ? undefined : "/app/v1/clients",
    { query: { query: text, limit: 3 } },
    { keepsLast: true },
  );
  if (text.length < SHORTEST_NAME || !data || data.data.length === 0) return null;
  return (
    <Notice>
      <div class="client-similar">
        {t.similar}
        {data.data.map(({ id, contactName, contactPhone, contactEmail }) => (
          <a key={id} href={addressOfClient(id)}>
            {[contactName, contactPhone ?? contactEmail].filter(Boolean).join(" · ")}
          </a>
        ))}
      </div>
    </Notice>
  );
}

function holderOf({ status, body }: Problem): string | undefined {
  return status === 409 && typeof body.clientId === "string" ? body.clientId : undefined;
}

/** The document is somebody else's: who that is, with the way there. */
function HeldNotice({ problem }: { readonly problem: Problem }) {
  const t = words();
  const id = holderOf(problem) ?? "";
  const holder = useRead("/app/v1/clients/{id}", { params: { id } }).data;
  return (
    <Notice tone="bad">
      <p>{problem.body.clientStatus === "archived" ? t.heldArchived : t.held}</p>
      <p>
        <a href={addressOfClient(id)}>{holder?.contactName ?? t.toHolder}</a>
      </p>
    </Notice>
  );
}
