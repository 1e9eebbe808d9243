import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { connection, untilNextTry } from "./connection.ts";
import type { Schemas, Writes } from "./operations.ts";
import { ConnectionLost, Problem } from "./problem.ts";
import { refreshReads } from "./reads.ts";
import { request } from "./request.ts";
import { askForPassword, askToSignIn } from "./signing-in.ts";
import { showToast } from "./toasts.ts";
import { toProblem } from "./unexpected.ts";

export type WriteName = keyof Writes;
export type Input<Name extends WriteName> = Writes[Name]["input"];
export type Result<Name extends WriteName> = Writes[Name]["result"];

/** A write that would take back what another one did. */
export interface Undo {
  readonly operation: string;
  readonly input: object;
}

export interface WriteAnswer<Name extends WriteName> {
  readonly auditId?: string;
  readonly result?: Result<Name>;
  readonly undo?: Undo;
}

export interface DryRun<Name extends WriteName> {
  readonly changes: Schemas["ChangeCounts"];
  readonly result?: Result<Name>;
}

export interface WriteOptions {
  /** What to say when it is done; with an undo where there is one. */
  readonly said?: string | undefined;
  /** How to take it back, if the server does not know: an edit back needs what was there before. */
  readonly undo?: Undo | undefined;
  /** What to say when it was taken back, if that did not bring everything back. */
  readonly undone?: ((result: unknown) => string | undefined) | undefined;
}

/** How many writes wait for the connection. What only asks, as a dry run does, is none. */
export const unsent = signal(0);
/** The bookings that a write waits for which was lost on its way: it is sent again. */
export const queuedBookings = signal<ReadonlySet<string>>(new Set());
/** A server that is busy is asked this often before the person is told. */
const MOST_TRIES_OF_BUSY = 6;

/**
 * Carries a write out, once. Without a connection it waits and is sent again with the same key, so that nothing is lost or
 * done twice. Throws a `Problem` if it is refused.
 */
export async function write<Name extends WriteName>(
  name: Name,
  input: Input<Name>,
  options: WriteOptions = {},
): Promise<WriteAnswer<Name>> {
  const answer = await send<WriteAnswer<Name>>(name, input, crypto.randomUUID());
  refreshReads();
  const undo = options.undo ?? answer.undo;
  if (options.said !== undefined) showToast(options.said, undo && (() => undoWrite(undo, options.undone)));
  return answer;
}

/** What a write would do; nothing is done. */
export function dryRun<Name extends WriteName>(name: Name, input: Input<Name>): Promise<DryRun<Name>> {
  return send(name, { ...input, dryRun: true });
}

/** What taking a write back would do; nothing is done. */
export function dryRunUndo({ operation, input }: Undo): Promise<DryRun<WriteName>> {
  return send(operation, { ...input, dryRun: true });
}

/** Carries out what takes a write back, and says of its result what there is to say; false if it was refused. */
export async function undoWrite(
  { operation, input }: Undo,
  undone: (result: unknown) => string | undefined = () => undefined,
): Promise<boolean> {
  let isUndone = true;
  try {
    const { result } = await send<{ result?: unknown }>(operation, input, crypto.randomUUID());
    const said = undone(result);
    if (said !== undefined) showToast(said);
  } catch (error) {
    isUndone = false;
    showToast(toProblem(error).message, undefined, "problem");
  }
  refreshReads();
  return isUndone;
}

/** A write of a form or a button: whether it is under way, and what it was refused with. */
export function useWrite<Name extends WriteName>(name: Name) {
  const [state, setState] = useState<{ isBusy: boolean; problem: Problem | undefined }>({
    isBusy: false,
    problem: undefined,
  });
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return {
    ...state,
    /**
     * The answer, or undefined if it was refused: `problem` then says why. A second click while it is under way does nothing.
     * Whoever has left the form meanwhile stays where they are: it is undefined for them too, and a refusal is a toast.
     */
    async run(input: Input<Name>, options: WriteOptions = {}): Promise<WriteAnswer<Name> | undefined> {
      if (state.isBusy) return undefined;
      setState({ isBusy: true, problem: undefined });
      try {
        const answer = await write(name, input, options);
        setState({ isBusy: false, problem: undefined });
        return isShown.current ? answer : undefined;
      } catch (error) {
        const problem = toProblem(error);
        if (isShown.current) setState({ isBusy: false, problem });
        else showToast(problem.message, undefined, "problem");
        return undefined;
      }
    },
    forget: () => setState({ isBusy: false, problem: undefined }),
  };
}

/** The writes of buttons that are under way. */
const underWay = new Set<string>();

/**
 * A write behind a button that has no place for a problem: it is told in a toast. A second click while the same is under way
 * does nothing; it would be a second entry of the history, with an undo that takes nothing back.
 */
export async function writeOrTell<Name extends WriteName>(
  name: Name,
  input: Input<Name>,
  options: WriteOptions = {},
): Promise<WriteAnswer<Name> | undefined> {
  const asked = `${name} ${JSON.stringify(input)}`;
  if (underWay.has(asked)) return undefined;
  underWay.add(asked);
  try {
    return await write(name, input, options);
  } catch (error) {
    showToast(toProblem(error).message, undefined, "problem");
    refreshReads();
    return undefined;
  } finally {
    underWay.delete(asked);
  }
}

/** Sends a request until it is answered: also after a lost connection, a sign-in that ended or a busy server. */
export async function send<Answer>(name: string, body: unknown, key?: string): Promise<Answer> {
  const isWrite = key !== undefined;
  if (isWrite) unsent.value += 1;
  const bookingId = isWrite ? bookingOf(body) : undefined;
  try {
    for (let failures = 0; ; failures += 1) {
      try {
        const answer = await request<Answer>(`/app/v1/${name}`, { method: "POST", body, key });
        connection.value = "there";
        return answer;
      } catch (error) {
        if (error instanceof ConnectionLost) {
          connection.value = "lost";
          if (bookingId !== undefined) queuedBookings.value = new Set([...queuedBookings.value, bookingId]);
          await untilNextTry(failures);
        } else if (!(error instanceof Problem) || !(await canGoOn(error, failures))) throw error;
      }
    }
  } finally {
    if (isWrite) unsent.value -= 1;
    if (bookingId !== undefined && queuedBookings.value.has(bookingId))
      queuedBookings.value = new Set([...queuedBookings.value].filter((id) => id !== bookingId));
  }
}

const bookingOf = (body: unknown): string | undefined => (body as { readonly bookingId?: string }).bookingId;

/** Whether the same request can succeed now: after signing in, after the password, or after a while. */
async function canGoOn(problem: Problem, failures: number): Promise<boolean> {
  if (problem.reason === "signed_out") return askToSignIn();
  if (problem.reason === "stale_sign_in") return askForPassword();
  const isBusy =
    problem.status === 503 || (problem.status === 409 && problem.retryAfterSeconds !== undefined);
  if (!isBusy || failures >= MOST_TRIES_OF_BUSY) return false;
  await untilNextTry(failures);
  return true;
}
