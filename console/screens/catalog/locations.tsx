import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite, writeOrTell } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { localIn, timeOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Badge, Notice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
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
  return (
    <>
      {list.data?.total !== 0 && <div class="list-head list-head-end">{add}</div>}
      <Shown reading={list}>
        {({ data }) => {
          const shown = data.find(({ id }) => id === opened);
          return (
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
              {mayEdit && shown && <LocationForm key={shown.id} location={shown} />}
            </>
          );
        }}
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

function LocationForm({ location }: { readonly location?: Location }) {
  const t = words();
  const { organization } = useMe();
  const [name, setName] = useState(location?.name ?? "");
  const [address, setAddress] = useState(location?.address ?? "");
  const [timezone, setTimezone] = useState(location?.timezone ?? organization.timezone);
  const adding = useWrite("addLocation");
  const editing = useWrite("editLocation");
  const { problem, isBusy } = location ? editing : adding;
  const fault = (member: string) => problem?.faultAt(location ? `changes.${member}` : member);
  const members = ["name", "address", "timezone"].map((member) => (location ? `changes.${member}` : member));
  const isChanged =
    name !== (location?.name ?? "") ||
    address !== (location?.address ?? "") ||
    (location !== undefined && timezone !== location.timezone);
  const save = async () => {
    const where = address.trim();
    const done = location
      ? await editing.run(
          {
            locationId: location.id,
            changes: { name: name.trim(), address: where === "" ? null : where, timezone },
          },
          { said: t.saved(name.trim()) },
        )
      : await adding.run(
          { name: name.trim(), ...(where !== "" && { address: where }), timezone },
          { said: t.added(name.trim()) },
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
      onSubmit={() => void save()}
      onClose={() => closeRecord("locations")}
    >
      <TextField label={t.name} value={name} onInput={setName} fault={fault("name")} isRequired hasFocus />
      <TextField label={t.address} value={address} onInput={setAddress} fault={fault("address")} />
      <ZoneField label={t.timezone} value={timezone} onChoose={setTimezone} fault={fault("timezone")} />
      {location && timezone !== location.timezone && <Notice tone="warning">{t.timezoneChange}</Notice>}
    </FormDialog>
  );
}
