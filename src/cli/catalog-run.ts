import { AppError, invalid } from "../core/errors.ts";
import type { TakeRecords } from "../core/record-stream.ts";
import type { Database } from "../db/database.ts";
import { findOrganization } from "../domain/organizations/queries.ts";
import { unknownOrganization } from "../domain/organizations/rules.ts";
import { readPlans } from "../domain/plans/queries.ts";
import { listResources } from "../domain/resources/queries.ts";
import { listServiceGroups } from "../domain/service-groups/queries.ts";
import { readServiceTypes } from "../domain/service-types/queries.ts";
import { type CommandCall, describeRecord, showRecords } from "./command.ts";
import { carryOutNamed } from "./do-run.ts";

/** Carries out an operation of the application and shows the record that it wrote. */
export async function writeCatalog(
  call: CommandCall,
  operation: string,
  organizationId: string,
  input: unknown,
): Promise<void> {
  try {
    await carryOutNamed(call, operation, organizationId, input, (done) => {
      if (call.flags["dry-run"]) return call.out.result(done, JSON.stringify(done, null, 2));
      const result = ("result" in done ? done.result : {}) as object;
      const isFlat = Object.values(result).every((value) => typeof value !== "object" || isWords(value));
      call.out.result(result, isFlat ? describeRecord(result) : JSON.stringify(result, null, 2));
    });
  } catch (error) {
    throw byFlag(error);
  }
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** A fault is located in a body; here the member itself is what was given. */
function byFlag(error: unknown): unknown {
  if (!(error instanceof AppError) || error.faults.length === 0) return error;
  return invalid(
    error.faults.map((fault) => ({
      ...fault,
      location: fault.location.replace(/^body(\.changes)?\.?/, "") || "data",
    })),
  );
}

/** How a list is read, and what of a record its table shows. */
interface CatalogList {
  readonly read: (db: Database, organizationId: string) => Promise<readonly object[]>;
  readonly columns: readonly string[];
}

const LISTS: Readonly<Record<"service-type" | "service-group" | "resource" | "plan", CatalogList>> = {
  "service-type": {
    read: (db, organizationId) => collect((take) => readServiceTypes(db, organizationId, {}, take)),
    columns: ["id", "name", "status", "holdsResource"],
  },
  "service-group": {
    read: async (db, organizationId) => (await listServiceGroups(db, organizationId)).content.data,
    columns: ["id", "name", "serviceTypeIds"],
  },
  resource: {
    read: async (db, organizationId) => (await listResources(db, organizationId)).content.data,
    columns: ["id", "name", "kind", "status"],
  },
  plan: {
    read: (db, organizationId) => collect((take) => readPlans(db, organizationId, {}, take)),
    columns: ["id", "name", "status", "priceCents", "currency"],
  },
};

export async function listCatalog(
  call: CommandCall,
  noun: keyof typeof LISTS,
  organizationId: string,
): Promise<void> {
  const db = (await call.store()).open({ applicationName: `rollbook ${noun}` });
  if (!(await findOrganization(db, organizationId))) throw unknownOrganization();
  const { read, columns } = LISTS[noun];
  const data = await read(db, organizationId);
  showRecords(call, data, {
    header: columns.map((column) => column.replace(/[A-Z]/g, " $&").toUpperCase()),
    row: (record) => {
      const members = new Map<string, unknown>(Object.entries(record));
      return columns.map((column) => String(members.get(column) ?? ""));
    },
    none: `No ${noun.replace("-", " ")}s yet.`,
  });
}

async function collect<Item>(readAll: (take: TakeRecords<Item>) => Promise<void>): Promise<Item[]> {
  const all: Item[] = [];
  await readAll(async ({ batches }) => {
    for await (const batch of batches) all.push(...batch);
  });
  return all;
}
