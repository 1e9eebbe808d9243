import type { Exchange } from "./exchange.ts";
import { count, type Report, type Result } from "./run.ts";
import { isObject } from "./shapes.ts";

/** A run as a person reads it, and as machines do. No report has a person's data, nor the key. */

/** Members whose values are of persons. */
const PERSONAL = new Set([
  ...["contactName", "contactEmail", "contactPhone", "birthdate", "notes", "value", "clientName"],
  ...["line1", "line2", "city", "state", "postalCode", "country"],
]);
const EXCHANGES = 4;
const EXCERPT = 400;

/** Failures first, with what was asked, what is said and what came; then what could not be looked at, and what holds. */
export function reportText(report: Report): string {
  const { results, url, writes, startedAt } = report;
  const { passed, failed, skipped } = count(report);
  const lines = [
    `${url}, ${startedAt}${writes ? ", with writes" : ""}`,
    `${passed} checks passed, ${failed} failed, ${skipped} had nothing to look at.`,
  ];
  for (const result of of(results, "failed")) lines.push("", ...describeFailure(result));
  if (skipped > 0) lines.push("", "Nothing to look at:");
  for (const { id, reason } of of(results, "skipped")) lines.push(`  ${id}: ${reason}`);
  if (passed > 0) lines.push("", "Passed:");
  for (const { id, title } of of(results, "passed")) lines.push(`  ${id}: ${title}`);
  return `${lines.join("\n")}\n`;
}

function of(results: readonly Result[], outcome: Result["outcome"]): Result[] {
  return results.filter((result) => result.outcome === outcome);
}

function describeFailure({ id, title, source, says, reason, exchanges }: Result): string[] {
  const last = exchanges.slice(-EXCHANGES);
  const left = exchanges.length - last.length;
  return [
    `FAILED ${id}: ${title}`,
    `  ${source === "details" ? "The settled details say" : `The specification says (${source})`}: ${says}`,
    `  What came: ${reason}`,
    ...(left > 0 ? [`  Asked before: ${left} more`] : []),
    ...last.map((exchange) => `  Asked: ${describeExchange(exchange)}`),
  ];
}

function describeExchange({ method, path, sent, status, text, headers }: Exchange): string {
  const type = headers.get("content-type");
  const asked = [
    `${method} ${withoutPersons(path)}`,
    ...(sent === undefined ? [] : [withoutData(sent)]),
  ].join(" ");
  return `${asked}\n    ${[status, type, withoutData(text)].filter((part) => part !== null && part !== "").join(" ")}`;
}

/** What was searched for may be a person's. */
function withoutPersons(path: string): string {
  return path.replace(/([?&]query=)[^&]+/, "$1…");
}

/** A body in short, without what is a person's. */
function withoutData(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return shortened(text);
  }
  return shortened(
    JSON.stringify(value, (name, member) =>
      PERSONAL.has(name) && !isObject(member) && member !== null && member !== "" ? "…" : member,
    ),
  );
}

function shortened(text: string): string {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}

/** For programs: every result, with what was asked in failures. */
export function reportJson(report: Report): string {
  const results = report.results.map(({ exchanges, ...result }) => ({
    ...result,
    ...(result.outcome === "failed" && {
      exchanges: exchanges.slice(-EXCHANGES).map((exchange) => ({
        method: exchange.method,
        path: withoutPersons(exchange.path),
        ...(exchange.sent !== undefined && { sent: withoutData(exchange.sent) }),
        status: exchange.status,
        contentType: exchange.headers.get("content-type") ?? undefined,
        body: withoutData(exchange.text),
      })),
    }),
  }));
  return `${JSON.stringify({ ...report, ...count(report), results }, null, 2)}\n`;
}

/** For what builds software: JUnit's XML, as test runners read it. */
export function reportJunit(report: Report): string {
  const { results } = report;
  const { failed, skipped } = count(report);
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(3);
  const total = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const cases = results.map((result) => {
    const { id, title, outcome, reason = "", milliseconds } = result;
    const open = `    <testcase classname="${xml(id.replace(/\..*/, ""))}" name="${xml(`${id}: ${title}`)}" time="${seconds(milliseconds)}"`;
    if (outcome === "passed") return `${open}/>`;
    const inside =
      outcome === "skipped"
        ? `<skipped message="${xml(reason)}"/>`
        : `<failure message="${xml(reason)}">${xml(describeFailure(result).join("\n"))}</failure>`;
    return `${open}>${inside}</testcase>`;
  });
  const counts = `tests="${results.length}" failures="${failed}" errors="0" skipped="${skipped}" time="${seconds(total)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="conformance" ${counts}>`,
    `  <testsuite name="${xml(report.url)}" timestamp="${report.startedAt}" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Text in XML, which has no place for most control characters. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, "\ufffd")
    .replace(/[&<>"\n]/g, (letter) => ENTITIES[letter] ?? letter);
}
