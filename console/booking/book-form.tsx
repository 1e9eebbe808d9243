import { useState } from "preact/hooks";
import { refreshReads, useRead } from "../api/reads.ts";
import { showToast } from "../api/toasts.ts";
import { type Input, useWrite } from "../api/writes.ts";
import { fullDate } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { nameOf } from "../routing/session-name.ts";
import type { PickedClient } from "./client-picker.tsx";
import { type CoverageAnswer, CoverageChoice, UncoveredReason } from "./coverage-choice.tsx";
import { FixedPlaceDialog } from "./fixed-place.tsx";
import { weekdayName } from "./fixed-place-words.ts";
import type { Roster } from "./roster-types.ts";
import { hasSeat } from "./seat-state.ts";
import { words } from "./words.ts";

export interface BookFormProps {
  readonly roster: Omit<Roster, "now">;
  readonly now: number;
  readonly client: PickedClient;
  /** The place in the line that is given up for the seat. */
  readonly waitingId?: string;
  /** Checking in is what it is for: that button comes first. */
  readonly prefersCheckIn?: boolean;
  readonly onDone: () => void;
}

/** Books a client into a session: says first what it draws on, or why nothing covers it, and whether there is a seat. */
export function BookForm(props: BookFormProps) {
  const t = words();
  const { roster, client } = props;
  const known = roster.bookings.find((booking) => booking.clientId === client.id && hasSeat(booking));
  const coverage = useRead(known ? undefined : "/app/v1/coverage", {
    query: { clientId: client.id, ...nameOf(roster.session) },
  });
  if (client.status === "archived") return <Notice tone="warning">{t.archived}</Notice>;
  if (known) return <KnownBooking {...props} bookingId={known.id} isHere={known.state === "attended"} />;
  return (
    <Shown reading={coverage} lines={3}>
      {(data) => <Choices {...props} coverage={data} />}
    </Shown>
  );
}

/** The class as one of every week, if it is of a series. */
function weeklyPlaceOf({ scheduleId, originalStart }: Roster["session"]) {
  if (scheduleId === undefined || originalStart === undefined) return undefined;
  return { scheduleId, weekday: weekdayName(originalStart) };
}

function KnownBooking({
  roster,
  now,
  client,
  bookingId,
  isHere,
  onDone,
}: BookFormProps & { readonly bookingId: string; readonly isHere: boolean }) {
  const t = words();
  const attendance = useWrite("setAttendance");
  const checkIn = async () => {
    const said = t.checkedIn(client.contactName);
    if (await attendance.run({ bookingId, state: "attended" }, { said })) onDone();
  };
  return (
    <>
      <Notice>{isHere ? t.hereAlready : t.bookedAlready}</Notice>
      <ProblemNotice problem={attendance.problem} />
      {!isHere && now >= Date.parse(roster.checkInFrom) && (
        <Actions>
          <Button kind="main" icon="check" isBusy={attendance.isBusy} onClick={() => void checkIn()}>
            {t.checkIn}
          </Button>
        </Actions>
      )}
    </>
  );
}

function Choices({
  roster,
  now,
  client,
  waitingId,
  prefersCheckIn = false,
  onDone,
  coverage,
}: BookFormProps & { readonly coverage: CoverageAnswer }) {
  const t = words();
  const { session, unnamed, waiting } = roster;
  const [entitlementId, setEntitlement] = useState<string>();
  const [reason, setReason] = useState("");
  const [isReasonMissing, setReasonMissing] = useState(false);
  const [isSelling, setSelling] = useState(false);
  const [isWeekly, setWeekly] = useState(false);
  // Once something covers it, what is sold is no question any more.
  const isSaleOpen = isSelling && !coverage.covered;
  const book = useWrite("book");
  const checkIn = useWrite("checkIn");
  const promote = useWrite("promoteWaiting");
  const join = useWrite("joinWaiting");
  const name = client.contactName;
  const target = nameOf(session);
  const isFree = session.bookedCount < session.capacity;
  const canCheckIn = waitingId === undefined && now >= Date.parse(roster.checkInFrom);
  const hasBegun = now >= Date.parse(session.startAt);
  const weekly = weeklyPlaceOf(session);
  const isWaiting = waiting.some(({ clientId }) => clientId === client.id);

  /** What covers it, as it was chosen; undefined if a reason is missing. */
  const drawn = (): Pick<Input<"book">, "entitlementId" | "uncovered"> | undefined => {
    if (coverage.covered) return entitlementId === undefined ? {} : { entitlementId };
    if (reason.trim() !== "") return { uncovered: { reason: reason.trim() } };
    setReasonMissing(true);
    return undefined;
  };
  const run = async (
    carryOut: (draw: Pick<Input<"book">, "entitlementId" | "uncovered">) => Promise<unknown>,
  ) => {
    const draw = drawn();
    if (!draw) return;
    if (await carryOut(draw)) onDone();
    // Somebody may have taken the seat, or the credit: what is shown follows.
    else refreshReads();
  };
  const booked = { said: t.booked(name) };
  const seatIt = () =>
    run((draw) =>
      waitingId === undefined
        ? book.run({ clientId: client.id, session: target, ...draw }, booked)
        : promote.run({ waitingId, ...draw }, booked),
    );
  const takeUnnamed = () =>
    run((draw) => book.run({ clientId: client.id, session: target, takeUnnamed: true, ...draw }, booked));
  const seatAndCheckIn = () =>
    run(async (draw) => {
      const input = { clientId: client.id, session: target, ...draw };
      const answer = await checkIn.run(input, { said: t.checkedIn(name) });
      const since = answer?.result?.owesSince;
      if (since !== undefined) showToast(t.owesSince(name, fullDate(since)));
      return answer;
    });
  const joinLine = async () => {
    const said = t.joined(name);
    if (await join.run({ clientId: client.id, session: target }, { said })) onDone();
    else refreshReads();
  };
  const isBusy = book.isBusy || checkIn.isBusy || promote.isBusy || join.isBusy;
  const problem = book.problem ?? checkIn.problem ?? promote.problem ?? join.problem;
  const checkInFirst = canCheckIn && prefersCheckIn;
  return (
    <>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy || isSaleOpen) return;
          if (!isFree) void (unnamed > 0 ? takeUnnamed() : !hasBegun && !isWaiting ? joinLine() : undefined);
          else void (checkInFirst ? seatAndCheckIn() : seatIt());
        }}
      >
        <CoverageChoice
          coverage={coverage}
          clientId={client.id}
          entitlementId={entitlementId}
          onEntitlement={setEntitlement}
          isSelling={isSelling}
          onSelling={setSelling}
        />
        {!coverage.covered && !isSaleOpen && (isFree || unnamed > 0) && (
          <UncoveredReason
            reason={reason}
            onReason={(text) => {
              setReason(text);
              setReasonMissing(false);
            }}
            fault={isReasonMissing ? t.reasonMissing : undefined}
          />
        )}
        {!isFree && (
          <Notice tone="warning">
            {t.full(session.capacity)} {waiting.length > 0 && t.inLine(waiting.length)}
          </Notice>
        )}
        {(isFree || problem?.reason !== "full") && <ProblemNotice problem={problem} />}
        {!isSaleOpen && (
          <Actions>
            {isFree ? (
              <>
                {checkInFirst && (
                  <Button kind="main" isSubmit icon="check" isBusy={isBusy} hasFocus>
                    {t.bookAndCheckIn}
                  </Button>
                )}
                <Button
                  kind={checkInFirst ? "plain" : "main"}
                  isSubmit={!checkInFirst}
                  isBusy={isBusy}
                  hasFocus={!checkInFirst && coverage.covered}
                  {...(checkInFirst && { onClick: () => void seatIt() })}
                >
                  {coverage.covered ? t.bookIt : t.bookUncovered}
                </Button>
                {canCheckIn && !prefersCheckIn && (
                  <Button icon="check" isBusy={isBusy} onClick={() => void seatAndCheckIn()}>
                    {t.bookAndCheckIn}
                  </Button>
                )}
              </>
            ) : (
              <>
                {unnamed > 0 && (
                  <Button kind="main" isSubmit isBusy={isBusy} hasFocus>
                    {t.takeUnnamed(unnamed)}
                  </Button>
                )}
                {!hasBegun && !isWaiting && (
                  <Button
                    kind={unnamed > 0 ? "plain" : "main"}
                    isSubmit={unnamed === 0}
                    isBusy={isBusy}
                    hasFocus={unnamed === 0}
                    {...(unnamed > 0 && { onClick: () => void joinLine() })}
                  >
                    {t.joinLine}
                  </Button>
                )}
                {isWaiting && <p class="soft">{t.waitsAlready}</p>}
              </>
            )}
            {weekly && waitingId === undefined && (
              <Button icon="repeat" aria-haspopup="dialog" onClick={() => setWeekly(true)}>
                {t.everyWeek}
              </Button>
            )}
          </Actions>
        )}
      </form>
      {isWeekly && weekly && (
        <FixedPlaceDialog
          client={client}
          today={session.localStart.slice(0, 10)}
          chosen={[weekly]}
          onClose={() => setWeekly(false)}
        />
      )}
    </>
  );
}
