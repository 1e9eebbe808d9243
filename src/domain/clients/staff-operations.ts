import { changedMembers } from "../../core/differences.ts";
import { AppError, type Fault, invalid, refuseFaults } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { isUuid } from "../../core/patterns.ts";
import type { Precondition } from "../../core/precondition.ts";
import { compileCheck } from "../../core/validation.ts";
import type { Database } from "../../db/database.ts";
import { listLocationIds } from "../locations/queries.ts";
import { findOrganization } from "../organizations/queries.ts";
import { dateIn } from "../recurrence/zones.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import {
  archiveClient,
  type ClientWriteFacts,
  createClient,
  insertsAlone,
  patchClient,
  patchFaults,
  unknownClient,
} from "./operations.ts";
import { listClientsById, lockClient } from "./queries.ts";
import { checkClient, checkPatch, tidyClient, tidyPatch } from "./rules.ts";
import {
  type AddClient,
  type Client,
  type ClientInput,
  type ClientPatch,
  EditClient,
  type NameClient,
} from "./schema.ts";

/**
 * What the staff does to clients: the writes of the API, each with its audit entry. An entry names the members that were
 * written and never what they hold, so that nothing of a person is left in the trail when the person is erased.
 */

export const addClientByStaff = exclusiveWrite(
  "addClient",
  async (open, input: Static<typeof AddClient>): Promise<Outcome<Client>> => {
    const { tx, organizationId } = open;
    const facts = await factsOf(open);
    const tidy = tidyClient(input) as ClientInput;
    refuseFaults(checkClient(tidy, facts, "body"));
    const client = await createClient(tx, insertsAlone(tx), organizationId, tidy, facts);
    return written(open, client.id, () => Object.keys(tidy));
  },
);

/** Changes the members that are named; null clears one. */
export const editClientByStaff = exclusiveWrite(
  "editClient",
  async (open, { clientId, changes }: Static<typeof EditClient>): Promise<Outcome<Client>> => {
    const before = await lockKnown(open, clientId);
    await patch(open, before.id, tidyPatch(changes) as ClientPatch);
    return changed(open, before);
  },
);

export const archiveClientByStaff = exclusiveWrite(
  "archiveClient",
  async (open, { clientId }: Static<typeof NameClient>): Promise<Outcome<Client>> => {
    const { organizationId } = open;
    const before = await lockKnown(open, clientId);
    await archiveClient(open.tx, organizationId, before.id, open.now, NOTHING_DEMANDED);
    return changed(open, before);
  },
);

export const restoreClientByStaff = exclusiveWrite(
  "restoreClient",
  async (open, { clientId }: Static<typeof NameClient>): Promise<Outcome<Client>> => {
    const before = await lockKnown(open, clientId);
    await patch(open, before.id, { status: "active" });
    return changed(open, before);
  },
);

/** The faults of a new client beyond its schema, as the API finds them. */
export async function findClientFaults(
  db: Database,
  organizationId: string,
  tidy: unknown,
): Promise<Fault[]> {
  const facts = await readFacts(db, organizationId);
  return facts ? checkClient(tidy, facts, "body") : [];
}

/** The faults of changes to a client beyond their schema, those included that only the record shows. */
export async function findClientChangeFaults(
  db: Database,
  organizationId: string,
  given: unknown,
): Promise<Fault[]> {
  const { clientId, changes } = (given ?? {}) as { clientId?: unknown; changes?: unknown };
  const facts = await readFacts(db, organizationId);
  if (!facts) return [];
  const [client] =
    typeof clientId === "string" && isUuid(clientId)
      ? await listClientsById(db, organizationId, [clientId])
      : [];
  const found = client ? patchFaults(client, changes, facts) : checkPatch(changes, facts, "body");
  // The merged record shows the faults of the schema again.
  const known = new Set(checkChanges(changes).map(({ location }) => location));
  return found.filter(({ location }) => !known.has(location)).map(ofChanges);
}

const checkChanges = compileCheck(EditClient.properties.changes, "body");

/** A client of the application is written by nobody's copy of it. */
const NOTHING_DEMANDED: Precondition = { isGiven: false, check: () => {} };

async function patch(open: OpenOrganization, id: string, changes: ClientPatch): Promise<void> {
  try {
    await patchClient(open.tx, open.organizationId, id, changes, await factsOf(open), NOTHING_DEMANDED);
  } catch (error) {
    if (error instanceof AppError && error.faults.length > 0) throw invalid(error.faults.map(ofChanges));
    throw error;
  }
}

function ofChanges(fault: Fault): Fault {
  return { ...fault, location: fault.location.replace(/^body/, "body.changes") };
}

function changed(open: OpenWrite, before: Client): Promise<Outcome<Client>> {
  return written(open, before.id, (after) =>
    changedMembers(before, after).filter((name) => name !== "updatedAt"),
  );
}

async function written(
  { tx, organizationId }: OpenWrite,
  id: string,
  membersOf: (client: Client) => readonly string[],
): Promise<Outcome<Client>> {
  const [result] = await listClientsById(tx, organizationId, [id]);
  if (!result) throw new Error("a client that was just written is gone");
  return { result, entry: { subject: id, clientId: id, details: { members: membersOf(result) } } };
}

async function lockKnown({ tx, organizationId }: OpenOrganization, id: string): Promise<Client> {
  const { client } = await lockClient(tx, organizationId, id.toLowerCase(), undefined);
  if (!client) throw unknownClient();
  return client;
}

async function factsOf({ tx, organizationId, now, today }: OpenOrganization): Promise<ClientWriteFacts> {
  return { now, today, locationIds: await listLocationIds(tx, organizationId) };
}

async function readFacts(db: Database, organizationId: string): Promise<ClientWriteFacts | undefined> {
  const [organization, locationIds, now] = await Promise.all([
    findOrganization(db, organizationId),
    listLocationIds(db, organizationId),
    db.now(),
  ]);
  return organization && { now, today: dateIn(organization.timezone, now), locationIds };
}
