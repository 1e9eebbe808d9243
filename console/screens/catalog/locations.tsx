import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite, writeOrTell } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { localIn, timeOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { ContestedNotice } from "../../parts/contested.tsx";
import { TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Badge, Notice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { differences, useFormRecord, useRecordFields } from "../../parts/record-fields.ts";
import { cityOf, ZoneField } from "../../parts/zone-field.tsx";
import { closeRecord, openedRecord, openRecord } from "./addresses.ts";
import { DeleteDialog, useWithdrawal } from "./record-dialogs.tsx";
import { byName, RecordMenu, RecordName, RecordTable, useMayEverywhere } from "./record-list.tsx";
import { words } from "./words.ts";

type Location = Schemas["Location"];

/** Where classes take place, open and closed. */
export function Locations() {
  const t = words();
  const list = useRead("/app/v1/locations");
  const mayEdit = useMayEverywhere("owner");
  const [deleted, setDeleted] = useState<Location>();
  const withdrawal = useWithdrawal();
  const close = ({ id, name }: Location) =>
    withdrawal.begin({ operation: "closeLocation", id, name }, t.closedNow(name));
  const reopen = ({ id, name }: Location) =>
    void writeOrTell("reopenLocation", { locationId: id }, { said: t.reopened(name) });
  const add = mayEdit && (
    <Button kind="main" icon="plus" onClick={() => openRecord("locations", "new")}>
      {t.addLocation}
    </Button>
  );
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
              caption={t.locations}
              rows={[
                ...byName(data.filter(({ status }) => status === "active")),
                ...byName(data.filter(({ status }) => status === "closed")),
              ]}
              empty={{ icon: "place", title: t.noLocations, text: t.noLocationsText, action: add }}
              columns={[
                {
                  title: t.name,
                  cell: ({ id, name, address, status }) => (
                    <>
                      <RecordName part="locations" id={id} name={name} mayOpen={mayEdit} />{" "}
                      {status === "closed" && <Badge tone="warning">{t.closed}</Badge>}
                      {address && <p class="soft">{address}</p>}
                    </>
                  ),
                },
                {
                  title: t.timezone,
                  isExtra: true,
                  cell: ({ timezone }) => (
                    <>
                      {cityOf(timezone)}
                      <p class="soft">{t.nowThere(timeOf(localIn(Date.now(), timezone)))}</p>
                    </>
                  ),
                },
              ]}
              menu={(location) => (
                <RecordMenu
                  name={location.name}
                  edit={mayEdit && (() => openRecord("locations", location.id))}
                  use={
                    mayEdit &&
                    (location.status === "active"
                      ? { label: t.closeLocation, icon: "lock", onChoose: () => close(location) }
                      : { label: t.reopenLocation, icon: "restore", onChoose: () => reopen(location) })
                  }
                  remove={mayEdit && (() => setDeleted(location))}
                />
              )}
            />
            {mayEdit && opened === "new" && <LocationForm />}
            {mayEdit && form.record && (
              <LocationForm key={form.record.id} location={form.record} isGone={form.isGone} />
            )}
          </>
        )}
      </Shown>
      {withdrawal.dialog}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          operation="deleteLocation"
          input={{ locationId: deleted.id }}
          instead={deleted.status === "active" && { label: t.insteadClose, onChoose: () => close(deleted) }}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function LocationForm({
  location,
  isGone = false,
}: {
  readonly location?: Location;
  readonly isGone?: boolean;
}) {
  const t = words();
  const { organization } = useMe();
  const stored = {
    name: location?.name ?? "",
    address: location?.address ?? "",
    timezone: location?.timezone ?? organization.timezone,
  };
  const { fields, isChanged, set, contested } = useRecordFields(stored);
  const adding = useWrite("addLocation");
  const editing = useWrite("editLocation");
  const { problem, isBusy } = location ? editing : adding;
  const fault = (member: string) => problem?.faultAt(location ? `changes.${member}` : member);
  const members = ["name", "address", "timezone"].map((member) => (location ? `changes.${member}` : member));
  const contentOf = ({ name, address, timezone }: typeof stored) => ({
    name: name.trim(),
    address: address.trim() || null,
    timezone,
  });
  const save = async () => {
    const { address, ...content } = contentOf(fields);
    const done = location
      ? await editing.run(
          { locationId: location.id, changes: differences(contentOf(stored), contentOf(fields)) },
          { said: t.saved(content.name) },
        )
      : await adding.run(
          { ...content, ...(address !== null && { address }) },
          { said: t.added(content.name) },
        );
    if (done) closeRecord("locations", true);
  };
  return (
    <FormDialog
      title={location ? t.editLocation : t.addLocation}
      isBusy={isBusy}
      problem={problem}
      shown={members}
      isChanged={isChanged}
      isGone={isGone}
      onSubmit={() => void save()}
      onClose={() => closeRecord("locations")}
    >
      {!isBusy && (
        <ContestedNotice
          parts={contested({
            name: [t.name, stored.name],
            address: [t.address, stored.address],
            timezone: [t.timezone, cityOf(stored.timezone)],
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
      <TextField
        label={t.address}
        value={fields.address}
        onInput={(address) => set({ address })}
        fault={fault("address")}
      />
      <ZoneField
        label={t.timezone}
        value={fields.timezone}
        onChoose={(timezone) => set({ timezone })}
        fault={fault("timezone")}
      />
      {location && fields.timezone !== location.timezone && (
        <Notice tone="warning">{t.timezoneChange}</Notice>
      )}
    </FormDialog>
  );
}
