import { isDeepStrictEqual } from "node:util";
import { findZone, instantToWall } from "../calendar/zones.ts";
import { calendarDateOf } from "../core/dates.ts";
import { type AppError, conflict, notFound } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { type Database, type SharedDatabase, violatedConstraint } from "../db/database.ts";
import { listLocationIds } from "../locations/queries.ts";
import { COUNTER_SLOTS } from "../organizations/queries.ts";
import {
  archiveClientRow,
  type DocumentHolder,
  findDocumentHolder,
  insertClient,
  lockClient,
  updateClient,
} from "./queries.ts";
import { type ClientFacts, chooseStatus, clientContent } from "./rules.ts";
import type { Client, ClientInput } from "./schema.ts";

/** How often a write is tried whose id document was held at one moment and given up at the next. */
const DOCUMENT_TRIES = 5;

export async function createClient(
  db: Database,
  organizationId: string,
  input: ClientInput,
  facts: ClientFacts,
): Promise<Client> {
  const content = clientContent(input, facts);
  const status = chooseStatus(input.status);
  for (let tries = 0; tries < DOCUMENT_TRIES; tries++) {
    const client = await insertClient(db, organizationId, newId(), status, content, anySlot());
    if (client) return client;
    const holder = content.idDocument && (await findDocumentHolder(db, organizationId, content.idDocument));
    if (holder) throw documentHeld(holder);
  }
  throw documentHeld();
}

/** Replaces everything but the status, which stays unless it is given. What is left out is cleared. */
export async function replaceClient(
  db: Database,
  organizationId: string,
  id: string,
  input: ClientInput,
  facts: ClientFacts,
): Promise<Client> {
  const content = clientContent(input, facts);
  const replace = async (tx: Database): Promise<Client> => {
    const { client, holder } = await lockClient(tx, organizationId, id, content.idDocument);
    if (!client) throw unknownClient();
    if (holder) throw documentHeld(holder);
    const status = chooseStatus(input.status, client.status);
    const isSame = status === client.status && isDeepStrictEqual(contentOf(client), defined(content));
    return isSame ? client : updateClient(tx, organizationId, client, status, content, anySlot());
  };
  for (let tries = 0; tries < DOCUMENT_TRIES; tries++) {
    try {
      return await db.transaction(replace);
    } catch (error) {
      // Taken by another client since it was looked for: now that one is found.
      if (violatedConstraint(error) !== "clients_id_document") throw error;
    }
  }
  throw documentHeld();
}

export async function archiveClient(db: Database, organizationId: string, id: string): Promise<void> {
  if (!(await archiveClientRow(db, organizationId, id, anySlot()))) throw unknownClient();
}

export function unknownClient(): AppError {
  return notFound("There is no client with this id.");
}

/** Whom facts are looked up for: the organization, with the version its catalog had when the request came. */
interface Asking {
  readonly organizationId: string;
  readonly timezone: string;
  readonly versions: { readonly catalog: number };
}

/** Looks facts up; they are kept for as long as the organization's catalog has the version they were read at. */
export class ClientFactsReader {
  readonly #db: SharedDatabase;
  readonly #known = new Map<string, { version: number; locationIds: string[] }>();
  // A request is checked and carried out by the same facts, even if a location is added in between: a client
  // that was to join the only location would otherwise join both.
  readonly #told = new WeakMap<Asking, Promise<ClientFacts>>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  read(asking: Asking): Promise<ClientFacts> {
    const facts = this.#told.get(asking) ?? this.#look(asking);
    this.#told.set(asking, facts);
    return facts;
  }

  async #look({ organizationId, timezone, versions }: Asking): Promise<ClientFacts> {
    const known = this.#known.get(organizationId);
    if (known?.version === versions.catalog)
      return { today: todayIn(timezone), locationIds: known.locationIds };
    const locationIds = await listLocationIds(this.#db.for(organizationId), organizationId);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(organizationId, { version: versions.catalog, locationIds });
    return { today: todayIn(timezone), locationIds };
  }
}

const MAX_KNOWN = 10_000;

export function todayIn(timezone: string): string {
  const zone = findZone(timezone);
  return calendarDateOf(zone ? instantToWall(zone, Date.now()) : Date.now());
}

/** Writers spread over the counter slots, so that they rarely wait for each other. */
function anySlot(): number {
  return Math.floor(Math.random() * COUNTER_SLOTS);
}

export function documentHeld(holder?: DocumentHolder): AppError {
  return conflict(
    "Another client already holds this id document.",
    holder && { clientId: holder.id, clientStatus: holder.status },
  );
}

function contentOf(client: Client): Record<string, unknown> {
  const { id, status, createdAt, updatedAt, ...content } = client;
  return defined(content);
}

/** Without members whose value is undefined, in `address` too, so that absence compares equal to absence. */
function defined(content: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(content)) as Record<string, unknown>;
}
