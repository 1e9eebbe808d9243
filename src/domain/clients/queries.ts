import { instantText } from "../../core/clock.ts";
import { reasonOf } from "../../core/reasons.ts";
import type { KeyedAnswer } from "../../core/stored-answer.ts";
import { REASON_SAID, sayReason, sayReasons } from "../../db/change-reason.ts";
import type { Database, ShortReads } from "../../db/database.ts";
import { Lookup } from "../../db/lookup.ts";
import { pooled, read } from "../../db/statements.ts";
import { ANSWER_COLUMNS, answerRow, insertAnswers } from "../../db/stored-answers.ts";
import { CLIENT_COLUMNS } from "./client-columns.ts";
import { type ClientRow, clientColumns, clientLocationIds, toClient } from "./client-rows.ts";
import { type ClientContent, idDocumentKey } from "./rules.ts";
import type { Client, ClientStatus } from "./schema.ts";

// By itself, after the lock: a look inside the statement that waits for it would not see what it has waited for.
const findLockedStatement = pooled(
  "find_locked_client",
  `select ${clientColumns}, ${clientLocationIds},
     exists (select from erasures e where e.organization_id = r.organization_id and e.client_id = r.id) as "isErased"
   from clients r where r.organization_id = $1 and r.id = $2`,
);

/** Finds single clients. */
export function openClientLookup(db: ShortReads): Lookup<ClientRow, Client> {
  const columns = `${clientColumns}, ${clientLocationIds}`;
  return new Lookup(db, { name: "find_clients", table: "clients", columns }, toClient);
}

// In the order of their ids: two clients that exchange their documents at the same time wait for each other
// here, and not at the unique index, which would be a deadlock. Not "for update": that would wait for
// everybody who stores something that refers to the client, such as an import of contracts.
const lockStatement = pooled(
  "lock_client",
  `select id, status from clients
   where organization_id = $1 and (id = $2 or (id_document_type = $3 and id_document_key = $4))
   order by id for no key update`,
);

/** A client that nobody else can change. */
export interface LockedClient {
  readonly client: Client | undefined;
  /** Whether the person was erased: the record takes no data any more. */
  readonly isErased: boolean;
  /** The other client that holds the id document which this one is to have. */
  readonly holder: DocumentHolder | undefined;
}

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
): Promise<LockedClient> {
  const document = idDocument ? [idDocument.type, idDocumentKey(idDocument.value)] : [null, null];
  const [locked, [row]] = await Promise.all([
    tx.query<DocumentHolder>(lockStatement, [organizationId, id, ...document]),
    tx.query<ClientRow & { isErased: boolean }>(findLockedStatement, [organizationId, id]),
  ]);
  return {
    client: row && toClient(row),
    isErased: row?.isErased ?? false,
    holder: locked.find((other) => other.id !== id),
  };
}

const contentNames = CLIENT_COLUMNS.map(({ name }) => name);

/** The audit entry of a write to one client, for the statement that writes it. */
export interface ClientTrace {
  readonly id: string;
  readonly actor: string;
  readonly requestId: string;
  readonly action: "addClient" | "editClient" | "archiveClient" | "restoreClient";
  /** The names of the members that were written, never what they hold. */
  readonly members: readonly string[];
}

/** That the entry is about the client is said once: by `client_id`, which has an index, and not by `subject` as well. */
const TRACE_COLUMNS = "organization_id, client_id, id, at, actor, request_id, action, details";

/** A client that is to be stored. */
export interface NewClient {
  readonly id: string;
  readonly status: ClientStatus;
  readonly content: ClientContent;
  readonly createdAt: string;
  /** Absent if whoever stores it records that by itself. */
  readonly trace?: ClientTrace | undefined;
  /** What its request is answered, to be stored with it. */
  readonly answer?: KeyedAnswer | undefined;
}

// Values come as one JSON text: to write them as arrays, one a column, costs the server several times as much.
const newRows = (more: string) => `json_to_recordset($2::json) as n (
  id uuid, status text, created_at timestamptz, ${CLIENT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(", ")},
  trace_id uuid, trace_actor text, trace_request_id text, trace_details jsonb${more}
)`;

const insertRows = `
  insert into clients (organization_id, id, status, created_at, updated_at, ${contentNames.join(", ")})
  select $1, n.id, n.status, n.created_at, n.created_at, ${contentNames.map((name) => `n.${name}`).join(", ")}`;

/** What follows the rows of `r`, which come from `n`: their locations, their audit entries and the change of the counters. */
const joinAndCount = `
  recorded as (
    insert into audit (${TRACE_COLUMNS})
    select $1, r.id, n.trace_id, n.created_at, n.trace_actor, n.trace_request_id, 'addClient', n.trace_details
    from n join r on r.id = n.id where n.trace_id is not null
  ), joined as (
    insert into client_locations (organization_id, client_id, location_id)
    select $1, l.client_id, l.location_id
    from unnest($3::uuid[], $4::uuid[]) as l (client_id, location_id) join r on r.id = l.client_id
  ), counted as (
    update organization_counters set
      clients_active = clients_active + made.active,
      clients_archived = clients_archived + made.archived
    from (
      select count(*) filter (where status = 'active') as active,
        count(*) filter (where status = 'archived') as archived
      from r
    ) made
    where organization_id = $1 and slot = $5 and made.active + made.archived > 0
  )`;

const insertStatement = pooled(
  "insert_clients",
  `with ${sayReasons("$6")}, n as materialized (
     select * from ${newRows("")}
   ), r as (
     ${insertRows} from n
     on conflict on constraint clients_id_document do nothing
     returning id, status
   ), ${joinAndCount}
   select id, 'stored' as outcome from r where ${REASON_SAID}`,
);

// An answer is stored only with its client and the other way round. Documents that are held are therefore looked for
// first; one that another transaction is storing at this moment fails the statement, which then has stored nothing.
const insertAnsweredStatement = pooled(
  "insert_answered_clients",
  `with ${sayReasons("$6")}, n as materialized (
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
   from n left join r on r.id = n.id where ${REASON_SAID}`,
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
      reasonsOf(distinct),
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

/** Whose the clients are, by their ids; nothing if whoever stores them has said it. */
function reasonsOf(clients: readonly NewClient[]): string | null {
  const known = clients.flatMap(({ id, trace }) =>
    trace ? [[id, reasonOf(trace.actor, trace.requestId)] as const] : [],
  );
  return known.length === 0 ? null : JSON.stringify(Object.fromEntries(known));
}

function insertedRow({ id, status, content, createdAt, trace, answer }: NewClient): object {
  const row: Record<string, unknown> = {
    id,
    status,
    created_at: createdAt,
    ...(trace && {
      trace_id: trace.id,
      trace_actor: trace.actor,
      trace_request_id: trace.requestId,
      trace_details: { members: trace.members },
    }),
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
const slotParameter = `$${CLIENT_COLUMNS.length + 4}`;
const activatedParameter = `$${CLIENT_COLUMNS.length + 5}`;
const nowParameter = `$${CLIENT_COLUMNS.length + 6}`;
const locationsParameter = `$${CLIENT_COLUMNS.length + 13}`;

/**
 * Stores the audit entry of a write to client `$2`, if there is one, for the rows of `source`; see `traceValues`, whose last
 * value is the reason that the change feed tells.
 */
function recordTrace(source: string, now: string, first: number): string {
  return `
     insert into audit (${TRACE_COLUMNS})
     select $1, $2, $${first}, ${now}, $${first + 1}, $${first + 2}, $${first + 3}, $${first + 4}::jsonb
     from ${source} where $${first}::uuid is not null`;
}

function traceValues(trace: ClientTrace | undefined): unknown[] {
  if (!trace) return [null, null, null, null, null, null];
  const { id, actor, requestId, action, members } = trace;
  const reason = JSON.stringify(reasonOf(actor, requestId));
  return [id, actor, requestId, action, JSON.stringify({ members }), reason];
}

// Of other locations, last: the triggers of their table run for each statement, however many rows it writes.
const moves = `, parted as (
     delete from client_locations
     where organization_id = $1 and client_id = $2 and location_id <> all (${locationsParameter}::uuid[])
   ), joined as (
     insert into client_locations (organization_id, client_id, location_id)
     select $1, $2, unnest(${locationsParameter}::uuid[]) on conflict do nothing
   )`;

const updateText = (more: string) =>
  `with ${sayReason(`$${CLIENT_COLUMNS.length + 12}`)}, r as (
     update clients set
       status = $3, ${contentNames.map((name, index) => `${name} = ${contentParameters[index]}`).join(", ")},
       -- Moves even if the clock has not.
       updated_at = greatest(${nowParameter}::timestamptz, updated_at + interval '1 millisecond')
     where organization_id = $1 and id = $2
     returning *
   )${more}, recorded as (${recordTrace("r", `${nowParameter}::timestamptz`, CLIENT_COLUMNS.length + 7)}
   ), counted as (
     update organization_counters set
       clients_active = clients_active + ${activatedParameter},
       clients_archived = clients_archived - ${activatedParameter}
     where organization_id = $1 and slot = ${slotParameter} and ${activatedParameter} <> 0
   )
   select ${clientColumns} from r where ${REASON_SAID}`;

const updateStatement = pooled("update_client", updateText(""));
const moveStatement = pooled("update_client_and_locations", updateText(moves));

/** What a client becomes, and when. */
export interface ClientChange {
  readonly status: ClientStatus;
  readonly content: ClientContent;
  readonly now: number;
  /** Absent if whoever writes it records that by itself. */
  readonly trace?: ClientTrace | undefined;
}

/** Writes a locked client again. Violates `clients_id_document` if another one holds its id document. */
export async function updateClient(
  tx: Database,
  organizationId: string,
  current: Client,
  { status, content, now, trace }: ClientChange,
  slot: number,
): Promise<Client> {
  const { locationIds = [] } = current;
  const isMoved = [...content.locationIds].sort().join() !== [...locationIds].sort().join();
  const [row] = await tx.query<ClientRow>(isMoved ? moveStatement : updateStatement, [
    organizationId,
    current.id,
    status,
    ...contentValues(content),
    slot,
    Number(status === "active") - Number(current.status === "active"),
    instantText(now),
    ...traceValues(trace),
    ...(isMoved ? [content.locationIds] : []),
  ]);
  if (!row) throw new Error("a locked client is gone");
  return { ...toClient(row), locationIds: [...content.locationIds] };
}

const archiveStatement = pooled(
  "archive_client",
  `with ${sayReason("$10")}, found as (
     select id, status from clients where organization_id = $1 and id = $2 for no key update
   ), archived as (
     update clients c set
       status = 'archived', updated_at = greatest($4::timestamptz, c.updated_at + interval '1 millisecond')
     from found where c.organization_id = $1 and c.id = found.id and found.status <> 'archived'
     returning c.id
   ), recorded as (${recordTrace("archived", "$4::timestamptz", 5)}
   ), counted as (
     update organization_counters set
       clients_active = clients_active - 1,
       clients_archived = clients_archived + 1
     where organization_id = $1 and slot = $3 and exists (select from archived)
   )
   select id from found where ${REASON_SAID}`,
);

/** Archives a client, if it is not archived already; false if there is none. */
export async function archiveClientRow(
  db: Database,
  organizationId: string,
  id: string,
  { now, trace }: Pick<ClientChange, "now" | "trace">,
  slot: number,
): Promise<boolean> {
  const values = [organizationId, id, slot, instantText(now), ...traceValues(trace)];
  const rows = await db.query(archiveStatement, values);
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

const erasedStatement = pooled(
  "list_erased_clients",
  `select client_id as id from erasures where organization_id = $1 and client_id = any($2::uuid[])`,
);

/** Which of these clients were erased. */
export async function listErasedIds(
  db: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(erasedStatement, [organizationId, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** The values of the content's columns, in their order. */
function contentValues(content: ClientContent): unknown[] {
  return CLIENT_COLUMNS.map(({ value }) => value(content) ?? null);
}
