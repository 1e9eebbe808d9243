import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { readOnce, useRead } from "../api/reads.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { dayWindow } from "../languages/day-window.ts";
import { localIn, shortDate, timeOf, weekdayOf, zoneName } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { go } from "../routing/router.ts";
import { nameOf, textOfName } from "../routing/session-name.ts";
import { isAtLeast, type StaffRole, useMe } from "./me.ts";
import { paletteWords } from "./palette-words.ts";
import { listRecent, noteRecent } from "./recent.ts";
import { addressOfScreen, SCREENS, type ScreenName } from "./screens.ts";
import { frameWords } from "./words.ts";

interface Found {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly href: string;
}

/** What can be begun from anywhere, by the word that its text has. */
const ACTIONS = {
  newClient: { icon: "plus", role: "front_desk", href: "/console/clients/new" },
  sell: { icon: "ticket", role: "front_desk", href: "/console/clients?for=sell" },
  newSchedule: { icon: "plus", role: "manager", href: "/console/timetable/new" },
  newPlan: { icon: "plus", role: "manager", href: "/console/catalog/plans/new" },
} as const satisfies Readonly<Record<string, { icon: IconName; role: StaffRole; href: string }>>;

/** How many of each kind are offered. */
const MOST = 6;
const DAYS_AHEAD = 8;

/** Screens, what can be begun, people, sessions to come: whatever fits the text. Before anything is typed, what was last. */
export function PaletteDialog({ onClose }: { readonly onClose: () => void }) {
  const t = frameWords();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const { staff } = useMe();
  const { people, fault } = usePeople(wanted);
  const sessions = useSessions(wanted);
  const { screens, actions } = usePlaces(wanted);
  const recent = useRecent(actions);
  const isEmpty = wanted === "";
  const others = actions.filter(({ key }) => !isEmpty || !recent.some((found) => found.key === key));
  return (
    <Dialog title={t.search} kind="top" onClose={onClose}>
      <Combobox
        label={t.search}
        isLabelHidden
        hasFocus
        text={text}
        onText={setText}
        opensEmpty
        options={isEmpty ? [...recent, ...others] : [...screens, ...others, ...people, ...sessions]}
        fault={fault}
        keyOf={({ key }) => key}
        show={({ icon, label, hint }) => (
          <>
            <Icon name={icon} /> <span>{label}</span> {hint && <small>{hint}</small>}
          </>
        )}
        onChoose={({ key, href }) => {
          if (key in ACTIONS) noteRecent(staff.id, `action:${key}`);
          onClose();
          void go(href);
        }}
      />
    </Dialog>
  );
}

/** Screens and what can be begun, for the role of the person. */
function usePlaces(wanted: string): { readonly screens: Found[]; readonly actions: Found[] } {
  const { screens } = frameWords();
  const t = paletteWords();
  const { role } = useMe().staff;
  const isOffered = (label: string, needed: StaffRole) => isAtLeast(role, needed) && hasAll(label, wanted);
  return {
    screens: (Object.keys(SCREENS) as ScreenName[])
      .filter((name) => isOffered(screens[name], SCREENS[name].role))
      .map((name) => ({
        key: name,
        icon: SCREENS[name].icon,
        label: screens[name],
        href: addressOfScreen(name),
      })),
    actions: (Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])
      .filter((name) => isOffered(t.actions[name], ACTIONS[name].role))
      .map((name) => ({ key: name, ...ACTIONS[name], label: t.actions[name] })),
  };
}

/** Who was looked at and what was begun last, the latest first. Their names are as they are now. */
function useRecent(actions: readonly Found[]): Found[] {
  const t = paletteWords();
  const { staff } = useMe();
  const [entries] = useState(() => listRecent(staff.id));
  const ids = entries.flatMap((entry) =>
    entry.startsWith("client:") ? [entry.slice("client:".length)] : [],
  );
  const names = useNames(ids);
  return entries.flatMap((entry): Found[] => {
    const action = actions.find(({ key }) => entry === `action:${key}`);
    if (action) return [{ ...action, hint: t.recent }];
    const id = entry.slice("client:".length);
    const name = names.get(id);
    if (!entry.startsWith("client:") || name === undefined) return [];
    return [
      { key: id, icon: "user", label: nameOfClient(name), hint: t.recent, href: `/console/clients/${id}` },
    ];
  });
}

/** The names of clients that can still be read. */
function useNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const abort = new AbortController();
    for (const id of ids)
      readOnce("/app/v1/clients/{id}", { params: { id } }, abort.signal).then(
        ({ contactName }) => setNames((known) => new Map(known).set(id, contactName)),
        // Whoever cannot be read is not offered.
        () => {},
      );
    return () => abort.abort();
  }, []);
  return names;
}

function usePeople(wanted: string): { readonly people: Found[]; readonly fault: string | undefined } {
  const t = paletteWords();
  const reading = useRead(
    wanted.length < 2 ? undefined : "/app/v1/people",
    { query: { query: wanted, limit: MOST } },
    { keepsLast: true },
  );
  const people = (reading.data?.data ?? [])
    // Until the answer is there, Enter must not lead to somebody whom the last one found.
    .filter(({ contactName }) => !reading.isLoading || hasAll(contactName, wanted))
    .map(({ id, contactName, contactEmail, contactPhone, status }) => ({
      key: id,
      icon: "user" as const,
      label: nameOfClient(contactName),
      hint: status === "archived" ? t.archived : (contactEmail ?? contactPhone),
      href: `/console/clients/${id}`,
    }));
  return { people, fault: reading.problem?.sentence };
}

/** Sessions of the next days by their service, people, place, weekday or time: "yoga thu", "18:00". */
function useSessions(wanted: string): Found[] {
  const { organization } = useMe();
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const reading = useRead(wanted.length < 2 ? undefined : "/app/v1/calendar", {
    query: dayWindow(today, DAYS_AHEAD, organization.timezone),
  });
  const now = Date.now();
  return (reading.data?.data ?? [])
    .filter(({ status, endAt }) => status === "scheduled" && Date.parse(endAt) > now)
    .filter((session) => hasAll(textOf(session), wanted))
    .slice(0, MOST)
    .map((session) => {
      const { localStart = "", timezone = organization.timezone } = session;
      const day = localStart.slice(0, 10);
      const name = textOfName(nameOf(session));
      return {
        key: name,
        icon: "calendar",
        label: `${isolate(session.serviceTypeName)}, ${weekdayOf(day)} ${timeOf(localStart)}`,
        hint: [
          shortDate(day),
          isolate(session.locationName),
          ...(timezone === organization.timezone ? [] : [zoneName(session.startAt, timezone)]),
        ].join(" · "),
        href: `/console/calendar?${new URLSearchParams({ date: day, session: name })}`,
      };
    });
}

function textOf({
  serviceTypeName,
  locationName,
  resourceNames = [],
  localStart = "",
}: Schemas["NamedCalendarSession"]): string {
  const day = localStart.slice(0, 10);
  return [serviceTypeName, locationName, ...resourceNames, weekdayOf(day, "long"), timeOf(localStart)].join(
    " ",
  );
}

/** Whether every word that was typed is somewhere in a text, whatever its case and accents. */
function hasAll(text: string, wanted: string): boolean {
  const folded = fold(text);
  return fold(wanted)
    .split(" ")
    .every((word) => folded.includes(word));
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}
