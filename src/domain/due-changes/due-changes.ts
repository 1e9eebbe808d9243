import type { Actor } from "../../core/actor.ts";
import type { DataClass } from "../../core/data-snapshot.ts";
import { underReason } from "../../db/change-reason.ts";
import type { Database, SharedDatabase } from "../../db/database.ts";
import { recordAudit } from "../audit/queries.ts";
import {
  type DueOrganization,
  lockDueTimelines,
  lockForWrite,
  lockRunningTimelines,
  setDueAt,
  type TimelineRow,
  type TimelineWrite,
  writeTimelines,
} from "../contract-status/queries.ts";
import {
  type AdvancedTimeline,
  advanceByOtherClocks,
  advanceTimeline,
  nextChangeAt,
  type StatusTimeline,
  statusKept,
} from "../contract-status/status-timeline.ts";
import { issuePart } from "../invoicing/issuing.ts";
import { markContractsToInvoice } from "../invoicing/queries.ts";
import { anySlot, findVersions } from "../organizations/queries.ts";
import { unknownOrganization } from "../organizations/rules.ts";
import { dateIn, findZone, type Zone } from "../recurrence/zones.ts";

/**
 * The status of a contract changes with the days, invoices are issued, and nobody writes at midnight. So before anybody
 * looks, whoever looks carries out what is due: under the lock of the organization's row, with the instant at which each change was due. An
 * answer is then right at every instant, its filter and totals too, and there is no job that could be late.
 */
export class DueChanges {
  readonly #db: SharedDatabase;
  readonly #underWay = new Map<string, Promise<number>>();

  constructor(db: SharedDatabase) {
    this.#db = db;
  }

  /**
   * Applies what is due in an organization up to an instant at least, and gives the versions of its data afterwards. They are read when
   * all is committed: a sum read within the transaction might be one that others have had without these changes.
   */
  async applyUntil(organizationId: string, instant: number): Promise<Readonly<Record<DataClass, number>>> {
    // Joining one that began too early does not help: a day may have begun since.
    while ((await this.#join(organizationId, instant)) < instant);
    return findVersions(this.#db, organizationId);
  }

  #join(organizationId: string, instant: number): Promise<number> {
    const joined = this.#underWay.get(organizationId);
    if (joined) return joined;
    const begun = applyDueChanges(this.#db.for(organizationId), organizationId, instant).finally(() =>
      this.#underWay.delete(organizationId),
    );
    this.#underWay.set(organizationId, begun);
    return begun;
  }
}

/**
 * How many contracts are brought up to date in one transaction. Thousands may end with the same month: those who wait for the
 * organization's row meanwhile wait for one part, and what was done is not lost if a process ends.
 */
const PART = 1_000;

/**
 * Carries out what is due in an organization, and returns the instant up to which that is done: now, or the given one if
 * it is later. An instant that was read before a failover may lie ahead of the clock of the new server, and what is due by
 * it is due.
 */
export async function applyDueChanges(
  db: Database,
  organizationId: string,
  atLeast = Number.NEGATIVE_INFINITY,
): Promise<number> {
  for (;;) {
    const { isDone, now } = await db.transaction(async (tx) => {
      const begun = await lockForWrite(tx, organizationId);
      const now = Math.max(begun?.now ?? (await tx.now()), atLeast);
      return { isDone: !begun || (await applyDuePart(tx, begun.organization, now)), now };
    });
    if (isDone) return now;
  }
}

/** As `applyDueChanges`, within a transaction that goes on and holds the organization's row. */
export async function applyDueWithin(
  tx: Database,
  { organization, now }: { readonly organization: DueOrganization; readonly now: number },
): Promise<void> {
  while (!(await applyDuePart(tx, organization, now)));
}

/** Whether nothing is due any more. */
async function applyDuePart(tx: Database, organization: DueOrganization, now: number): Promise<boolean> {
  const { id, dueAt, timezone } = organization;
  if (dueAt === undefined || Date.parse(dueAt) > now) return true;
  const zone = zoneOf(timezone);
  // First, because what a contract owed until it was over is asked of one that is not.
  if (!(await issuePart(tx, organization, zone, now))) return false;
  const rows = await lockDueTimelines(tx, id, now, PART);
  const advanced = rows.map((row) =>
    toWrite(row, advanceTimeline(row, zone, Date.parse(row.nextChangeAt ?? ""), now)),
  );
  if (advanced.length > 0)
    await underReason(tx, { by: "clock" }, () => writeTimelines(tx, id, advanced, anySlot()));
  // A status that changed leaves the next invoice of its contract to be computed.
  const isLast = rows.length === 0 || organization.invoicesFrom === undefined;
  if (rows.length === PART || !isLast) return false;
  await setDueAt(tx, id);
  return true;
}

/**
 * Computes the next changes of an organization's contracts again, by the clocks that it has now. The organization's row
 * is locked, and what was due by the clocks before is applied. Done in parts: returns the last contract of this one, or
 * undefined when all are done.
 */
export async function recomputePart(
  tx: Database,
  { id, timezone }: Pick<DueOrganization, "id" | "timezone">,
  after?: string,
): Promise<string | undefined> {
  const now = await tx.now();
  const zone = zoneOf(timezone);
  const rows = await lockRunningTimelines(tx, id, after, PART);
  const writes = rows.flatMap((row) => {
    const expectedAt = row.nextChangeAt === undefined ? undefined : Date.parse(row.nextChangeAt);
    const advanced = advanceByOtherClocks(row, zone, expectedAt, now);
    const isSame = advanced.nextChangeAt === expectedAt && advanced.changedAt === undefined;
    return isSame ? [] : [toWrite(row, advanced)];
  });
  await writeTimelines(tx, id, writes, anySlot());
  if (after === undefined) await markContractsToInvoice(tx, id);
  await setDueAt(tx, id);
  return rows.length === PART ? rows.at(-1)?.id : undefined;
}

/** As `recomputePart`, for all of them in one transaction: the organization has another timezone now. */
export async function recomputeWithin(
  tx: Database,
  organization: Pick<DueOrganization, "id" | "timezone">,
): Promise<void> {
  let after: string | undefined;
  do after = await recomputePart(tx, organization, after);
  while (after !== undefined);
}

/**
 * Ends the contracts whose last day had passed when they were imported as running. An import states facts, so nothing
 * but this ends them; it is done now, whenever it was due.
 */
export async function endOverdueContracts(
  db: Database,
  actor: Actor,
  organizationId: string,
): Promise<{ readonly contracts: number }> {
  return db.transaction(async (tx) => {
    const begun = await lockForWrite(tx, organizationId);
    if (!begun) throw unknownOrganization();
    await applyDueWithin(tx, begun);
    const { organization, now } = begun;
    const zone = zoneOf(organization.timezone);
    const today = dateIn(zone.name, now);
    let contracts = 0;
    for (let after: string | undefined; ; ) {
      const rows = await lockRunningTimelines(tx, organizationId, after, PART);
      const writes = rows.flatMap((row) => {
        const status = statusKept(row, today);
        if (status === row.status) return [];
        const next = nextChangeAt({ ...row, status }, zone, now);
        return [{ id: row.id, before: row.status, status, changedAt: now, nextChangeAt: next }];
      });
      await writeTimelines(tx, organizationId, writes, anySlot());
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

function toWrite(
  { id, status: before }: TimelineRow & StatusTimeline,
  advanced: AdvancedTimeline,
): TimelineWrite {
  return { id, before, ...advanced };
}
