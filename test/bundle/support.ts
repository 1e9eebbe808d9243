import { AppError } from "../../src/core/errors.ts";
import { exportBundle } from "../../src/data/bundle/export.ts";
import { type ImportOptions, importBundle } from "../../src/data/bundle/import.ts";
import type { ImportSummary } from "../../src/data/bundle/summary.ts";
import type { Database } from "../../src/db/database.ts";
import { read } from "../../src/db/statements.ts";
import { explainFaults } from "../../src/languages/wording.ts";
import { newId } from "../support/ids.ts";

export type Line = Record<string, unknown>;

/** A small studio with every kind of record and every optional member, once given and once not. */
export function smallStudio() {
  const ids = {
    organization: newId(),
    centro: newId(),
    porto: newId(),
    pilates: newId(),
    massage: newId(),
    group: newId(),
    monthly: newId(),
    pack: newId(),
    ana: newId(),
    bruno: newId(),
    contract: newId(),
    oldContract: newId(),
    weekly: newId(),
    once: newId(),
    moved: newId(),
    extra: newId(),
  };
  const lines: Line[] = [
    {
      kind: "organization",
      id: ids.organization,
      name: "Estúdio Aurora",
      timezone: "America/Sao_Paulo",
      currency: "BRL",
      plan: "Pro",
      status: "active",
      joinedAt: "2024-03-01T09:00:00.000Z",
    },
    {
      kind: "location",
      id: ids.centro,
      name: "Centro",
      address: "Rua Harmonia 100",
      status: "active",
      timezone: "America/Sao_Paulo",
      createdAt: "2024-03-01T09:00:00.125Z",
    },
    { kind: "location", id: ids.porto, name: "Porto", status: "closed", timezone: "Europe/Lisbon" },
    { kind: "serviceGroup", id: ids.group, name: "Corpo", serviceTypeIds: [ids.pilates, ids.massage] },
    {
      kind: "serviceType",
      id: ids.pilates,
      name: "Pilates",
      description: "Mat class\nfor all",
      holdsResource: false,
      status: "active",
    },
    { kind: "serviceType", id: ids.massage, name: "Massagem", holdsResource: true, status: "archived" },
    {
      kind: "plan",
      id: ids.monthly,
      name: "Mensal",
      status: "active",
      billingKind: "recurring",
      billingInterval: "month",
      durationCount: 12,
      durationUnit: "month",
      priceCents: 9_007_199_254_740_991,
      currency: "BRL",
      isTrial: false,
      allLocations: true,
      locationIds: [],
      terms: "Be kind.",
      entitlements: [
        { type: "access", period: "week", maxVisitsPerPeriod: 3, serviceGroupId: ids.group },
        { type: "access" },
      ],
    },
    {
      kind: "plan",
      id: ids.pack,
      name: "Pacote",
      status: "archived",
      billingKind: "one_time",
      priceCents: 0,
      currency: "BRL",
      isTrial: true,
      allLocations: false,
      locationIds: [ids.porto, ids.centro],
      entitlements: [{ type: "credits", creditQuantity: 10, serviceTypeId: ids.pilates }],
    },
    {
      kind: "client",
      id: ids.ana,
      contactName: "Ana “Aninha” Souza",
      contactEmail: "ana@example.com",
      contactPhone: "+55 11 98765-4321",
      birthdate: "1990-04-23",
      address: { city: "São Paulo", country: "BR", line1: "Rua 1", line2: "B", postalCode: "0", state: "SP" },
      idDocument: { type: "cpf", value: "529.982.247-25" },
      locationIds: [ids.porto, ids.centro, ids.centro],
      notes: "Prefers mornings\n\tand tea",
    },
    {
      kind: "client",
      id: ids.bruno,
      contactName: "Bruno Ångström",
      idDocument: { type: "other", value: "AB-1" },
      locationIds: [ids.centro],
      status: "archived",
      createdAt: "2025-01-02T03:04:05.678Z",
      updatedAt: "2025-02-02T03:04:05.678Z",
    },
    {
      kind: "contract",
      id: ids.contract,
      clientId: ids.ana,
      planId: ids.monthly,
      planName: "Mensal",
      priceCents: 15_000,
      currency: "BRL",
      isTrial: false,
      billingKind: "recurring",
      billingInterval: "month",
      startDate: "2026-01-01",
      endDate: "2026-12-31",
      status: "cancelled",
      accessBlocked: true,
      allLocations: false,
      locationIds: [ids.centro],
      cancelledAt: "2026-05-01T10:00:00+02:00",
      termsResponse: "accepted",
      termsRespondedAt: "2026-01-01T10:00:00.5Z",
      entitlements: [
        { id: newId(), type: "credits", remainingCredits: 4, serviceTypeId: ids.pilates },
        { type: "access", period: "day", maxVisitsPerPeriod: 1, revokedAt: "2026-02-01T00:00:00Z" },
      ],
    },
    {
      kind: "contract",
      id: ids.oldContract,
      clientId: ids.bruno,
      planName: "Antigo",
      priceCents: 1,
      currency: "BRL",
      isTrial: false,
      billingKind: "one_time",
      startDate: "2020-02-29",
      status: "expired",
      accessBlocked: false,
      allLocations: true,
      locationIds: [],
      entitlements: [],
    },
    {
      kind: "schedule",
      id: ids.weekly,
      serviceTypeId: ids.pilates,
      locationId: ids.centro,
      resourceIds: ["sala-2", "ana"],
      start: "2026-01-05T07:00",
      durationMinutes: 60,
      rrule: "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=20",
      exdates: ["2026-01-14T07:00", "2026-01-12T07:00"],
      rdates: ["2026-12-01T09:00"],
      capacity: 12,
    },
    {
      kind: "schedule",
      id: ids.once,
      serviceTypeId: ids.pilates,
      locationId: ids.porto,
      start: "2026-06-01T10:00",
      durationMinutes: 30,
      capacity: 0,
    },
    {
      kind: "session",
      id: ids.moved,
      scheduleId: ids.weekly,
      originalStart: "2026-01-07T07:00",
      serviceTypeId: ids.pilates,
      locationId: ids.centro,
      resourceIds: ["ana"],
      start: "2026-01-07T08:00",
      durationMinutes: 60,
      capacity: 12,
      bookedCount: 13,
      status: "scheduled",
    },
    {
      kind: "session",
      id: ids.extra,
      serviceTypeId: ids.massage,
      locationId: ids.porto,
      start: "2026-07-01T10:00",
      durationMinutes: 45,
      capacity: 1,
      bookedCount: 0,
      status: "cancelled",
    },
  ];
  return { ids, lines };
}

export function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Imports lines or text; in pieces that end anywhere, as files do. */
export function importLines(
  db: Database,
  content: string | Uint8Array | readonly Line[],
  options: Partial<ImportOptions> = {},
): Promise<ImportSummary> {
  const text = typeof content === "string" || content instanceof Uint8Array ? content : textOf(content);
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let start = 0; start < bytes.length; start += 1000) yield bytes.subarray(start, start + 1000);
  }
  return importBundle(db, pieces(), { actor: "test", ...options });
}

/** The faults of an import that is refused, as a person reads them. */
export async function faultsOf(work: Promise<unknown>): Promise<string[]> {
  return (await toldOf(work)).map(({ location, message }) => `${location}: ${message}`);
}

/** The faults of an import that is refused, with their codes. */
export async function toldOf(work: Promise<unknown>): Promise<ReturnType<typeof explainFaults>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AppError && error.faults.length > 0) return explainFaults(error);
    throw error;
  }
  throw new Error("the import was accepted");
}

export async function exportText(db: Database, organizationId: string): Promise<string> {
  let text = "";
  await exportBundle(db, organizationId, (lines) => {
    text += lines;
  });
  return text;
}

const TABLES = [
  "locations",
  "service_types",
  "service_groups",
  "service_group_members",
  "plans",
  "plan_locations",
  "plan_entitlements",
  "clients",
  "client_locations",
  "contracts",
  "contract_locations",
  "contract_entitlements",
  "schedules",
  "sessions",
];

const countRows = read(
  "test_count_rows",
  TABLES.map(
    (table) => `select '${table}' as name, count(*) as count from ${table} where organization_id = $1`,
  ).join(" union all "),
);

/** How many rows of each table are the organization's; none is left out. */
export async function rowCounts(db: Database, organizationId: string): Promise<Record<string, number>> {
  const rows = await db.query<{ name: string; count: number }>(countRows, [organizationId]);
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

const readCounters = read(
  "test_read_counters",
  `select sum(catalog_version) as "catalogVersion", sum(clients_version) as "clientsVersion",
     sum(clients_active) as "clients.active", sum(clients_archived) as "clients.archived",
     sum(contracts_active) as "contracts.active", sum(contracts_paused) as "contracts.paused",
     sum(contracts_cancelled) as "contracts.cancelled", sum(contracts_expired) as "contracts.expired",
     sum(plans_active) as "plans.active", sum(plans_archived) as "plans.archived",
     sum(service_types_active) as "service_types.active", sum(service_types_archived) as "service_types.archived"
   from organization_counters where organization_id = $1`,
);

const countStatuses = read(
  "test_count_statuses",
  ["clients", "contracts", "plans", "service_types"]
    .map(
      (table) =>
        `select '${table}.' || status as name, count(*) as count from ${table} where organization_id = $1 group by status`,
    )
    .join(" union all "),
);

/** The kept totals, and the same by counting. */
export async function totals(db: Database, organizationId: string) {
  const [row = {}] = await db.query<Record<string, string>>(readCounters, [organizationId]);
  const { catalogVersion = "0", clientsVersion = "0", ...columns } = row;
  const kept = Object.fromEntries(
    Object.entries(columns)
      .map(([name, sum]) => [name, Number(sum)] as const)
      .filter(([, sum]) => sum !== 0),
  );
  const counted = await db.query<{ name: string; count: number }>(countStatuses, [organizationId]);
  return {
    kept,
    counted: Object.fromEntries(counted.map(({ name, count }) => [name, count])),
    versions: [Number(catalogVersion), Number(clientsVersion)],
  };
}
