import assert from "node:assert/strict";
import { isErasedForm } from "../../src/domain/clients/rules.ts";
import { nextChangeAt, type Pause, statusOn } from "../../src/domain/contract-status/status-timeline.ts";
import type { ContractStatus } from "../../src/domain/contract-status/values.ts";
import type { Zone } from "../../src/domain/recurrence/zones.ts";
import { VERSION_OF } from "../support/data-versions.ts";
import { CLASSES, type Row, type Rows, type Stored, shownRows } from "./studio.ts";

/** One write of a walk, with what was stored before and after it. */
export interface WalkedStep {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** `done`, `dry run`, or the word of the refusal. */
  readonly outcome: string;
  readonly before: Stored;
  readonly after: Stored;
}

/** The day on which a step was made. */
export interface WalkedDay {
  readonly zone: Zone;
  readonly now: number;
  readonly today: string;
}

/** What must hold after every write, whatever it was. */
export function checkStep(step: WalkedStep, day: WalkedDay): void {
  const { outcome, before, after } = step;
  if (outcome !== "done") assert.deepEqual(after, before, "what was not carried out changed something");
  else assert.equal(after.auditEntries, before.auditEntries + 1, "one write is one audit entry");
  checkVersions(before, after);
  checkUpdates(before, after);
  checkCredits(step);
  checkStored(after, day);
}

/** A version moves when, and only when, something moved that it stands for. */
function checkVersions(before: Stored, after: Stored): void {
  const changed = Object.keys(VERSION_OF).filter(
    (table) => !isSame(shownRows(before, table), shownRows(after, table)),
  );
  const moved = CLASSES.filter((name) => after.versions[name] !== before.versions[name]);
  for (const table of changed)
    assert.ok(
      moved.some((name) => name === VERSION_OF[table]),
      `${table} changed and moved no version`,
    );
  for (const name of moved) {
    assert.ok(after.versions[name] > before.versions[name], `the version of the ${name} went back`);
    assert.ok(
      changed.some((table) => VERSION_OF[table] === name),
      `the version of the ${name} moved for nothing`,
    );
  }
}

/** Records that know when they were changed, with the tables and columns of what the API shows of them. */
const DATED: readonly {
  table: string;
  hidden: readonly string[];
  parts: Readonly<Record<string, string>>;
}[] = [
  { table: "clients", hidden: [], parts: { client_locations: "client_id" } },
  { table: "service_types", hidden: [], parts: {} },
  { table: "plans", hidden: [], parts: { plan_locations: "plan_id", plan_entitlements: "plan_id" } },
  {
    table: "contracts",
    hidden: ["terms"],
    parts: { contract_locations: "contract_id", contract_entitlements: "contract_id" },
  },
];

/** `updatedAt` of a record moves when, and only when, its own answer changes. */
function checkUpdates(before: Stored, after: Stored): void {
  for (const { table, hidden, parts } of DATED) {
    const contents = (stored: Stored) =>
      new Map(
        shownRows(stored, table).map((row) => {
          const { updated_at, search, ...rest } = row;
          const content = Object.entries(rest).filter(([name]) => !hidden.includes(name));
          const own = Object.entries(parts).map(([part, owner]) =>
            (stored.tables[part] ?? []).filter((other) => other[owner] === row.id),
          );
          return [row.id, { updatedAt: String(updated_at), content: JSON.stringify([content, own]) }];
        }),
      );
    const old = contents(before);
    for (const [id, { updatedAt, content }] of contents(after)) {
      const was = old.get(id);
      if (!was) continue;
      const isChanged = content !== was.content;
      assert.equal(
        updatedAt > was.updatedAt,
        isChanged,
        `updatedAt of ${table} ${id}: ${was.content} → ${content}`,
      );
      if (!isChanged) assert.equal(updatedAt, was.updatedAt);
    }
  }
}

/** Balances change by a sale, an adjustment and the edit of a plan for all, and by nothing else. */
function checkCredits({ operation, input, outcome, before, after }: WalkedStep): void {
  const balances = ({ tables }: Stored) =>
    new Map((tables.contract_entitlements ?? []).map((row) => [row.id, row] as const));
  const [old, now] = [balances(before), balances(after)];
  const isDone = (name: string) => operation === name && outcome === "done";
  for (const [id, row] of old) {
    const left = now.get(id);
    if (!left) {
      assert.ok(isDone("voidSale") && row.contract_id === input.contractId, "an entitlement is gone");
      continue;
    }
    const by = isDone("adjustCredits") && input.entitlementId === id ? Number(input.by) : 0;
    const expected = row.remaining_credits === null ? null : Number(row.remaining_credits) + by;
    assert.equal(left.remaining_credits, expected, "a balance changed");
  }
  for (const [id, row] of now) {
    if (old.has(id)) continue;
    assert.ok(
      isDone("sellContract") || (isDone("editPlan") && input.applyTo === "all"),
      "an entitlement came",
    );
    const grant = (after.tables.plan_entitlements ?? []).find(
      (other) =>
        other.plan_id === input.planId &&
        other.type === row.type &&
        other.service_type_id === row.service_type_id &&
        other.service_group_id === row.service_group_id,
    );
    assert.equal(
      row.remaining_credits,
      grant?.credit_quantity ?? null,
      "a grant is as large as the plan says",
    );
  }
}

/** What holds of the data at any time. */
function checkStored(stored: Stored, day: WalkedDay): void {
  checkCounters(stored);
  checkContracts(stored, day);
  const { staff = [], erasures = [], clients = [] } = stored.tables;
  assert.ok(
    staff.some(({ role, status }) => role === "owner" && status === "active"),
    "there is no owner any more",
  );
  for (const { client_id } of erasures) {
    const client = clients.find(({ id }) => id === client_id);
    assert.ok(client && isErasedForm(camelCased(client)), "an erased client is somebody again");
  }
}

function checkCounters({ tables, counters }: Stored): void {
  for (const [name, total] of Object.entries(counters)) {
    const [, table = "", status] = /^(.*)_([a-z]+)$/.exec(name) ?? [];
    const rows = tables[table] ?? [];
    assert.equal(total, rows.filter((row) => row.status === status).length, `the counter ${name}`);
  }
}

/** Status, next change and the instant at which the organization is to be looked at follow from the days. */
function checkContracts({ tables }: Stored, { zone, now, today }: WalkedDay): void {
  const dues: number[] = [];
  for (const row of tables.contracts ?? []) {
    const status = row.status as ContractStatus;
    const endDate = optional(row.end_date);
    const pauses = pausesOf(tables.contract_pauses ?? [], row.id);
    const course = { status, endDate, cancelledAt: optional(row.cancelled_at), pauses };
    assert.equal(status, statusOn(course, today), `contract ${row.id} on ${today}`);
    assert.equal(status === "cancelled" && row.cancelled_at === null, false, "cancelled at no time");
    if (status === "expired") assert.ok(row.cancelled_at === null && (endDate ?? "9999") < today);
    const next = nextChangeAt(course, zone, now);
    assert.equal(
      optional(row.next_change_at) && Date.parse(String(row.next_change_at)),
      next,
      `contract ${row.id}`,
    );
    if (next !== undefined) dues.push(next);
  }
  const due = optional(tables.organizations?.[0]?.due_at);
  if (dues.length > 0)
    assert.ok(due !== undefined && Date.parse(due) <= Math.min(...dues), "nobody would look");
}

function pausesOf(rows: Rows, contractId: unknown): Pause[] {
  return rows
    .filter(({ contract_id }) => contract_id === contractId)
    .map((row) => ({
      id: String(row.id),
      firstDay: String(row.first_day),
      ...(row.last_day !== null && { lastDay: String(row.last_day) }),
      extendsTerm: row.extends_term === true,
    }))
    .sort((a, b) => (a.firstDay < b.firstDay ? -1 : 1));
}

function camelCased(row: Row): Record<string, unknown> {
  const { contact_name, contact_email, contact_phone, id_document_value, birthdate, notes, status } = row;
  const { city, country, line1, line2, postal_code, state } = row;
  const members = {
    contactName: contact_name,
    contactEmail: contact_email,
    contactPhone: contact_phone,
    idDocument: id_document_value,
    birthdate,
    notes,
    status,
    address: defined({ city, country, line1, line2, postal_code, state }),
  };
  return defined(members);
}

function defined(members: Row): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function optional(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
