import type { Actor } from "../../core/actor.ts";
import { refusal } from "../../core/errors.ts";
import type { Written } from "../../core/written.ts";
import { NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import { unknownClient } from "../clients/operations.ts";
import { type LockedClient, lockClient, updateClient } from "../clients/queries.ts";
import { erasedContent, isErasedForm } from "../clients/rules.ts";
import type { Client } from "../clients/schema.ts";
import { listContractsOf } from "../contracts/staff-queries.ts";
import { listInvoicesOf, listPaymentsOf } from "../money/queries.ts";
import { anySlot, findOrganization } from "../organizations/queries.ts";
import { exclusiveWrite, type OpenWrite, type Outcome, recorded } from "../writes/recorded-write.ts";
import type { StaffCall } from "../writes/staff-write.ts";
import { exclusiveTransaction, type OpenOrganization, type WriteCall } from "../writes/transactions.ts";
import { documentMarks, emailMark, marksOf } from "./marks.ts";
import * as queries from "./queries.ts";
import type { ClientExport, EraseClient, ErasureRecord, ExportClient } from "./schema.ts";

/**
 * Erases a person and keeps the books: the client's record, contracts, bookings and audit entries stay, and say
 * nothing of who it was. There is no way back.
 */
export const eraseClient = exclusiveWrite(
  "eraseClient",
  async (
    open: OpenWrite & Pick<StaffCall, "keySecret">,
    { clientId, basis }: EraseClient,
  ): Promise<Outcome<Client>> => {
    const { actor, organizationId, keySecret } = open;
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
    return erase(open, locked, {
      organizationId,
      clientId: client.id,
      at: open.at,
      actor: actor.name,
      basis,
      ...(marks.documentMark && { documentMark: marks.documentMark.toString("hex") }),
      ...(marks.emailMark && { emailMark: marks.emailMark.toString("hex") }),
    });
  },
);

/** Takes the person out of a locked client and of all that was written about it. */
async function erase(
  { tx, organizationId, now, at }: OpenWrite,
  { client, isErased }: LockedClient,
  evidence: ErasureRecord,
): Promise<Outcome<Client>> {
  if (!client) throw unknownClient();
  const { id, locationIds = [] } = client;
  const isClean = isErasedForm(client) && client.status === "archived";
  const change = { status: "archived", content: erasedContent(locationIds), now } as const;
  const result = isClean ? client : await updateClient(tx, organizationId, client, change, anySlot());
  await queries.insertErasure(tx, evidence);
  await queries.eraseAnswers(tx, organizationId, id);
  await queries.eraseReasons(tx, organizationId, id);
  await queries.eraseMoneyWords(tx, organizationId, id);
  const bookings = await queries.eraseBookingReasons(tx, organizationId, id, at);
  const details = isErased ? { erasedBefore: true } : {};
  return { result, changes: { ...NO_CHANGES, bookings }, entry: { subject: id, clientId: id, details } };
}

/** Everything that is stored about one person, for whoever has the right to know. */
export function exportClient(call: WriteCall, { clientId }: ExportClient): Promise<Written<ClientExport>> {
  return exclusiveTransaction(call, async (open) => {
    const { client } = await lockClient(open.tx, open.organizationId, clientId, undefined);
    if (!client) throw unknownClient();
    const entry = { subject: client.id, clientId: client.id };
    // It holds its own entry, so what is stored of it is known only then.
    const unkept = { ...call, request: undefined };
    const written = await recorded("exportClient", unkept, open, async () => ({ result: client, entry }));
    return { ...written, result: await readExport(open, client) };
  });
}

async function readExport(
  { tx, organizationId, at, today }: OpenOrganization,
  client: Client,
): Promise<ClientExport> {
  return {
    exportedAt: at,
    client,
    contracts: await listContractsOf(tx, organizationId, client.id),
    bookings: await queries.listClientBookings(tx, organizationId, client.id),
    waiting: await queries.listClientWaiting(tx, organizationId, client.id),
    invoices: await listInvoicesOf(tx, organizationId, client.id, today),
    payments: await listPaymentsOf(tx, organizationId, client.id),
    auditEntries: await queries.listClientAudit(tx, organizationId, client.id),
  };
}

/** As `exportClient`, for a request that is repeated; undefined if there is no such client. */
export async function readClientExport(call: WriteCall, clientId: string): Promise<ClientExport | undefined> {
  return exclusiveTransaction(call, async (open) => {
    const { client } = await lockClient(open.tx, call.organizationId, clientId, undefined);
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
  const call = { db, actor, organizationId };
  return exclusiveTransaction(call, async (open) => {
    const locked = await lockClient(open.tx, organizationId, clientId, undefined);
    if (!locked.client) return { outcome: "missing", isMember: false };
    if (locked.isErased && isErasedForm(locked.client)) return { outcome: "erasedBefore", isMember: false };
    const { contracts, bookings } = await queries.countMemberships(
      open.tx,
      organizationId,
      clientId,
      open.at,
    );
    await recorded("eraseClient", call, open, (write) => erase(write, locked, record));
    return { outcome: "erased", isMember: contracts + bookings > 0 };
  });
}
