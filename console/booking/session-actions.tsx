import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useFreshDryRun } from "../api/dry-runs.ts";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { type Input, type Result, useWrite, type WriteName } from "../api/writes.ts";
import { longDate, timeOf } from "../languages/format.ts";
import { DateField, TimeField } from "../parts/date-field.tsx";
import { SelectField, TextField } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { nameOf } from "../routing/session-name.ts";
import { ResourceChoices } from "./resource-choices.tsx";
import { ReturningNotice } from "./returning.tsx";
import type { Roster } from "./roster-types.ts";
import { hasSeat } from "./seat-state.ts";
import { words } from "./words.ts";

type Action = "move" | "resources" | "capacity" | "cancel" | "reinstate" | "release";
type ChangeCounts = Schemas["ChangeCounts"];

/** What can be done to the session itself. What has begun is not moved or cancelled any more. */
export function SessionActions({ roster, now }: { readonly roster: Roster; readonly now: number }) {
  const t = words();
  const [action, setAction] = useState<Action>();
  const { session } = roster;
  const isScheduled = session.status === "scheduled";
  const hasBegun = now >= Date.parse(session.startAt);
  const isAnybodyHere = roster.bookings.some(({ state }) => state === "attended");
  const item = (isOffered: boolean, name: Action, entry: Omit<MenuItem, "onChoose">): MenuItem[] =>
    isOffered ? [{ ...entry, onChoose: () => setAction(name) }] : [];
  const items = [
    ...item(isScheduled, "resources", { label: t.substitute, icon: "swap" }),
    ...item(isScheduled && !hasBegun, "move", { label: t.move, icon: "move" }),
    ...item(isScheduled, "capacity", { label: t.capacity, icon: "users" }),
    ...item(isScheduled && roster.unnamed > 0 && session.id !== undefined, "release", {
      label: t.release,
      icon: "users",
    }),
    ...item(!isScheduled, "reinstate", { label: t.reinstate, icon: "restore" }),
    ...item(isScheduled && !isAnybodyHere, "cancel", {
      label: t.cancelSession,
      icon: "close",
      isDangerous: true,
    }),
  ];
  if (items.length === 0) return null;
  const props = { roster, onClose: () => setAction(undefined) };
  return (
    <>
      <Menu label={t.sessionActions} items={items} />
      {action === "resources" && <ResourcesDialog {...props} />}
      {action === "move" && <MoveDialog {...props} />}
      {action === "capacity" && <CapacityDialog {...props} />}
      {action === "release" && <ReleaseDialog {...props} />}
      {action === "reinstate" && <ReinstateDialog {...props} />}
      {action === "cancel" && <CancelSessionDialog {...props} />}
    </>
  );
}

interface ActionProps {
  readonly roster: Roster;
  readonly onClose: () => void;
}

/** A change to a session: its fields, what it would do in words, then the button that does it. */
function ChangeDialog<Name extends WriteName>({
  title,
  save,
  said,
  operation,
  input,
  dryRunInput = input,
  shown,
  describe = () => [],
  describeResult,
  undone,
  keep,
  onClose,
  children,
}: {
  readonly title: string;
  readonly save: string;
  /** Of what takes something away: what the other button says. */
  readonly keep?: string;
  readonly said: string;
  readonly operation: Name;
  /** Undefined while there is nothing to save. */
  readonly input: Input<Name> | undefined;
  /** What the dry run is asked with, if it is another. */
  readonly dryRunInput?: Input<Name> | undefined;
  readonly shown: readonly string[];
  readonly describe?: (changes: ChangeCounts) => readonly string[];
  /** Says more than numbers do. */
  readonly describeResult?: (result: Result<Name>) => ComponentChildren;
  /** What to say when it was undone at once. */
  readonly undone?: (result: unknown) => string | undefined;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}) {
  const write = useWrite(operation);
  const asked = useFreshDryRun(operation, dryRunInput);
  const lines = asked.run ? describe(asked.run.changes) : [];
  const submit = async () => {
    if (input === undefined) return;
    if (await write.run(input, { said, undone })) onClose();
  };
  return (
    <FormDialog
      title={title}
      save={save}
      isDangerous={keep !== undefined}
      keep={keep}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={shown}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {children}
      {!write.problem && <ProblemNotice problem={asked.problem} />}
      {lines.length > 0 && (
        <Notice>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Notice>
      )}
      {asked.run?.result && describeResult?.(asked.run.result)}
    </FormDialog>
  );
}

function MoveDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const { session } = roster;
  const [begun, minutes] = [session.localStart, minutesOf(session)];
  const [date, setDate] = useState(begun.slice(0, 10));
  const [time, setTime] = useState(begun.slice(11, 16));
  const [duration, setDuration] = useState(String(minutes));
  const [locationId, setLocation] = useState(session.locationId);
  const locations = useRead("/app/v1/locations");
  const start = `${date}T${time}`;
  const isMoved = start !== begun.replace(" ", "T") || locationId !== session.locationId;
  const changes = {
    ...(start !== begun.replace(" ", "T") && { start }),
    ...(Number(duration) !== minutes && { durationMinutes: Number(duration) }),
    ...(locationId !== session.locationId && { locationId }),
  };
  const isComplete = date !== "" && time !== "" && Number(duration) > 0;
  const isChanged = Object.keys(changes).length > 0;
  return (
    <ChangeDialog
      title={t.moveTitle}
      save={t.moveIt}
      said={t.moved}
      operation="editSession"
      input={isComplete && isChanged ? { session: nameOf(session), changes } : undefined}
      shown={[]}
      onClose={onClose}
      describe={({ bookings }) => [
        t.movesTo(longDate(date), timeOf(start)),
        ...(isMoved ? [bookings > 0 ? t.movesPeople(bookings) : t.movesNobody] : []),
      ]}
    >
      <div class="columns">
        <DateField label={t.date} value={date} onInput={setDate} isRequired />
        <TimeField label={t.time} value={time} onInput={setTime} isRequired />
        <TextField
          label={t.minutes}
          type="number"
          min={1}
          max={1440}
          value={duration}
          onInput={setDuration}
          isRequired
        />
      </div>
      <SelectField
        label={t.location}
        value={locationId}
        choices={(locations.data?.data ?? [])
          .filter(({ id, status }) => status === "active" || id === session.locationId)
          .map(({ id, name }) => ({ value: id, label: name }))}
        onChoose={setLocation}
      />
    </ChangeDialog>
  );
}

function ResourcesDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const { session } = roster;
  const before = session.resourceIds ?? [];
  const [chosen, setChosen] = useState<readonly string[]>(before);
  const isChanged = [...chosen].sort().join() !== [...before].sort().join();
  return (
    <ChangeDialog
      title={t.substituteTitle}
      save={t.substituteIt}
      said={t.substituted}
      operation="editSession"
      input={
        isChanged
          ? { session: nameOf(session), changes: { resourceIds: chosen.length > 0 ? chosen : null } }
          : undefined
      }
      shown={[]}
      onClose={onClose}
    >
      <ResourceChoices session={session} before={before} chosen={chosen} onChange={setChosen} />
    </ChangeDialog>
  );
}

function CapacityDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const { session } = roster;
  const [capacity, setCapacity] = useState(String(session.capacity));
  const seats = Number(capacity);
  const isChanged = capacity !== "" && Number.isInteger(seats) && seats !== session.capacity;
  return (
    <ChangeDialog
      title={t.capacityTitle}
      save={t.capacityIt}
      said={t.resized(capacity)}
      operation="editSession"
      input={isChanged ? { session: nameOf(session), changes: { capacity: seats } } : undefined}
      shown={["changes.capacity"]}
      onClose={onClose}
      describe={({ promoted }) => (promoted > 0 ? [t.promotes(promoted)] : [])}
    >
      <TextField
        label={t.seats}
        type="number"
        min={session.bookedCount}
        value={capacity}
        onInput={setCapacity}
        hint={t.seatsTaken(session.bookedCount)}
        hasFocus
        isRequired
      />
    </ChangeDialog>
  );
}

function ReleaseDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const { session, unnamed } = roster;
  const [seats, setSeats] = useState(String(unnamed));
  const number = Number(seats);
  const isComplete = Number.isInteger(number) && number >= 1 && session.id !== undefined;
  return (
    <ChangeDialog
      title={t.releaseTitle}
      save={t.releaseIt}
      said={t.released(number)}
      operation="releaseUnnamed"
      input={isComplete ? { sessionId: session.id ?? "", seats: number } : undefined}
      shown={["seats"]}
      onClose={onClose}
      describe={({ promoted }) => (promoted > 0 ? [t.promotes(promoted)] : [])}
    >
      <TextField
        label={t.seats}
        type="number"
        min={1}
        max={unnamed}
        value={seats}
        onInput={setSeats}
        hint={t.releaseHint(unnamed)}
        hasFocus
        isRequired
      />
    </ChangeDialog>
  );
}

function CancelSessionDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const session = nameOf(roster.session);
  const [reason, setReason] = useState("");
  const people = roster.bookings.filter(hasSeat).length;
  // They come no more whether it takes place or not, but get back what they lost.
  const late = roster.bookings.filter(({ state }) => state === "late_cancelled").length;
  return (
    <ChangeDialog
      title={t.cancelSessionTitle}
      save={t.cancelSessionIt}
      keep={t.keepSession}
      said={t.sessionIsCancelled}
      undone={(result) => {
        const { bookings = [] } = result as Result<"reinstateSession">;
        const number = bookings.filter(({ outcome }) => outcome !== "booked").length;
        return number > 0 ? t.notAllBack(number) : undefined;
      }}
      operation="cancelSession"
      input={reason.trim() === "" ? undefined : { session, reason: reason.trim() }}
      dryRunInput={{ session, reason: "…" }}
      shown={["reason"]}
      onClose={onClose}
      describe={({ creditsReturned }) => [
        people > 0 ? t.cancelsPeople(people) : t.cancelsNobody,
        ...(late > 0 ? [t.lateForgiven(late)] : []),
        ...(creditsReturned > 0 ? [t.creditsBack(creditsReturned)] : []),
      ]}
    >
      <TextField
        label={t.cancelSessionReason}
        value={reason}
        onInput={setReason}
        maxLength={500}
        hasFocus
        isRequired
      />
    </ChangeDialog>
  );
}

function ReinstateDialog({ roster, onClose }: ActionProps) {
  const t = words();
  const session = nameOf(roster.session);
  return (
    <ChangeDialog
      title={t.reinstateTitle}
      save={t.reinstate}
      said={t.reinstated}
      operation="reinstateSession"
      input={{ session }}
      shown={[]}
      onClose={onClose}
      describeResult={({ bookings = [] }) => <ReturningNotice session={session} bookings={bookings} />}
    />
  );
}

function minutesOf({ startAt, endAt }: Roster["session"]): number {
  return Math.round((Date.parse(endAt) - Date.parse(startAt)) / 60_000);
}
