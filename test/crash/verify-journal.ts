import pg from "pg";
import type { ConnectionSettings } from "../../src/db/servers.ts";
import { clientSearchText, idDocumentKey } from "../../src/domain/clients/rules.ts";
import { contentFor, type Journal, type State } from "./journal.ts";

interface StoredClient {
  readonly id: string;
  readonly status: "active" | "archived";
  readonly name: string;
  readonly email: string | null;
  readonly city: string | null;
  readonly document: string | null;
  readonly documentKey: string | null;
  readonly notes: string | null;
  readonly search: string;
  readonly updatedAt: Date;
  readonly locationIds: string[];
}

export interface JournalVerdict {
  /** One sentence for everything that is not as the journal says it must be. */
  readonly faults: string[];
  readonly lost: number;
  readonly halfApplied: number;
  readonly stored: number;
  /** Writes without an answer that turned out to have been carried out. */
  readonly appliedInDoubt: number;
}

export interface ClientLog {
  /** The sum of the versions of all slots. */
  readonly version: number;
  /** In which clients were written, as a trigger of this suite has counted them. */
  readonly transactions: number;
}

/** Holds what is stored, at one moment, against the log of acknowledged writes. */
export async function verifyJournal(
  connection: ConnectionSettings,
  organizationId: string,
  journal: Journal,
  start: { locationIds: readonly string[]; log: ClientLog },
): Promise<JournalVerdict> {
  const { clients, log, counters, counted } = await readAll(connection, organizationId);
  const faults: string[] = [];
  let lost = 0;
  let halfApplied = 0;
  let appliedInDoubt = 0;
  const found = new Set<string>();
  const marks = new Set<string>();

  for (const client of clients) {
    const mark = /^Ana (.*)$/.exec(client.name)?.[1] ?? "";
    found.add(client.id);
    if (marks.has(mark)) faults.push(`one write, ${mark}, has made two clients`);
    marks.add(mark);
    const flaw = flawOf(client, mark, start.locationIds);
    if (flaw) {
      halfApplied++;
      faults.push(`client ${client.id} is half applied: ${flaw}`);
    }
    const known = journal.clients.get(client.id);
    if (!known) {
      if (journal.creationsInDoubt.has(mark) && client.status === "active") appliedInDoubt++;
      else faults.push(`client ${client.id} was never sent in this state`);
      continue;
    }
    const { acknowledged, inDoubt } = known;
    if (isAt(client, mark, acknowledged)) {
      if (acknowledged.updatedAt && client.updatedAt.toISOString() !== acknowledged.updatedAt) {
        faults.push(`client ${client.id} was acknowledged with another updatedAt`);
      }
    } else if (inDoubt && isAt(client, mark, inDoubt)) {
      appliedInDoubt++;
    } else {
      lost++;
      faults.push(
        `client ${client.id} is ${client.status} ${mark}, acknowledged was ${JSON.stringify(known)}`,
      );
    }
  }
  for (const id of journal.clients.keys()) {
    if (found.has(id)) continue;
    lost++;
    faults.push(`client ${id} was acknowledged and is gone`);
  }
  for (const name of new Set([...Object.keys(counters), ...Object.keys(counted)])) {
    const [kept = 0, real = 0] = [counters[name], counted[name]];
    if (kept !== real) faults.push(`the counter ${name} is ${kept}, counted are ${real}`);
  }
  // A transaction may have stored for several callers, and moves the version once.
  const moves = log.version - start.log.version;
  const transactions = log.transactions - start.log.transactions;
  if (moves !== transactions || (transactions === 0 && journal.changes > 0))
    faults.push(`the version of the clients has moved ${moves} times, in ${transactions} transactions`);
  return { faults, lost, halfApplied, stored: clients.length, appliedInDoubt };
}

function isAt(client: StoredClient, mark: string, state: State): boolean {
  return client.status === state.status && mark === state.mark;
}

/** What of the client was not written together with its name. */
function flawOf(client: StoredClient, mark: string, locationIds: readonly string[]): string | undefined {
  const content = contentFor(mark, locationIds);
  const expected = {
    email: content.contactEmail,
    city: content.address?.city,
    document: content.idDocument?.value ?? null,
    documentKey: content.idDocument ? idDocumentKey(content.idDocument.value) : null,
    notes: content.notes,
    search: clientSearchText(content as Parameters<typeof clientSearchText>[0]),
    locationIds: [...(content.locationIds ?? [])].sort().join(),
  };
  const real = { ...client, locationIds: client.locationIds.join() };
  for (const [name, value] of Object.entries(expected)) {
    if (real[name as keyof typeof expected] !== value) return name;
  }
  return undefined;
}

/** Has the database count the transactions that write clients from here on, and says where that begins. */
export async function beginClientLog(
  connection: ConnectionSettings,
  organizationId: string,
): Promise<ClientLog> {
  const client = new pg.Client({ ...connection, application_name: "crash test" });
  await client.connect();
  try {
    await client.query(`
      create table if not exists crash_transactions (organization_id uuid, xact xid8, primary key (organization_id, xact));
      create or replace function count_crash_transaction() returns trigger language plpgsql as $$ begin
        insert into crash_transactions values (new.organization_id, pg_current_xact_id()) on conflict do nothing;
        return null;
      end $$;
      create or replace trigger crash_transactions after insert or update on clients
        for each row execute function count_crash_transaction()`);
  } finally {
    await client.end();
  }
  return (await readAll(connection, organizationId)).log;
}

async function readAll(connection: ConnectionSettings, organizationId: string) {
  const client = new pg.Client({ ...connection, application_name: "crash test" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read, read only");
    const clients = await client.query<StoredClient>(
      `select id, status, contact_name as name, contact_email as email, city, id_document_value as document,
         id_document_key as "documentKey", notes, search, updated_at as "updatedAt",
         array(select l.location_id::text from client_locations l
               where l.organization_id = c.organization_id and l.client_id = c.id order by 1) as "locationIds"
       from clients c where organization_id = $1 and contact_name like 'Ana %'`,
      [organizationId],
    );
    const counters = await client.query<Record<string, string>>(
      `select ${COUNTED.map(({ table, status }) => `sum(${table}_${status}) as "${table} ${status}"`).join()}
       from organization_counters where organization_id = $1`,
      [organizationId],
    );
    const log = await client.query<Record<keyof ClientLog, string>>(
      `select (select sum(clients_version) from organization_counters where organization_id = $1) as version,
         (select count(*) from crash_transactions where organization_id = $1) as transactions`,
      [organizationId],
    );
    const counted = await client.query<{ name: string; count: string }>(
      COUNTED.map(
        ({ table, status }) =>
          `select '${table} ${status}' as name, count(*) from ${table} where organization_id = $1 and status = '${status}'`,
      ).join(" union all "),
      [organizationId],
    );
    return {
      clients: clients.rows,
      log: {
        version: Number(log.rows[0]?.version),
        transactions: Number(log.rows[0]?.transactions),
      },
      counters: numbers(Object.entries(counters.rows[0] ?? {})),
      counted: numbers(counted.rows.map(({ name, count }) => [name, count])),
    };
  } finally {
    await client.end();
  }
}

/** Every kept total. */
const COUNTED = Object.entries({
  clients: ["active", "archived"],
  contracts: ["active", "paused", "cancelled", "expired"],
  plans: ["active", "archived"],
  service_types: ["active", "archived"],
}).flatMap(([table, statuses]) => statuses.map((status) => ({ table, status })));

function numbers(entries: readonly (readonly [string, string])[]): Record<string, number> {
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]));
}
