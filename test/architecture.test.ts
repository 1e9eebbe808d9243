import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

/** The house rules of docs/architecture.md: who may import whom. */

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

interface Import {
  /** As a path under src/, or the name of a package. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

interface SourceFile {
  readonly path: string;
  readonly folder: string;
  readonly name: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map(readSource);

/**
 * The plan of the house: every folder, from the roof down. Whatever a folder imports, types too, stands below it.
 * The first part of a name is the district.
 */
const FLOORS: readonly (readonly string[])[] = [
  ["cli"],
  ["process"],
  ["api"],
  ["app"],
  ["sync/mcp"],
  ["sync/webhooks"],
  ["sync/calendar-links"],
  ["sync/changes"],
  ["data/demo"],
  ["data/spreadsheet"],
  ["data/spreadsheet/languages", "data/bundle", "data/move"],
  ["data/backup"],
  ["domain/overview", "domain/privacy"],
  ["domain/schedules", "domain/contracts"],
  ["domain/sessions"],
  ["domain/bookings"],
  ["domain/money"],
  ["domain/calendar", "domain/clients"],
  ["domain/passkeys"],
  ["domain/staff", "domain/keys", "domain/settings"],
  ["domain/service-groups"],
  ["domain/service-types", "domain/resources", "domain/locations", "domain/plans"],
  ["domain/writes"],
  ["domain/due-changes"],
  ["domain/invoicing"],
  ["domain/contract-status"],
  ["domain/organizations", "domain/recurrence"],
  ["domain/audit"],
  ["http"],
  ["languages"],
  ["db/embedded"],
  ["db/archive"],
  ["db"],
  ["core"],
];
const floorOf = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));

/** Take values and return values; no clock, no database, no network. */
const PURE = new Set([
  "rules.ts",
  "values.ts",
  "cpf.ts",
  "client-columns.ts",
  "client-rows.ts",
  "entitlements.ts",
  "rule.ts",
  "rule-walk.ts",
  "year-days.ts",
  "expand.ts",
  "zones.ts",
  "schedule.ts",
  "agenda.ts",
  "calendar-rows.ts",
  "record-days.ts",
  "session-text.ts",
  "session-records.ts",
  "slot-keys.ts",
  "slot-names.ts",
  "series.ts",
  "series-edit.ts",
  "series-draft.ts",
  "carried-sessions.ts",
  "places.ts",
  "stored-sessions.ts",
  "term.ts",
  "status-timeline.ts",
  "changes.ts",
  "propagation.ts",
  "marks.ts",
  "coverage.ts",
  "contract-undo.ts",
  "slot-preview.ts",
  "booking-undo.ts",
  "pauses.ts",
  "signatures.ts",
  "cursors.ts",
  "invoice-days.ts",
  "allocation.ts",
]);

/** File names that say what a file does for its folder's noun. */
const ROLES = new Set([
  "schema.ts",
  "values.ts",
  "rules.ts",
  "queries.ts",
  "operations.ts",
  "routes.ts",
  "staff-writes.ts",
  "staff-routes.ts",
]);

test("every folder has its floor, and imports only from floors below it", (t) => {
  const folders = new Set(files.map(({ folder }) => folder));
  assert.deepEqual([...folders].filter((folder) => folder !== ".").sort(), [...floorOf.keys()].sort());
  for (const file of files.filter(({ folder }) => folder !== ".")) {
    for (const { target } of [...local(file), ...later(file)]) {
      const [from, to] = [file.folder, dirname(target)];
      if (from !== to) allow(file, target, (floorOf.get(from) ?? 0) < (floorOf.get(to) ?? -1));
    }
  }
  for (const rooms of FLOORS) t.diagnostic(rooms.join(" "));
});

test("the imports of all sources are read", () => {
  const routes = files.find(({ path }) => path === "domain/clients/routes.ts");
  assert.ok(routes?.imports.some(({ target, isTypeOnly }) => target === "db/database.ts" && isTypeOnly));
  assert.ok(routes?.imports.some(({ target, isTypeOnly }) => target === "http/operation.ts" && !isTypeOnly));
  for (const file of files) {
    assert.equal(
      file.imports.length,
      file.text.match(/^(import|export) .*|^\} from "/gm)?.filter((line) => /from "/.test(line)).length ?? 0,
      file.path,
    );
  }
});

test("schemas know only the vocabulary and other schemas", () => {
  for (const file of named("schema.ts")) {
    for (const { target } of local(file)) {
      allow(file, target, target.startsWith("core/") || /^(schema|values)\.ts$/.test(basename(target)));
    }
  }
});

test("rules are pure: they know schemas, errors and each other, and have no clock and no input or output", () => {
  const computing = new Set(["node:crypto", "node:zlib", "node:module", "moment-timezone"]);
  for (const file of files.filter(({ folder, name }) => isSlice(folder) && PURE.has(name))) {
    for (const { target, isTypeOnly } of file.imports) {
      const isOwnType = isTypeOnly && dirname(target) === file.folder;
      const isPure = isSource(target)
        ? isPureFile(target) || basename(target) === "schema.ts"
        : computing.has(target);
      allow(file, target, isPure || isOwnType);
    }
    assert.doesNotMatch(
      file.text,
      /Date\.now\(|new Date\(\)|Math\.random|process\.|setTimeout|await /,
      file.path,
    );
  }
});

test("queries know the database, schemas, rules and other queries", () => {
  for (const file of files.filter(({ name, folder }) => /\bqueries\.ts$/.test(name) && isSlice(folder))) {
    for (const { target } of local(file)) {
      const isOwn = dirname(target) === file.folder && !/^(operations|routes)\.ts$/.test(basename(target));
      const isShared = /^db\/|\bqueries\.ts$|\/schema\.ts$/.test(target);
      allow(file, target, isShared || isPureFile(target) || isOwn);
    }
  }
});

test("operations know rules and queries of any slice, and nothing of HTTP, terminals or settings", () => {
  for (const file of named("operations.ts")) {
    for (const { target } of local(file)) {
      const isForbidden = /^(http|api|app|cli|process)\/|\/(staff-)?routes\.ts$/.test(target);
      allow(file, target, !isForbidden);
    }
  }
});

test("routes know their own slice and HTTP, and write no SQL", () => {
  for (const file of named("routes.ts")) {
    for (const { target, isTypeOnly } of local(file)) {
      const isOwn = dirname(target) === file.folder;
      const isHandle = target === "db/database.ts" && isTypeOnly;
      allow(file, target, isOwn || isHandle || target.startsWith("http/") || target.startsWith("core/"));
    }
    assert.doesNotMatch(
      file.text,
      /`[^`]*\b(select|insert into|delete from)\b[^`]*`/i,
      `${file.path} has SQL`,
    );
  }
});

test("what the staff reads is declared like any route, in the scope of the application", () => {
  for (const file of named("staff-routes.ts")) {
    for (const { target, isTypeOnly } of local(file)) {
      const isOwn = dirname(target) === file.folder;
      const isHandle = target === "db/database.ts" && isTypeOnly;
      // A read may show a record as its own slice does.
      const isShared = /\/(queries|[a-z-]+-queries|schema)\.ts$/.test(target) && !target.startsWith("db/");
      allow(file, target, isOwn || isHandle || isShared || /^(http|core)\//.test(target));
    }
    assert.doesNotMatch(
      file.text,
      /`[^`]*\b(select|insert into|delete from)\b[^`]*`/i,
      `${file.path} has SQL`,
    );
  }
});

test("the writes of the staff know nothing of HTTP and terminals: two doors open them", () => {
  for (const file of files.filter(({ name }) =>
    /^(staff-writes|staff-write|perform-write|all-writes)\.ts$/.test(name),
  )) {
    for (const { target } of local(file))
      allow(file, target, !/^(http|api|app|cli|process)\/|\/(staff-)?routes\.ts$/.test(target));
  }
});

test("app/ puts the staff application together; only the server knows it", () => {
  for (const file of files) {
    for (const { target } of local(file)) {
      if (target.startsWith("app/"))
        allow(
          file,
          target,
          file.folder === "app" || file.path === "api/server.ts" || target === "app/all-writes.ts",
        );
    }
  }
});

test("the failures of the domain do not use HTTP's words", () => {
  const errors = files.find(({ path }) => path === "core/errors.ts");
  const http = files.find(({ path }) => path === "languages/http-refusals.ts");
  const kinds = ({ text = "" }: { text?: string } = {}) =>
    [...(/Kind =\n([^;]+);/.exec(text)?.[1] ?? "").matchAll(/^ {2}\| "(\w+)"/gm)].map(([, kind]) => kind);
  assert.ok(kinds(errors).includes("not_found") && kinds(http).includes("method_not_allowed"));
  for (const kind of kinds(errors)) {
    assert.ok(!kinds(http).includes(kind), `${kind} is known to both`);
    assert.doesNotMatch(kind ?? "", /method|header|media|request|internal|timeout|too_large/);
  }
});

test("http/ knows of the database what one is", () => {
  for (const file of files.filter(({ folder }) => folder === "http")) {
    for (const { target, isTypeOnly } of local(file)) {
      const isHandle = target === "db/database.ts" && isTypeOnly;
      allow(file, target, /^(http|core|languages)\//.test(target) || isHandle);
    }
  }
});

test("api/ puts the slices' routes together; only what serves knows it", () => {
  for (const file of files) {
    for (const { target } of local(file)) {
      if (target.startsWith("api/")) allow(file, target, /^(api|process)\//.test(file.path));
    }
  }
});

test("the command line knows no routes, and only main.ts knows the command line", () => {
  for (const file of files) {
    for (const { target } of local(file)) {
      if (file.folder === "cli")
        allow(file, target, !/^(http|api|app)\/(?!all-writes\.ts)|\/(staff-)?routes\.ts$/.test(target));
      else allow(file, target, !target.startsWith("cli/") || file.path === "main.ts");
    }
  }
});

test("only routes and what serves know http/, so that the domain can be used without it", () => {
  for (const file of files.filter(({ folder }) => folder !== "http")) {
    for (const { target, isTypeOnly } of local(file).filter((other) => other.target.startsWith("http/"))) {
      const isWords = file.folder === "languages" && isTypeOnly;
      const isRoutes = file.name === "routes.ts" || file.name === "staff-routes.ts";
      allow(file, target, isRoutes || isWords || /^(api|app|process)\//.test(file.path));
    }
  }
});

test("fastify is known to the HTTP side alone, the driver of PostgreSQL to those who talk to it", () => {
  for (const file of files) {
    for (const { target } of file.imports) {
      if (target === "fastify") allow(file, target, /^(http|api|app)$/.test(file.folder));
      if (target === "pg")
        allow(file, target, file.folder.startsWith("db") || /^data\/(backup|move)$/.test(file.folder));
    }
  }
});

test("settings are read in process/config.ts alone, and slices do not know them", () => {
  for (const file of files) {
    // A program of its own, which PostgreSQL calls: its environment is made for it.
    const isRead = /^(process\/config|db\/archive\/archive-program)\.ts$/.test(file.path);
    const read = isRead ? "" : file.text.replaceAll("process.env.PATH", "");
    assert.doesNotMatch(read, /process\.env/, `${file.path} reads the environment`);
    if (!isSlice(file.folder)) continue;
    for (const { target } of local(file)) allow(file, target, target !== "process/config.ts");
  }
});

/** Passing time: how long to wait, how old a process or a file is, the `Date` of a response. */
const MACHINE_CLOCK = /^(process|db\/embedded)\/|^http\/protocol\.ts$/;
/** Who may ask PostgreSQL for its time: the clock, the gates, who compares two clocks, who records a migration. */
const POSTGRES_CLOCK =
  /^(db\/read-clock|db\/migrate|domain\/keys\/admission|domain\/staff\/sign-in-admission|process\/examination)\.ts$/;

test("what is stored and compared comes from the one clock, which is read in few places", () => {
  const machine = /\bDate\.now\(|\bnew Date\(\)/;
  const postgres =
    /(?<![.\w])now\(\)(?! \{|:)|\b(statement_timestamp|transaction_timestamp|clock_timestamp|timeofday)\(|\b(current_(date|time|timestamp)|localtime|localtimestamp)\b/i;
  assert.match("coalesce(joined_at, now())", postgres);
  assert.doesNotMatch("await tx.now()", postgres);
  for (const { path, text } of files) {
    if (!MACHINE_CLOCK.test(path)) assert.doesNotMatch(text, machine, `${path} reads the machine's clock`);
    if (!POSTGRES_CLOCK.test(path))
      assert.doesNotMatch(text, postgres, `${path} asks PostgreSQL for the time`);
  }
});

test("no file needs itself by way of others, not even for a type or when it is called", () => {
  const needs = new Map(files.map((file) => [file.path, [...local(file), ...later(file)]]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(path), `a circle: ${[...trail, path].join(" → ")}`);
    if (done.has(path)) return;
    for (const { target } of needs.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of needs.keys()) visit(path, []);
});

test("a file name is a role or belongs to one file", () => {
  for (const [name, paths] of grouped(files.map(({ path, name }) => [name, path])))
    if (!ROLES.has(name)) assert.equal(paths.length, 1, `one name for ${paths.join(" and ")}`);
});

test("a statement has a name of its own: a connection refuses another text under a name that it knows", () => {
  const named = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:pooled|read|expensive)\(\s*"(\w+)"/g)].map(([, name = ""], place) => ({
      name,
      path: `${path} ${place}`,
    })),
  );
  assert.ok(named.length > 100);
  for (const [name, places] of grouped(named.map(({ name, path }) => [name, path])))
    assert.equal(places.length, 1, `${name} is the name of statements in ${places.join(" and ")}`);
});

test("a type name stands for one type, an exported name for one thing", () => {
  const declaration =
    /^(export )?(?:declare |abstract |async )*(interface|type|class|function\*?|const|let) (\w+)/gm;
  const declared = files.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(([, exported, keyword = "", name = ""]) => ({
      path,
      name,
      isExported: exported !== undefined,
      isType: /interface|type|class/.test(keyword),
    })),
  );
  assert.ok(declared.some(({ name, isType }) => name === "Client" && isType));
  const types = declared.filter(({ isType }) => isType);
  const exported = declared.filter(({ isExported }) => isExported);
  for (const names of [types, exported])
    for (const [name, paths] of grouped(names.map(({ name, path }) => [name, path])))
      assert.equal(paths.length, 1, `${name} is declared in ${paths.join(" and ")}`);
});

function readSource(path: string): SourceFile {
  const text = readFileSync(join(SOURCES, path), "utf8");
  const folder = dirname(path);
  const pattern = /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+"([^"]+)";/gm;
  const imports = [...text.matchAll(pattern)].map(([statement, type, from = ""]) => ({
    target: from.startsWith(".") ? relative(SOURCES, join(SOURCES, folder, from)) : from,
    isTypeOnly: type !== undefined || /\{(\s*type\s[^,}]+,?)+\s*\}/.test(statement),
  }));
  return { path, folder, name: basename(path), text, imports };
}

/** What a file loads when it is called for. */
function later({ folder, text }: SourceFile): Import[] {
  return [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, from = ""]) => ({
    target: relative(SOURCES, join(SOURCES, folder, from)),
    isTypeOnly: false,
  }));
}

/** The different values of each name. */
function grouped(pairs: readonly (readonly [name: string, value: string])[]): [string, string[]][] {
  const groups = new Map<string, Set<string>>();
  for (const [name, value] of pairs) groups.set(name, (groups.get(name) ?? new Set()).add(value));
  return [...groups].map(([name, values]) => [name, [...values]]);
}

function named(name: string): SourceFile[] {
  return files.filter((file) => file.name === name && isSlice(file.folder));
}

function local(file: SourceFile): Import[] {
  return file.imports.filter(({ target }) => isSource(target));
}

/** A room of the domain, of the data that comes in and goes out whole, or of what keeps other systems in step. */
function isSlice(folder: string): boolean {
  return /^(domain|data|sync)\//.test(folder);
}

function isSource(target: string): boolean {
  return target.endsWith(".ts");
}

function isPureFile(path: string): boolean {
  return dirname(path) === "core" || (isSlice(dirname(path)) && PURE.has(basename(path)));
}

function allow(file: SourceFile, target: string, isAllowed: boolean): void {
  assert.ok(isAllowed, `src/${file.path} may not import ${target}`);
}
