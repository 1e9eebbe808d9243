import { type Database, pooled, type Statement } from "../db/database.ts";
import type { Row } from "./records.ts";
import { type Reference, type StagedKind, TABLES, type Table, WRITE_ORDER } from "./staging.ts";

/** A fault that was found among the staged records. */
export interface StagedFault {
  readonly line: number;
  readonly place: string;
  /** The line, or the record's id, that it is in conflict with. */
  readonly other?: string;
}

/** How many faults of each sort are looked for. */
const MAX_FAULTS = 100;

const staged = ({ name }: Table) => `import_${name}`;

function stagedColumns(table: Table): [string, string][] {
  const times = table.times.map((name): [string, string] => [name, "timestamptz"]);
  return [["id", "uuid"], ...Object.entries(table.columns), ...times, ...Object.entries(table.lists)];
}

/** The statements for one kind of record. */
function statementsFor(kind: StagedKind) {
  const table = TABLES[kind];
  const { name, counter } = table;
  const source = staged(table);
  const shape = [["line", "integer"], ...stagedColumns(table)].map((column) => column.join(" ")).join(", ");
  const columns = Object.keys(table.columns);
  const given = (column: string) =>
    table.kept.includes(column) ? `coalesce(s.${column}, c.${column})` : `s.${column}`;
  const changed = `join import_changed h on h.kind = '${kind}' and h.id = s.id`;
  const differs = [
    `(${columns.map((column) => `c.${column}`).join(", ")}) is distinct from (${columns.map(given).join(", ")})`,
    ...table.times.map((time) => `s.${time} <> c.${time}`),
    ...table.listsDiffer,
  ];
  const sets = [
    ...columns.map((column) => `${column} = ${given(column)}`),
    ...table.times.map((time) =>
      time === "created_at"
        ? "created_at = coalesce(s.created_at, c.created_at)"
        : // Moves even if the clock has not.
          "updated_at = coalesce(s.updated_at, greatest(now(), c.updated_at + interval '1 millisecond'))",
    ),
  ];
  const made = [
    ...columns.map((column) =>
      table.kept.includes(column) ? `coalesce(s.${column}, 'active')` : `s.${column}`,
    ),
    ...table.times.map((time) =>
      time === "created_at"
        ? table.times.length > 1
          ? "coalesce(s.created_at, s.updated_at, now())"
          : "coalesce(s.created_at, now())"
        : "coalesce(s.updated_at, greatest(now(), s.created_at))",
    ),
  ];
  const addChildren = (child: Table["children"][number], which: string) => `
    insert into ${child.table} (organization_id, ${child.owner}, ${child.columns})
    select $1, s.id, ${child.values} from ${source} s ${which} ${child.from}`;
  const statement = (verb: string, text: string): Statement => pooled(`import_${verb}_${name}`, text);

  return {
    create: statement("create", `create temporary table ${source} (${shape}) on commit drop`),
    stage: statement("stage", `insert into ${source} select * from json_to_recordset($1) as r(${shape})`),
    // Of one column: how many rows there are is what joins are planned by.
    analyze: statement("analyze", `analyze ${source} (id)`),
    findRepeated: statement(
      "repeated",
      `select s.line, 'id' as place, d.line::text as other
       from ${source} s
       join (select id, min(line) as line from ${source} group by id having count(*) > 1) d
         on d.id = s.id and s.line > d.line
       order by s.line limit ${MAX_FAULTS}`,
    ),
    /**
     * Rows that a change will be written to, locked, so that what is counted is what is there. In the order of
     * their ids, as everybody locks them, so that nobody waits crosswise.
     */
    lockChanged: statement(
      "lock",
      `with changed as (
         insert into import_changed (kind, id, old_status)
         select '${kind}', c.id, ${counter ? "c.status" : "null"}
         from ${source} s join ${name} c on c.organization_id = $1 and c.id = s.id
         where ${differs.join(" or ")}
         order by c.id
         for update of c
         returning 1
       )
       select count(*) as count from changed`,
    ),
    clearExchanged:
      table.exchanged.length === 0
        ? undefined
        : statement(
            "clear",
            `update ${name} c set ${table.exchanged.map((column) => `${column} = null`).join(", ")}
             from ${source} s ${changed}
             where c.organization_id = $1 and c.id = s.id
               and (${table.exchanged.map((column) => `c.${column}`).join(", ")})
                 is distinct from (${table.exchanged.map((column) => `s.${column}`).join(", ")})`,
          ),
    replace: statement(
      "replace",
      `update ${name} c set ${sets.join(", ")}
       from ${source} s ${changed}
       where c.organization_id = $1 and c.id = s.id`,
    ),
    removeChildren: table.children.map((child) =>
      statement(
        `remove_${child.table}`,
        `delete from ${child.table} m using import_changed h
         where h.kind = '${kind}' and m.organization_id = $1 and m.${child.owner} = h.id`,
      ),
    ),
    replaceChildren: table.children.map((child) =>
      statement(`replace_${child.table}`, addChildren(child, changed)),
    ),
    /** After this only new records are staged. */
    dropExisting: statement(
      "existing",
      `with existing as (
         delete from ${source} s using ${name} c where c.organization_id = $1 and c.id = s.id
         returning s.id
       )
       select count(*) as count from existing`,
    ),
    insert: statement(
      "insert",
      `insert into ${name} (organization_id, id, ${[...columns, ...table.times].join(", ")})
       select $1, s.id, ${made.join(", ")} from ${source} s`,
    ),
    /**
     * Before rows are written that refer to these. Vacuumed in the midst of a transaction, a table that was empty
     * is taken for empty still, and each foreign key is then checked by reading all of it. This puts it right, and
     * its lock keeps the next vacuum away until the commit; one that runs gives way to it.
     */
    analyzeStored: statement("analyze_stored", `analyze ${name} (id)`),
    insertChildren: table.children.map((child) => statement(`insert_${child.table}`, addChildren(child, ""))),
    /** How many more records of each status there are now. */
    countStatuses:
      counter === undefined
        ? undefined
        : statement(
            "count",
            `select status, sum(n) as count from (
               select ${table.kept.includes("status") ? "coalesce(s.status, 'active')" : "s.status"} as status, 1 as n
               from ${source} s
               union all
               select h.old_status, -1 from import_changed h where h.kind = '${kind}'
               union all
               select c.status, 1 from import_changed h
               join ${name} c on c.organization_id = $1 and c.id = h.id where h.kind = '${kind}'
             ) moves group by status`,
          ),
    references: table.references.map((reference, index) => ({
      message: reference.message,
      statement: statement(`references_${index}`, unresolved(source, reference)),
    })),
  };
}

// What is in the file, stored, or in the file but at fault for another reason ($2) can be referred to.
function unresolved(source: string, reference: Reference): string {
  const target = TABLES[reference.kind];
  return `
    select s.line, r.place from ${source} s cross join lateral (${reference.source}) r
    where not exists (select from ${staged(target)} t where t.id = r.id)
      and not exists (select from ${target.name} t where t.organization_id = $1 and t.id = r.id)
      and r.id <> all ($2::uuid[])
    order by s.line limit ${MAX_FAULTS}`;
}

export const STATEMENTS = Object.fromEntries(
  WRITE_ORDER.map((kind) => [kind, statementsFor(kind)]),
) as Readonly<Record<StagedKind, ReturnType<typeof statementsFor>>>;

const settings = [
  // Sorts and joins of a million ids; beyond this they go to disk.
  pooled("import_work_mem", "set local work_mem = '48MB'"),
  pooled("import_jit", "set local jit = off"),
  pooled(
    "import_create_changed",
    "create temporary table import_changed (kind text, id uuid, old_status text) on commit drop",
  ),
  pooled(
    "import_create_instants",
    "create temporary table import_instants (line integer, start_at timestamptz) on commit drop",
  ),
];

export async function createStaging(tx: Database): Promise<void> {
  // Sent together: one round trip.
  await Promise.all(
    [...settings, ...WRITE_ORDER.map((kind) => STATEMENTS[kind].create)].map((s) => tx.query(s)),
  );
}

export async function stageRows(tx: Database, kind: StagedKind, rows: readonly Row[]): Promise<void> {
  await tx.query(STATEMENTS[kind].stage, [JSON.stringify(rows)]);
}

const lockStatement = pooled(
  "import_lock_organization",
  "select pg_advisory_xact_lock(hashtextextended('rollbook import ' || $1::uuid, 0))::text",
);

/** One import at a time into an organization: of two with the same ids, the second replaces what the first made. */
export async function lockImports(tx: Database, organizationId: string): Promise<void> {
  await tx.query(lockStatement, [organizationId]);
}

const locationsStatement = pooled(
  "import_locations",
  `select id, timezone from import_locations
   union all
   select l.id, l.timezone from locations l where l.organization_id = $1
     and not exists (select from import_locations s where s.id = l.id)`,
);

/** The organization's locations as they will be. */
export function listFutureLocations(
  tx: Database,
  organizationId: string,
): Promise<{ id: string; timezone: string }[]> {
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
  "import_homeless",
  `select line, 'locationIds' as place from import_clients where location_ids is null
   order by line limit ${MAX_FAULTS}`,
);

export function findClientsWithoutLocation(tx: Database): Promise<StagedFault[]> {
  return tx.query(clientsWithoutLocation);
}

const unbornStatement = pooled(
  "import_unborn",
  `select line, 'birthdate' as place from import_clients where birthdate > $1::date
   order by line limit ${MAX_FAULTS}`,
);

export function findFutureBirthdates(tx: Database, today: string): Promise<StagedFault[]> {
  return tx.query(unbornStatement, [today]);
}

const repeatedDocumentStatement = pooled(
  "import_repeated_document",
  `select s.line, 'idDocument' as place, d.line::text as other
   from import_clients s
   join (
     select id_document_type, id_document_key, min(line) as line from import_clients
     where id_document_type is not null group by 1, 2 having count(*) > 1
   ) d on d.id_document_type = s.id_document_type and d.id_document_key = s.id_document_key and s.line > d.line
   order by s.line limit ${MAX_FAULTS}`,
);

export function findRepeatedDocuments(tx: Database): Promise<StagedFault[]> {
  return tx.query(repeatedDocumentStatement);
}

const heldDocumentStatement = pooled(
  "import_held_document",
  `select s.line, 'idDocument' as place, c.id::text as other
   from import_clients s
   join clients c on c.organization_id = $1 and c.id <> s.id
     and c.id_document_type = s.id_document_type and c.id_document_key = s.id_document_key
   where not exists (select from import_clients o where o.id = c.id)
   order by s.line limit ${MAX_FAULTS}`,
);

/** Id documents that a client holds who is not in the file. */
export function findHeldDocuments(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(heldDocumentStatement, [organizationId]);
}

const repeatedSlotStatement = pooled(
  "import_repeated_slot",
  `select s.line, 'originalStart' as place, d.line::text as other
   from import_sessions s
   join (
     select schedule_id, original_start, min(line) as line from import_sessions
     where schedule_id is not null group by 1, 2 having count(*) > 1
   ) d on d.schedule_id = s.schedule_id and d.original_start = s.original_start and s.line > d.line
   order by s.line limit ${MAX_FAULTS}`,
);

export function findRepeatedSlots(tx: Database): Promise<StagedFault[]> {
  return tx.query(repeatedSlotStatement);
}

const heldSlotStatement = pooled(
  "import_held_slot",
  `select s.line, 'originalStart' as place, c.id::text as other
   from import_sessions s
   join sessions c on c.organization_id = $1 and c.id <> s.id
     and c.schedule_id = s.schedule_id and c.original_start = s.original_start
   where not exists (select from import_sessions o where o.id = c.id)
   order by s.line limit ${MAX_FAULTS}`,
);

export function findHeldSlots(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(heldSlotStatement, [organizationId]);
}

const nameEntitlementsStatement = pooled(
  "import_name_entitlements",
  `update import_contracts s set entitlements = (
     select jsonb_agg(
       (e.entitlement - 'madeId') || jsonb_build_object(
         'id', coalesce(e.entitlement->>'id', c.id::text, e.entitlement->>'madeId')
       ) order by e.n
     )
     from jsonb_array_elements(s.entitlements) with ordinality as e(entitlement, n)
     left join contract_entitlements c
       on c.organization_id = $1 and c.contract_id = s.id and c.position = e.n - 1
   )
   where jsonb_path_exists(s.entitlements, '$[*].madeId')`,
);

/** Entitlements that were given without an id keep the one that stands in their place, or get a new one. */
export async function nameEntitlements(tx: Database, organizationId: string): Promise<void> {
  await tx.query(nameEntitlementsStatement, [organizationId]);
}

const entitlementIds = `
  select s.line, s.id as contract_id, e.n, (e.entitlement->>'id')::uuid as id
  from import_contracts s
  cross join jsonb_array_elements(s.entitlements) with ordinality as e(entitlement, n)`;

const entitlementStatement = pooled(
  "import_repeated_entitlement",
  `with given as (${entitlementIds})
   select g.line, 'entitlements[' || g.n - 1 || '].id' as place, null as other
   from (select *, row_number() over (partition by id order by line, n) as time from given) g
   where g.time > 1
     or exists (
       select from contract_entitlements c
       where c.organization_id = $1 and c.id = g.id
         and not exists (select from import_contracts o where o.id = c.contract_id)
     )
   order by g.line limit ${MAX_FAULTS}`,
);

/** Entitlements whose id another one has, in the file or on a contract that is not in it. */
export function findRepeatedEntitlements(tx: Database, organizationId: string): Promise<StagedFault[]> {
  return tx.query(entitlementStatement, [organizationId]);
}

const unplacedSchedulesStatement = pooled(
  "import_unplaced_schedules",
  `select line, location_id as "locationId", start, rrule, exdates, rdates
   from import_schedules where first_slot is null and line > $1 order by line limit $2`,
);

export interface UnplacedSchedule {
  readonly line: number;
  readonly locationId: string;
  readonly start: string;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
}

/** Schedules whose location's zone was not known when they were read. */
export function listUnplacedSchedules(
  tx: Database,
  afterLine: number,
  limit: number,
): Promise<UnplacedSchedule[]> {
  return tx.query(unplacedSchedulesStatement, [afterLine, limit]);
}

const placeSchedulesStatement = pooled(
  "import_place_schedules",
  `update import_schedules s
   set first_slot = r.first_slot, last_slot = r.last_slot, counted_slot = r.counted_slot
   from json_to_recordset($1) as r(line integer, first_slot timestamp, last_slot timestamp, counted_slot timestamp)
   where r.line = s.line`,
);

export async function placeSchedules(tx: Database, rows: readonly Row[]): Promise<void> {
  await tx.query(placeSchedulesStatement, [JSON.stringify(rows)]);
}

const openUnplacedSessionsStatement = pooled(
  "import_open_unplaced_sessions",
  `declare import_unplaced no scroll cursor for
   select line, location_id as "locationId", start from import_sessions where start_at is null order by line`,
);
const fetchUnplacedSessionsStatement = pooled(
  "import_fetch_unplaced_sessions",
  "fetch 5000 from import_unplaced",
);
const closeUnplacedSessionsStatement = pooled("import_close_unplaced_sessions", "close import_unplaced");

export interface UnplacedSession {
  readonly line: number;
  readonly locationId: string;
  readonly start: string;
}

/** Sessions whose location's zone was not known when they were read, some at a time. */
export async function* readUnplacedSessions(tx: Database): AsyncGenerator<UnplacedSession[]> {
  await tx.query(openUnplacedSessionsStatement);
  for (;;) {
    const rows = await tx.query<UnplacedSession>(fetchUnplacedSessionsStatement);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query(closeUnplacedSessionsStatement);
}

const stageInstantsStatement = pooled(
  "import_stage_instants",
  "insert into import_instants select * from json_to_recordset($1) as r(line integer, start_at timestamptz)",
);

export async function stageInstants(tx: Database, rows: readonly Row[]): Promise<void> {
  await tx.query(stageInstantsStatement, [JSON.stringify(rows)]);
}

const placeSessionsStatement = pooled(
  "import_place_sessions",
  "update import_sessions s set start_at = i.start_at from import_instants i where i.line = s.line",
);

export async function placeSessions(tx: Database): Promise<void> {
  await tx.query(placeSessionsStatement);
}

const movedLocationsStatement = pooled(
  "import_moved_locations",
  `select s.id, s.timezone from import_locations s
   join locations c on c.organization_id = $1 and c.id = s.id and c.timezone <> s.timezone`,
);

/** Locations that are stored with another time zone than the file gives them. */
export function listMovedLocations(
  tx: Database,
  organizationId: string,
): Promise<{ id: string; timezone: string }[]> {
  return tx.query(movedLocationsStatement, [organizationId]);
}

const sessionsAtStatement = pooled(
  "import_sessions_at",
  `select id, start from sessions
   where organization_id = $1 and location_id = $2 and ($3::uuid is null or id > $3) order by id limit 5000`,
);

/** The stored sessions of a location, some at a time. */
export async function* readSessionsAt(
  tx: Database,
  organizationId: string,
  locationId: string,
): AsyncGenerator<{ id: string; start: string }[]> {
  for (let last: string | undefined; ; ) {
    const rows = await tx.query<{ id: string; start: string }>(sessionsAtStatement, [
      organizationId,
      locationId,
      last ?? null,
    ]);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)?.id;
  }
}

const moveSessionsStatement = pooled(
  "import_move_sessions",
  `update sessions c set start_at = r.start_at
   from json_to_recordset($2) as r(id uuid, start_at timestamptz)
   where c.organization_id = $1 and c.id = r.id and c.start_at <> r.start_at`,
);

export async function moveSessions(
  tx: Database,
  organizationId: string,
  rows: readonly Row[],
): Promise<void> {
  await tx.query(moveSessionsStatement, [organizationId, JSON.stringify(rows)]);
}

const schedulesAtStatement = pooled(
  "import_schedules_at",
  `select id, start, rrule, exdates, rdates from schedules
   where organization_id = $1 and location_id = $2 and rrule is not null order by id`,
);

export interface StoredSchedule {
  readonly id: string;
  readonly start: string;
  readonly rrule?: string;
  readonly exdates: string[];
  readonly rdates: string[];
}

/** The stored schedules of a location whose span may depend on its zone. */
export function listSchedulesAt(
  tx: Database,
  organizationId: string,
  locationId: string,
): Promise<StoredSchedule[]> {
  return tx.query(schedulesAtStatement, [organizationId, locationId]);
}

const moveSchedulesStatement = pooled(
  "import_move_schedules",
  `update schedules c set first_slot = r.first_slot, last_slot = r.last_slot, counted_slot = r.counted_slot
   from json_to_recordset($2) as r(id uuid, first_slot timestamp, last_slot timestamp, counted_slot timestamp)
   where c.organization_id = $1 and c.id = r.id
     and (c.first_slot, c.last_slot, c.counted_slot) is distinct from (r.first_slot, r.last_slot, r.counted_slot)`,
);

export async function moveSchedules(
  tx: Database,
  organizationId: string,
  rows: readonly Row[],
): Promise<void> {
  await tx.query(moveSchedulesStatement, [organizationId, JSON.stringify(rows)]);
}

const COUNTER_COLUMNS = [
  "clients_active",
  "clients_archived",
  "contracts_active",
  "contracts_paused",
  "contracts_cancelled",
  "contracts_expired",
  "plans_active",
  "plans_archived",
  "service_types_active",
  "service_types_archived",
];
const moveCountersStatement = pooled(
  "import_move_counters",
  `update organization_counters set
     catalog_version = catalog_version + 1, clients_version = clients_version + 1,
     ${COUNTER_COLUMNS.map((column, index) => `${column} = ${column} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals and moves both versions. `moves` is keyed by column. */
export async function moveCounters(
  tx: Database,
  organizationId: string,
  slot: number,
  moves: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(moveCountersStatement, [
    organizationId,
    slot,
    ...COUNTER_COLUMNS.map((column) => moves.get(column) ?? 0),
  ]);
}

const analyzeStatements = WRITE_ORDER.map((kind): [StagedKind, Statement] => [
  kind,
  pooled(
    `import_analyze_all_${TABLES[kind].name}`,
    `analyze ${[TABLES[kind].name, ...TABLES[kind].children.map(({ table }) => table)].join(", ")}`,
  ),
]);

/** Tells PostgreSQL's planner what the tables now hold. */
export async function analyzeTables(db: Database, kinds: ReadonlySet<StagedKind>): Promise<void> {
  for (const [kind, statement] of analyzeStatements) if (kinds.has(kind)) await db.query(statement);
}

export const savepoint = pooled("import_savepoint", "savepoint import_write");
export const rollbackToSavepoint = pooled("import_rollback", "rollback to savepoint import_write");
