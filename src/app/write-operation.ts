import type { TSchema } from "typebox";
import { refusal } from "../core/errors.ts";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { Body, Id, Int32 } from "../core/fields.ts";
import { reasonOf } from "../core/reasons.ts";
import Type from "../core/schema-type.ts";
import type { RecordedAnswer } from "../core/stored-answer.ts";
import type { Undo, UndoableEntry } from "../core/undo.ts";
import type { ChangeCounts } from "../core/written.ts";
import { withReason } from "../db/change-reason.ts";
import type { Database } from "../db/database.ts";
import { findRecordedWrite } from "../domain/audit/list-audit-queries.ts";
import { UndoStep } from "../domain/audit/schema.ts";
import { nearsLimit } from "../domain/organizations/organization-limits.ts";
import { dateIn } from "../domain/recurrence/zones.ts";
import { performDryRun, tidyInput } from "../domain/writes/perform-write.ts";
import type { StaffCall, StaffWrite } from "../domain/writes/staff-write.ts";
import { operation } from "../http/operation.ts";
import type { StaffMember, StaffScope } from "../http/staff-scope.ts";
import { undoOf } from "./offered-undo.ts";

/** What writes are given beside the caller and the input. */
export type WriteSite = Pick<StaffCall, "keySecret" | "publicUrl" | "callRules">;

/** Serves a declared write as `POST /app/v1/{name}`. */
export function serveWrite(scope: StaffScope, write: StaffWrite, site: WriteSite): void {
  const { name, role, needsPassword, faults, prepare, repeat } = write;
  const callOf = (caller: StaffMember, db: Database): StaffCall => ({
    ...site,
    db,
    actor: caller.actor,
    organizationId: caller.organizationId,
    maxRecords: caller.storage && nearsLimit(caller.storage) ? caller.storage.limit : undefined,
    signIn: { id: caller.signInId, staffId: caller.staffId },
  });

  const keptOf = (result: never) => (repeat ? repeat.idOf(result) : result);

  operation(scope.forRole(role, { needsPassword }), {
    operationId: name,
    method: "POST",
    path: `/app/v1/${name}`,
    tag: write.tag,
    summary: write.summary,
    description: describe(write),
    body: {
      schema: withDryRun(write),
      description: "What is to be done.",
      example: write.example,
      tidy: (raw) => tidied(write, raw),
      ...(faults && {
        rules: async (given, caller: StaffMember) => ({
          faults: await faults(callOf(caller, scope.db.for(caller.organizationId)), inputOf(given)),
          facts: undefined,
        }),
      }),
    },
    answer: {
      status: 200,
      description: "What was written; with `dryRun`, what would be.",
      schema: answerSchema(write),
      example: { auditId: EXAMPLE_IDS.audit, ...exampleOf(write.result) },
    },
    errors: [...write.refusals, refusal("key_reused")],
    takesKey: (body) => !isDryRun(body),
    repeat: {
      sourceOf: ({ auditId, result, isKept }: WriteAnswer) => ({
        auditId: auditId ?? "",
        result: keptOf(result as never),
        isStored: isKept,
      }),
      answer: async ({ auditId, result }: RecordedAnswer, { caller, db }) => {
        const again = repeat ? await repeat.read(callOf(caller, db), String(result)) : result;
        const recorded = await findRecordedWrite(db, caller.organizationId, auditId);
        return {
          auditId,
          ...(again !== undefined && again !== null && { result: again }),
          ...(recorded && undoStep(recorded, caller)),
        };
      },
    },
    ...(prepare && { prepare: ({ body }) => prepare(site, inputOf(body) as never) }),
    handle: async ({ caller, db, body, claim }): Promise<WriteAnswer> => {
      const request = claim && { ...claim, resultOf: keptOf };
      const call = { ...callOf(caller, withReason(db, reasonOf(caller.actor.name))), request };
      const input = inputOf(body);
      if (isDryRun(body)) return { dryRun: true, ...(await performDryRun(write, call, input)) };
      const { entry, result, isKept } = await write.perform(call, input as never);
      return { auditId: entry.id, result, isKept, ...undoStep(entry, caller) };
    },
  });
}

/** How a caller can undo what was recorded. */
export function undoFor(entry: UndoableEntry, { actor, timezone, clock }: StaffMember): Undo | undefined {
  const now = clock.now();
  return undoOf(entry, actor, { today: dateIn(timezone, now), now });
}

/** The same in an answer. By the entry, so that the trail says the same for as long as it is kept. */
function undoStep(entry: UndoableEntry, caller: StaffMember): { readonly undo?: Undo } {
  const undo = undoFor(entry, caller);
  return undo ? { undo } : {};
}

interface WriteAnswer {
  /** Not shown. */
  readonly isKept?: boolean | undefined;
  readonly auditId?: string;
  readonly dryRun?: boolean;
  readonly changes?: ChangeCounts;
  readonly result?: unknown;
  readonly undo?: Undo;
}

const Changes = Type.Object(
  {
    contracts: Int32(),
    sessions: Int32(),
    bookings: Int32(),
    creditsReturned: Int32(),
    promoted: Int32(),
  },
  { $id: "ChangeCounts", description: "How many of each would be changed." },
);

function answerSchema({ name, result }: StaffWrite) {
  return Body(`${name.charAt(0).toUpperCase()}${name.slice(1)}Answer`, {
    auditId: Type.Optional(Id("The audit entry of the write; absent of a dry run.")),
    dryRun: Type.Optional(Type.Boolean({ description: "True if nothing was written." })),
    changes: Type.Optional(Changes),
    result: Type.Optional(Type.Unsafe<unknown>(result)),
    undo: Type.Optional(UndoStep),
  });
}

function exampleOf(schema: TSchema): { result?: unknown } {
  const [result] = (schema as { examples?: readonly unknown[] }).examples ?? [];
  return result === undefined ? {} : { result };
}

function describe({ description, role, needsPassword }: StaffWrite): string {
  const who = {
    teacher: "everybody on the staff",
    front_desk: "everybody on the staff but teachers",
    manager: "managers and owners",
    owner: "owners",
  }[role];
  const password = needsPassword ? ", who have entered their password within 15 minutes" : "";
  return `${description} For ${who}${password}.`;
}

/** The input as it is declared, which may also say that it is a dry run. */
function withDryRun({ input }: StaffWrite) {
  const dryRun = Type.Optional(
    Type.Boolean({ description: "Carry it out but for the commit, and say what would change." }),
  );
  return Type.Object({ ...input.properties, dryRun }, { additionalProperties: false });
}

function isDryRun(body: unknown): boolean {
  return isObject(body) && body.dryRun === true;
}

/** A body without what is for the door alone. */
function inputOf(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { dryRun, ...input } = body;
  return input;
}

function tidied(write: StaffWrite, raw: unknown): unknown {
  if (!isObject(raw)) return tidyInput(write, raw);
  const { dryRun, ...rest } = raw;
  const input = tidyInput(write, rest);
  return dryRun === undefined || !isObject(input) ? input : { ...input, dryRun };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
