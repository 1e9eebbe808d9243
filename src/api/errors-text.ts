import { FAULT_TOPICS, type FaultTopic } from "../core/faults.ts";
import { ADDRESS_FAULTS, STAFF_REFUSALS } from "../core/refusals.ts";
import { describeError } from "../http/openapi-failures.ts";
import { PROBLEM_KINDS } from "../http/problem.ts";
import { ABOUT_TOPICS } from "../languages/advice.ts";
import { DICTIONARIES } from "../languages/dictionaries.ts";
import { LANGUAGE_TAGS } from "../languages/dictionary.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import { wordTemplate } from "../languages/wording.ts";
import { aboutPublicApi } from "./public-document.ts";

/**
 * The page `/docs/errors` as Markdown, where `type` of every problem leads: each `code` with its cause and what to do about
 * it, at an anchor of its own, in the words of the answers. The build of the documentation makes a page of it.
 */
export function errorsText(problemMembers: string): string {
  const about = aboutPublicApi("");
  const kinds = PROBLEM_KINDS.map((kind) => ({ kind, ...describeError(about, kind) })).sort(
    (one, other) => one.status - other.status,
  );
  const topics = (Object.keys(FAULT_TOPICS) as FaultTopic[]).filter((topic) => topic !== "rest");
  return [
    "# Errors",
    "Every failure is a problem document (`application/problem+json`). Programs decide by `code`; its `type` leads here. " +
      "`requestId` finds the request in the server's log.",
    "## code {#codes}",
    ...kinds.map(({ kind, status, title, when, fix }) =>
      entry("###", kind, kind, `${status} ${title}`, [when, fix]),
    ),
    "## errors[].code {#faults}",
    "What is wrong with one value of an [`invalid`](#invalid) request; `location` says which. New codes may come: treat one " +
      "that you do not know as `invalid`. Braces stand for members of `params`.",
    ...topics.flatMap((topic) => topicSections(topic)),
    "## reason {#reasons}",
    "Why the staff application refuses what is valid in itself, beside the `code`.",
    ...Object.entries(STAFF_REFUSALS).map(([reason, kind]) =>
      reasonSection(reason as keyof typeof STAFF_REFUSALS, kind),
    ),
    "## The problem document {#Problem}",
    problemMembers,
    "",
  ].join("\n\n");
}

function topicSections(topic: FaultTopic): string[] {
  const { title, fix } = ABOUT_TOPICS[topic];
  return [
    `### ${title} {#${topic}-faults}`,
    fix,
    ...FAULT_TOPICS[topic].map((code) => {
      const { params } = wordTemplate(DICTIONARIES.en.faults[code]);
      const sentences = LANGUAGE_TAGS.map((tag) => wordTemplate(DICTIONARIES[tag].faults[code]).words);
      return entry("####", code, code, params.map((name) => `{${name}}`).join(" "), inLanguages(sentences));
    }),
  ];
}

/** Some reasons are called as a fault is, so their anchors differ: `reason-pause_overlaps`. */
function reasonSection(reason: keyof typeof STAFF_REFUSALS, kind: ProblemKind): string {
  const sentences =
    reason === "address_refused"
      ? ADDRESS_FAULTS.map((why) => DICTIONARIES.en.details.address_refused({ why }))
      : inLanguages(LANGUAGE_TAGS.map((tag) => wordTemplate(DICTIONARIES[tag].details[reason]).words));
  return entry("###", `reason-${reason}`, reason, kind, sentences);
}

/** The same sentence in each language, English first. */
function inLanguages([english = "", ...others]: readonly string[]): string[] {
  return [
    english,
    LANGUAGE_TAGS.slice(1)
      .map((tag, at) => `${tag}: ${others[at]}`)
      .join(" · "),
  ];
}

function entry(
  level: string,
  id: string,
  code: string,
  beside: string,
  sentences: readonly string[],
): string {
  return [`${level} \`${code}\` ${beside} {#${id}}`, ...sentences.map(escapeMarkdown)].join("\n\n");
}

/** Sentences are text with code between backticks. */
function escapeMarkdown(text: string): string {
  return text.replace(/[<*_[\]]|`[^`]*`/g, (found) => (found.startsWith("`") ? found : `\\${found}`));
}
