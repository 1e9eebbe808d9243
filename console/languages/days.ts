// Dates as the server writes them (`2026-11-16`), counted without any clock.

export function addDays(date: string, days: number): string {
  const moved = new Date(`${date}T00:00:00Z`);
  moved.setUTCDate(moved.getUTCDate() + days);
  return moved.toISOString().slice(0, 10);
}

/** From the first to the second; negative if it lies before. */
export function daysBetween(first: string, second: string): number {
  return Math.round((Date.parse(`${second}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / 86_400_000);
}

/** The day on which the week of a date begins. */
export function weekBegin(date: string, weekStart: "monday" | "sunday"): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((weekday - (weekStart === "monday" ? 1 : 0) + 7) % 7));
}

/**
 * Whether it is a date that something can take place on. While somebody types the year 2027 into a field the browser gives
 * the years 2, 20 and 202 first, and no week can be counted from the first days of the calendar or its last.
 */
export function isDate(text: string | null | undefined): text is string {
  return (
    typeof text === "string" &&
    /^(?:1[89]|[2-8]\d)\d{2}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  );
}
