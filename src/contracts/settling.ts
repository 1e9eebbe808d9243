import { recordAudit } from "../audit/queries.ts";
import { dateIn, findZone, type Zone } from "../calendar/zones.ts";
import type { Actor } from "../core/actor.ts";
import type { DataClass } from "../core/data-snapshot.ts";
import type { Database, SharedDatabase } from "../db/database.ts";
import { anySlot, findVersions } from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import {
  type ContractCourse,
  nextChangeAt,
  type SettledCourse,
  settleByOtherClocks,
  settleCourse,
  statusKept,
} from "./course.ts";
import {
  type CourseRow,
  type CourseWrite,
  lockDueCourses,
  lockRunningCourses,
  lockToSettle,
  type SettledOrganization,
  setDueAt,
  writeCourses,
} from "./course-queries.ts";

/**
 * The status of a contract changes with the days, and nobody writes at midnight. So before anybody looks, whoever looks
 * carries out what is due: under the lock of the organization's row, with the instant at which each change was due. An
 * answer is then right at every instant, its filter and totals too, and there is no job that could be late.
 */
export class Settling {
  readonly #db: SharedDatabase;
  readonly #underWay = new Map<string, Promise<number>>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  /**
   * Settles an organization up to an instant at least, and gives the versions of its data afterwards. They are read when
   * all is committed: a sum read within the transaction might be one that others have had without these changes.
   */
  async settle(organizationId: string, instant: number): Promise<Readonly<Record<DataClass, number>>> {
    // Joining one that began too early does not help: a day may have begun since.
    while ((await this.#join(organizationId)) < instant);
    return findVersions(this.#db, organizationId);
  }

  #join(organizationId: string): Promise<number> {
    const joined = this.#underWay.get(organizationId);
    if (joined) return joined;
    const begun = settleContracts(this.#db.for(organizationId), organizationId).finally(() =>
      this.#underWay.delete(organizationId),
    );
    this.#underWay.set(organizationId, begun);
    return begun;
  }
}

/**
 * How many contracts are settled in one transaction. Thousands may end with the same month: those who wait for the
 * organization's row meanwhile wait for one part, and what was done is not lost if a process ends.
 */
const PART = 1_000;

/** Carries out what is due in an organization, and returns the instant up to which that is done. */
export async function settleContracts(db: Database, organizationId: string): Promise<number> {
  for (;;) {
    const { isDone, now } = await db.transaction(async (tx) => {
      const begun = await tx.now();
      const organization = await lockToSettle(tx, organizationId);
      return { isDone: !organization || (await settlePart(tx, organization, begun)), now: begun };
    });
    if (isDone) return now;
  }
}

/** As `settleContracts`, within a transaction that goes on and holds the organization's row. */
export async function settleWithin(tx: Database, organization: SettledOrganization): Promise<void> {
  const now = await tx.now();
  while (!(await settlePart(tx, organization, now)));
}

/** Whether nothing is due any more. */
async function settlePart(tx: Database, organization: SettledOrganization, now: number): Promise<boolean> {
  const { id, dueAt, timezone } = organization;
  if (dueAt === undefined || Date.parse(dueAt) > now) return true;
  const zone = zoneOf(timezone);
  const rows = await lockDueCourses(tx, id, now, PART);
  const settled = rows.map((row) =>
    toWrite(row, settleCourse(row, zone, Date.parse(row.nextChangeAt ?? ""), now)),
  );
  await writeCourses(tx, id, settled, anySlot());
  if (rows.length === PART) return false;
  await setDueAt(tx, id);
  return true;
}

/**
 * Computes the next changes of an organization's contracts again, by the clocks that it has now. The organization's row
 * is locked, and what was due by the clocks before is settled. Done in parts: returns the last contract of this one, or
 * undefined when all are done.
 */
export async function recomputePart(
  tx: Database,
  { id, timezone }: SettledOrganization,
  after?: string,
): Promise<string | undefined> {
  const now = await tx.now();
  const zone = zoneOf(timezone);
  const rows = await lockRunningCourses(tx, id, after, PART);
  const writes = rows.flatMap((row) => {
    const expectedAt = row.nextChangeAt === undefined ? undefined : Date.parse(row.nextChangeAt);
    const settled = settleByOtherClocks(row, zone, expectedAt, now);
    const isSame = settled.nextChangeAt === expectedAt && settled.changedAt === undefined;
    return isSame ? [] : [toWrite(row, settled)];
  });
  await writeCourses(tx, id, writes, anySlot());
  await setDueAt(tx, id);
  return rows.length === PART ? rows.at(-1)?.id : undefined;
}

/** As `recomputePart`, for all of them in one transaction: the organization has another timezone now. */
export async function recomputeWithin(tx: Database, organization: SettledOrganization): Promise<void> {
  let after: string | undefined;
  do after = await recomputePart(tx, organization, after);
  while (after !== undefined);
}

/**
 * Ends the contracts whose last day had passed when they were imported as running. An import states facts, so nothing
 * but this ends them; it is done now, whenever it was due.
 */
export async function settleOverdue(
  db: Database,
  actor: Actor,
  organizationId: string,
): Promise<{ readonly contracts: number }> {
  return db.transaction(async (tx) => {
    const now = await tx.now();
    const organization = await lockToSettle(tx, organizationId);
    if (!organization) throw unknownOrganization();
    await settleWithin(tx, organization);
    const zone = zoneOf(organization.timezone);
    const today = dateIn(zone.name, now);
    let contracts = 0;
    for (let after: string | undefined; ; ) {
      const rows = await lockRunningCourses(tx, organizationId, after, PART);
      const writes = rows.flatMap((row) => {
        const status = statusKept(row, today);
        if (status === row.status) return [];
        const next = nextChangeAt({ ...row, status }, zone, now);
        return [{ id: row.id, before: row.status, status, changedAt: now, nextChangeAt: next }];
      });
      await writeCourses(tx, organizationId, writes, anySlot());
      contracts += writes.length;
      after = rows.at(-1)?.id;
      if (rows.length < PART) break;
    }
    await setDueAt(tx, organizationId);
    await recordAudit(tx, actor.name, {
      action: "contracts.settle",
      organizationId,
      subject: organizationId,
      details: { contracts },
    });
    return { contracts };
  });
}

/** The zone of an organization; a name that the time-zone data does not know any more is read as UTC. */
export function zoneOf(timezone: string): Zone {
  const zone = findZone(timezone) ?? findZone("UTC");
  if (!zone) throw new Error("the time-zone data does not know UTC");
  return zone;
}

function toWrite({ id, status: before }: CourseRow & ContractCourse, settled: SettledCourse): CourseWrite {
  return { id, before, ...settled };
}
