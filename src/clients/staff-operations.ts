import { type AuditAction, recordAudit } from "../audit/queries.ts";
import { dateIn } from "../calendar/zones.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import type { Actor } from "../core/actor.ts";
import { changedMembers } from "../core/differences.ts";
import { AppError, type Fault, invalid, refuseFaults } from "../core/errors.ts";
import type { Static } from "../core/fields.ts";
import { isUuid } from "../core/forms.ts";
import type { Precondition } from "../core/precondition.ts";
import { compileCheck } from "../core/validation.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { listLocationIds } from "../locations/queries.ts";
import { findOrganization } from "../organizations/queries.ts";
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

export async function addClientByStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  input: Static<typeof AddClient>,
): Promise<Written<Client>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx } = open;
    const facts = await factsOf(open);
    const tidy = tidyClient(input) as ClientInput;
    refuseFaults(checkClient(tidy, facts, "body"));
    const client = await createClient(tx, insertsAlone(tx), organizationId, tidy, facts);
    return finish(open, actor, "addClient", client.id, { members: Object.keys(tidy) });
  });
}

/** Changes the members that are named; null clears one. */
export async function editClientByStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId, changes }: Static<typeof EditClient>,
): Promise<Written<Client>> {
  return inOrganization(db, organizationId, async (open) => {
    const before = await lockKnown(open, clientId);
    await patch(open, before.id, tidyPatch(changes) as ClientPatch);
    return finish(open, actor, "editClient", before.id, { before });
  });
}

export async function archiveClientByStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId }: Static<typeof NameClient>,
): Promise<Written<Client>> {
  return inOrganization(db, organizationId, async (open) => {
    const before = await lockKnown(open, clientId);
    await archiveClient(open.tx, organizationId, before.id, open.now, NOTHING_DEMANDED);
    return finish(open, actor, "archiveClient", before.id, { before });
  });
}

export async function restoreClientByStaff(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId }: Static<typeof NameClient>,
): Promise<Written<Client>> {
  return inOrganization(db, organizationId, async (open) => {
    const before = await lockKnown(open, clientId);
    await patch(open, before.id, { status: "active" });
    return finish(open, actor, "restoreClient", before.id, { before });
  });
}

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

interface ClientTrace {
  readonly before?: Client;
  /** Those of a new client. */
  readonly members?: readonly string[];
}

async function finish(
  { tx, organizationId }: OpenOrganization,
  actor: Actor,
  action: AuditAction,
  id: string,
  { before, members }: ClientTrace,
): Promise<Written<Client>> {
  const [result] = await listClientsById(tx, organizationId, [id]);
  if (!result) throw new Error("a client that was just written is gone");
  const changed = before ? changedMembers(before, result).filter((name) => name !== "updatedAt") : members;
  const auditId = await recordAudit(tx, actor.name, {
    action,
    organizationId,
    subject: id,
    clientId: id,
    details: { members: changed },
  });
  return { auditId, result, changes: NO_CHANGES };
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
