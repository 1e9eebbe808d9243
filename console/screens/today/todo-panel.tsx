import type { ComponentChildren } from "preact";
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
import type { Todo, TodoName } from "./todo-types.ts";
import { todoWords } from "./todo-words.ts";
import { words } from "./words.ts";

type OpenBooking = Todo["toTell"]["data"][number];
type EndingContract = Todo["ending"]["data"][number];
interface NamedTime {
  readonly serviceTypeName: string;
  readonly localStart: string;
}

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

function Entry({
  title,
  href,
  children,
  action,
}: {
  readonly title: string;
  readonly href?: string;
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <li class="todo-item">
      <div>
        <p>{href === undefined ? <strong>{title}</strong> : <a href={href}>{title}</a>}</p>
        {children}
      </div>
      {action}
    </li>
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

const profileOf = (clientId: string) => `/console/clients/${clientId}`;

function ToTell({ bookings }: { readonly bookings: readonly OpenBooking[] }) {
  const t = todoWords();
  const tell = (ids: readonly string[], said: string) =>
    void writeOrTell("markTold", { bookingIds: ids }, { said });
  return (
    <>
      <ul>
        {bookings.map((booking) => {
          const { id, clientPhone, clientEmail, state, moved } = booking;
          const clientName = nameOfClient(booking.clientName);
          const what =
            state === "cancelled" || booking.sessionStatus === "cancelled"
              ? t.wasCancelled
              : moved
                ? t.wasMoved
                : t.wasBooked;
          return (
            <Entry
              key={id}
              title={clientName}
              href={profileOf(booking.clientId)}
              action={
                <Button isSmall icon="check" onClick={() => tell([id], t.wasTold(clientName))}>
                  {t.told}
                  <span class="for-readers"> {clientName}</span>
                </Button>
              }
            >
              <p>
                {what} <SessionTime session={booking} />
              </p>
              <Contacts clientPhone={clientPhone} clientEmail={clientEmail} />
            </Entry>
          );
        })}
      </ul>
      {bookings.length > 1 && (
        <div>
          <Button
            onClick={() =>
              tell(
                bookings.map(({ id }) => id),
                t.wereTold(bookings.length),
              )
            }
          >
            {t.allTold}
          </Button>
        </div>
      )}
    </>
  );
}

function Uncovered({ bookings }: { readonly bookings: readonly OpenBooking[] }) {
  const t = todoWords();
  const [covered, setCovered] = useState<OpenBooking>();
  return (
    <>
      <ul>
        {bookings.map((booking) => (
          <Entry
            key={booking.id}
            title={nameOfClient(booking.clientName)}
            href={profileOf(booking.clientId)}
            action={
              <Button isSmall icon="ticket" onClick={() => setCovered(booking)}>
                {t.cover}
                <span class="for-readers"> {nameOfClient(booking.clientName)}</span>
              </Button>
            }
          >
            <p>
              <SessionTime session={booking} />
            </p>
            <p class="soft">{booking.uncoveredReason}</p>
          </Entry>
        ))}
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
          <Entry
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
          </Entry>
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
        <Entry
          key={contractId}
          title={nameOfClient(clientName)}
          href={`${profileOf(clientId)}/contracts/${contractId}`}
        >
          <p>
            {planName} · {isOver ? t.endedOn(fullDate(endDate)) : t.endsOn(fullDate(endDate))}
          </p>
        </Entry>
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
        <Entry key={clientId} title={nameOfClient(clientName)} href={`${profileOf(clientId)}/account`}>
          <p>{t.owesSince(money(openCents, currency), fullDate(since))}</p>
          <Contacts clientPhone={clientPhone} clientEmail={clientEmail} />
        </Entry>
      ))}
    </ul>
  );
}

function SessionTime({ session }: { readonly session: NamedTime }) {
  const { serviceTypeName, localStart } = session;
  return <>{todoWords().session(serviceTypeName, shortDate(localStart), timeOf(localStart))}</>;
}
