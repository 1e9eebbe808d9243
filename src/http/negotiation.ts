/** The forms that a list may be had in. Single records and all problems are JSON alone. */
export const DOWNLOAD_TYPES = ["text/csv", "application/x-ndjson"] as const;
export type DownloadType = (typeof DOWNLOAD_TYPES)[number];
export type MediaType = "application/json" | DownloadType;

const NAMES: ReadonlyMap<string, MediaType> = new Map([
  ["application/json", "application/json"],
  ["text/csv", "text/csv"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/ndjson", "application/x-ndjson"],
  ["application/jsonl", "application/x-ndjson"],
]);
/** Wildcards that JSON falls under. They choose nothing: who sends them has always had JSON. */
const WILDCARDS: ReadonlySet<string> = new Set(["*/*", "application/*"]);

/**
 * Which form a caller wants, by `Accept`; nothing if it names only forms that this address does not have. A form must
 * be named to be chosen, the highest weight first, JSON before others:
 *
 *     text/csv                             → CSV
 *     text/csv;q=0.5, application/json     → JSON
 *     text/csv, *\/*;q=0.1                 → CSV, or JSON where there is no CSV
 *     text/html, or anything malformed     → JSON
 *
 * One pass over the header, whatever is in it.
 */
export function negotiate(
  accept: string | undefined,
  downloads: readonly DownloadType[],
): MediaType | undefined {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return "application/json";
  const weights = new Map<MediaType, number>();
  let isWildcard = false;
  for (const range of rangesOf(accept)) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const type = NAMES.get(name);
    if (type === undefined && !WILDCARDS.has(name)) continue;
    const weight = weightOf(parameters);
    if (weight === undefined) continue;
    if (type === undefined) isWildcard ||= weight > 0;
    else weights.set(type, Math.max(weight, weights.get(type) ?? 0));
  }
  const jsonWeight = weights.get("application/json");
  let best: MediaType | undefined;
  let bestWeight = jsonWeight ?? 0;
  let isMissing = false;
  for (const [type, weight] of weights) {
    if (type === "application/json" || weight === 0) continue;
    if (!downloads.includes(type)) isMissing = true;
    else if (weight > bestWeight) {
      best = type;
      bestWeight = weight;
    }
  }
  if (best !== undefined) return best;
  const isJsonAccepted = jsonWeight === undefined ? isWildcard : jsonWeight > 0;
  return isMissing && !isJsonAccepted ? undefined : "application/json";
}

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The `q` among the parameters of a range, 1 without one; nothing if it is malformed. */
function weightOf(parameters: readonly string[]): number | undefined {
  const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice("q=".length);
  if (given === undefined) return 1;
  return WEIGHT.test(given) ? Number(given) : undefined;
}

/** The elements of the list. What stands in quotation marks is left out: it may have commas and semicolons. */
function rangesOf(accept: string): string[] {
  if (!accept.includes('"')) return accept.split(",");
  let bare = "";
  for (let i = 0; i < accept.length; ) {
    const open = accept.indexOf('"', i);
    if (open < 0) return (bare + accept.slice(i)).split(",");
    bare += accept.slice(i, open);
    i = open + 1;
    while (i < accept.length && accept[i] !== '"') i += accept[i] === "\\" ? 2 : 1;
    i++;
  }
  return bare.split(",");
}
