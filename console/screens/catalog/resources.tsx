import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite, writeOrTell } from "../../api/writes.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { ChoiceField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Shown } from "../../parts/page.tsx";
import { differences, useFormRecord, useRecordFields } from "../../parts/record-fields.ts";
import { closeRecord, openedRecord, openRecord, showsArchived } from "./addresses.ts";
import { archiveItem, byName, ListHead, RecordMenu, RecordName, RecordTable } from "./record-list.tsx";
import { words } from "./words.ts";

type Resource = Schemas["Resource"];
const KINDS = ["person", "room", "equipment"] as const;

/** Who and what classes and appointments need. Everybody on the staff may write these. */
export function Resources() {
  const t = words();
  const isArchived = showsArchived();
  const list = useRead("/app/v1/resources");
  const add = (
    <Button kind="main" icon="plus" onClick={() => openRecord("resources", "new")}>
      {t.addResource}
    </Button>
  );
  const opened = openedRecord();
  const form = useFormRecord(
    opened,
    list.data?.data.find(({ id }) => decodeURI(encodeURIComponent(id)) === opened),
  );
  return (
    <>
      <ListHead active={t.active} archived={t.archived} action={add} />
      <Shown reading={list}>
        {({ data }) => {
          const listed = data.filter(({ status }) => (status === "archived") === isArchived);
          return (
            <>
              <RecordTable
                caption={t.resources}
                rows={KINDS.flatMap((kind) => byName(listed.filter((resource) => resource.kind === kind)))}
                isArchived={isArchived}
                empty={{ icon: "users", title: t.noResources, text: t.noResourcesText, action: add }}
                columns={[
                  {
                    title: t.name,
                    cell: ({ id, name }) => (
                      <RecordName part="resources" id={encodeURIComponent(id)} name={name} mayOpen />
                    ),
                  },
                  { title: t.kind, cell: ({ kind }) => t.kinds[kind] },
                ]}
                menu={(resource) => <ResourceMenu resource={resource} />}
              />
              {opened === "new" && <ResourceForm />}
              {form.record && (
                <ResourceForm key={form.record.id} resource={form.record} isGone={form.isGone} />
              )}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function ResourceMenu({ resource: { id, name, status } }: { readonly resource: Resource }) {
  const t = words();
  return (
    <RecordMenu
      name={name}
      edit={() => openRecord("resources", encodeURIComponent(id))}
      use={archiveItem(status, {
        archive: () => void writeOrTell("archiveResource", { resourceId: id }, { said: t.archivedNow(name) }),
        restore: () => void writeOrTell("restoreResource", { resourceId: id }, { said: t.restored(name) }),
      })}
    />
  );
}

function ResourceForm({
  resource,
  isGone = false,
}: {
  readonly resource?: Resource;
  readonly isGone?: boolean;
}) {
  const t = words();
  const stored: Pick<Resource, "name" | "kind"> = {
    name: resource?.name ?? "",
    kind: resource?.kind ?? "person",
  };
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const adding = useWrite("addResource");
  const editing = useWrite("editResource");
  const { problem, isBusy } = resource ? editing : adding;
  const save = async () => {
    const content = { ...fields, name: fields.name.trim() };
    const done = resource
      ? await editing.run(
          { resourceId: resource.id, changes: differences(stored, content) },
          {
            said: t.saved(content.name),
            // The trail holds no names of people, so only the screen knows what was there.
            undo: {
              operation: "editResource",
              input: { resourceId: resource.id, changes: differences(content, stored) },
            },
          },
        )
      : await adding.run(content, { said: t.added(content.name) });
    if (done) closeRecord("resources", true);
  };
  return (
    <FormDialog
      title={resource ? t.editResource : t.addResource}
      isBusy={isBusy}
      problem={problem}
      shown={["name", "changes.name"]}
      isChanged={isChanged}
      isGone={isGone}
      onSubmit={() => void save()}
      onClose={() => closeRecord("resources")}
    >
      {!isBusy && (
        <ContestedNotice
          parts={contested({ name: [t.name, stored.name], kind: [t.kind, t.kinds[stored.kind]] })}
        />
      )}
      <TextField
        label={t.name}
        value={fields.name}
        onInput={(name) => set({ name })}
        fault={problem?.faultAt(resource ? "changes.name" : "name")}
        isRequired
        hasFocus
      />
      <ChoiceField
        label={t.kind}
        value={fields.kind}
        choices={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
        onChoose={(kind) => set({ kind })}
      />
    </FormDialog>
  );
}
