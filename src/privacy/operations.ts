import { recordAudit } from "../audit/queries.ts";
import { unknownClient } from "../clients/operations.ts";
import { type LockedClient, lockClient, updateClient } from "../clients/queries.ts";
import { erasedContent, isErasedForm } from "../clients/rules.ts";
import type { Client } from "../clients/schema.ts";
import { inOrganization, type OpenOrganization } from "../contracts/open-organization.ts";
import { listContractsOf } from "../contracts/staff-queries.ts";
import type { Actor } from "../core/actor.ts";
import { refusal } from "../core/errors.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import type { Database } from "../db/database.ts";
import { anySlot, findOrganization } from "../organizations/queries.ts";
import { documentMarks, emailMark, marksOf } from "./marks.ts";
import * as queries from "./queries.ts";
import type { ClientExport, EraseClient, ErasureRecord, ExportClient } from "./schema.ts";

/**
 * Erases a person and keeps the books: the client's record, contracts, bookings and audit entries stay, and say
 * nothing of who it was. There is no way back.
 */
export async function eraseClient(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId, basis }: EraseClient,
  keySecret: string,
): Promise<Written<Client>> {
  return inOrganization(db, organizationId, async (open) => {
    const locked = await lockClient(open.tx, organizationId, clientId, undefined);
    const { client } = locked;
    if (!client) throw unknownClient();
    const { contracts, bookings } = await queries.countMemberships(
      open.tx,
      organizationId,
      client.id,
      open.at,
    );
    if (contracts + bookings > 0 && !locked.isErased) throw refusal("still_member");
    const marks = marksOf(client, organizationId, keySecret);
    return erase(open, actor, locked, {
      organizationId,
      clientId: client.id,
      at: open.at,
      actor: actor.name,
      basis,
      ...(marks.documentMark && { documentMark: marks.documentMark.toString("hex") }),
      ...(marks.emailMark && { emailMark: marks.emailMark.toString("hex") }),
    });
  });
}

/** Takes the person out of a locked client and of all that was written about it. */
async function erase(
  { tx, organizationId, now, at }: OpenOrganization,
  actor: Actor,
  { client, isErased }: LockedClient,
  evidence: ErasureRecord,
): Promise<Written<Client>> {
  if (!client) throw unknownClient();
  const { id, locationIds = [] } = client;
  const isClean = isErasedForm(client) && client.status === "archived";
  const change = { status: "archived", content: erasedContent(locationIds), now } as const;
  const result = isClean ? client : await updateClient(tx, organizationId, client, change, anySlot());
  await queries.insertErasure(tx, evidence);
  await queries.eraseAnswers(tx, organizationId, id);
  await queries.eraseReasons(tx, organizationId, id);
  const bookings = await queries.eraseBookingReasons(tx, organizationId, id, at);
  const auditId = await recordAudit(tx, actor.name, {
    action: "eraseClient",
    organizationId,
    subject: id,
    clientId: id,
    details: isErased ? { erasedBefore: true } : {},
  });
  return { auditId, result, changes: { ...NO_CHANGES, bookings } };
}

/** Everything that is stored about one person, for whoever has the right to know. */
export async function exportClient(
  db: Database,
  actor: Actor,
  organizationId: string,
  { clientId }: ExportClient,
): Promise<Written<ClientExport>> {
  return inOrganization(db, organizationId, async (open) => {
    const { tx } = open;
    const { client } = await lockClient(tx, organizationId, clientId, undefined);
    if (!client) throw unknownClient();
    const auditId = await recordAudit(tx, actor.name, {
      action: "exportClient",
      organizationId,
      subject: client.id,
      clientId: client.id,
    });
    return { auditId, result: await readExport(open, client), changes: NO_CHANGES };
  });
}

async function readExport(
  { tx, organizationId, at }: OpenOrganization,
  client: Client,
): Promise<ClientExport> {
  return {
    exportedAt: at,
    client,
    contracts: await listContractsOf(tx, organizationId, client.id),
    bookings: await queries.listClientBookings(tx, organizationId, client.id),
    waiting: await queries.listClientWaiting(tx, organizationId, client.id),
    auditEntries: await queries.listClientAudit(tx, organizationId, client.id),
  };
}

/** As `exportClient`, for a request that is repeated; undefined if there is no such client. */
export async function readClientExport(
  db: Database,
  organizationId: string,
  clientId: string,
): Promise<ClientExport | undefined> {
  return inOrganization(db, organizationId, async (open) => {
    const { client } = await lockClient(open.tx, organizationId, clientId, undefined);
    return client && readExport(open, client);
  });
}

/** The record of an erased client, for a request that is repeated. */
export async function readErasedClient(
  db: Database,
  organizationId: string,
  clientId: string,
): Promise<Client | undefined> {
  return db.transaction(async (tx) => (await lockClient(tx, organizationId, clientId, undefined)).client);
}

/** Whom a question about an erasure is about. */
export interface ErasedPerson {
  readonly document?: string | undefined;
  readonly email?: string | undefined;
}

/** Those erasures that may be of this person: the document or the address has the mark that was kept. */
export function findPerson(
  erasures: readonly ErasureRecord[],
  { document, email }: ErasedPerson,
  keySecret: string,
): ErasureRecord[] {
  return erasures.filter(({ organizationId, documentMark, emailMark: kept }) => {
    const documents =
      document === undefined ? [] : documentMarks(document, organizationId, keySecret).map(hex);
    const emails = email === undefined ? [] : [hex(emailMark(email, organizationId, keySecret))];
    return documents.includes(documentMark ?? "") || emails.includes(kept ?? "");
  });
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex");
}

/** What became of people whose erasures were applied again, by the ids of their clients. */
export interface Reapplied {
  /** Were there again, and are erased now. */
  readonly erased: readonly string[];
  /** Of those, who has a contract that runs or a booking to come. It stays, without a person, until it is cancelled. */
  readonly stillMembers: readonly string[];
  /** Were erased in this database too. */
  readonly erasedBefore: readonly string[];
  /** Are not in this database. */
  readonly missing: readonly string[];
}

/**
 * Carries out erasures again that a restored backup does not have, each in a transaction of its own. Whoever is there
 * again is erased whatever the backup has of contracts and bookings: there were none any more when the erasure was granted.
 */
export async function reapplyErasures(
  db: Database,
  actor: Actor,
  records: readonly ErasureRecord[],
): Promise<Reapplied> {
  const outcomes = { erased: [], stillMembers: [], erasedBefore: [], missing: [] } as Record<
    keyof Reapplied,
    string[]
  >;
  for (const record of records) {
    const { outcome, isMember } = await reapplyErasure(db, actor, record);
    outcomes[outcome].push(record.clientId);
    if (isMember) outcomes.stillMembers.push(record.clientId);
  }
  return outcomes;
}

async function reapplyErasure(
  db: Database,
  actor: Actor,
  record: ErasureRecord,
): Promise<{ outcome: "erased" | "erasedBefore" | "missing"; isMember: boolean }> {
  const { organizationId, clientId } = record;
  if (!(await findOrganization(db, organizationId))) return { outcome: "missing", isMember: false };
  return inOrganization(db, organizationId, async (open) => {
    const locked = await lockClient(open.tx, organizationId, clientId, undefined);
    if (!locked.client) return { outcome: "missing", isMember: false };
    if (locked.isErased && isErasedForm(locked.client)) return { outcome: "erasedBefore", isMember: false };
    const { contracts, bookings } = await queries.countMemberships(
      open.tx,
      organizationId,
      clientId,
      open.at,
    );
    await erase(open, actor, locked, record);
    return { outcome: "erased", isMember: contracts + bookings > 0 };
  });
}
