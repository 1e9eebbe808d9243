/** How far the clocks of a time zone are ahead of UTC at an instant, in minutes. */
function offsetAt(ms: number, timeZone: string): number {
  const local = partsFormat(timeZone).format(new Date(ms)).replace(" ", "T");
  return Math.round((Date.parse(`${local}Z`) - ms) / 60_000);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function partsFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  formats.set(timeZone, made);
  return made;
}

/** By how many minutes the clocks of a time zone are put forward on a date; 0 on nearly all, negative if back. */
export function clockChangeOn(date: string, timeZone: string): number {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const before = offsetAt(midnight - offsetAt(midnight, timeZone) * 60_000, timeZone);
  const begin = midnight - before * 60_000;
  // Looked at from 23:30 of the evening before, for zones that change at midnight, to 23:30 of the day.
  return offsetAt(begin + 23.5 * 3_600_000, timeZone) - offsetAt(begin - 1_800_000, timeZone);
}

/** Whether the clocks show the same time another hour on this day: 02:30 in the night in which they go back. */
export function isRepeatedTime(instant: string, timeZone: string): boolean {
  const ms = Date.parse(instant);
  const offset = offsetAt(ms, timeZone);
  return [-1, 1].some((side) => {
    const change = offsetAt(ms + side * 3 * 3_600_000, timeZone) - offset;
    return change !== 0 && offsetAt(ms - change * 60_000, timeZone) === offset + change;
  });
}
