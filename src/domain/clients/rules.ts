import { isCalendarDate } from "../../core/dates.ts";
import type { Fault } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { searchText } from "../../core/search.ts";
import { readCpf } from "./cpf.ts";
import { type Client, ClientInput, ClientPatch, type ClientStatus } from "./schema.ts";

/** What a client's rules must know of the world. */
export interface ClientFacts {
  /** Today's date in the organization's timezone. */
  readonly today: string;
  /** The ids of all its locations, closed ones included, in order. */
  readonly locationIds: readonly string[];
}

/** Members of a body that are none of the client's content, or that the content has in another form. */
type NotContent =
  | "$schema"
  | "id"
  | "createdAt"
  | "updatedAt"
  | "status"
  | "contactName"
  | "address"
  | "locationIds";

/** A client as it is stored: checked, normalized, with its locations decided. */
export type ClientContent = {
  readonly [Member in Exclude<keyof ClientInput, NotContent>]?: ClientInput[Member] | undefined;
} & {
  readonly contactName: string;
  readonly address: NonNullable<ClientInput["address"]>;
  readonly locationIds: readonly string[];
};

const EARLIEST_BIRTHDATE = "1900-01-01";
export const BIRTHDATE_OUT_OF_RANGE = {
  code: "birthdate_out_of_range",
  params: { min: EARLIEST_BIRTHDATE },
} as const;
const TRIMMED = ["contactName", "contactEmail", "contactPhone"] as const;
const REQUIRED: ReadonlySet<string> = new Set(ClientInput.required);
const OPTIONAL = Object.entries(ClientInput.properties)
  .filter(([name, schema]) => !REQUIRED.has(name) && "type" in schema && schema.type === "string")
  .map(([name]) => name);
const CLEARABLE = Object.entries(ClientPatch.properties)
  .filter(([, schema]) => "type" in schema && Array.isArray(schema.type))
  .map(([name]) => name);

/**
 * A raw body in the form in which it is checked: outer white space gone where it means nothing, and an empty
 * optional string absent, because that is what a form sends for an empty box.
 */
export function tidyClient(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const client: Record<string, unknown> = { ...raw };
  for (const name of TRIMMED) if (typeof client[name] === "string") client[name] = trim(client[name]);
  for (const name of OPTIONAL) if (client[name] === "") delete client[name];
  if (isRecord(client.address)) {
    client.address = Object.fromEntries(Object.entries(client.address).filter(([, part]) => part !== ""));
  }
  if (isRecord(client.idDocument) && typeof client.idDocument.value === "string") {
    client.idDocument = { ...client.idDocument, value: trim(client.idDocument.value) };
  }
  if (Array.isArray(client.locationIds)) {
    client.locationIds = client.locationIds.map((id) => (typeof id === "string" ? id.toLowerCase() : id));
  }
  return client;
}

/** As `tidyClient` for a merge patch, in which an empty box clears what it stands for. */
export function tidyPatch(raw: unknown): unknown {
  const patch = tidyClient(raw);
  if (!isRecord(raw) || !isRecord(patch)) return patch;
  const cleared = CLEARABLE.filter((name) => Object.hasOwn(raw, name) && !Object.hasOwn(patch, name));
  for (const name of cleared) patch[name] = null;
  if (isRecord(raw.address)) {
    patch.address = Object.fromEntries(
      Object.entries(raw.address).map(([name, part]) => [name, part === "" ? null : part]),
    );
  }
  return patch;
}

/** The faults of a tidy patch that do not depend on the record, as `checkClient` finds them. */
export function checkPatch(tidy: unknown, facts: ClientFacts, root: string): Fault[] {
  if (!isRecord(tidy)) return [];
  const named = tidy.locationIds === null ? undefined : tidy.locationIds;
  return [
    ...checkPerson(tidy, facts.today, root),
    ...(Object.hasOwn(tidy, "locationIds")
      ? checkLocations(named, facts.locationIds, `${root}.locationIds`)
      : []),
  ];
}

/** A client with a tidy patch applied, as a body that replaces it would be sent. Either may have faults. */
export function patchedClient(current: Client, patch: unknown): unknown {
  const { id, createdAt, updatedAt, ...sent } = JSON.parse(JSON.stringify(current)) as Client;
  return tidyClient(mergePatch(sent, patch));
}

/** The id document of a patched client if the patch alone says which. */
export function patchedDocument({ idDocument }: ClientPatch): Client["idDocument"] {
  const { type, value } = idDocument ?? {};
  return type === undefined || value === undefined ? undefined : storedDocument({ type, value });
}

/** The faults of a tidy body beyond its schema. The schema may have found faults too: nothing is taken for granted. */
export function checkClient(tidy: unknown, facts: ClientFacts, root: string): Fault[] {
  if (!isRecord(tidy)) return [];
  const location = root === "" ? "locationIds" : `${root}.locationIds`;
  return [
    ...checkPerson(tidy, facts.today, root),
    ...checkLocations(tidy.locationIds, facts.locationIds, location),
  ];
}

/** Those of the faults for which nothing of the organization must be known but its date. */
export function checkPerson(tidy: unknown, today: string, root: string): Fault[] {
  if (!isRecord(tidy)) return [];
  const at = (place: string) => (root === "" ? place : `${root}.${place}`);
  const faults: Fault[] = [];
  const { birthdate, idDocument } = tidy;
  if (typeof birthdate === "string" && isCalendarDate(birthdate)) {
    if (birthdate < EARLIEST_BIRTHDATE || birthdate > today) {
      faults.push({ location: at("birthdate"), ...BIRTHDATE_OUT_OF_RANGE });
    }
  }
  if (isRecord(idDocument) && idDocument.type === "cpf" && typeof idDocument.value === "string") {
    if (idDocument.value !== "" && readCpf(idDocument.value) === undefined) {
      faults.push({ location: at("idDocument.value"), code: "cpf_invalid" });
    }
  }
  return faults;
}

/** The content of a body that has no faults. */
export function clientContent(input: ClientInput, facts: ClientFacts): ClientContent {
  const { $schema, id, createdAt, updatedAt, status, idDocument, ...content } = input;
  return {
    ...content,
    address: input.address ?? {},
    idDocument: idDocument && storedDocument(idDocument),
    locationIds: chooseLocations(input.locationIds, facts.locationIds),
  };
}

/** An id document as it is stored: a CPF as its digits alone. */
function storedDocument<Document extends NonNullable<ClientInput["idDocument"]>>(
  document: Document,
): Document {
  return document.type === "cpf"
    ? { ...document, value: readCpf(document.value) ?? document.value }
    : document;
}

/** The locations a client joins, in order: those named, or the only one there is. */
export function chooseLocations(
  named: readonly string[] | undefined,
  existing: readonly string[],
): readonly string[] {
  return named === undefined || named.length === 0 ? existing : [...new Set(named)].sort();
}

/** What stands where the name of an erased person was. */
const ERASED_NAME = "Erased client";

/** What is left of a client who was erased: nothing of the person, for the books. */
export function erasedContent(locationIds: readonly string[]): ClientContent {
  return { contactName: ERASED_NAME, address: {}, locationIds };
}

/** Whether a record says nothing but what is left of an erased client. */
export function isErasedForm(tidy: Readonly<Record<string, unknown>>): boolean {
  const personal = Object.keys(ClientInput.properties).filter((name) => !IMPERSONAL.has(name));
  return (
    tidy.contactName === ERASED_NAME &&
    tidy.status !== "active" &&
    personal.every((name) => tidy[name] === undefined) &&
    (!isRecord(tidy.address) || Object.values(tidy.address).every((part) => part === undefined))
  );
}

/** Members that are told apart above, or say nothing of a person. */
const IMPERSONAL: ReadonlySet<string> = new Set([
  "$schema",
  "id",
  "contactName",
  "address",
  "locationIds",
  "status",
  "createdAt",
  "updatedAt",
]);

/** What of a client `query` finds. */
export function clientSearchText(content: ClientContent): string {
  return searchText(
    [content.contactName, content.contactEmail],
    [content.contactPhone, content.idDocument?.value],
  );
}

/**
 * The form in which id documents are compared: without regard to case. By way of upper case, which unites
 * letters that have several lower-case forms, and by way of lower case before that, for ẞ.
 */
export function idDocumentKey(value: string): string {
  return value.toLowerCase().toUpperCase().toLowerCase();
}

/** The status a client has after a write: as said, else as it was, else active. */
export function chooseStatus(given: ClientStatus | undefined, current?: ClientStatus): ClientStatus {
  return given ?? current ?? "active";
}

function checkLocations(named: unknown, existing: readonly string[], location: string): Fault[] {
  if (named === undefined || (Array.isArray(named) && named.length === 0)) {
    return existing.length === 1 ? [] : [{ location, code: "location_required", phrase: "listed_locations" }];
  }
  if (!Array.isArray(named)) return [];
  const known = new Set(existing);
  return named.flatMap((id, index) =>
    typeof id === "string" && !known.has(id)
      ? [{ location: `${location}[${index}]`, code: "location_unknown" as const }]
      : [],
  );
}

/** A text that has control characters is left as it is: they are refused, also at its ends. */
function trim(text: string): string {
  return /\p{Cc}/u.test(text) ? text : text.trim();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
