import { type Block, type DayPlacement, LEAST_MINUTES } from "./placement.ts";

/** How high an hour is on the grid, and what stays visible of a session that another one lies over. */
export interface HourSizes {
  readonly hour: number;
  /** The name alone. */
  readonly row: number;
  /** The time above the name: of the first of those that begin together. */
  readonly headedRow: number;
}

export const DESK_SIZES: HourSizes = { hour: 52, row: 24, headedRow: 38 };
/** A finger needs 44 pixels. */
export const PHONE_SIZES: HourSizes = { hour: 60, row: 44, headedRow: 44 };

/** Where the hours of a grid are: those in which many sessions begin at once are higher than others. */
export interface HourScale {
  readonly firstHour: number;
  /** At how many pixels each hour begins; the last one is where the grid ends. */
  readonly tops: readonly number[];
}

/** Room below the last of a heap, so that its end does not look like its beginning. */
const ROOM_BELOW = 8;

/**
 * The hours from the first to the last, each as high as the fullest of the days needs it. With hours of 52 pixels, eight
 * sessions that begin at 07:00 make that hour 38 + 7 × 24 + 8 = 214 pixels high, and one of half an hour, whose time and name need
 * 38 pixels, makes it 76.
 */
export function scaleHours(
  days: readonly DayPlacement[],
  [first, last]: readonly [number, number],
  sizes: HourSizes,
): HourScale {
  const tops = [0];
  for (let hour = first; hour < last; hour += 1) {
    const needed = days.map(({ blocks }) => {
      const begun = blocks.filter((block) => block.isHeaped && Math.floor(block.from / 60) === hour);
      const rows = begun.reduce((sum, block) => sum + rowOf(block, sizes), 0);
      const shortest = blocks
        .filter((block) => Math.floor(block.from / 60) === hour)
        .map(({ from, to }) => (sizes.headedRow * 60) / Math.min(60, Math.max(to - from, LEAST_MINUTES)));
      return Math.max(rows === 0 ? 0 : rows + ROOM_BELOW, ...shortest);
    });
    tops.push((tops.at(-1) ?? 0) + Math.max(sizes.hour, ...needed));
  }
  return { firstHour: first, tops };
}

/** What must stay visible of a session in a heap. */
export function rowOf({ hasTime }: Pick<Block, "hasTime">, { row, headedRow }: HourSizes): number {
  return hasTime ? headedRow : row;
}

export function heightOf({ tops }: HourScale): number {
  return tops.at(-1) ?? 0;
}

/** Where a minute of the day is. */
export function topOf(scale: HourScale, minute: number): number {
  const hours = Math.min(Math.max(minute / 60 - scale.firstHour, 0), scale.tops.length - 1);
  const hour = Math.floor(hours);
  const begin = scale.tops[hour] ?? 0;
  return begin + (hours - hour) * ((scale.tops[hour + 1] ?? begin) - begin);
}

/** Which minute of the day is there. */
export function minuteAt({ firstHour, tops }: HourScale, pixels: number): number {
  const after = tops.findIndex((top) => top > pixels);
  const hour = Math.max(0, after === -1 ? tops.length - 2 : after - 1);
  const [begin = 0, end = 1] = tops.slice(hour, hour + 2);
  return (firstHour + hour + (pixels - begin) / (end - begin)) * 60;
}

export interface BlockPlace {
  readonly top: number;
  readonly height: number;
}

/**
 * Where the blocks of a day are. In a heap each lies over the one before it, but for the row that says what it is: two that
 * begin at 07:00 are at 0 and 36, one that begins at 07:50 is where its time is, if that is below the rows above it.
 */
export function placeBlocks(
  blocks: readonly Block[],
  scale: HourScale,
  sizes: HourSizes,
): ReadonlyMap<string, BlockPlace> {
  const places = new Map<string, BlockPlace>();
  let free = 0;
  const byClock = [...blocks].sort((one, other) => one.from - other.from);
  for (const block of byClock) {
    const begin = topOf(scale, block.from);
    const end = topOf(scale, Math.max(block.to, block.from + LEAST_MINUTES));
    const top = block.isHeaped ? Math.max(begin, free) : begin;
    if (block.isHeaped) free = top + rowOf(block, sizes);
    places.set(block.key, { top, height: Math.max(end - top, block.isHeaped ? rowOf(block, sizes) : 0) });
  }
  return places;
}
