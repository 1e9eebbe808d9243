import { type ClockReading, instantText } from "../../core/clock.ts";
import { changedMembers } from "../../core/differences.ts";
import { type AppError, type Fault, refusal, refuseFaults } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Precondition } from "../../core/precondition.ts";
import { NotStoredTogether, type SharedWrite } from "../../core/stored-answer.ts";
import { compileCheck } from "../../core/validation.ts";
import { Batches } from "../../db/batches.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { retried } from "../../db/retry.ts";
import { isDeadlock, isRolledBack, violatedConstraint } from "../../db/statement-errors.ts";
import { listLocationIds } from "../locations/queries.ts";
import { countStored, refuseWhenFull } from "../organizations/limit-queries.ts";
import { nearsLimit, type StorageUse, storageFull } from "../organizations/organization-limits.ts";
import { anySlot } from "../organizations/queries.ts";
import { dateIn } from "../recurrence/zones.ts";
import {
  archiveClientRow,
  type ClientChange,
  type ClientTrace,
  type DocumentHolder,
  findDocumentHolder,
  insertClients,
  lockClient,
  type NewClient,
  storedClient,
  updateClient,
} from "./queries.ts";
import {
  type ClientFacts,
  checkClient,
  chooseStatus,
  clientContent,
  patchedClient,
  patchedDocument,
} from "./rules.ts";
import { type Client, ClientInput, type ClientPatch } from "./schema.ts";

/** How often a write is tried whose id document was held at one moment and given up at the next. */
const DOCUMENT_TRIES = 5;

/** How many clients are stored in one statement at most: it holds the locks of all until its end. */
const MOST_TOGETHER = 64;

/** Stores a client: gives what is stored, or undefined if another client holds its id document. */
export interface ClientInserter {
  /** `storage`: how much the organization stores, if it has a limit; over it nothing is stored. */
  insert(
    organizationId: string,
    client: NewClient,
    storage?: StorageUse | undefined,
  ): Promise<Client | undefined>;
}

/** Stores new clients. Those that come while others are being stored are put into one statement. */
export class ClientInserts implements ClientInserter {
  readonly #db: SharedDatabase;
  readonly #batches = new Map<string, Batches<PendingInsert>>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  /** How a call stores its client: with those of other calls if it may, else by itself in its own database. */
  for(db: Database, shared: SharedWrite | undefined): ClientInserter {
    if (!shared) return insertsAlone(db);
    const { answerOf } = shared;
    if (!answerOf) return this;
    return {
      insert: (organizationId, client, storage) => {
        const record = storedClient(client);
        return this.#add(organizationId, { ...client, answer: answerOf(record) }, record, storage);
      },
    };
  }

  insert(
    organizationId: string,
    client: NewClient,
    storage?: StorageUse | undefined,
  ): Promise<Client | undefined> {
    return this.#add(organizationId, client, storedClient(client), storage);
  }

  #add(
    organizationId: string,
    client: NewClient,
    record: Client,
    storage?: StorageUse | undefined,
  ): Promise<Client | undefined> {
    return new Promise((resolve, reject) => {
      let batches = this.#batches.get(organizationId);
      if (!batches) {
        batches = new Batches((pending) => this.#store(organizationId, pending), MOST_TOGETHER);
        this.#batches.set(organizationId, batches);
      }
      batches.add({ client, record, storage, resolve, reject });
    });
  }

  /** For how many of them there is room, counted once: the first ones have it. And what the others are told. */
  async #findRoom(
    organizationId: string,
    all: readonly PendingInsert[],
  ): Promise<{ readonly room: number; readonly refused?: unknown }> {
    const limit = all.findLast(({ storage }) => storage && nearsLimit(storage))?.storage?.limit;
    if (limit === undefined) return { room: all.length };
    try {
      const records = await countStored(this.#db.for(organizationId), organizationId);
      const room = Math.min(all.length, Math.max(0, limit - records));
      return { room, refused: storageFull(records + room, limit) };
    } catch (error) {
      return { room: 0, refused: error };
    }
  }

  async #store(organizationId: string, all: readonly PendingInsert[]): Promise<() => void> {
    const db = this.#db.for(organizationId);
    const { room, refused } = await this.#findRoom(organizationId, all);
    const pending = all.slice(0, room);
    const clients = pending.map(({ client }) => client);
    const outcomes =
      clients.length === 0
        ? []
        : await insertClients(db, organizationId, clients, anySlot()).then(
            (found) => clients.map(({ id }) => found.get(id)),
            (error: unknown) => {
              if (!isRolledBack(error)) return clients.map(() => error);
              // One client's failure must not fail the others: nothing was stored, so each is tried by itself. Whoever has to
              // store an answer too does that in a transaction of its own.
              return Promise.all(
                clients.map((client) => {
                  if (client.answer) return "taken";
                  // One that met another write in a deadlock has not failed by itself.
                  if (clients.length === 1 && !isDeadlock(error)) return error;
                  return insertClients(db, organizationId, [client], anySlot()).then(
                    (found) => found.get(client.id),
                    (itsError: unknown) => itsError,
                  );
                }),
              );
            },
          );
    return () => {
      if (this.#batches.get(organizationId)?.isIdle) this.#batches.delete(organizationId);
      for (const { reject } of all.slice(room)) reject(refused);
      pending.forEach(({ record, resolve, reject }, place) => {
        const outcome = outcomes[place];
        if (outcome === "stored") resolve(record);
        else if (outcome === "held") resolve(undefined);
        else reject(outcome === "taken" ? new NotStoredTogether() : outcome);
      });
    };
  }
}

interface PendingInsert {
  readonly client: NewClient;
  /** What it is once it is stored. */
  readonly record: Client;
  readonly storage: StorageUse | undefined;
  readonly resolve: (client: Client | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Stores each client by itself, in the given database or transaction. */
export function insertsAlone(db: Database): ClientInserter {
  return {
    insert: async (organizationId, client, storage) => {
      if (storage) await refuseWhenFull(db, organizationId, storage);
      const outcomes = await insertClients(db, organizationId, [client], anySlot());
      return outcomes.get(client.id) === "stored" ? storedClient(client) : undefined;
    },
  };
}

/** Who writes over the API, and by which request. Absent where the write is recorded by whoever calls it. */
export type WriteOrigin = Pick<ClientTrace, "actor" | "requestId">;

/** What a write to a client must know, with the time of the write. */
export interface ClientWriteFacts extends ClientFacts {
  /** When the operation began. `today` is its date. */
  readonly now: number;
  /** How much the organization stores of what it may. Absent if there is no limit, and where the write is counted as a whole. */
  readonly storage?: StorageUse | undefined;
}

export async function createClient(
  db: Database,
  inserts: ClientInserter,
  organizationId: string,
  input: ClientInput,
  facts: ClientWriteFacts,
  origin?: WriteOrigin,
): Promise<Client> {
  const content = clientContent(input, facts);
  const status = chooseStatus(input.status);
  const trace = traceOf(origin, facts.now, "addClient", Object.keys(input));
  for (let tries = 0; tries < DOCUMENT_TRIES; tries++) {
    const made = { id: newId(facts.now), status, content, createdAt: instantText(facts.now), trace };
    const client = await inserts.insert(organizationId, made, facts.storage).catch(refuseByConstraint);
    if (client) return client;
    const holder = content.idDocument && (await findDocumentHolder(db, organizationId, content.idDocument));
    if (holder) throw documentHeld(holder);
  }
  throw documentHeld();
}

/** Replaces everything but the status, which stays unless it is given. What is left out is cleared. */
export function replaceClient(
  db: Database,
  organizationId: string,
  id: string,
  input: ClientInput,
  facts: ClientWriteFacts,
  precondition: Precondition,
  origin?: WriteOrigin,
): Promise<Client> {
  const content = clientContent(input, facts);
  return rewriteClient(db, organizationId, id, precondition, {
    now: facts.now,
    origin,
    idDocument: content.idDocument,
    contentOf: (client) => ({ status: chooseStatus(input.status, client.status), content }),
  });
}

/** Changes the members that a patch names. It is merged with the client as it is under the lock, so none else is lost. */
export function patchClient(
  db: Database,
  organizationId: string,
  id: string,
  patch: ClientPatch,
  facts: ClientWriteFacts,
  precondition: Precondition,
  origin?: WriteOrigin,
): Promise<Client> {
  return rewriteClient(db, organizationId, id, precondition, {
    now: facts.now,
    origin,
    idDocument: patchedDocument(patch),
    contentOf: (client) => {
      refuseFaults(patchFaults(client, patch, facts));
      const input = patchedClient(client, patch) as ClientInput;
      return { status: chooseStatus(input.status, client.status), content: clientContent(input, facts) };
    },
  });
}

/** What is wrong with a client that a tidy patch has been applied to. */
export function patchFaults(client: Client, patch: unknown, facts: ClientFacts): Fault[] {
  const merged = patchedClient(client, patch);
  return [...checkInput(merged), ...checkClient(merged, facts, "body")];
}

const checkInput = compileCheck(ClientInput, "body");

interface ClientRewrite {
  readonly now: number;
  readonly origin: WriteOrigin | undefined;
  /** The id document that the client is to have, as far as it is known before the client is read. */
  readonly idDocument: Client["idDocument"];
  /** What the client becomes; throws if that cannot be. */
  readonly contentOf: (client: Client) => Pick<ClientChange, "status" | "content">;
}

async function rewriteClient(
  db: Database,
  organizationId: string,
  id: string,
  precondition: Precondition,
  { now, origin, idDocument, contentOf }: ClientRewrite,
): Promise<Client> {
  const rewrite = async (tx: Database): Promise<Client> => {
    const locked = await lockClient(tx, organizationId, id, idDocument);
    const { client, isErased } = locked;
    if (!client) throw unknownClient();
    const { status, content } = contentOf(client);
    const changed = changedMembers(storedContent(client), { ...defined(content), status });
    const isUnchanged = changed.length === 0;
    precondition.check(client, isUnchanged);
    if (isErased) throw erasedClient();
    if (isUnchanged) return client;
    const holder =
      locked.holder ??
      (idDocument ? undefined : await findOtherHolder(tx, organizationId, id, content.idDocument));
    if (holder) throw documentHeld(holder);
    const trace = traceOf(origin, now, actionOf(changed, status), changed);
    return updateClient(tx, organizationId, client, { status, content, now, trace }, anySlot());
  };
  // Taken by another client since it was looked for: now that one is found. Or two writes held what the other wanted.
  const isPassing = (error: unknown) => isDocumentTaken(error) || isDeadlock(error);
  return retried(DOCUMENT_TRIES, isPassing, () => db.transaction(rewrite)).catch(refuseByConstraint);
}

/** A change of the status alone is called as the staff calls it, and so is undone as theirs is. */
function actionOf(changed: readonly string[], status: Client["status"]): ClientTrace["action"] {
  if (changed.length !== 1 || changed[0] !== "status") return "editClient";
  return status === "archived" ? "archiveClient" : "restoreClient";
}

function traceOf(
  origin: WriteOrigin | undefined,
  now: number,
  action: ClientTrace["action"],
  members: readonly string[],
): ClientTrace | undefined {
  return origin && { id: newId(now), ...origin, action, members };
}

function isDocumentTaken(error: unknown): boolean {
  return violatedConstraint(error) === "clients_id_document";
}

/** The refusal that belongs to the constraint which an error names; any other error is thrown as it is. */
function refuseByConstraint(error: unknown): never {
  if (isDocumentTaken(error)) throw documentHeld();
  // A location was deleted since it was looked for: whoever tries again is told which one is not there.
  if (violatedConstraint(error) === "client_locations_organization_id_location_id_fkey")
    throw refusal("data_changed", { cause: error });
  throw error;
}

async function findOtherHolder(
  tx: Database,
  organizationId: string,
  id: string,
  idDocument: Client["idDocument"],
): Promise<DocumentHolder | undefined> {
  const holder = idDocument && (await findDocumentHolder(tx, organizationId, idDocument));
  return holder?.id === id ? undefined : holder;
}

export async function archiveClient(
  db: Database,
  organizationId: string,
  id: string,
  now: number,
  precondition: Precondition,
  origin?: WriteOrigin,
): Promise<void> {
  const change = { now, trace: traceOf(origin, now, "archiveClient", ["status"]) };
  const archive = async (on: Database) => {
    if (!(await archiveClientRow(on, organizationId, id, change, anySlot()))) throw unknownClient();
  };
  if (!precondition.isGiven) return archive(db);
  return db.transaction(async (tx) => {
    const { client } = await lockClient(tx, organizationId, id, undefined);
    if (!client) throw unknownClient();
    precondition.check(client, client.status === "archived");
    await archive(tx);
  });
}

export function unknownClient(): AppError {
  return refusal("no_client");
}

/** For good: whoever comes back is a new client. */
export function erasedClient(): AppError {
  return refusal("erased_client");
}

/** The organization that facts are looked up for, with the version its catalog had when the request came. */
interface FactsScope {
  readonly organizationId: string;
  readonly timezone: string;
  readonly clock: ClockReading;
  readonly history: string;
  readonly storage?: StorageUse | undefined;
  readonly versions: { readonly catalog: number };
}

/** Looks facts up; they are cached until the version of the organization's catalog changes. */
export class ClientFactsReader {
  readonly #db: SharedDatabase;
  readonly #known = new Map<string, { version: number; locationIds: string[] }>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  async for({ storage, ...caller }: FactsScope): Promise<ClientWriteFacts> {
    return { ...(await this.#read(caller)), storage };
  }

  async #read({ organizationId, timezone, clock, history, versions }: FactsScope): Promise<ClientWriteFacts> {
    const now = clock.now();
    const today = dateIn(timezone, now);
    const data = history + organizationId;
    const known = this.#known.get(data);
    if (known?.version === versions.catalog) return { now, today, locationIds: known.locationIds };
    const locationIds = await listLocationIds(this.#db.for(organizationId), organizationId);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(data, { version: versions.catalog, locationIds });
    return { now, today, locationIds };
  }
}

const MAX_KNOWN = 10_000;

export function documentHeld(holder?: DocumentHolder): AppError {
  return refusal("document_held", {
    facts: holder && { clientId: holder.id, clientStatus: holder.status },
  });
}

function storedContent(client: Client): Record<string, unknown> {
  const { id, createdAt, updatedAt, ...content } = client;
  return defined(content);
}

/** Without members whose value is undefined, in `address` too, so that absence compares equal to absence. */
function defined(content: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(content)) as Record<string, unknown>;
}
