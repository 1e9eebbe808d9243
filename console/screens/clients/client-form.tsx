import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../api/problem.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { go, route } from "../../frame/router.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { Actions } from "../../parts/dialog.tsx";
import { ChecksField, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { LeaveGuard } from "../../parts/leave-guard.tsx";
import { Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Page } from "../../parts/page.tsx";
import { showToast } from "../../parts/toast.tsx";
import {
  ADDRESS_MEMBERS,
  type ClientFields,
  type ClientPart,
  changesBetween,
  fieldsOf,
  inputOf,
  isSamePart,
  isTypedSince,
  NO_FIELDS,
  takeStored,
  withPart,
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

interface FormState {
  /** What is stored, as far as is known here. */
  readonly before: ClientFields;
  readonly fields: ClientFields;
  /** What somebody else has changed too since the form was opened. */
  readonly contested: readonly ClientPart[];
}

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
  const [{ before, fields, contested }, setForm] = useState<FormState>(() => {
    const begun = client
      ? fieldsOf(client)
      : {
          ...NO_FIELDS,
          contactName: route.value.query.get("name") ?? "",
          // Whoever works at one place adds people there.
          locationIds: staff.allLocations || staff.locationIds.length !== 1 ? [] : staff.locationIds,
        };
    return { before: begun, fields: begun, contested: [] };
  });
  const sent = useRef<ClientFields | undefined>(undefined);
  // Somebody else has saved meanwhile.
  useEffect(() => {
    if (!client) return;
    const stored = fieldsOf(client);
    setForm((form) => {
      const taken = takeStored(form.before, form.fields, stored);
      return {
        before: stored,
        fields: taken.fields,
        // What was sent from here is nobody else's.
        contested: [...new Set([...form.contested, ...taken.contested])].filter(
          (part) => !sent.current || !isSamePart(part, stored, sent.current),
        ),
      };
    });
  }, [client]);
  const adding = useWrite("addClient");
  const editing = useWrite("editClient");
  const { isBusy, problem } = client ? editing : adding;
  const faultAt = (member: string) => problem?.faultAt(client ? `changes.${member}` : member);
  const set = (changed: Partial<ClientFields>) =>
    setForm((form) => ({ ...form, fields: { ...form.fields, ...changed } }));
  const isChanged = Object.keys(changesBetween(before, fields)).length > 0;
  // What is typed into an edit while it is saved is not saved with it, and stays.
  const latest = useRef({ before, fields });
  latest.current = { before, fields };
  const hasMore = () =>
    sent.current !== undefined && isTypedSince(sent.current, latest.current.before, latest.current.fields);

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
        <ContestedParts
          stored={before}
          parts={isErased ? [] : contested.filter((part) => !isSamePart(part, before, fields))}
          onTake={(part) =>
            setForm((form) => ({
              ...form,
              fields: withPart(part, form.fields, form.before),
              contested: form.contested.filter((other) => other !== part),
            }))
          }
        />
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
          <TextField
            label={t.birthdate}
            type="date"
            value={fields.birthdate}
            onInput={(birthdate) => set({ birthdate })}
            fault={faultAt("birthdate")}
          />
          <SelectField
            label={t.documentType}
            value={fields.documentType}
            choices={(["none", "cpf", "other"] as const).map((value) => ({
              value,
              label: t.documentTypes[value],
            }))}
            onChoose={(documentType) => set({ documentType })}
            fault={faultAt("idDocument.type")}
          />
          {fields.documentType !== "none" && (
            <TextField
              label={t.documentValue}
              value={fields.documentValue}
              onInput={(documentValue) => set({ documentValue })}
              fault={faultAt("idDocument.value") ?? faultAt("idDocument")}
              {...(fields.documentType === "cpf" && { inputMode: "numeric" as const })}
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
function ContestedParts({
  stored,
  parts,
  onTake,
}: {
  readonly stored: ClientFields;
  readonly parts: readonly ClientPart[];
  readonly onTake: (part: ClientPart) => void;
}) {
  const t = words();
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const labels: Readonly<Record<ClientPart, string>> = {
    ...t.addressParts,
    contactName: t.name,
    contactPhone: t.phone,
    contactEmail: t.email,
    birthdate: t.birthdate,
    document: t.documentType,
    locationIds: t.places,
    notes: t.notes,
  };
  const textOf = (part: ClientPart): string => {
    if (part === "locationIds")
      return locations
        .filter(({ id }) => stored.locationIds.includes(id))
        .map(({ name }) => name)
        .join(", ");
    if (part !== "document") return stored[part];
    return stored.documentType === "none"
      ? ""
      : `${t.documentTypes[stored.documentType]} ${stored.documentValue}`;
  };
  return (
    <ContestedNotice
      parts={parts.map((part) => ({ label: labels[part], text: textOf(part), onTake: () => onTake(part) }))}
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
