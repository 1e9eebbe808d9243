import { isDeepStrictEqual } from "node:util";
import { findZone, instantToWall } from "../calendar/zones.ts";
import { calendarDateOf } from "../dates.ts";
import { type Database, violatedConstraint } from "../db/database.ts";
import { type AppError, conflict, notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { listLocationIds } from "../locations/queries.ts";
import { COUNTER_SLOTS } from "../organizations/queries.ts";
import { archiveClientRow, findDocumentHolder, insertClient, lockClient, updateClient } from "./queries.ts";
import { type ClientContent, type ClientFacts, chooseStatus, clientContent } from "./rules.ts";
import type { Client, ClientInput } from "./schema.ts";

export async function createClient(
  db: Database,
  organizationId: string,
  input: ClientInput,
  facts: ClientFacts,
): Promise<Client> {
  const content = clientContent(input, facts);
  const client = await insertClient(
    db,
    organizationId,
    newId(),
    chooseStatus(input.status),
    content,
    anySlot(),
  );
  return client ?? refuseDocument(db, organizationId, content);
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
  try {
    return await db.transaction(async (tx) => {
      const current = await lockClient(tx, organizationId, id);
      if (!current) throw unknownClient();
      const status = chooseStatus(input.status, current.status);
      if (status === current.status && isDeepStrictEqual(contentOf(current), defined(content)))
        return current;
      return updateClient(tx, organizationId, current, status, content, anySlot());
    });
  } catch (error) {
    if (violatedConstraint(error) === "clients_id_document")
      return refuseDocument(db, organizationId, content);
    throw error;
  }
}

export async function archiveClient(db: Database, organizationId: string, id: string): Promise<void> {
  if (!(await archiveClientRow(db, organizationId, id, anySlot()))) throw unknownClient();
}

export function unknownClient(): AppError {
  return notFound("There is no client with this id.");
}

/** Looks facts up; they are kept for as long as the organization's catalog has the version they were read at. */
export class ClientFactsReader {
  readonly #db: Database;
  readonly #known = new Map<string, { version: number; locationIds: string[] }>();

  constructor(db: Database) {
    this.#db = db;
  }

  async read(organization: {
    organizationId: string;
    timezone: string;
    catalogVersion: number;
  }): Promise<ClientFacts> {
    const { organizationId, timezone, catalogVersion } = organization;
    const known = this.#known.get(organizationId);
    if (known?.version === catalogVersion)
      return { today: todayIn(timezone), locationIds: known.locationIds };
    const locationIds = await listLocationIds(this.#db, organizationId);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(organizationId, { version: catalogVersion, locationIds });
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

async function refuseDocument(db: Database, organizationId: string, content: ClientContent): Promise<never> {
  const holder = content.idDocument && (await findDocumentHolder(db, organizationId, content.idDocument));
  // Clients are never deleted, but a holder may have given the document up in this very moment.
  if (!holder) throw conflict("Another client held this id document a moment ago. Try again.");
  throw conflict("Another client already holds this id document.", {
    clientId: holder.id,
    clientStatus: holder.status,
  });
}

function contentOf(client: Client): Record<string, unknown> {
  const { id, status, createdAt, updatedAt, ...content } = client;
  return defined(content);
}

/** Without members whose value is undefined, in `address` too, so that absence compares equal to absence. */
function defined(content: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(content)) as Record<string, unknown>;
}
