import { instantText } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { pooled, type Statement } from "../../db/statements.ts";
import { SEATED } from "../../domain/bookings/queries.ts";
import { CLIENT_COLUMNS } from "../../domain/clients/client-columns.ts";
import { NOW, type StagedKind, stagingTable, TABLES, type Table, WRITE_ORDER } from "./record-tables.ts";

/** How staged records become stored ones. What is new, what differs and what is locked stands in temporary tables. */

const existingTable = (kind: StagedKind) => `import_existing_${TABLES[kind].name}`;
const changedTable = (kind: StagedKind) => `import_changed_${TABLES[kind].name}`;
const lockedTable = (kind: StagedKind) => `import_locked_${TABLES[kind].name}`;

/**
 * How many records are replaced by one statement. They are replaced in the order of their ids, part by part, so that a
 * record is held only from its own part on, and whoever waits can be told how far the import is.
 */
const PART_SIZE = 1_000;

/** The text of a statement about one part; its number comes after the organization, and after the time if that is asked for. */
function aboutPart(text: (partParameter: string) => string): string {
  return text(text("").includes(NOW) ? "$3" : "$2");
}

function statementsFor(kind: StagedKind) {
  const table = TABLES[kind];
  const { name } = table;
  const [source, existing] = [stagingTable(kind), existingTable(kind)];
  const [changed, locked] = [changedTable(kind), lockedTable(kind)];
  const columns = Object.keys(table.columns);
  const given = (column: string) =>
    column in table.kept ? `coalesce(s.${column}, c.${column})` : `s.${column}`;
  const isNew = `not exists (select from ${existing} h where h.id = s.id)`;
  const statement = (verb: string, text: string): Statement => pooled(`import_${verb}_${name}`, text);

  return {
    create: [
      // `version` is the row's xmin: any later write changes it.
      statement(
        "create_existing",
        `create temporary table ${existing} (id ${table.idType ?? "uuid"}, version xid, is_changed boolean, has_other_lists boolean)
         on commit drop`,
      ),
      statement(
        "create_locked",
        `create temporary table ${locked} (id ${table.idType ?? "uuid"}, old_status text, has_other_lists boolean) on commit drop`,
      ),
    ],
    compare: statement(
      "compare",
      `insert into ${existing} (id, version, is_changed, has_other_lists)
       select id, version, has_other_content or has_other_lists, has_other_lists from (
         select c.id, c.xmin as version, ${contentDiffers(table, given)} as has_other_content,
           ${listsDiffer(table)} as has_other_lists
         from ${source} s join ${name} c on c.organization_id = $1 and c.id = s.id
       ) compared`,
    ),
    analyzeExisting: statement("analyze_existing", `analyze ${existing}`),
    // Statements that run while rows are locked read this small table instead of all that is staged.
    copyChanged: [
      statement(
        "copy_changed",
        `create temporary table ${changed} on commit drop as
         select s.*, h.version, h.has_other_lists, (row_number() over (order by s.id) - 1) / ${PART_SIZE} as part
         from ${source} s join ${existing} h on h.id = s.id
         where h.is_changed order by s.id`,
      ),
      statement("index_changed", `create index on ${changed} (part)`),
      statement("analyze_changed", `analyze ${changed} (id, part)`),
    ],
    countExisting: statement(
      "count_existing",
      `select count(*) as existing, count(*) filter (where is_changed) as changed from ${existing}`,
    ),
    insert: statement(
      "insert",
      `insert into ${name} (organization_id, id, ${[...columns, ...table.times, ...derivedNames(table)].join(", ")})
       select $1, s.id, ${newValues(table).join(", ")} from ${source} s where ${isNew}`,
    ),
    /**
     * The planner's statistics of the table. Gathered before the commit, so that nothing can fail after it, and before
     * rows are written that refer to these: if autovacuum looks at a table that was empty before this transaction, the
     * planner takes it for empty, and each foreign key is then checked by a scan of the whole table. The lock of
     * `analyze` keeps autovacuum away until the commit.
     */
    analyzeStored: statement("analyze_stored", `analyze ${name}`),
    insertChildren: table.children.map((child) => ({
      insert: statement(
        `insert_${child.table}`,
        `with written as (
           insert into ${child.table} (organization_id, ${child.owner}, ${child.columns})
           select $1, s.id, ${child.values} from ${source} s ${child.from} where ${isNew} returning 1
         )
         select count(*) as count from written`,
      ),
      analyze: statement(`analyze_${child.table}`, `analyze ${child.table}`),
    })),
    /**
     * The rows of a part, in the order of their ids, as all writers lock them, so that there are no deadlocks. A row that
     * was written since it was compared gets its lists again, whatever they were.
     */
    lock: statement(
      "lock",
      `with locked as (
         insert into ${locked} (id, old_status, has_other_lists)
         select c.id, c.status, h.has_other_lists or c.version <> h.version
         from (select id, version, has_other_lists from ${changed} where part = $2 order by id) h
         cross join lateral (
           select c.id, ${table.counted ? "c.status" : "null"} as status, c.xmin as version
           from ${name} c where c.organization_id = $1 and c.id = h.id for no key update
         ) c
         returning 1
       )
       select count(*) as count from locked`,
    ),
    clearExchanged:
      table.exchanged.length === 0
        ? undefined
        : statement(
            "clear",
            `update ${name} c set ${table.exchanged.map((column) => `${column} = null`).join(", ")}
             from ${changed} s
             where c.organization_id = $1 and c.id = s.id
               and (${table.exchanged.map((column) => `c.${column}`).join(", ")})
                 is distinct from (${table.exchanged.map((column) => `s.${column}`).join(", ")})`,
          ),
    replace: statement(
      "replace",
      aboutPart(
        (partParameter) => `update ${name} c set ${replacements(table, given).join(", ")}
          from ${changed} s where s.part = ${partParameter} and c.organization_id = $1 and c.id = s.id`,
      ),
    ),
    removeChildren: table.children.map((child) =>
      statement(
        `remove_${child.table}`,
        `delete from ${child.table} m using ${locked} h join ${changed} s on s.id = h.id
         where h.has_other_lists${child.keptIfNull ? ` and s.${child.keptIfNull} is not null` : ""}
           and m.organization_id = $1 and m.${child.owner} = h.id`,
      ),
    ),
    replaceChildren: table.children.map((child) =>
      statement(
        `replace_${child.table}`,
        `insert into ${child.table} (organization_id, ${child.owner}, ${child.columns})
         select $1, s.id, ${child.values} from ${changed} s
         join ${locked} h on h.id = s.id and h.has_other_lists ${child.from}`,
      ),
    ),
    countNew: statement(
      "count_new",
      `select ${newValue(table, "status")} as status, count(*) as count
       from ${source} s where ${isNew} group by 1`,
    ),
    // A status that is not given stays.
    countReplaced: statement(
      "count_replaced",
      `select m.status, sum(m.n) as count from ${locked} h join ${changed} s on s.id = h.id
       cross join lateral (values (h.old_status, -1), (s.status, 1)) as m(status, n)
       where s.status <> h.old_status group by 1`,
    ),
  };
}

function derivedNames({ derived = [] }: Table): string[] {
  return derived.map(({ name }) => name);
}

function contentDiffers({ columns, times, isOutdated }: Table, given: (column: string) => string): string {
  const names = Object.keys(columns);
  return [
    ...(isOutdated === undefined ? [] : [isOutdated]),
    `(${names.map((column) => `c.${column}`).join(", ")}) is distinct from (${names.map(given).join(", ")})`,
    // One that is not given stays.
    ...times.map((time) => `coalesce(s.${time} <> c.${time}, false)`),
  ].join(" or ");
}

function listsDiffer(table: Table): string {
  return table.listsDiffer.length === 0 ? "false" : table.listsDiffer.join(" or ");
}

function replacements({ columns, times, derived = [] }: Table, given: (column: string) => string): string[] {
  return [
    ...Object.keys(columns).map((column) => `${column} = ${given(column)}`),
    ...times.map((time) =>
      time === "created_at"
        ? "created_at = coalesce(s.created_at, c.created_at)"
        : // Moves even if the clock has not.
          `updated_at = coalesce(s.updated_at, greatest(${NOW}, c.updated_at + interval '1 millisecond'))`,
    ),
    ...derived.map(({ name, whenReplaced }) => `${name} = ${whenReplaced}`),
  ];
}

function newValue({ kept }: Table, column: string): string {
  return column in kept ? `coalesce(s.${column}, ${kept[column]})` : `s.${column}`;
}

function newValues(table: Table): string[] {
  const { columns, times, derived = [] } = table;
  return [
    ...Object.keys(columns).map((column) => newValue(table, column)),
    ...times.map((time) =>
      time === "created_at"
        ? times.length > 1
          ? `coalesce(s.created_at, s.updated_at, ${NOW})`
          : `coalesce(s.created_at, ${NOW})`
        : `coalesce(s.updated_at, greatest(${NOW}, s.created_at))`,
    ),
    ...derived.map(({ whenNew }) => whenNew),
  ];
}

const STATEMENTS = Object.fromEntries(WRITE_ORDER.map((kind) => [kind, statementsFor(kind)])) as Readonly<
  Record<StagedKind, ReturnType<typeof statementsFor>>
>;

/** From this many records on, the statistics of a table are gathered before anything refers to them. */
export const LARGE = 5_000;

/** How many staged records of a kind are stored already, and how many of those as something else. Locks nothing. */
export async function compareStored(
  tx: Database,
  kind: StagedKind,
  organizationId: string,
): Promise<{ existing: number; changed: number }> {
  const statements = STATEMENTS[kind];
  for (const statement of statements.create) await tx.query(statement);
  await runAtTime(tx, statements.compare, organizationId);
  const [counts = { existing: 0, changed: 0 }] = await tx.query<{ existing: number; changed: number }>(
    statements.countExisting,
  );
  if (counts.existing >= LARGE) await tx.query(statements.analyzeExisting);
  if (counts.changed > 0) for (const statement of statements.copyChanged) await tx.query(statement);
  return counts;
}

/** Stores the new records of a kind, `count` of them. Nobody who writes to another record waits for it. */
export async function insertNew(
  tx: Database,
  kind: StagedKind,
  organizationId: string,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const { insert, analyzeStored, insertChildren } = STATEMENTS[kind];
  await runAtTime(tx, insert, organizationId);
  if (count >= LARGE) await tx.query(analyzeStored);
  for (const { insert: insertChild, analyze } of insertChildren) {
    const [written] = await tx.query<{ count: number }>(insertChild, [organizationId]);
    if ((written?.count ?? 0) >= LARGE) await tx.query(analyze);
  }
}

/** Runs a statement; it is given the time if it asks for it. */
async function runAtTime(
  tx: Database,
  statement: Statement,
  organizationId: string,
  ...more: readonly unknown[]
): Promise<void> {
  const time = statement.text.includes(NOW) ? [instantText(await tx.now())] : [];
  await tx.query(statement, [organizationId, ...time, ...more]);
}

const byIndexStatement = pooled(
  "import_look_up_by_index",
  "select set_config('enable_hashjoin', $1, true), set_config('enable_mergejoin', $1, true)",
);

export interface Replacing {
  /** How many records of the kind differ. */
  readonly count: number;
  /** Whether they exchange what must be unique. */
  readonly clearsExchanged: boolean;
  /** Told of each part whose records nobody else can write to any more. */
  readonly onLocked: (part: number) => Promise<void>;
}

/** Replaces the records of a kind that differ, and says how many. From there to the commit, writers to them wait. */
export async function replaceChanged(
  tx: Database,
  kind: StagedKind,
  organizationId: string,
  { count, clearsExchanged, onLocked }: Replacing,
): Promise<number> {
  const { lock, clearExchanged, replace, removeChildren, replaceChildren } = STATEMENTS[kind];
  const parts = Array.from({ length: Math.ceil(count / PART_SIZE) }, (_, part) => part);
  let lockedCount = 0;
  const lockPart = async (part: number) => {
    const [locked] = await tx.query<{ count: number }>(lock, [organizationId, part]);
    lockedCount += locked?.count ?? 0;
    await onLocked(part);
  };
  const exchange = clearsExchanged ? clearExchanged : undefined;
  if (exchange) {
    // Any two may exchange something: all must be cleared before the first is replaced.
    for (const part of parts) await lockPart(part);
    await tx.query(exchange, [organizationId]);
  }
  // A part is small, but the planner may prefer to read a large table whole, for each of them again.
  await tx.query(byIndexStatement, ["off"]);
  for (const part of parts) {
    if (!exchange) await lockPart(part);
    await runAtTime(tx, replace, organizationId, part);
  }
  await tx.query(byIndexStatement, ["on"]);
  for (const statement of [...removeChildren, ...replaceChildren])
    await tx.query(statement, [organizationId]);
  return lockedCount;
}

/** By how many a column of the counters grows. */
export type CounterMoves = ReadonlyMap<string, number>;

/** How many new records of a kind there are by status. */
export function countNew(tx: Database, kind: StagedKind): Promise<CounterMoves> {
  return countStatuses(tx, kind, STATEMENTS[kind].countNew);
}

/** How many more records of a kind have a status, and how many fewer, because they were replaced. */
export function countReplaced(tx: Database, kind: StagedKind): Promise<CounterMoves> {
  return countStatuses(tx, kind, STATEMENTS[kind].countReplaced);
}

async function countStatuses(tx: Database, kind: StagedKind, statement: Statement): Promise<CounterMoves> {
  const { name, counted } = TABLES[kind];
  if (counted === undefined) return new Map();
  const rows = await tx.query<{ status: string; count: number }>(statement);
  return new Map(rows.map(({ status, count }) => [`${name}_${status}`, count]));
}

const takenStatements: Partial<Record<StagedKind, Statement>> = {
  client: pooled(
    "import_taken_documents",
    `select exists (
       select from import_clients s
       join clients c on c.organization_id = $1 and c.id <> s.id
         and c.id_document_type = s.id_document_type and c.id_document_key = s.id_document_key
     ) as taken`,
  ),
  session: pooled(
    "import_taken_slots",
    `select exists (
       select from import_sessions s
       join sessions c on c.organization_id = $1 and c.id <> s.id
         and c.schedule_id = s.schedule_id and c.original_start = s.original_start
     ) as taken`,
  ),
};

/** Whether a staged record takes over the id document or slot that another record of the file is still stored with. */
export async function isAnyTaken(tx: Database, kind: StagedKind, organizationId: string): Promise<boolean> {
  const statement = takenStatements[kind];
  if (!statement) return false;
  const [row] = await tx.query<{ taken: boolean }>(statement, [organizationId]);
  return row?.taken ?? false;
}

const COUNTER_COLUMNS = Object.values(TABLES).flatMap(({ name, counted = [] }) =>
  counted.map((status) => `${name}_${status}`),
);

const countStatement = pooled(
  "import_count_records",
  `update organization_counters set
     ${COUNTER_COLUMNS.map((column, index) => `${column} = ${column} + $${index + 3}`).join(", ")}
   where organization_id = $1 and slot = $2`,
);

/** Adds to the totals. `moves` is keyed by column. */
export async function countRecords(
  tx: Database,
  organizationId: string,
  slot: number,
  moves: CounterMoves,
): Promise<void> {
  const added = COUNTER_COLUMNS.map((column) => moves.get(column) ?? 0);
  if (added.some((count) => count !== 0)) await tx.query(countStatement, [organizationId, slot, ...added]);
}

const countNamedStatement = pooled(
  "import_count_named_seats",
  `update sessions s set booked_count = named.seats
   from (
     select b.session_id, count(*) as seats from bookings b
     where b.organization_id = $1 and b.state in ${SEATED}
       and b.session_id in (select session_id from import_bookings)
     group by b.session_id
   ) named
   where s.organization_id = $1 and s.id = named.session_id and s.booked_count < named.seats`,
);

/** Lets every session that bookings were brought for count at least the seats that have a name. */
export async function countNamedSeats(tx: Database, organizationId: string): Promise<void> {
  await tx.query(countNamedStatement, [organizationId]);
}

const outdatedStatement = pooled(
  "import_outdated_clients",
  `select s.line, s.id, s.patch
   from import_changed_clients s join clients c on c.organization_id = $1 and c.id = s.id
   where s.part = $2 and s.merged_at <> c.updated_at`,
);

/** A client that was changed in part, and that somebody else has written since. */
export interface OutdatedClient {
  readonly line: number;
  readonly id: string;
  readonly patch: unknown;
}

/** Of the clients of a locked part, those that were put together with what is stored no longer. */
export function listOutdated(tx: Database, organizationId: string, part: number): Promise<OutdatedClient[]> {
  return tx.query(outdatedStatement, [organizationId, part]);
}

const takeRestagedStatements = [
  pooled("import_drop_outdated", "delete from import_changed_clients where id = any($1::uuid[])"),
  pooled(
    "import_take_restaged",
    `insert into import_changed_clients
     select s.*, h.version, h.has_other_lists, $2::bigint
     from import_clients s join import_existing_clients h on h.id = s.id where s.id = any($1::uuid[])`,
  ),
] as const;

/** Lets clients of a part that were staged once more be replaced by what they are now. */
export async function takeRestaged(tx: Database, part: number, ids: readonly string[]): Promise<void> {
  const [drop, take] = takeRestagedStatements;
  await tx.query(drop, [ids]);
  await tx.query(take, [ids, part]);
}

const contentOfClient = ["status", ...CLIENT_COLUMNS.map(({ name }) => name)]
  .map((name) => `'${name}', c.${name}`)
  .join(", ");

const recordReplacedStatement = pooled(
  "import_record_replaced",
  `insert into imported_clients (organization_id, import_id, client_id, written_at, before)
   select $1, $3, c.id, c.updated_at, jsonb_build_object(${contentOfClient}, 'location_ids',
     array(select l.location_id from client_locations l where l.organization_id = $1 and l.client_id = c.id))
   from import_changed_clients s join clients c on c.organization_id = $1 and c.id = s.id
   where s.part = $2`,
);

/** Records what the clients of a locked part are before they are replaced. */
export async function recordReplaced(
  tx: Database,
  organizationId: string,
  part: number,
  importId: string,
): Promise<void> {
  await tx.query(recordReplacedStatement, [organizationId, part, importId]);
}

const recordWrittenStatements = [
  pooled(
    "import_record_new",
    `insert into imported_clients (organization_id, import_id, client_id, written_at)
     select $1, $2, c.id, c.updated_at
     from import_clients s join clients c on c.organization_id = $1 and c.id = s.id
     where not exists (select from import_existing_clients h where h.id = s.id)`,
  ),
  pooled(
    "import_record_written",
    `update imported_clients i set written_at = c.updated_at from clients c
     where i.organization_id = $1 and i.import_id = $2 and i.before is not null
       and c.organization_id = $1 and c.id = i.client_id`,
  ),
];

/** Records which clients were added, and when those were written that were replaced. */
export async function recordWritten(tx: Database, organizationId: string, importId: string): Promise<void> {
  for (const statement of recordWrittenStatements) await tx.query(statement, [organizationId, importId]);
}

export const savepoint = pooled("import_savepoint", "savepoint import_write");
export const rollbackToSavepoint = pooled("import_rollback", "rollback to savepoint import_write");
