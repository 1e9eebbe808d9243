import { instantText } from "../core/clock.ts";
import type { Snapshot } from "../core/data-snapshot.ts";
import { searchTerms, type Term } from "../core/search.ts";
import type { KeyedAnswer } from "../core/stored-answer.ts";
import type { Database, ShortReads } from "../db/database.ts";
import { Lookup } from "../db/lookup.ts";
import { byShape, isDeep, type Page, type PageRow, pageStatement, toPage } from "../db/pages.ts";
import { pooled, read } from "../db/statements.ts";
import { ANSWER_COLUMNS, answerRow, insertAnswers } from "../db/stored-answers.ts";
import { CLIENT_COLUMNS } from "./client-columns.ts";
import { type ClientContent, idDocumentKey } from "./rules.ts";
import type { Client, ClientQuery, ClientStatus } from "./schema.ts";

export const clientColumns = [
  "r.id",
  ...CLIENT_COLUMNS.flatMap(({ name, member }) => (member === undefined ? [] : [`r.${name} as "${member}"`])),
  "r.status",
  'r.created_at as "createdAt"',
  'r.updated_at as "updatedAt"',
].join(", ");

export const clientLocationIds = `
  array(
    select l.location_id from client_locations l
    where l.organization_id = r.organization_id and l.client_id = r.id order by l.location_id
  ) as "locationIds"`;

export type ClientRow = Omit<Client, "address" | "idDocument" | "$schema"> &
  Client["address"] & {
    readonly idDocumentType?: NonNullable<Client["idDocument"]>["type"];
    readonly idDocumentValue?: string;
  };

/**
 * Written out member by member, so that all clients are of one shape: copying the rest of a row cost several times as
 * much. A member that is left out here does not compile.
 */
export function toClient(row: ClientRow): Client {
  const {
    city,
    country,
    line1,
    line2,
    postalCode,
    state,
    idDocumentType: type,
    idDocumentValue: value,
  } = row;
  const client = {
    id: row.id,
    contactName: row.contactName,
    contactEmail: row.contactEmail,
    contactPhone: row.contactPhone,
    birthdate: row.birthdate,
    address: { city, country, line1, line2, postalCode, state },
    idDocument: type === undefined || value === undefined ? undefined : { type, value },
    notes: row.notes,
    status: row.status,
    locationIds: row.locationIds,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  } satisfies Record<Exclude<keyof Client, "$schema">, unknown>;
  // What is undefined here is written nowhere.
  return client as Client;
}

const findStatement = read(
  "find_client",
  `select ${clientColumns}, ${clientLocationIds} from clients r where r.organization_id = $1 and r.id = $2`,
);

async function findClient(db: Database, organizationId: string, id: string): Promise<Client | undefined> {
  const [row] = await db.query<ClientRow>(findStatement, [organizationId, id]);
  return row && toClient(row);
}

/** Finds single clients. */
export function openClientLookup(db: ShortReads): Lookup<ClientRow, Client> {
  const columns = `${clientColumns}, ${clientLocationIds}`;
  return new Lookup(db, { name: "find_clients", table: "clients", columns }, toClient);
}

// In the order of their ids: two clients that exchange their documents at the same time wait for each other
// here, and not crosswise at the unique index, which would be a deadlock. Not "for update": that would wait for
// everybody who stores something that refers to the client, such as an import of contracts.
const lockStatement = pooled(
  "lock_client",
  `select id, status from clients
   where organization_id = $1 and (id = $2 or (id_document_type = $3 and id_document_key = $4))
   order by id for no key update`,
);

/**
 * The client as it is once nobody else can change it, and the other client, if any, that holds the id document
 * it is to have. Two statements, sent together: the second sees what a writer who held the lock has committed,
 * the locations included.
 */
export async function lockClient(
  tx: Database,
  organizationId: string,
  id: string,
  idDocument: Client["idDocument"],
): Promise<{ client: Client | undefined; holder: DocumentHolder | undefined }> {
  const document = idDocument ? [idDocument.type, idDocumentKey(idDocument.value)] : [null, null];
  const [locked, client] = await Promise.all([
    tx.query<DocumentHolder>(lockStatement, [organizationId, id, ...document]),
    findClient(tx, organizationId, id),
  ]);
  return { client, holder: locked.find((row) => row.id !== id) };
}

interface ClientListShape {
  readonly byStatus: boolean;
  readonly byLocation: boolean;
  readonly indexedTerms: number;
  readonly hasFilters: boolean;
  readonly codeFilters: number;
  readonly isDeep: boolean;
  readonly isMajority: boolean;
}

const listStatement = byShape((shape: ClientListShape) => {
  const { byStatus, byLocation, indexedTerms, codeFilters } = shape;
  const isSearch = indexedTerms > 0 || shape.hasFilters || codeFilters > 0;
  let parameter = 4;
  const conditions = [
    ...(byStatus ? [`c.status = $${parameter++}`] : []),
    ...Array.from({ length: indexedTerms }, () => `c.search like any($${parameter++}::text[])`),
    // With `all`, and with an expression instead of the column, the index is not asked.
    ...(shape.hasFilters ? [`c.search like all($${parameter++}::text[])`] : []),
    ...Array.from({ length: codeFilters }, () => `(c.search || '') like any($${parameter++}::text[])`),
  ];
  const filters = conditions.map((condition) => ` and ${condition}`).join("");
  const locationParameter = `$${parameter}`;
  // In this form the index is not asked for the organization. With 200,000 of 200,000 clients that is two thirds of its
  // work: the index would read the list of all of them to find that it rules out none.
  const ofOrganization =
    shape.isMajority && indexedTerms > 0 ? "(c.organization_id = $1) is true" : "c.organization_id = $1";
  const source = !byLocation
    ? `select c.id from clients c where ${ofOrganization}${filters}`
    : conditions.length === 0
      ? `select l.client_id as id from client_locations l where l.organization_id = $1 and l.location_id = ${locationParameter}`
      : `select c.id from client_locations l
         join clients c on c.organization_id = $1 and c.id = l.client_id
         where l.organization_id = $1 and l.location_id = ${locationParameter}${filters}`;
  return pageStatement({
    name: `list_clients${byStatus ? "_status" : ""}${byLocation ? "_location" : ""}`,
    reads: ["clients"],
    table: "clients",
    columns: clientColumns,
    source,
    isSearch,
    isDeep: shape.isDeep,
    ...(!isSearch &&
      !byLocation && {
        total: byStatus
          ? "case $4::text when 'active' then clients_active when 'archived' then clients_archived end"
          : "clients_active + clients_archived",
      }),
  });
});

/** A page of clients, newest first, without their locations. */
export async function listClients(
  db: Database,
  organizationId: string,
  filter: ClientQuery,
  /** Whether most of all clients are this organization's. It changes how they are found, not which. */
  isMajority = false,
): Promise<Snapshot<Page<Client>>> {
  const { status, locationId, limit, offset } = filter;
  const { indexed, filters, codeFilters } = planTerms(searchTerms(filter.query ?? ""));
  const rows = await db.query<ClientRow & PageRow>(
    listStatement({
      byStatus: status !== undefined,
      byLocation: locationId !== undefined,
      indexedTerms: indexed.length,
      hasFilters: filters.length > 0,
      codeFilters: codeFilters.length,
      isDeep: isDeep(filter),
      isMajority,
    }),
    [
      organizationId,
      limit,
      offset,
      ...(status === undefined ? [] : [status]),
      ...indexed.map(patternsOf),
      ...(filters.length > 0 ? [filters.map(({ pattern }) => pattern)] : []),
      ...codeFilters.map(patternsOf),
      ...(locationId === undefined ? [] : [locationId]),
    ],
  );
  return toPage(rows, filter, toClient);
}

/** More than this many terms through the index cost more than they save. */
const MAX_INDEXED_TERMS = 4;
/** Each pattern of a term is looked up by itself. */
const MAX_INDEXED_PATTERNS = 3;
/** What the trigram index can look up, whatever the locale of the database; it would be read whole for less. */
const TRIGRAM = /[a-z0-9]{3}/;

/** Which terms the index finds, the longest ones, and which are left to check on what it found. */
function planTerms(terms: readonly Term[]): { indexed: Term[]; filters: Term[]; codeFilters: Term[] } {
  const indexed: Term[] = [];
  const filters: Term[] = [];
  const codeFilters: Term[] = [];
  for (const term of [...terms].sort((a, b) => b.pattern.length - a.pattern.length)) {
    const patterns = patternsOf(term);
    const isIndexed =
      patterns.length <= MAX_INDEXED_PATTERNS && patterns.every((pattern) => TRIGRAM.test(pattern));
    if (isIndexed && indexed.length < MAX_INDEXED_TERMS) indexed.push(term);
    else if (term.codePatterns.length === 0) filters.push(term);
    else codeFilters.push(term);
  }
  return { indexed, filters, codeFilters };
}

function patternsOf({ pattern, codePatterns }: Term): string[] {
  return [pattern, ...codePatterns];
}

const contentNames = CLIENT_COLUMNS.map(({ name }) => name);

/** A client that is to be stored. */
export interface NewClient {
  readonly id: string;
  readonly status: ClientStatus;
  readonly content: ClientContent;
  readonly createdAt: string;
  /** What its request is answered, to be stored with it. */
  readonly answer?: KeyedAnswer | undefined;
}

// Values come as one JSON text: to write them as arrays, one a column, costs the server several times as much.
const newRows = (more: string) => `json_to_recordset($2::json) as n (
  id uuid, status text, created_at timestamptz, ${CLIENT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ")}${more}
)`;

const insertRows = `
  insert into clients (organization_id, id, status, created_at, updated_at, ${contentNames.join(", ")})
  select $1, n.id, n.status, n.created_at, n.created_at, ${contentNames.map((name) => `n.${name}`).join(", ")}`;

/** What follows the rows of `r`: their locations and the change of the counters. */
const joinAndCount = `
  joined as (
    insert into client_locations (organization_id, client_id, location_id)
    select $1, l.client_id, l.location_id
    from unnest($3::uuid[], $4::uuid[]) as l (client_id, location_id) join r on r.id = l.client_id
  ), counted as (
    update organization_counters set
      clients_active = clients_active + made.active,
      clients_archived = clients_archived + made.archived,
      clients_version = clients_version + made.active + made.archived
    from (
      select count(*) filter (where status = 'active') as active,
        count(*) filter (where status = 'archived') as archived
      from r
    ) made
    where organization_id = $1 and slot = $5 and made.active + made.archived > 0
  )`;

const insertStatement = pooled(
  "insert_clients",
  `with r as (
     ${insertRows} from ${newRows("")}
     on conflict on constraint clients_id_document do nothing
     returning id, status
   ), ${joinAndCount}
   select id, 'stored' as outcome from r`,
);

// An answer is stored only with its client and the other way round. Documents that are held are therefore looked for
// first; one that another transaction is storing at this moment fails the statement, which then has stored nothing.
const insertAnsweredStatement = pooled(
  "insert_answered_clients",
  `with n as materialized (
     select n.*, exists (
       select from clients c
       where c.organization_id = $1 and c.id_document_type = n.id_document_type and c.id_document_key = n.id_document_key
     ) as is_held
     from ${newRows(`, ${ANSWER_COLUMNS}`)}
   ), claimed as (${insertAnswers("not n.is_held")}
   ), r as (
     ${insertRows} from n
     where not n.is_held and (n.answer_key is null or n.answer_key in (select key from claimed))
     returning id, status
   ), ${joinAndCount}
   select n.id, case when r.id is not null then 'stored' when n.is_held then 'held' else 'taken' end as outcome
   from n left join r on r.id = n.id`,
);

/** `held`: another client has its id document. `taken`: its answer's key was used before. */
export type InsertOutcome = "stored" | "held" | "taken";

/**
 * Stores clients, all of one organization, in one statement, and says what became of each. An id document that two of
 * them have is held by one of the two. With answers the statement can violate `clients_id_document`.
 */
export async function insertClients(
  db: Database,
  organizationId: string,
  clients: readonly NewClient[],
  slot: number,
): Promise<Map<string, InsertOutcome>> {
  const hasAnswers = clients.some(({ answer }) => answer !== undefined);
  // Calls that hold each other's documents wait for each other in one order, and so cannot deadlock.
  const ordered = [...clients].sort((a, b) => (documentOrder(a) < documentOrder(b) ? -1 : 1));
  const distinct = hasAnswers ? ordered.filter(isFirstOfDocument) : ordered;
  const memberships = distinct.flatMap(({ id, content }) =>
    content.locationIds.map((locationId) => ({ id, locationId })),
  );
  const rows = await db.query<{ id: string; outcome: InsertOutcome }>(
    hasAnswers ? insertAnsweredStatement : insertStatement,
    [
      organizationId,
      JSON.stringify(distinct.map(insertedRow)),
      memberships.map(({ id }) => id),
      memberships.map(({ locationId }) => locationId),
      slot,
    ],
  );
  const outcomes = new Map<string, InsertOutcome>(clients.map(({ id }) => [id, "held"]));
  for (const { id, outcome } of rows) outcomes.set(id, outcome);
  return outcomes;
}

function isFirstOfDocument(client: NewClient, index: number, ordered: readonly NewClient[]): boolean {
  const before = ordered[index - 1];
  return (
    before === undefined || documentOrder(client) === "" || documentOrder(client) !== documentOrder(before)
  );
}

function documentOrder({ content: { idDocument } }: NewClient): string {
  return idDocument ? `${idDocument.type} ${idDocumentKey(idDocument.value)}` : "";
}

function insertedRow({ id, status, content, createdAt, answer }: NewClient): object {
  const row: Record<string, unknown> = {
    id,
    status,
    created_at: createdAt,
    ...(answer && answerRow(answer)),
  };
  for (const { name, value } of CLIENT_COLUMNS) row[name] = value(content);
  return row;
}

/** What is stored is what was sent, so that nothing of it needs to be read back. */
export function storedClient({ id, status, content, createdAt }: NewClient): Client {
  const client = {
    id,
    ...content,
    locationIds: [...content.locationIds],
    status,
    createdAt,
    updatedAt: createdAt,
  };
  // What is undefined here is written nowhere.
  return client as Client;
}

// Organization, id and status are parameters 1 to 3, then come the columns of the content.
const contentParameters = CLIENT_COLUMNS.map((_, index) => `$${index + 4}`);
const locationsParameter = `$${CLIENT_COLUMNS.length + 4}`;
const slotParameter = `$${CLIENT_COLUMNS.length + 5}`;
const activatedParameter = `$${CLIENT_COLUMNS.length + 6}`;
const nowParameter = `$${CLIENT_COLUMNS.length + 7}`;

const updateStatement = pooled(
  "update_client",
  `with r as (
     update clients set
       status = $3, ${contentNames.map((name, index) => `${name} = ${contentParameters[index]}`).join(", ")},
       -- Moves even if the clock has not.
       updated_at = greatest(${nowParameter}::timestamptz, updated_at + interval '1 millisecond')
     where organization_id = $1 and id = $2
     returning *
   ), parted as (
     delete from client_locations
     where organization_id = $1 and client_id = $2 and location_id <> all (${locationsParameter}::uuid[])
   ), joined as (
     insert into client_locations (organization_id, client_id, location_id)
     select $1, $2, unnest(${locationsParameter}::uuid[]) on conflict do nothing
   ), counted as (
     update organization_counters set
       clients_active = clients_active + ${activatedParameter},
       clients_archived = clients_archived - ${activatedParameter},
       clients_version = clients_version + 1
     where organization_id = $1 and slot = ${slotParameter}
   )
   select ${clientColumns} from r`,
);

/** What a client becomes, and when. */
export interface ClientChange {
  readonly status: ClientStatus;
  readonly content: ClientContent;
  readonly now: number;
}

/** Writes a locked client again. Violates `clients_id_document` if another one holds its id document. */
export async function updateClient(
  tx: Database,
  organizationId: string,
  current: Client,
  { status, content, now }: ClientChange,
  slot: number,
): Promise<Client> {
  const [row] = await tx.query<ClientRow>(updateStatement, [
    organizationId,
    current.id,
    status,
    ...contentValues(content),
    content.locationIds,
    slot,
    Number(status === "active") - Number(current.status === "active"),
    instantText(now),
  ]);
  if (!row) throw new Error("a locked client is gone");
  return { ...toClient(row), locationIds: [...content.locationIds] };
}

const archiveStatement = pooled(
  "archive_client",
  `with found as (
     select id, status from clients where organization_id = $1 and id = $2 for no key update
   ), archived as (
     update clients c set
       status = 'archived', updated_at = greatest($4::timestamptz, c.updated_at + interval '1 millisecond')
     from found where c.organization_id = $1 and c.id = found.id and found.status <> 'archived'
     returning c.id
   ), counted as (
     update organization_counters set
       clients_active = clients_active - 1,
       clients_archived = clients_archived + 1,
       clients_version = clients_version + 1
     where organization_id = $1 and slot = $3 and exists (select from archived)
   )
   select id from found`,
);

/** Archives a client, if it is not archived already; false if there is none. */
export async function archiveClientRow(
  db: Database,
  organizationId: string,
  id: string,
  now: number,
  slot: number,
): Promise<boolean> {
  const rows = await db.query(archiveStatement, [organizationId, id, slot, instantText(now)]);
  return rows.length > 0;
}

const holderStatement = read(
  "find_document_holder",
  `select id, status from clients
   where organization_id = $1 and id_document_type = $2 and id_document_key = $3`,
);

export interface DocumentHolder {
  readonly id: string;
  readonly status: ClientStatus;
}

export async function findDocumentHolder(
  db: Database,
  organizationId: string,
  idDocument: NonNullable<Client["idDocument"]>,
): Promise<DocumentHolder | undefined> {
  const key = idDocumentKey(idDocument.value);
  const [holder] = await db.query<DocumentHolder>(holderStatement, [organizationId, idDocument.type, key]);
  return holder;
}

const holdersStatement = pooled(
  "list_document_holders",
  `select c.id, c.id_document_type as type, c.id_document_key as key
   from unnest($2::text[], $3::text[]) as d (type, key)
   join clients c on c.organization_id = $1 and c.id_document_type = d.type and c.id_document_key = d.key`,
);

/** Who holds any of these documents, given by type and `idDocumentKey`. */
export function listDocumentHolders(
  db: Database,
  organizationId: string,
  documents: readonly { readonly type: string; readonly key: string }[],
): Promise<{ readonly id: string; readonly type: string; readonly key: string }[]> {
  return db.query(holdersStatement, [
    organizationId,
    documents.map(({ type }) => type),
    documents.map(({ key }) => key),
  ]);
}

const byIdsStatement = pooled(
  "list_clients_by_id",
  `select ${clientColumns}, ${clientLocationIds}
   from clients r where r.organization_id = $1 and r.id = any($2::uuid[])`,
);

/** The clients with these ids, whole, in no order. */
export async function listClientsById(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Client[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<ClientRow>(byIdsStatement, [organizationId, ids]);
  return rows.map(toClient);
}

/** The values of the content's columns, in their order. */
function contentValues(content: ClientContent): unknown[] {
  return CLIENT_COLUMNS.map(({ value }) => value(content) ?? null);
}
