import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite, writeOrTell } from "../../api/writes.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { ChoiceField, TextArea, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Badge } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { differences, useFormRecord, useRecordFields } from "../../parts/record-fields.ts";
import { offsetOf, PAGE_SIZE, Pager } from "../../parts/table.tsx";
import { route } from "../../routing/router.ts";
import { closeRecord, openedRecord, openRecord, showsArchived } from "./addresses.ts";
import { DeleteDialog, useWithdrawal } from "./record-dialogs.tsx";
import {
  archiveItem,
  byName,
  ListHead,
  RecordMenu,
  RecordName,
  RecordTable,
  useMayEverywhere,
} from "./record-list.tsx";
import { words } from "./words.ts";

type ServiceType = Schemas["ServiceType"];

/** What people book: classes and appointments. */
export function Services() {
  const t = words();
  const isArchived = showsArchived();
  const offset = offsetOf(route.value.query);
  const list = useRead(
    "/app/v1/service-types",
    { query: { status: isArchived ? "archived" : "active", limit: PAGE_SIZE, offset } },
    { keepsLast: true },
  );
  const mayEdit = useMayEverywhere("manager");
  const mayDelete = useMayEverywhere("owner");
  const [deleted, setDeleted] = useState<ServiceType>();
  const withdrawal = useWithdrawal();
  const archive = ({ id, name }: ServiceType) =>
    withdrawal.begin({ operation: "archiveServiceType", id, name }, t.archivedNow(name));
  const restore = ({ id, name }: ServiceType) =>
    void writeOrTell("restoreServiceType", { serviceTypeId: id }, { said: t.restored(name) });
  const add = mayEdit && (
    <Button kind="main" icon="plus" onClick={() => openRecord("services", "new")}>
      {t.addService}
    </Button>
  );
  return (
    <>
      <ListHead active={t.active} archived={t.archived} action={add} />
      <Shown reading={list}>
        {({ data, total }) => (
          <>
            <RecordTable
              caption={t.services}
              rows={total <= PAGE_SIZE ? byName(data) : data}
              total={total}
              isArchived={isArchived}
              empty={{ icon: "tag", title: t.noServices, text: t.noServicesText, action: add }}
              columns={[
                {
                  title: t.name,
                  cell: ({ id, name, description, holdsResource }) => (
                    <>
                      <RecordName part="services" id={id} name={name} mayOpen={mayEdit} />{" "}
                      <Badge tone={holdsResource ? "accent" : "plain"}>
                        {holdsResource ? t.heldService : t.sharedService}
                      </Badge>
                      {description && <p class="soft">{description}</p>}
                    </>
                  ),
                },
              ]}
              menu={(type) => (
                <RecordMenu
                  name={type.name}
                  edit={mayEdit && (() => openRecord("services", type.id))}
                  use={
                    mayEdit &&
                    archiveItem(type.status, { archive: () => archive(type), restore: () => restore(type) })
                  }
                  remove={mayDelete && (() => setDeleted(type))}
                />
              )}
            />
            {total > 0 && <Pager offset={offset} shown={data.length} total={total} />}
          </>
        )}
      </Shown>
      {mayEdit && <OpenedService />}
      {withdrawal.dialog}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          operation="deleteServiceType"
          input={{ serviceTypeId: deleted.id }}
          instead={
            deleted.status === "active" && { label: t.insteadArchive, onChoose: () => archive(deleted) }
          }
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function OpenedService() {
  const opened = openedRecord();
  const known = useRead(opened === undefined || opened === "new" ? undefined : "/app/v1/service-types/{id}", {
    params: { id: opened ?? "" },
  });
  const { record, isGone } = useFormRecord(opened, known.data);
  if (opened === undefined) return null;
  if (opened === "new") return <ServiceForm />;
  return record ? <ServiceForm key={opened} type={record} isGone={isGone} /> : null;
}

function ServiceForm({ type, isGone = false }: { readonly type?: ServiceType; readonly isGone?: boolean }) {
  const t = words();
  const stored = {
    name: type?.name ?? "",
    description: type?.description ?? "",
    holdsResource: type?.holdsResource ?? false,
  };
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const adding = useWrite("addServiceType");
  const editing = useWrite("editServiceType");
  const { problem, isBusy } = type ? editing : adding;
  const fault = (member: string) => problem?.faultAt(type ? `changes.${member}` : member);
  const contentOf = ({ name, description, holdsResource }: typeof stored) => ({
    name: name.trim(),
    description: description.trim() || null,
    holdsResource,
  });
  const kindOf = ({ holdsResource }: typeof stored) => (holdsResource ? t.heldService : t.sharedService);
  const save = async () => {
    const { description, ...content } = contentOf(fields);
    const done = type
      ? await editing.run(
          { serviceTypeId: type.id, changes: differences(contentOf(stored), contentOf(fields)) },
          { said: t.saved(content.name) },
        )
      : await adding.run(
          { ...content, ...(description !== null && { description }) },
          { said: t.added(content.name) },
        );
    if (done) closeRecord("services", true);
  };
  return (
    <FormDialog
      title={type ? t.editService : t.addService}
      isBusy={isBusy}
      problem={problem}
      shown={type ? ["changes.name", "changes.description"] : ["name", "description"]}
      isChanged={isChanged}
      isGone={isGone}
      onSubmit={() => void save()}
      onClose={() => closeRecord("services")}
    >
      {!isBusy && (
        <ContestedNotice
          parts={contested({
            name: [t.name, stored.name],
            description: [t.description, stored.description],
            holdsResource: [t.kindOfService, kindOf(stored)],
          })}
        />
      )}
      <TextField
        label={t.name}
        value={fields.name}
        onInput={(name) => set({ name })}
        fault={fault("name")}
        isRequired
        hasFocus
      />
      <TextArea
        label={t.description}
        value={fields.description}
        onInput={(description) => set({ description })}
        fault={fault("description")}
        rows={2}
      />
      <ChoiceField
        label={t.kindOfService}
        value={fields.holdsResource ? "held" : "shared"}
        choices={[
          { value: "shared", label: t.sharedService, hint: t.sharedHint },
          { value: "held", label: t.heldService, hint: t.heldHint },
        ]}
        onChoose={(kind) => set({ holdsResource: kind === "held" })}
      />
    </FormDialog>
  );
}
