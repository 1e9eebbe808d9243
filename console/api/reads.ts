import { type Signal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { connection, untilNextTry } from "./connection.ts";
import type { Reads } from "./operations.ts";
import { ConnectionLost, Problem } from "./problem.ts";
import { request } from "./request.ts";
import { askToSignIn } from "./signing-in.ts";
import { toProblem } from "./unexpected.ts";

export type ReadPath = keyof Reads;
export type Answer<Path extends ReadPath> = Reads[Path]["answer"];

type Optional<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };
export interface ReadOptions<Path extends ReadPath> {
  readonly params?: Reads[Path]["params"];
  readonly query?: Optional<Reads[Path]["query"]>;
}

/** Where a read is, with its parameters in a fixed order. */
export function addressOf<Path extends ReadPath>(
  path: Path,
  { params, query }: ReadOptions<Path> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name] ?? "")),
  );
  const given = Object.entries((query ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]): [string, string] => [name, String(value)]);
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}

/** Reads once, without keeping the answer. */
export function readOnce<Path extends ReadPath>(
  path: Path,
  options: ReadOptions<Path> = {},
  abort?: AbortSignal,
): Promise<Answer<Path>> {
  return request<Answer<Path>>(addressOf(path, options), { signal: abort });
}

/** What a screen knows of a read. */
export interface Reading<Data> {
  /** The last answer; stays while it is asked for again. */
  readonly data: Data | undefined;
  readonly problem: Problem | undefined;
  readonly isLoading: boolean;
}

interface KeptAnswer {
  readonly state: Signal<Reading<unknown>>;
  users: number;
  /** The number of the last request. */
  asked: number;
  /** The request whose answer is shown: one to an older request comes too late. */
  answered: number;
  /** Something may have changed since the answer. */
  isStale: boolean;
  lastUse: number;
}

const kept = new Map<string, KeptAnswer>();
/** Answers beyond this number are forgotten, the longest unused first. */
const MOST_KEPT = 60;

/**
 * The answer of a read, drawn again when it changes. Known answers are shown at once and asked for again behind them.
 * With `undefined` as the path nothing is read. With `keepsLast`, the last answer stays while another address loads, as
 * for a search while somebody types.
 */
export function useRead<Path extends ReadPath>(
  path: Path | undefined,
  options: ReadOptions<Path> = {},
  { keepsLast = false }: { readonly keepsLast?: boolean } = {},
): Reading<Answer<Path>> {
  return useAddress<Answer<Path>>(path === undefined ? undefined : addressOf(path, options), keepsLast);
}

function useAddress<Data>(address: string | undefined, keepsLast: boolean): Reading<Data> {
  const last = useRef<unknown>(undefined);
  useEffect(() => {
    if (address === undefined) return;
    const entry = entryOf(address);
    entry.users += 1;
    // Changed since it was drawn, when nobody was known to look at it.
    if (entry.isStale) void load(address, entry);
    return () => {
      entry.users -= 1;
      entry.lastUse = performance.now();
      forgetOldest();
    };
  }, [address]);
  if (address === undefined) return NOTHING as Reading<Data>;
  const entry = entryOf(address);
  if (entry.asked === 0 || (entry.isStale && entry.users === 0)) void load(address, entry);
  const reading = entry.state.value as Reading<Data>;
  if (reading.data !== undefined) last.current = reading.data;
  if (keepsLast && reading.data === undefined && !reading.problem && last.current !== undefined)
    return { ...reading, data: last.current as Data };
  return reading;
}

const NOTHING: Reading<unknown> = { data: undefined, problem: undefined, isLoading: false };

/** The most that one page of a list has. */
const WHOLE_PAGE = 200;
/** Stands behind the address of a list that is read to its end. */
const WHOLE = "#whole";

type ListPath = {
  [Path in ReadPath]: "limit" | "offset" extends keyof Reads[Path]["query"] ? Path : never;
}[ReadPath];

/** A list to its end, for choices and names: an organization may have more of something than one page shows. */
export function useWholeList<Path extends ListPath>(
  path: Path,
  query: Optional<Reads[Path]["query"]> = {},
  { keepsLast = false }: { readonly keepsLast?: boolean } = {},
): Reading<Answer<Path>> {
  const address = addressOf(path, { query: { ...query, limit: WHOLE_PAGE } } as ReadOptions<Path>);
  return useAddress<Answer<Path>>(`${address}${WHOLE}`, keepsLast);
}

/** Asks again for whatever is shown: somebody wrote, here or elsewhere. */
export function refreshReads(): void {
  for (const [address, entry] of kept) {
    entry.isStale = true;
    if (entry.users > 0) void load(address, entry);
  }
}

/** Keeps an answer that was read otherwise, so that it is not asked for again. */
export function keepAnswer<Path extends ReadPath>(path: Path, data: Answer<Path>): void {
  const entry = entryOf(addressOf(path));
  entry.asked += 1;
  entry.answered = entry.asked;
  entry.state.value = { data, problem: undefined, isLoading: false };
}

/** Begins to read what a screen will ask for. */
export function preload<Path extends ReadPath>(path: Path, options: ReadOptions<Path> = {}): void {
  const address = addressOf(path, options);
  const entry = entryOf(address);
  if (entry.asked === 0) void load(address, entry);
}

function entryOf(address: string): KeptAnswer {
  const known = kept.get(address);
  if (known) return known;
  const entry: KeptAnswer = {
    state: signal({ data: undefined, problem: undefined, isLoading: true }),
    users: 0,
    asked: 0,
    answered: 0,
    isStale: false,
    lastUse: performance.now(),
  };
  kept.set(address, entry);
  return entry;
}

async function load(address: string, entry: KeptAnswer): Promise<void> {
  entry.asked += 1;
  entry.isStale = false;
  const turn = entry.asked;
  for (let failures = 0; ; failures += 1) {
    try {
      const data = await fetchData(address);
      connection.value = "there";
      // Shown although it was asked for again meanwhile: while others write without end, no answer would be the last.
      if (turn > entry.answered) {
        entry.answered = turn;
        entry.state.value = { data, problem: undefined, isLoading: false };
      }
      return;
    } catch (error) {
      if (turn !== entry.asked) return;
      if (error instanceof Problem && error.reason === "signed_out") {
        await askToSignIn();
        continue;
      }
      const isLost = error instanceof ConnectionLost;
      const problem = isLost ? undefined : toProblem(error);
      if (problem && problem.status !== 503) {
        entry.state.value = {
          data: problem.status === 404 ? undefined : entry.state.value.data,
          problem,
          isLoading: false,
        };
        return;
      }
      if (isLost) connection.value = "lost";
      await untilNextTry(failures);
    }
  }
}

interface ListAnswer {
  readonly data: readonly unknown[];
  readonly total: number;
}

async function fetchData(address: string): Promise<unknown> {
  if (!address.endsWith(WHOLE)) return request(address);
  const page = address.slice(0, -WHOLE.length);
  const first = await request<ListAnswer>(page);
  const data = [...first.data];
  while (data.length < first.total) {
    const next = await request<ListAnswer>(`${page}&offset=${data.length}`);
    // Somebody deleted some meanwhile.
    if (next.data.length === 0) break;
    data.push(...next.data);
  }
  return { ...first, data };
}

function forgetOldest(): void {
  if (kept.size <= MOST_KEPT) return;
  const unused = [...kept]
    .filter(([, { users }]) => users === 0)
    .sort(([, a], [, b]) => a.lastUse - b.lastUse);
  for (const [address] of unused.slice(0, kept.size - MOST_KEPT)) kept.delete(address);
}
