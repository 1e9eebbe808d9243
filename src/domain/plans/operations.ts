import { isDeepStrictEqual } from "node:util";
import { type Actor, NOWHERE, requireOwnPlaces, requirePlace } from "../../core/actor.ts";
import { differences } from "../../core/differences.ts";
import { type AppError, refusal, refuseFaults } from "../../core/errors.ts";
import { type Fault, faultsAt, type UnfilledCode } from "../../core/faults.ts";
import type { Static } from "../../core/fields.ts";
import { newId } from "../../core/ids.ts";
import { NO_CHANGES } from "../../core/written.ts";
import type { Database } from "../../db/database.ts";
import { anySlot } from "../organizations/queries.ts";
import { exclusiveWrite, type OpenWrite, type Outcome } from "../writes/recorded-write.ts";
import type { OpenOrganization } from "../writes/transactions.ts";
import { propagate } from "./propagation.ts";
import { lockPlan } from "./queries.ts";
import { checkSoldPlan } from "./rules.ts";
import type { AddPlan, DeletePlan, EditPlan, NamePlan, Plan } from "./schema.ts";
import * as queries from "./staff-plan-queries.ts";

/**
 * What the staff does to plans. A contract keeps what was agreed when it was sold; only its grants and places can follow
 * an edit of the plan, if that is asked for.
 */

/** A new plan; it can be sold at once. */
export const addPlan = exclusiveWrite(
  "addPlan",
  async (open, input: Static<typeof AddPlan>): Promise<Outcome<Plan>> => {
    const { tx, organization, now, at, actor, organizationId } = open;
    const { currency = organization.currency, isTrial = false, locationIds = [], ...given } = input;
    const allLocations = given.allLocations ?? locationIds.length === 0;
    const plan = tidied({ ...given, currency, isTrial, allLocations, locationIds });
    await refusePlan(open, plan, "body");
    requirePlace(actor, plan);
    requireOwnPlaces(actor, NOWHERE, plan);
    const id = newId(now);
    await queries.insertPlan(tx, organizationId, id, plan, at);
    return written(open, id, { counts: new Map([["active", 1]]), details: { after: plan } });
  },
);

/** How many contracts are worked on at a time. */
const PAGE = 500;

/** Changes a plan: for what is sold from now on, or also for every contract of it that is not over. */
export const editPlan = exclusiveWrite(
  "editPlan",
  async (open, { planId, changes, applyTo = "new" }: Static<typeof EditPlan>): Promise<Outcome<Plan>> => {
    const { tx, at, actor, organizationId } = open;
    const before = await lockKnown(tx, actor, organizationId, planId);
    const after = tidied(merged(contentOf(before), changes));
    await refusePlan(open, after, "body.changes");
    requirePlace(actor, after);
    requireOwnPlaces(actor, before, after);
    const isSame = isDeepStrictEqual(contentOf(before), after);
    if (!isSame) await queries.updatePlan(tx, organizationId, before.id, after, at);
    const contracts =
      applyTo === "all" && !isSame ? await follow(open, before.id, contentOf(before), after) : 0;
    return written(open, before.id, {
      contracts,
      details: { applyTo, ...differences(contentOf(before), after), contracts },
    });
  },
);

/** Lets the contracts of a plan follow its edit, and says how many did. */
async function follow(
  { tx, organizationId, now, at, actor }: OpenWrite,
  planId: string,
  before: queries.PlanContent,
  after: queries.PlanContent,
): Promise<number> {
  let count = 0;
  for (let last: string | undefined; ; ) {
    const contracts = await queries.lockFollowers(tx, organizationId, planId, last, PAGE);
    const writes = contracts.flatMap((contract) => {
      const propagation = propagate(before, after, contract);
      if (!propagation) return [];
      requirePlace(actor, contract);
      return [
        { ...propagation, contract, added: propagation.added.map((grant) => ({ ...grant, id: newId(now) })) },
      ];
    });
    await queries.writeFollowers(tx, organizationId, writes, at);
    count += writes.length;
    last = contracts.at(-1)?.id;
    if (contracts.length < PAGE) return count;
  }
}

/** Takes a plan out of sale. Its contracts go on. */
export const archivePlan = exclusiveWrite(
  "archivePlan",
  async (open, { planId }: Static<typeof NamePlan>): Promise<Outcome<Plan>> => {
    return setStatus(open, planId, "archived");
  },
);

/** Puts an archived plan on sale again. */
export const restorePlan = exclusiveWrite(
  "restorePlan",
  async (open, { planId }: Static<typeof NamePlan>): Promise<Outcome<Plan>> => {
    return setStatus(open, planId, "active");
  },
);

async function setStatus(open: OpenWrite, planId: string, status: Plan["status"]): Promise<Outcome<Plan>> {
  const { tx, at, actor, organizationId } = open;
  const before = await lockKnown(tx, actor, organizationId, planId);
  requireOwnPlaces(actor, before, NOWHERE);
  const isSame = before.status === status;
  if (!isSame) await queries.writePlanStatus(tx, organizationId, before.id, status, at);
  const counts = new Map<Plan["status"], number>();
  if (!isSame) counts.set(before.status, -1).set(status, 1);
  const details = { before: before.status, after: status };
  return written(open, before.id, { counts, details });
}

/** Deletes a plan. Its contracts keep what was agreed and lose the reference. */
export const deletePlan = exclusiveWrite(
  "deletePlan",
  async (
    { tx, at, actor, organizationId },
    { planId }: Static<typeof DeletePlan>,
  ): Promise<Outcome<{ readonly id: string }>> => {
    const plan = await lockKnown(tx, actor, organizationId, planId);
    const contracts = await queries.deletePlanRow(tx, organizationId, plan.id, at);
    const counts = new Map<Plan["status"], number>([[plan.status, -1]]);
    await queries.countPlans(tx, organizationId, counts, anySlot());
    return {
      result: { id: plan.id },
      changes: { ...NO_CHANGES, contracts },
      entry: {
        subject: plan.id,
        details: { name: plan.name, contracts },
      },
    };
  },
);

interface PlanWrite {
  readonly counts?: ReadonlyMap<Plan["status"], number>;
  /** How many contracts were written as well. */
  readonly contracts?: number;
  readonly details: Readonly<Record<string, unknown>>;
}

async function written(
  { tx, organizationId }: OpenWrite,
  id: string,
  { counts = new Map(), contracts = 0, details }: PlanWrite,
): Promise<Outcome<Plan>> {
  await queries.countPlans(tx, organizationId, counts, anySlot());
  const result = await lockKnown(tx, undefined, organizationId, id);
  return { result, changes: { ...NO_CHANGES, contracts }, entry: { subject: id, details } };
}

async function lockKnown(
  tx: Database,
  actor: Actor | undefined,
  organizationId: string,
  id: string,
): Promise<Plan> {
  const plan = await lockPlan(tx, organizationId, id, "update");
  if (!plan) throw unknownPlan();
  if (actor) requirePlace(actor, plan);
  return plan;
}

export function unknownPlan(): AppError {
  return refusal("no_plan");
}

function contentOf({ id, status, createdAt, updatedAt, ...content }: Plan): queries.PlanContent {
  return content;
}

/** Members that are not named stay, those that are null go. */
function merged(plan: queries.PlanContent, changes: Static<typeof EditPlan>["changes"]): queries.PlanContent {
  const entries = Object.entries({ ...plan, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as queries.PlanContent;
}

/** Ids in lower case, once each and in order; absent members absent. */
function tidied({ locationIds, entitlements, ...plan }: queries.PlanContent): queries.PlanContent {
  const defined = Object.fromEntries(
    Object.entries(plan).filter(([, value]) => value !== undefined && value !== ""),
  );
  return {
    ...(defined as Omit<queries.PlanContent, "locationIds" | "entitlements">),
    locationIds: [...new Set(locationIds.map((id) => id.toLowerCase()))].sort(),
    entitlements: entitlements.map(({ serviceTypeId, serviceGroupId, ...grant }) => ({
      ...grant,
      ...(serviceTypeId !== undefined && { serviceTypeId: serviceTypeId.toLowerCase() }),
      ...(serviceGroupId !== undefined && { serviceGroupId: serviceGroupId.toLowerCase() }),
    })),
  };
}

/** Refuses a plan that cannot be sold, or that refers to what is not there. */
async function refusePlan(
  { tx, organization, organizationId }: OpenOrganization,
  plan: queries.PlanContent,
  root: string,
): Promise<void> {
  const known = await queries.findKnownReferences(tx, organizationId, plan);
  const faults = [...checkSoldPlan(plan, organization), ...checkReferences(plan, known)];
  refuseFaults(faultsAt(root, faults));
}

function checkReferences(plan: queries.PlanContent, known: queries.KnownReferences): Fault[] {
  const unknown = (location: string, id: string | undefined, ids: readonly string[], code: UnfilledCode) =>
    id === undefined || ids.includes(id) ? [] : [{ location, code }];
  return [
    ...plan.locationIds.flatMap((id, index) =>
      unknown(`locationIds[${index}]`, id, known.locations, "location_unknown"),
    ),
    ...plan.entitlements.flatMap(({ serviceTypeId, serviceGroupId }, index) => [
      ...unknown(
        `entitlements[${index}].serviceTypeId`,
        serviceTypeId,
        known.serviceTypes,
        "service_type_unknown",
      ),
      ...unknown(
        `entitlements[${index}].serviceGroupId`,
        serviceGroupId,
        known.serviceGroups,
        "service_group_unknown",
      ),
    ]),
  ];
}
