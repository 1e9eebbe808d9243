import { useState } from "preact/hooks";
import { useWrite } from "../../api/writes.ts";
import { longDate, timeOf } from "../../languages/format.ts";
import { DateField, TimeField } from "../../parts/date-field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Catalog, useOwnLocations } from "../../sessions/catalog.ts";
import {
  ResourceFields,
  SESSION_MEMBERS,
  type SessionDraft,
  SessionFields,
  toSession,
} from "../../sessions/session-fields.tsx";
import type { CalendarSession } from "./placement.ts";
import { words } from "./words.ts";

/** A session of no schedule. */
export function AddSession({
  date: firstDate,
  time: firstTime,
  locationId,
  serviceTypeId = "",
  known,
  catalog,
  onClose,
}: {
  readonly date: string;
  readonly time: string;
  readonly locationId: string | undefined;
  readonly serviceTypeId: string | undefined;
  /** What is on the calendar: others of the same service say how long and how large it is. */
  readonly known: readonly CalendarSession[];
  readonly catalog: Catalog;
  readonly onClose: () => void;
}) {
  const t = words();
  const own = useOwnLocations(catalog.locations);
  const add = useWrite("addSession");
  const [date, setDate] = useState(firstDate);
  const [time, setTime] = useState(firstTime);
  const [draft, setDraft] = useState<SessionDraft>(() => {
    const place = own.find(({ id }) => id === locationId) ?? (own.length === 1 ? own[0] : undefined);
    return {
      serviceTypeId,
      locationId: place?.id ?? "",
      resourceIds: [],
      durationMinutes: "60",
      capacity: "10",
      ...likeOthers(known, serviceTypeId),
    };
  });
  const submit = async () => {
    const start = `${date}T${time}`;
    const name = catalog.serviceTypes.find(({ id }) => id === draft.serviceTypeId)?.name ?? "";
    const done = await add.run(
      { ...toSession(draft), start },
      { said: t.added(name, `${longDate(date)}, ${timeOf(start)}`) },
    );
    if (done) onClose();
  };
  const change = (changes: Partial<SessionDraft>) =>
    setDraft((before) => ({
      ...before,
      ...(changes.serviceTypeId && likeOthers(known, changes.serviceTypeId)),
      ...changes,
    }));
  return (
    <FormDialog
      title={t.addTitle}
      save={t.addSave}
      onSubmit={() => void submit()}
      onClose={onClose}
      isBusy={add.isBusy}
      problem={add.problem}
      shown={[...SESSION_MEMBERS, "start"]}
    >
      <div class="columns">
        <DateField
          label={t.date}
          value={date}
          onInput={setDate}
          isRequired
          fault={add.problem?.faultAt("start")}
        />
        <TimeField label={t.time} value={time} onInput={setTime} isRequired />
      </div>
      <SessionFields draft={draft} catalog={catalog} problem={add.problem} onChange={change} />
      <ResourceFields
        draft={draft}
        catalog={catalog}
        fault={add.problem?.faultAt("resourceIds")}
        onChange={change}
      />
    </FormDialog>
  );
}

/** How long and how large sessions of a service are that are on the calendar. */
function likeOthers(
  known: readonly CalendarSession[],
  serviceTypeId: string,
): Partial<Pick<SessionDraft, "durationMinutes" | "capacity">> {
  const other = known.find((session) => session.serviceTypeId === serviceTypeId);
  if (!other) return {};
  const minutes = (Date.parse(other.endAt) - Date.parse(other.startAt)) / 60_000;
  return { durationMinutes: String(minutes), capacity: String(other.capacity) };
}
