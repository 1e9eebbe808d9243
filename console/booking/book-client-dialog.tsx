import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { useMe } from "../frame/me.ts";
import { dayWindow } from "../languages/day-window.ts";
import { addDays, isDate } from "../languages/days.ts";
import { longDate, timeOf, zoneName } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { dictionary } from "../languages/words.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { DateField } from "../parts/date-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChoiceField, SelectField } from "../parts/field.tsx";
import { Notice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { keyOfSession, nameOf, type SessionName } from "../routing/session-name.ts";
import { BookForm } from "./book-form.tsx";
import type { PickedClient } from "./client-picker.tsx";
import { FixedPlaceForm } from "./fixed-place-form.tsx";
import { useNow } from "./now.ts";
import { Seats } from "./seats.tsx";

type ListedSession = Schemas["NamedCalendarSession"];

const words = dictionary(
  {
    title: (name: string) => `Book ${name}`,
    day: "Day",
    before: "The day before",
    next: "The next day",
    service: "Service",
    all: "All services",
    none: "No class is left on this day.",
    sessions: "Classes of this day",
    another: "Another class",
    often: "How often",
    once: "Once",
    weekly: "Every week",
  },
  {
    title: (name: string) => `Agendar ${name}`,
    day: "Dia",
    before: "O dia anterior",
    next: "O dia seguinte",
    service: "Serviço",
    all: "Todos os serviços",
    none: "Não há mais aulas neste dia.",
    sessions: "Aulas deste dia",
    another: "Outra aula",
    often: "Com que frequência",
    once: "Uma vez",
    weekly: "Toda semana",
  },
  {
    title: (name: string) => `Reservar para ${name}`,
    day: "Día",
    before: "El día anterior",
    next: "El día siguiente",
    service: "Servicio",
    all: "Todos los servicios",
    none: "No quedan clases en este día.",
    sessions: "Clases de este día",
    another: "Otra clase",
    often: "Con qué frecuencia",
    once: "Una vez",
    weekly: "Cada semana",
  },
);

/** Books somebody who is known: a day, a class, and what it draws on. */
export function BookClientDialog({
  client,
  today,
  onClose,
}: {
  readonly client: PickedClient;
  /** As the server says it. */
  readonly today: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const [date, setDate] = useState(today);
  const [service, setService] = useState("");
  const [session, setSession] = useState<ListedSession>();
  const [often, setOften] = useState<"once" | "weekly">("once");
  return (
    <Dialog kind="side" title={t.title(client.contactName)} onClose={onClose}>
      {session ? (
        <>
          <header class="section-head">
            <h3>
              {isolate(session.serviceTypeName)}, {longDate(session.localStart ?? date)}{" "}
              {timeOf(session.localStart ?? "")}
            </h3>
          </header>
          <ChosenSession name={nameOf(session)} client={client} onDone={onClose} />
          <div>
            <Button icon="left" onClick={() => setSession(undefined)}>
              {t.another}
            </Button>
          </div>
        </>
      ) : (
        <div class="stack">
          <ChoiceField
            label={t.often}
            value={often}
            choices={[
              { value: "once", label: t.once },
              { value: "weekly", label: t.weekly },
            ]}
            onChoose={setOften}
          />
          {often === "weekly" ? (
            <FixedPlaceForm client={client} today={today} onDone={onClose} />
          ) : (
            <DayOfSessions
              date={date}
              onDate={setDate}
              service={service}
              onService={setService}
              onChoose={setSession}
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

function DayOfSessions({
  date,
  onDate,
  service,
  onService,
  onChoose,
}: {
  readonly date: string;
  readonly onDate: (date: string) => void;
  readonly service: string;
  readonly onService: (id: string) => void;
  readonly onChoose: (session: ListedSession) => void;
}) {
  const t = words();
  const sessions = useSessionsOf(date);
  const now = useNow(undefined);
  return (
    <div class="stack">
      <div class="book-day">
        <IconButton icon="left" label={t.before} onClick={() => onDate(addDays(date, -1))} />
        <DateField
          label={t.day}
          isLabelHidden
          value={date}
          onInput={(text) => isDate(text) && onDate(text)}
        />
        <IconButton icon="right" label={t.next} onClick={() => onDate(addDays(date, 1))} />
      </div>
      <p class="book-date">{longDate(date)}</p>
      <Shown reading={sessions}>
        {({ data }) => {
          const left = leftOn(data, date, now);
          const services = new Map(left.map((each) => [each.serviceTypeId, each.serviceTypeName ?? ""]));
          const shown = left.filter(
            ({ serviceTypeId }) => !services.has(service) || serviceTypeId === service,
          );
          return (
            <>
              {services.size > 1 && (
                <SelectField
                  label={t.service}
                  value={services.has(service) ? service : ""}
                  choices={[
                    { value: "", label: t.all },
                    ...[...services].map(([value, label]) => ({ value, label })),
                  ]}
                  onChoose={onService}
                />
              )}
              {shown.length === 0 ? (
                <Notice>{t.none}</Notice>
              ) : (
                <ul class="book-sessions" aria-label={t.sessions}>
                  {shown.map((session) => (
                    <li key={keyOfSession(session)}>
                      <SessionButton
                        session={session}
                        hasPlace={new Set(shown.map(({ locationId }) => locationId)).size > 1}
                        onClick={() => onChoose(session)}
                      />
                    </li>
                  ))}
                </ul>
              )}
            </>
          );
        }}
      </Shown>
    </div>
  );
}

/** The sessions of a day on their own clocks, which may be those of another zone than the organization's. */
function useSessionsOf(date: string) {
  const { timezone } = useMe().organization;
  return useRead(
    "/app/v1/calendar",
    { query: dayWindow(addDays(date, -1), 3, timezone) },
    { keepsLast: true },
  );
}

function leftOn(sessions: readonly ListedSession[], date: string, now: number): readonly ListedSession[] {
  return sessions.filter(
    ({ status, endAt, localStart }) =>
      status === "scheduled" && Date.parse(endAt) > now && localStart?.slice(0, date.length) === date,
  );
}

function SessionButton({
  session,
  hasPlace,
  onClick,
}: {
  readonly session: ListedSession;
  readonly hasPlace: boolean;
  readonly onClick: () => void;
}) {
  const { timezone } = useMe().organization;
  const { resourceNames = [], locationName = "", timezone: zone = timezone } = session;
  const facts = [
    ...resourceNames,
    ...(hasPlace ? [locationName] : []),
    // By the clocks of its place, it may stand below one that is said to begin later.
    ...(zone === timezone ? [] : [zoneName(session.startAt, zone)]),
  ];
  return (
    <button type="button" class="book-session" onClick={onClick}>
      <strong>{timeOf(session.localStart ?? "")}</strong>
      <span class="book-session-what">
        <bdi>{session.serviceTypeName}</bdi>
        {facts.length > 0 && <span class="soft">{facts.map(isolate).join(" · ")}</span>}
      </span>
      <Seats session={session} />
    </button>
  );
}

/** Read when it is chosen: the list knows the seats, but not the people. */
function ChosenSession({
  name,
  client,
  onDone,
}: {
  readonly name: SessionName;
  readonly client: PickedClient;
  readonly onDone: () => void;
}) {
  const roster = useRead("/app/v1/roster", { query: name });
  const now = useNow(roster.data);
  return (
    <Shown reading={roster} lines={4}>
      {(data) => <BookForm roster={data} now={now} client={client} onDone={onDone} />}
    </Shown>
  );
}
