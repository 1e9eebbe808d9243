import { useState } from "preact/hooks";
import { writeOrTell } from "../../api/writes.ts";
import { CoverDialog } from "../../booking/cover-dialog.tsx";
import { MarkRestButtons } from "../../booking/roster.tsx";
import { SessionPanel } from "../../booking/session-panel.tsx";
import { useMe } from "../../frame/me.ts";
import { nameOfClient } from "../../languages/client-name.ts";
import { count, fullDate, money, shortDate, timeOf } from "../../languages/format.ts";
import { callLink, mailLink } from "../../languages/given-text.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Badge } from "../../parts/notice.tsx";
import { useDoneRows } from "./done-rows.ts";
import { ToTell } from "./telling.tsx";
import { profileOf, SessionTime, TodoEntry } from "./todo-entry.tsx";
import type { Todo, TodoName } from "./todo-types.ts";
import { todoWords } from "./todo-words.ts";
import { words } from "./words.ts";

type OpenBooking = Todo["toTell"]["data"][number];
type EndingContract = Todo["ending"]["data"][number];
/** One list of what is left to do, with what does it at hand. */
export function TodoPanel({
  name,
  todo,
  onClose,
}: {
  readonly name: TodoName;
  readonly todo: Todo;
  readonly onClose: () => void;
}) {
  const t = words();
  const own = todoWords();
  const { data, total } = todo[name];
  return (
    <Dialog kind="side" title={t.lists[name]} onClose={onClose}>
      <div class="stack">
        <p class="soft">{own.explained[name]}</p>
        {total === 0 && <p>{t.done}</p>}
        {name === "toTell" && <ToTell bookings={todo.toTell.data} />}
        {name === "uncovered" && <Uncovered bookings={todo.uncovered.data} />}
        {name === "unmarked" && <Unmarked sessions={todo.unmarked.data} />}
        {name === "ending" && <Ending contracts={todo.ending.data} isOver={false} />}
        {name === "overdue" && <Ending contracts={todo.overdue.data} isOver />}
        {name === "owes" && <Owing clients={todo.owes.data} />}
        {total > data.length && <p class="soft">{own.first(count(data.length), count(total))}</p>}
      </div>
    </Dialog>
  );
}

/** How somebody is told. */
function Contacts({
  clientPhone,
  clientEmail,
}: {
  readonly clientPhone: string | undefined;
  readonly clientEmail: string | undefined;
}) {
  return (
    <p class="todo-contacts">
      {clientPhone && (
        <a {...callLink(clientPhone)}>
          <Icon name="phone" size={16} /> {clientPhone}
        </a>
      )}
      {clientEmail && (
        <a href={mailLink(clientEmail)}>
          <Icon name="mail" size={16} /> {clientEmail}
        </a>
      )}
    </p>
  );
}

function Uncovered({ bookings }: { readonly bookings: readonly OpenBooking[] }) {
  const t = todoWords();
  const [covered, setCovered] = useState<OpenBooking>();
  const { rows, markDone } = useDoneRows(bookings, ({ id }) => id);
  const leave = async (booking: OpenBooking, clientName: string) => {
    const said = t.leftAsCourtesy(clientName);
    if (await writeOrTell("markCourtesy", { bookingId: booking.id }, { said })) markDone(booking);
  };
  return (
    <>
      <ul>
        {rows.map(({ row: booking, isDone }) => {
          const clientName = nameOfClient(booking.clientName);
          return (
            <TodoEntry
              key={booking.id}
              title={clientName}
              href={profileOf(booking.clientId)}
              action={
                isDone ? (
                  <Badge tone="good">{t.rowDone}</Badge>
                ) : (
                  <div class="todo-actions">
                    <Button isSmall icon="ticket" onClick={() => setCovered(booking)}>
                      {t.cover}
                      <span class="for-readers"> {clientName}</span>
                    </Button>
                    <Button isSmall onClick={() => void leave(booking, clientName)}>
                      {t.courtesy}
                      <span class="for-readers"> {clientName}</span>
                    </Button>
                  </div>
                )
              }
            >
              <p>
                <SessionTime session={booking} />
              </p>
              <p class="soft">{booking.uncoveredReason}</p>
            </TodoEntry>
          );
        })}
      </ul>
      {covered && <CoverDialog booking={covered} onClose={() => setCovered(undefined)} />}
    </>
  );
}

type UnmarkedSession = Todo["unmarked"]["data"][number];

/** A session that is done keeps its row: the next one must not slide under the pointer. */
function Unmarked({ sessions }: { readonly sessions: readonly UnmarkedSession[] }) {
  const t = todoWords();
  const [opened, setOpened] = useState<string>();
  const { rows, markDone } = useDoneRows(sessions, ({ sessionId }) => sessionId);
  return (
    <>
      <ul>
        {rows.map(({ row: session, isDone }) => (
          <TodoEntry
            key={session.sessionId}
            title={session.serviceTypeName}
            action={
              <div class="todo-actions">
                <Button isSmall onClick={() => setOpened(session.sessionId)}>
                  {t.open}
                  <span class="for-readers">
                    {" "}
                    <bdi>{session.serviceTypeName}</bdi> {timeOf(session.localStart)}
                  </span>
                </Button>
                {isDone ? (
                  <Badge tone="good">{t.rowDone}</Badge>
                ) : (
                  <MarkRestButtons
                    sessionId={session.sessionId}
                    unmarked={session.bookings}
                    onDone={() => markDone(session)}
                  />
                )}
              </div>
            }
          >
            <p>
              {shortDate(session.localStart)} {timeOf(session.localStart)} · <bdi>{session.locationName}</bdi>
            </p>
            <p class="soft">{words().unmarked(session.bookings)}</p>
          </TodoEntry>
        ))}
      </ul>
      {opened && <SessionPanel session={{ sessionId: opened }} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function Ending({
  contracts,
  isOver,
}: {
  readonly contracts: readonly EndingContract[];
  readonly isOver: boolean;
}) {
  const t = todoWords();
  return (
    <ul>
      {contracts.map(({ contractId, clientId, clientName, planName, endDate }) => (
        <TodoEntry
          key={contractId}
          title={nameOfClient(clientName)}
          href={`${profileOf(clientId)}/contracts/${contractId}`}
          action={
            <Button isSmall icon="ticket" href={`${profileOf(clientId)}/sell?renew=${contractId}`}>
              {t.renew}
              <span class="for-readers"> {nameOfClient(clientName)}</span>
            </Button>
          }
        >
          <p>
            {planName} · {isOver ? t.endedOn(fullDate(endDate)) : t.endsOn(fullDate(endDate))}
          </p>
        </TodoEntry>
      ))}
    </ul>
  );
}

function Owing({ clients }: { readonly clients: Todo["owes"]["data"] }) {
  const t = todoWords();
  const { currency } = useMe().organization;
  return (
    <ul>
      {clients.map(({ clientId, clientName, clientPhone, clientEmail, since, openCents }) => (
        <TodoEntry key={clientId} title={nameOfClient(clientName)} href={`${profileOf(clientId)}/account`}>
          <p>{t.owesSince(money(openCents, currency), fullDate(since))}</p>
          <Contacts clientPhone={clientPhone} clientEmail={clientEmail} />
        </TodoEntry>
      ))}
    </ul>
  );
}
