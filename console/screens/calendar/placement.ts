import type { Schemas } from "../../api/operations.ts";
import { addDays } from "../../languages/days.ts";
import { keyOfSession } from "../../routing/session-name.ts";

export type CalendarSession = Schemas["NamedCalendarSession"];

/** What a day shows of a session. One that goes past midnight has a block on each of its days. */
export interface Block {
  readonly key: string;
  readonly session: CalendarSession;
  readonly date: string;
  /** Minutes of the wall clock since midnight. */
  readonly from: number;
  readonly to: number;
  /** It began on an earlier day. */
  readonly isContinued: boolean;
  /**
   * Which of the lanes beside each other it is in, over how many of them it reaches, and how many there are. In a heap the
   * lane says how far it is set in.
   */
  readonly lane: number;
  readonly span: number;
  readonly lanes: number;
  /** More take place at once than fit beside each other: it lies over others, or others over it. */
  readonly isHeaped: boolean;
  /** Whether it says its time: in a heap the first of those that begin together does. */
  readonly hasTime: boolean;
}

export interface DayPlacement {
  readonly date: string;
  /** By instant: on a day on which an hour comes twice, that is not the order of the clock. */
  readonly blocks: readonly Block[];
}

const DAY_MINUTES = 1_440;
/** A shorter session is drawn as long as this, so that it can be read and hit. */
export const LEAST_MINUTES = 30;

/** Where the sessions are on these days: at most `mostLanes` beside each other, and more than that in a heap. */
export function placeSessions(
  sessions: readonly CalendarSession[],
  dates: readonly string[],
  mostLanes: number,
): readonly DayPlacement[] {
  const byDate = new Map<string, Piece[]>(dates.map((date) => [date, []]));
  for (const session of sessions) for (const piece of piecesOf(session)) byDate.get(piece.date)?.push(piece);
  return [...byDate].map(([date, pieces]) => placeDay(date, pieces, mostLanes));
}

type Piece = Omit<Block, "lane" | "span" | "lanes" | "isHeaped" | "hasTime">;

/** The session day by day, as the clocks of its location show it. */
function piecesOf(session: CalendarSession): Piece[] {
  const { localStart = session.startAt, localEnd = session.endAt, startAt, endAt } = session;
  const [first, last] = [localStart.slice(0, 10), localEnd.slice(0, 10)];
  const from = minuteOf(localStart);
  const key = keyOfSession(session);
  if (first === last) {
    // Where clocks go back it can end before it began, by the clock; then its length counts.
    const end = minuteOf(localEnd);
    const to = end > from ? end : from + (Date.parse(endAt) - Date.parse(startAt)) / 60_000;
    return [{ key, session, date: first, from, to: Math.min(to, DAY_MINUTES), isContinued: false }];
  }
  const pieces: Piece[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    const isFirst = date === first;
    const to = date === last ? minuteOf(localEnd) : DAY_MINUTES;
    if (to > 0)
      pieces.push({
        key: isFirst ? key : `${key}~${date}`,
        session,
        date,
        from: isFirst ? from : 0,
        to,
        isContinued: !isFirst,
      });
  }
  return pieces;
}

function minuteOf(local: string): number {
  return Number(local.slice(11, 13)) * 60 + Number(local.slice(14, 16));
}

function placeDay(date: string, pieces: readonly Piece[], mostLanes: number): DayPlacement {
  const blocks: Block[] = [];
  for (const cluster of clustersOf(pieces)) {
    const lanes = fillLanes(cluster);
    const isHeaped = lanes.length > mostLanes;
    lanes.forEach((lane, index) => {
      for (const piece of lane) {
        const span = isHeaped ? 1 : spanOf(piece, lanes, index);
        const isFirst = cluster.find(({ from }) => from === piece.from) === piece;
        blocks.push({
          ...piece,
          lane: index,
          span,
          lanes: lanes.length,
          isHeaped,
          hasTime: !isHeaped || isFirst,
        });
      }
    });
  }
  return { date, blocks: blocks.sort(byInstant) };
}

/** Groups of pieces that touch each other, if only by way of a third. */
function clustersOf(pieces: readonly Piece[]): Piece[][] {
  const sorted = [...pieces].sort((a, b) => a.from - b.from || byInstant(a, b) || b.to - a.to);
  const clusters: Piece[][] = [];
  let reach = -1;
  for (const piece of sorted) {
    if (piece.from >= reach) clusters.push([]);
    clusters.at(-1)?.push(piece);
    reach = Math.max(reach, endOf(piece));
  }
  return clusters;
}

function fillLanes(cluster: readonly Piece[]): Piece[][] {
  const lanes: Piece[][] = [];
  for (const piece of cluster) {
    const free = lanes.find((lane) => endOf(lane.at(-1) ?? piece) <= piece.from);
    if (free) free.push(piece);
    else lanes.push([piece]);
  }
  return lanes;
}

/** A piece is as wide as the room beside it. */
function spanOf(piece: Piece, lanes: readonly (readonly Piece[])[], lane: number): number {
  let span = 1;
  while (lanes[lane + span]?.every((other) => other.from >= endOf(piece) || endOf(other) <= piece.from))
    span += 1;
  return span;
}

function endOf({ from, to }: Piece): number {
  return Math.max(to, from + LEAST_MINUTES);
}

function byInstant(a: { readonly session: CalendarSession }, b: { readonly session: CalendarSession }) {
  return a.session.startAt < b.session.startAt ? -1 : a.session.startAt > b.session.startAt ? 1 : 0;
}

/**
 * Which element of its day each block has: the one that it had, if it was shown before, and else the first that is free. So
 * another week is written into the elements of this one, and what somebody has the focus on never turns into something else.
 */
export function elementsOf(
  blocks: readonly Block[],
  last: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const taken = new Set(blocks.map(({ key }) => last.get(key)));
  let next = 0;
  return new Map(
    blocks.map(({ key }) => {
      const own = last.get(key);
      if (own !== undefined) return [key, own];
      while (taken.has(next)) next += 1;
      return [key, next++];
    }),
  );
}

/** The hours that are used on any of the days, with a working day where there is nothing. */
export function usedHours(days: readonly DayPlacement[]): readonly [first: number, last: number] {
  const blocks = days.flatMap((day) => day.blocks);
  if (blocks.length === 0) return [8, 20];
  const first = Math.min(...blocks.map(({ from }) => Math.floor(from / 60)));
  const last = Math.max(...blocks.map(({ from, to }) => Math.ceil(Math.max(to, from + LEAST_MINUTES) / 60)));
  return [first, Math.min(24, last)];
}

/** The session that an arrow key leads to: up and down within the day, sideways to the nearest of another day. */
export function neighbourOf(days: readonly DayPlacement[], key: string, move: string): string | undefined {
  const place = days.findIndex(({ blocks }) => blocks.some((block) => block.key === key));
  const blocks = days[place]?.blocks ?? [];
  const index = blocks.findIndex((block) => block.key === key);
  const current = blocks[index];
  if (!current) return undefined;
  switch (move) {
    case "ArrowDown":
      return blocks[index + 1]?.key;
    case "ArrowUp":
      return blocks[index - 1]?.key;
    case "Home":
      return blocks[0]?.key;
    case "End":
      return blocks.at(-1)?.key;
    case "ArrowRight":
      return nearest(days.slice(place + 1), current.from);
    case "ArrowLeft":
      return nearest(days.slice(0, place).reverse(), current.from);
    default:
      return undefined;
  }
}

function nearest(days: readonly DayPlacement[], minute: number): string | undefined {
  const blocks = days.find((day) => day.blocks.length > 0)?.blocks ?? [];
  return [...blocks].sort((a, b) => Math.abs(a.from - minute) - Math.abs(b.from - minute))[0]?.key;
}
