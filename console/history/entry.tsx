import type { ComponentChildren } from "preact";
import type { Schemas } from "../api/operations.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { fullDate, timeOf } from "../languages/format.ts";
import { isolate } from "../languages/given-text.ts";
import { historyWords } from "./words.ts";

type Entry = Schemas["RecordedWrite"];
type Place = "client" | "plan" | "session" | "subject" | "list";

/** Where what an operation was done to can be looked at, by how its name ends. */
const SUBJECT_PLACES: readonly [ending: string, address: (id: string) => string][] = [
  ["Plan", (id) => `/console/catalog/plans/${id}`],
  ["ServiceType", (id) => `/console/catalog/services/${id}`],
  ["ServiceGroup", (id) => `/console/catalog/groups/${id}`],
  ["Location", (id) => `/console/catalog/locations/${id}`],
  ["Resource", (id) => `/console/catalog/resources/${encodeURIComponent(id)}`],
];

/** Who it was, as people call them. */
export function actorOf({ actor, actorName }: Pick<Entry, "actor" | "actorName">): string {
  const t = historyWords();
  const [kind, name] = actor.split(":");
  if (kind === "key") return t.apiKey(actorName ?? t.unnamed);
  if (actorName !== undefined) return actorName;
  if (kind === "import") return t.importer;
  if (kind === "unknown") return t.somebody;
  return kind === "operator" && name ? `${t.operator} (${name})` : t.operator;
}

/** "Carla Dias booked Ana Prado into Pilates, 18 Nov 2026 07:00", with links where there is something to open. */
export function EntrySentence({ entry }: { readonly entry: Entry }) {
  const t = historyWords();
  const pieces = (t.did[entry.action] ?? t.other(entry.action)).split(/(\{\w+\})/);
  return (
    <>
      <strong>{actorOf(entry)}</strong>{" "}
      {pieces.map((piece) => {
        const place = /^\{(\w+)\}$/.exec(piece)?.[1] as Place | undefined;
        return place ? <Named key={piece} entry={entry} place={place} /> : piece;
      })}
    </>
  );
}

function Named({ entry, place }: { readonly entry: Entry; readonly place: Place }) {
  const t = historyWords();
  const name = nameIn(entry, place);
  if (name === undefined) return <span>{t.nobody[place]}</span>;
  const address = addressIn(entry, place);
  const text: ComponentChildren = <b class="named">{name}</b>;
  return address === undefined ? <span>{text}</span> : <a href={address}>{text}</a>;
}

function nameIn(entry: Entry, place: Place): string | undefined {
  if (place === "client") return entry.clientName && nameOfClient(entry.clientName);
  if (place === "plan") return entry.planName;
  if (place === "list") return entry.subjectId && (historyWords().lists[entry.subjectId] ?? entry.subjectId);
  if (place === "session") {
    const { sessionName, sessionStart } = entry;
    if (sessionName === undefined || sessionStart === undefined) return sessionName;
    return `${isolate(sessionName)}, ${fullDate(sessionStart)} ${timeOf(sessionStart)}`;
  }
  return (
    entry.subjectName ?? recordedName(entry.details) ?? (isKey(entry) ? historyWords().unnamed : undefined)
  );
}

function addressIn(
  { action, clientId, sessionId, sessionStart, subjectId, subjectName }: Entry,
  place: Place,
) {
  if (place === "client") return clientId && `/console/clients/${clientId}`;
  if (place === "plan") return clientId && `/console/clients/${clientId}`;
  if (place === "session")
    return sessionId && sessionStart ? `/console/calendar?date=${sessionStart.slice(0, 10)}` : undefined;
  if (subjectName === undefined || subjectId === undefined) return undefined;
  return SUBJECT_PLACES.find(([ending]) => action.endsWith(ending))?.[1](subjectId);
}

/** What was deleted since is called as the entry has it. */
function recordedName(details: unknown): string | undefined {
  const { name, after, before } = (details ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name === "string") return name;
  return after || before ? (recordedName(after) ?? recordedName(before)) : undefined;
}

/** Only keys may have no name. */
function isKey({ action }: Entry): boolean {
  return action.endsWith("Key");
}
