import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead, useWholeList } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { listOf } from "../../languages/format.ts";
import { inOrderOf } from "../../languages/order.ts";
import { language } from "../../languages/words.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { ChecksField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Shown } from "../../parts/page.tsx";
import { differences, useFormRecord, useRecordFields } from "../../parts/record-fields.ts";
import { type CatalogNames, useCatalogNames } from "../../plan-words/plan-words.ts";
import { closeRecord, openedRecord, openRecord } from "./addresses.ts";
import { DeleteDialog } from "./record-dialogs.tsx";
import { byName, RecordMenu, RecordName, RecordTable, useMayEverywhere } from "./record-list.tsx";
import { words } from "./words.ts";

type ServiceGroup = Schemas["ServiceGroup"];

/** Services that plans cover together. */
export function Groups() {
  const t = words();
  const list = useRead("/app/v1/service-groups");
  const names = useCatalogNames();
  const mayEdit = useMayEverywhere("manager");
  const mayDelete = useMayEverywhere("owner");
  const [deleted, setDeleted] = useState<ServiceGroup>();
  const add = mayEdit && (
    <Button kind="main" icon="plus" onClick={() => openRecord("groups", "new")}>
      {t.addGroup}
    </Button>
  );
  const membersOf = ({ serviceTypeIds }: ServiceGroup) =>
    serviceTypeIds.length === 0 ? t.none : membersInWords(serviceTypeIds, names);
  const opened = openedRecord();
  const form = useFormRecord(
    opened,
    list.data?.data.find(({ id }) => id === opened),
  );
  return (
    <>
      {list.data?.total !== 0 && <div class="list-head list-head-end">{add}</div>}
      <Shown reading={list}>
        {({ data }) => (
          <>
            <RecordTable
              caption={t.groups}
              rows={byName(data)}
              empty={{ icon: "tag", title: t.noGroups, text: t.noGroupsText, action: add }}
              columns={[
                {
                  title: t.name,
                  cell: ({ id, name }) => <RecordName part="groups" id={id} name={name} mayOpen={mayEdit} />,
                },
                { title: t.members, cell: membersOf },
              ]}
              menu={(group) => (
                <RecordMenu
                  name={group.name}
                  edit={mayEdit && (() => openRecord("groups", group.id))}
                  remove={mayDelete && (() => setDeleted(group))}
                />
              )}
            />
            {mayEdit && opened === "new" && <GroupForm />}
            {mayEdit && form.record && (
              <GroupForm key={form.record.id} group={form.record} isGone={form.isGone} />
            )}
          </>
        )}
      </Shown>
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          operation="deleteServiceGroup"
          input={{ serviceGroupId: deleted.id }}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function membersInWords(serviceTypeIds: readonly string[], names: CatalogNames | undefined): string {
  return listOf(
    inOrderOf(
      serviceTypeIds.map((id) => names?.serviceTypes.get(id) ?? "…"),
      (name) => name,
      language.value,
    ),
  );
}

function GroupForm({ group, isGone = false }: { readonly group?: ServiceGroup; readonly isGone?: boolean }) {
  const t = words();
  const types = useWholeList("/app/v1/service-types").data?.data ?? [];
  const names = useCatalogNames();
  const stored = { name: group?.name ?? "", serviceTypeIds: group?.serviceTypeIds ?? [] };
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const adding = useWrite("addServiceGroup");
  const editing = useWrite("editServiceGroup");
  const { problem, isBusy } = group ? editing : adding;
  const save = async () => {
    const content = { ...fields, name: fields.name.trim() };
    const done = group
      ? await editing.run(
          { serviceGroupId: group.id, changes: differences(stored, content) },
          { said: t.saved(content.name) },
        )
      : await adding.run(content, { said: t.added(content.name) });
    if (done) closeRecord("groups", true);
  };
  return (
    <FormDialog
      title={group ? t.editGroup : t.addGroup}
      isBusy={isBusy}
      problem={problem}
      shown={["name", "changes.name"]}
      isChanged={isChanged}
      isGone={isGone}
      onSubmit={() => void save()}
      onClose={() => closeRecord("groups")}
    >
      {!isBusy && (
        <ContestedNotice
          parts={contested({
            name: [t.name, stored.name],
            serviceTypeIds: [t.members, membersInWords(stored.serviceTypeIds, names)],
          })}
        />
      )}
      <TextField
        label={t.name}
        value={fields.name}
        onInput={(name) => set({ name })}
        fault={problem?.faultAt(group ? "changes.name" : "name")}
        isRequired
        hasFocus
      />
      <ChecksField
        label={t.members}
        hint={t.membersHint}
        values={fields.serviceTypeIds}
        onChange={(serviceTypeIds) => set({ serviceTypeIds })}
        choices={byName(
          types.filter(({ id, status }) => status === "active" || fields.serviceTypeIds.includes(id)),
        ).map((type) => ({ value: type.id, label: type.name }))}
      />
    </FormDialog>
  );
}
