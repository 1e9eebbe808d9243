import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { conflict, notFound, unavailable } from "../../core/errors.ts";
import { isLockTimeout } from "../../db/statement-errors.ts";
import { checkServers, requireSameTzdata } from "./checks.ts";
import { putGuards, removeGuards } from "./guards.ts";
import * as moves from "./moves.ts";
import * as replication from "./replication.ts";

/**
 * Moves an organization from one PostgreSQL to another while it is used. Each step can be repeated, and what the two servers say
 * of the move tells how far it is, so that a command that was killed goes on when it is run again. Until the departure is
 * committed at the source the organization is there; from then on it is the target's, which has it as soon as the row of the
 * departure has arrived behind all that was written before. See docs/decisions/moving.md.
 */
export interface MoveServers {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

export interface MoveRequest {
  readonly organizationId: string;
  /** The public address of the target's nodes. */
  readonly url: string;
  /** Throws if nobody answers there who serves the target. */
  readonly checkAddress: () => Promise<void>;
  /** Where the target's PostgreSQL finds the source's. */
  readonly sourceUrl: string;
  /** The time of the source. */
  readonly now: () => Promise<number>;
  /** Told of each step when it is done. */
  readonly say: (step: MoveStep, sentence: string) => void;
  /** Writes into the trail of a server that it has left there or arrived. */
  readonly record: moves.RecordMove;
  /** How long writers are waited for, in milliseconds; without it two minutes. */
  readonly patienceMs?: number;
  /** Called once the target has the organization, and again if the command is repeated. */
  readonly onArrived?: () => Promise<void>;
}

/** In their order. */
export const MOVE_STEPS = [
  "begun",
  "guarded",
  "published",
  "subscribed",
  "copied",
  "closing",
  "left",
  "arrived",
  "unsubscribed",
  "settled",
  "done",
] as const;
export type MoveStep = (typeof MOVE_STEPS)[number];

export interface MoveResult {
  readonly organizationId: string;
  readonly movedTo: string;
  /** How long writes had to wait, or were refused; absent if the organization had left before. */
  readonly pauseMs?: number;
}

const POLL_MS = 250;
/** So short must the way to the target be before the organization leaves. */
const LAG_MS = 500;
const LONGEST_LAG_MS = 10_000;
/** Whoever writes for so long, most likely an import, is not waited for any longer. */
const LEAVING_MS = 120_000;
const ARRIVING_MS = 60_000;
/** What fails within so long failed for one reason: each table has a worker, and all lose their connection at once. */
const ROUND_MS = 2_000;
const FAILED_ROUNDS = 3;

export async function moveOrganization(servers: MoveServers, request: MoveRequest): Promise<MoveResult> {
  const { source, target } = servers;
  const { organizationId, url, say } = request;
  const known = await moves.findMove(source, organizationId);
  if (known?.side === "target")
    throw conflict(
      "This organization is on its way to the server of DATABASE_URL: run the command with the DATABASE_URL of the server that it comes from.",
    );
  const to = await moves.identifyDatabase(target);
  if (known && known.target !== to) throw anotherTarget(known);
  await request.checkAddress();
  if (known && known.url !== url) await moves.leadTo(source, known, url);
  let pauseMs: number | undefined;
  const move = { ...(known ?? { id: randomUUID(), organizationId, target: to }), url };
  if (!known?.hasLeft) {
    await checkServers(servers, organizationId, known !== undefined);
    await prepare(servers, request, move, known !== undefined);
    await copy(servers, request, move);
    pauseMs = await depart(servers, request, move);
  } else if (!(await isSettled(target, move))) await requireArrival(target, move);
  say(
    "arrived",
    `The target has it${pauseMs === undefined ? "" : `: writes waited for ${Math.round(pauseMs)} ms`}.`,
  );
  await request.onArrived?.();
  await finish(servers, request, move);
  return { organizationId, movedTo: url, ...(pauseMs !== undefined && { pauseMs: Math.round(pauseMs) }) };
}

async function prepare(
  { source, target }: MoveServers,
  { sourceUrl, say }: MoveRequest,
  move: moves.Move,
  isBegun: boolean,
): Promise<void> {
  const there = await moves.findMove(target, move.organizationId);
  if (there && there.id !== move.id)
    throw conflict("The target waits for this organization by another move, which was not taken back there.");
  if (!isBegun) await moves.beginAtSource(source, move);
  await moves.expectAtTarget(target, move);
  say("begun", "The move has begun; the organization stays where it is for now.");
  await putGuards(target, move);
  await putGuards(source, move);
  say("guarded", "Each table refuses writes to the organization where it is not.");
  await replication.publish(source, move);
  say("published", "The source offers its rows.");
  await replication.subscribe({ source, target }, move, sourceUrl);
  say("subscribed", "The target copies them, and follows what is written meanwhile.");
}

async function copy({ target }: MoveServers, { say }: MoveRequest, move: moves.Move): Promise<void> {
  let last = await replication.copyProgress(target, move);
  let failedRounds = 0;
  let roundBegunAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    const progress = await replication.copyProgress(target, move);
    if (progress.tables > 0 && progress.copied === progress.tables) break;
    if (progress.copied > last.copied) failedRounds = 0;
    if (progress.failures > last.failures && performance.now() > roundBegunAt + ROUND_MS) {
      failedRounds += 1;
      roundBegunAt = performance.now();
    }
    last = progress;
    if (failedRounds === FAILED_ROUNDS)
      throw unavailable(
        'The target\'s PostgreSQL cannot take the organization in: its log says which row it refuses. Nothing has changed for callers; "--back-out" takes the move back.',
      );
    await delay(POLL_MS);
  }
  // Without it the first searches would be planned for an organization without rows.
  await replication.analyze(target);
  say("copied", "All of it is copied.");
}

/** Resolves to the milliseconds for which nobody could write. */
async function depart(servers: MoveServers, request: MoveRequest, move: moves.Move): Promise<number> {
  const { source, target } = servers;
  const { organizationId, say } = request;
  let begunAt: number;
  try {
    while (await moves.closeWebhooks(source, organizationId, await request.now())) await delay(POLL_MS);
    say("closing", "No webhook is under way.");
    begunAt = await leave(servers, request, move);
  } catch (error) {
    // Also if it cannot be known whether it has left: then nothing is sent from here anyway.
    await moves.openWebhooks(source, organizationId).catch(() => {});
    throw error;
  }
  say("left", "It has left the source.");
  await requireArrival(target, move);
  return performance.now() - begunAt;
}

/** Resolves to when writers began to wait, in milliseconds as the process counts them. */
async function leave(
  servers: MoveServers,
  { patienceMs = LEAVING_MS, record }: MoveRequest,
  move: moves.Move,
): Promise<number> {
  for (const deadline = performance.now() + patienceMs; ; ) {
    const lagMs = await replication.measureLag(servers, move, LONGEST_LAG_MS);
    const isNear = lagMs !== undefined && lagMs <= LAG_MS;
    // Looked for last: what it has written so far is not at the target, and would come ahead of the departure.
    const longWrite = await moves.findLongWrite(servers.source, move);
    if (isNear && !longWrite) await requireSameTzdata(servers.source, servers.target);
    const begunAt = performance.now();
    if (isNear && !longWrite && (await tryToLeave(servers.source, move, record))) return begunAt;
    if (performance.now() > deadline) throw unavailable(whyNotLeft(isNear, longWrite));
    await delay(POLL_MS);
  }
}

function whyNotLeft(isNear: boolean, longWrite: moves.LongWrite | undefined): string {
  if (longWrite) {
    const { pid, application, seconds } = longWrite;
    return `A transaction has written to the organization for ${seconds} s, process ${pid} of the source's PostgreSQL (${application || "without a name"}). It is still at the source, where all goes on: run the command again when that has ended.`;
  }
  return isNear
    ? "The organization is written to without a pause. It is still at the source, where all goes on: run the command again later."
    : "The target does not keep up with the source. The organization is still at the source, where all goes on: run the command again when less is written.";
}

async function requireArrival(target: pg.Client, move: moves.Move): Promise<void> {
  if (!(await replication.hasArrived(target, move, ARRIVING_MS)))
    throw unavailable(
      "The organization has left the source and has not arrived at the target within a minute: see the log of the target's PostgreSQL, and run the command again.",
    );
}

/** False if writers were not done within the moment for which others may be kept waiting. */
async function tryToLeave(source: pg.Client, move: moves.Move, record: moves.RecordMove): Promise<boolean> {
  try {
    await moves.leave(source, move, record);
    return true;
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    return false;
  }
}

/** Whether the target has it like any other. */
async function isSettled(target: pg.Client, { organizationId }: moves.Move): Promise<boolean> {
  if (await moves.findMove(target, organizationId)) return false;
  if (await moves.hasOrganization(target, organizationId)) return true;
  throw conflict(
    "The target knows nothing of this organization. If the move was taken back there, take it back here too, with --back-out; if it has moved on from there, there is nothing to do.",
  );
}

async function finish(servers: MoveServers, { say, record }: MoveRequest, move: moves.Move): Promise<void> {
  const { source, target } = servers;
  await replication.unsubscribe(servers, move);
  say("unsubscribed", "The target follows the source no more.");
  await moves.settleAtTarget(target, move, record);
  say("settled", "The target has it like any other organization.");
  await removeGuards(target, move);
  await replication.unpublish(source, move);
  say("done", "The source leads callers to the target, until its old copy is removed.");
}

/** Takes a move back that has not arrived: the source has the organization, and the target nothing of it. */
export async function backOut(servers: MoveServers, organizationId: string): Promise<void> {
  const { source, target } = servers;
  const here = await moves.findMove(source, organizationId);
  const there = await moves.findMove(target, organizationId);
  const move = here?.side === "source" ? here : there;
  if (!move || here?.side === "target")
    throw notFound("No move of this organization from the server of DATABASE_URL is under way.");
  if (here && here.target !== (await moves.identifyDatabase(target))) throw anotherTarget(here);
  if (here && there && here.id !== there.id)
    throw conflict("The target waits for this organization by another move, from another server.");
  // The last step of a move ends what is published. What the target has done with it since is its own business.
  if (here?.hasLeft && !(await replication.isPublished(source, move)))
    throw conflict(
      `The move is done: the organization went to ${here.url}, from where it can be moved back if it must be.`,
    );
  if (here?.hasLeft && !there && (await moves.hasOrganization(target, organizationId))) throw tooLate();
  await replication.unsubscribe(servers, move);
  // Nothing can arrive any more. What has arrived has arrived.
  const arrived = await moves.findMove(target, organizationId);
  if (arrived?.hasLeft) throw tooLate();
  if (arrived) await moves.removeRows(target, move);
  await removeGuards(target, move);
  if (here) await moves.stayAtSource(source, move);
  await removeGuards(source, move);
  await replication.unpublish(source, move);
}

function anotherTarget({ url }: moves.Move): Error {
  return conflict(
    `This organization is being moved to the database of ${url}, or has been: --to names another one.`,
  );
}

function tooLate(): Error {
  return conflict(
    "The target has the organization already: run the command without --back-out to finish the move, and move it back from there if it must be.",
  );
}

/** Removes the old copy of an organization that has moved. Callers are not led to the new place any more. */
export async function removeCopy(source: pg.Client, organizationId: string): Promise<void> {
  const move = await moves.findMove(source, organizationId);
  if (move?.side !== "source" || !move.hasLeft)
    throw conflict("This organization has not moved away from the server of DATABASE_URL.");
  if (await replication.isPublished(source, move))
    throw conflict('The move is not finished: run "rollbook org move" once more as before.');
  await moves.removeRows(source, move);
  await removeGuards(source, move);
}
