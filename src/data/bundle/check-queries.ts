import { MAX_FAULTS } from "../../core/limits.ts";
import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { SEATED } from "../../domain/bookings/queries.ts";
import { CLIENT_COLUMNS } from "../../domain/clients/client-columns.ts";
import { erasedContent } from "../../domain/clients/rules.ts";
import { type Reference, type StagedKind, stagingTable, TABLES, WRITE_ORDER } from "./record-tables.ts";

/** Questions over all staged records at once: what one line cannot tell. */

/** A fault that was found among the staged records. */
export interface StagedFault {
  readonly line: number;
  readonly place: string;
  /** The line that it is in conflict with. */
  readonly otherLine?: number;
  /** The id of the stored record that it is in conflict with. */
  readonly holder?: string;
}

const repeatedIdStatements = Object.fromEntries(
  WRITE_ORDER.map((kind) => {
    const source = stagingTable(kind);
    return [
      kind,
      pooled(
        `import_repeated_${TABLES[kind].name}`,
        `select s.line, 'id' as place, d.line as "otherLine"
         from ${source} s
         join (select id, min(line) as line from ${source} group by id having count(*) > 1) d
           on d.id = s.id and s.line > d.line
         order by s.line limit $1`,
      ),
    ];
  }),
) as Readonly<Record<StagedKind, Statement>>;

/** Ids that two lines of a kind have. */
export function findRepeatedIds(tx: Database, kind: StagedKind): Promise<StagedFault[]> {
  return tx.query(repeatedIdStatements[kind], [MAX_FAULTS]);
}

const referenceStatements = new Map<Reference, Statement>(
  WRITE_ORDER.flatMap((kind) =>
    TABLES[kind].references.map((reference, index): [Reference, Statement] => [
      reference,
      pooled(`import_references_${index}_${TABLES[kind].name}`, unresolved(kind, reference)),
    ]),
  ),
);

// What is in the file, stored, or in the file but invalid for another reason ($2) can be referred to.
function unresolved(kind: StagedKind, reference: Reference): string {
  return `
    select s.line, r.place from ${stagingTable(kind)} s cross join lateral (${reference.source}) r
    where not exists (select from ${stagingTable(reference.kind)} t where t.id = r.id)
      and not exists (
        select from ${TABLES[reference.kind].name} t where t.organization_id = $1 and t.id = r.id
      )
      and r.id <> all ($2::uuid[])
    order by s.line limit $3`;
}

/** Staged records that refer to nothing. `faultyIds` are those of lines that have faults of their own. */
export function findUnresolved(
  tx: Database,
  organizationId: string,
  reference: Reference,
  faultyIds: readonly string[],
): Promise<StagedFault[]> {
  const statement = referenceStatements.get(reference);
  if (!statement) throw new Error("a reference has no statement");
  return tx.query(statement, [organizationId, faultyIds, MAX_FAULTS, reference.member]);
}

const locationsStatement = pooled(
  "import_locations",
  `select id, timezone from import_locations
   union all
   select l.id, l.timezone from locations l where l.organization_id = $1
     and not exists (select from import_locations s where s.id = l.id)
   order by id`,
);

/** A location with its time zone. */
export interface LocationZone {
  readonly id: string;
  readonly timezone: string;
}

/** The organization's locations as they will be. */
export function listFutureLocations(tx: Database, organizationId: string): Promise<LocationZone[]> {
  return tx.query(locationsStatement, [organizationId]);
}

const defaultLocationStatement = pooled(
  "import_default_location",
  "update import_clients set location_ids = array[$1::uuid] where location_ids is null",
);

export async function setOnlyLocation(tx: Database, locationId: string): Promise<void> {
  await tx.query(defaultLocationStatement, [locationId]);
}

const clientsWithoutLocation = pooled(
  "import_clients_without_location",
  `select line, 'locationIds' as place from import_clients where location_ids is null
   order by line limit $1`,
);

export function findClientsWithoutLocation(tx: Database): Promise<StagedFault[]> {
  return tx.query(clientsWithoutLocation, [MAX_FAULTS]);
}

const futureBirthdates = pooled(
  "import_future_birthdates",
  `select line, 'birthdate' as place from import_clients where birthdate > $1::date
   order by line limit $2`,
);

export function findFutureBirthdates(tx: Database, today: string): Promise<StagedFault[]> {
  return tx.query(futureBirthdates, [today, MAX_FAULTS]);
}

/** Lines that have the same two columns as a line before them. */
function repeatedPair(source: string, [one, other]: ColumnPair): string {
  return `
    select s.line, $2::text as place, d.line as "otherLine"
    from ${source} s
    join (
      select ${one}, ${other}, min(line) as line from ${source}
      where ${one} is not null group by 1, 2 having count(*) > 1
    ) d on d.${one} = s.${one} and d.${other} = s.${other} and s.line > d.line
    order by s.line limit $1`;
}

/** Lines that have the same two columns as a stored record that is not in the file. */
function heldPair(table: string, [one, other]: ColumnPair): string {
  return `
    select s.line, $3::text as place, c.id as holder
    from import_${table} s
    join ${table} c on c.organization_id = $1 and c.id <> s.id and c.${one} = s.${one} and c.${other} = s.${other}
    where not exists (select from import_${table} o where o.id = c.id)
    order by s.line limit $2`;
}

/** Columns that are unique together. */
type ColumnPair = readonly [string, string];

const repeatedDocumentStatement = pooled(
  "import_repeated_document",
  repeatedPair("import_clients", ["id_document_type", "id_document_key"]),
);

export function findRepeatedDocuments(tx: Database): Promise<StagedFault[]> {
  return tx.query(repeatedDocumentStatement, [MAX_FAULTS, "idDocument"]);
}

const contentColumns = CLIENT_COLUMNS.map(({ name }) => `s.${name}`);
const erasedColumns = CLIENT_COLUMNS.map(({ type }, index) => `$${index + 3}::${type}`);

const erasedStatement = pooled(
  "import_erased_clients",
  `select s.line, 'id' as place
   from import_clients s join erasures e on e.organization_id = $1 and e.client_id = s.id
   where s.status = 'active' or (${contentColumns.join(", ")}) is distinct from (${erasedColumns.join(", ")})
   order by s.line limit $2`,
);

/** Clients who were erased and are to be somebody again. What an export has of them may come back. */
export function findErasedClients(tx: Database, organizationId: string): Promise<StagedFault[]> {
  const content = erasedContent([]);
  const values = CLIENT_COLUMNS.map(({ value }) => value(content) ?? null);
  return tx.query(erasedStatement, [organizationId, MAX_FAULTS, ...values]);
}

const heldDocumentStatement = pooled(
  "import_held_document",
  heldPair("clients", ["id_document_type", "id_document_key"]),
);

/** Id documents that a client holds who is not in the file. */
export function findHeldDocuments(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(heldDocumentStatement, [organizationId, MAX_FAULTS, "idDocument"]);
}

const repeatedSlotStatement = pooled(
  "import_repeated_slot",
  repeatedPair("import_sessions", ["schedule_id", "original_start"]),
);

export function findRepeatedSlots(tx: Database): Promise<StagedFault[]> {
  return tx.query(repeatedSlotStatement, [MAX_FAULTS, "originalStart"]);
}

const heldSlotStatement = pooled("import_held_slot", heldPair("sessions", ["schedule_id", "original_start"]));

export function findHeldSlots(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(heldSlotStatement, [organizationId, MAX_FAULTS, "originalStart"]);
}

const bookedContractStatement = pooled(
  "import_booked_contracts",
  `select s.line, 'clientId' as place from import_contracts s
   where exists (
     select from bookings b where b.organization_id = $1 and b.contract_id = s.id and b.client_id <> s.client_id
   )
   order by s.line limit $2`,
);

/** Contracts that get another client than the one who booked with them. */
export function findBookedContracts(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(bookedContractStatement, [organizationId, MAX_FAULTS]);
}

const drawnEntitlementStatement = pooled(
  "import_drawn_entitlements",
  `select s.line, 'entitlements' as place from import_contracts s
   where exists (
     select from bookings b
     where b.organization_id = $1 and b.contract_id = s.id
       and not jsonb_path_exists(s.entitlements, '$[*] ? (@.id == $drawn)', jsonb_build_object('drawn', b.entitlement_id))
   )
   order by s.line limit $2`,
);

/** Contracts without an entitlement that a booking has drawn on. */
export function findDrawnEntitlements(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(drawnEntitlementStatement, [organizationId, MAX_FAULTS]);
}

const bookedSessionStatement = pooled(
  "import_booked_sessions",
  `select s.line, case when s.status = 'cancelled' then 'status' else 'originalStart' end as place
   from import_sessions s join sessions c on c.organization_id = $1 and c.id = s.id
   where (
       (s.status = 'cancelled' and c.status <> 'cancelled')
       or (s.schedule_id, s.original_start) is distinct from (c.schedule_id, c.original_start)
     )
     and exists (
       select from bookings b
       where b.organization_id = $1 and b.session_id = s.id and b.state in ${SEATED}
         and not exists (select from import_bookings o where o.id = b.id and o.state not in ${SEATED})
     )
   order by s.line limit $2`,
);

/** Sessions with people in them that are to be cancelled, or to stand for another slot. */
export function findBookedSessions(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(bookedSessionStatement, [organizationId, MAX_FAULTS]);
}

const unofferedStatement = pooled(
  "import_unoffered_entitlements",
  `select s.line, 'entitlementId' as place from import_bookings s
   where s.entitlement_id is not null
     and not exists (
       select from import_contracts c where c.id = s.contract_id and c.client_id = s.client_id
         and jsonb_path_exists(c.entitlements, '$[*] ? (@.id == $drawn)', jsonb_build_object('drawn', s.entitlement_id))
     )
     and not exists (
       select from contract_entitlements e
       join contracts c on c.organization_id = $1 and c.id = e.contract_id and c.client_id = s.client_id
       where e.organization_id = $1 and e.id = s.entitlement_id and e.contract_id = s.contract_id
         and not exists (select from import_contracts o where o.id = c.id)
     )
     and s.contract_id <> all ($3::uuid[])
   order by s.line limit $2`,
);

/** Bookings that draw on what no contract of their client has. `faultyIds` are contracts with faults of their own. */
export function findForeignDraws(
  tx: Database,
  organizationId: string,
  faultyIds: readonly string[],
): Promise<StagedFault[]> {
  return tx.query(unofferedStatement, [organizationId, MAX_FAULTS, faultyIds]);
}

/** Lines whose client is in their session already, by a line before them or by a stored record that is not in the file. */
function clientsTwice(table: string, counts: string): string {
  return `
    select line, 'clientId' as place from (
      select line, row_number() over (partition by session_id, client_id order by line) as turn
      from import_${table} where ${counts}
    ) staged where turn > 1
    union
    select s.line, 'clientId' from import_${table} s
    join ${table} c on c.organization_id = $1 and c.session_id = s.session_id and c.client_id = s.client_id
      and c.id <> s.id and c.${counts}
    where s.${counts} and not exists (select from import_${table} o where o.id = c.id)
    order by line limit $2`;
}

const repeatedSeatStatement = pooled("import_repeated_seats", clientsTwice("bookings", `state in ${SEATED}`));

/** Clients who would have two seats in one session. */
export function findRepeatedSeats(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(repeatedSeatStatement, [organizationId, MAX_FAULTS]);
}

const repeatedPlaceStatement = pooled("import_repeated_places", clientsTwice("waiting", "left_at is null"));

/** Clients who would stand twice in one line. */
export function findRepeatedPlaces(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(repeatedPlaceStatement, [organizationId, MAX_FAULTS]);
}

const cancelledSeatStatement = pooled(
  "import_seats_in_cancelled",
  `select distinct s.line, 'sessionId' as place from import_bookings s
   left join import_sessions i on i.id = s.session_id
   left join sessions c on c.organization_id = $1 and c.id = s.session_id
   where s.state in ${SEATED} and coalesce(i.status, c.status) = 'cancelled'
   order by s.line limit $2`,
);

/** Seats in sessions that do not take place. */
export function findSeatsInCancelled(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(cancelledSeatStatement, [organizationId, MAX_FAULTS]);
}

/** The lists of a contract whose entries have ids, stored in `contract_entitlements` and `contract_pauses`. */
type EntryList = "entitlements" | "pauses";

/** Gives each entry without an id that of the stored one that it stands for, or the one that was made for it. */
function namedEntries(list: EntryList, standsFor: string): string {
  return `
    update import_contracts s set ${list} = (
      select jsonb_agg(
        (e.entry - 'madeId') || jsonb_build_object('id', coalesce(e.entry->>'id', c.id::text, e.entry->>'madeId'))
        order by e.n
      )
      from jsonb_array_elements(s.${list}) with ordinality as e(entry, n)
      left join contract_${list} c on c.organization_id = $1 and c.contract_id = s.id and ${standsFor}
    )
    where jsonb_path_exists(s.${list}, '$[*].madeId')`;
}

const nameEntitlementsStatement = pooled(
  "import_name_entitlements",
  namedEntries("entitlements", "c.position = e.n - 1"),
);

/** Entitlements that were given without an id keep the one that stands in their place, or get a new one. */
export async function nameEntitlements(tx: Database, organizationId: string): Promise<void> {
  await tx.query(nameEntitlementsStatement, [organizationId]);
}

const namePausesStatement = pooled(
  "import_name_pauses",
  namedEntries("pauses", "c.first_day = (e.entry->>'firstDay')::date"),
);

/** Pauses that were given without an id keep that of the stored one with the same first day, or get a new one. */
export async function namePauses(tx: Database, organizationId: string): Promise<void> {
  await tx.query(namePausesStatement, [organizationId]);
}

/** Entries whose id another one has, in the file or on a stored contract, unless the file replaces the list of that. */
function repeatedEntryIds(list: EntryList, replaces: string): string {
  return `
    with given as (
      select s.line, e.n, (e.entry->>'id')::uuid as id
      from import_contracts s cross join jsonb_array_elements(s.${list}) with ordinality as e(entry, n)
    )
    select g.line, $3::text || '[' || g.n - 1 || '].id' as place
    from (select *, row_number() over (partition by id order by line, n) as time from given) g
    where g.time > 1
      or exists (
        select from contract_${list} c
        where c.organization_id = $1 and c.id = g.id
          and not exists (select from import_contracts o where o.id = c.contract_id and ${replaces})
      )
    order by g.line limit $2`;
}

const repeatedPauseStatement = pooled(
  "import_repeated_pause",
  // A contract whose pauses the file leaves as they are keeps their ids.
  repeatedEntryIds("pauses", "o.pauses is not null"),
);

export function findRepeatedPauses(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(repeatedPauseStatement, [organizationId, MAX_FAULTS, "pauses"]);
}

const repeatedEntitlementStatement = pooled(
  "import_repeated_entitlement",
  repeatedEntryIds("entitlements", "true"),
);

export function findRepeatedEntitlements(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(repeatedEntitlementStatement, [organizationId, MAX_FAULTS, "entitlements"]);
}
