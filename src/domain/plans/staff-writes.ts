import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Id } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { undoneBy, undoneByEdit } from "../../core/undo.ts";
import { repeatedBy, staffWrite } from "../writes/staff-write.ts";
import { addPlan, archivePlan, deletePlan, editPlan, restorePlan, unknownPlan } from "./operations.ts";
import { AddPlan, DeletePlan, EditPlan, NamePlan, Plan } from "./schema.ts";
import { findPlan } from "./staff-plan-queries.ts";

const TAG = "Plans";
const example = { planId: EXAMPLE_IDS.plan };

const repeat = repeatedBy(findPlan);

export const planWrites = [
  staffWrite({
    name: "addPlan",
    role: "manager",
    tag: TAG,
    summary: "Add a plan",
    description: "A new plan; it can be sold at once.",
    input: AddPlan,
    example: {
      name: "Mensal 2x por semana",
      billingKind: "recurring",
      billingInterval: "month",
      priceCents: 28_900,
      entitlements: [{ type: "access", period: "week", maxVisitsPerPeriod: 2 }],
    },
    result: Plan,
    refusals: [],
    perform: addPlan,
    repeat,
  }),
  staffWrite({
    name: "editPlan",
    role: "manager",
    tag: TAG,
    summary: "Change a plan",
    description:
      "Changes a plan for what is sold from now on; with `applyTo` `all` its contracts that are not over follow in their " +
      "entitlements and locations.",
    input: EditPlan,
    example: { ...example, changes: { priceCents: 29_900 }, applyTo: "new" },
    result: Plan,
    refusals: [unknownPlan()],
    perform: editPlan,
    undo: undoneByEdit(
      "editPlan",
      { member: "planId", changes: Object.keys(EditPlan.properties.changes.properties) },
      ({ details: { applyTo } }) => ({ applyTo }),
    ),
    repeat,
  }),
  staffWrite({
    name: "archivePlan",
    role: "manager",
    tag: TAG,
    summary: "Archive a plan",
    description: "Takes a plan out of sale. Its contracts go on.",
    input: NamePlan,
    example,
    result: Plan,
    refusals: [unknownPlan()],
    perform: archivePlan,
    undo: undoneBy("restorePlan", "planId"),
    repeat,
  }),
  staffWrite({
    name: "restorePlan",
    role: "manager",
    tag: TAG,
    summary: "Restore a plan",
    description: "Puts an archived plan on sale again.",
    input: NamePlan,
    example,
    result: Plan,
    refusals: [unknownPlan()],
    perform: restorePlan,
    undo: undoneBy("archivePlan", "planId"),
    repeat,
  }),
  staffWrite({
    name: "deletePlan",
    role: "owner",
    needsPassword: true,
    tag: TAG,
    summary: "Delete a plan",
    description: "Deletes a plan. Its contracts keep what was agreed and lose the reference.",
    input: DeletePlan,
    example,
    result: Type.Object({ id: Id() }, { examples: [{ id: EXAMPLE_IDS.plan }] }),
    refusals: [refusal("no_plan")],
    perform: deletePlan,
  }),
];
