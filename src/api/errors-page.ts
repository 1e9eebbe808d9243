import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { FAULT_TOPICS, type FaultTopic } from "../core/faults.ts";
import { escapeHtml } from "../core/html.ts";
import { ADDRESS_FAULTS, STAFF_REFUSALS } from "../core/refusals.ts";
import type { AboutApi } from "../http/about-api.ts";
import { DOCUMENT_METHODS, type OpenDocument, openDocument, sendDocument } from "../http/open-document.ts";
import { describeError } from "../http/openapi-failures.ts";
import { ERRORS_PAGE, PROBLEM_KINDS } from "../http/problem.ts";
import { en } from "../languages/en.ts";
import type { ProblemKind } from "../languages/http-refusals.ts";
import { wordTemplate } from "../languages/wording.ts";

/**
 * Registers GET /docs/errors, where `type` of every problem leads: each `code` with its cause and what to do about it, at
 * an anchor of its own. Its words are those of the answers.
 */
export function registerErrorsPage(app: FastifyInstance, about: AboutApi, title: string): void {
  let page: OpenDocument | undefined;
  app.route({
    method: DOCUMENT_METHODS,
    url: ERRORS_PAGE,
    handler: (request, reply) => {
      page ??= openDocument("text/html; charset=utf-8", renderErrorsPage(about, title));
      reply.headers({
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
      return sendDocument(request, reply, page);
    },
  });
}

/** Why faults are found, and what to do about them. Each fault's own sentence says what must hold. */
const ABOUT_TOPICS: Readonly<Record<FaultTopic, { title: string; fix: string }>> = {
  shape: {
    title: "Shape",
    fix: "The request is not built as the operation takes it. Compare it with the operation in the reference: names, types, and what is required.",
  },
  size: { title: "Size", fix: "A value is too short or long, too small or large. `params` has the bound." },
  form: {
    title: "Form",
    fix: "A text is not written as its kind of value is. Write it as the message shows.",
  },
  requests: {
    title: "Rules of requests",
    fix: "Values that are good by themselves do not go together, or not with an earlier request.",
  },
  clients: {
    title: "Rules of clients",
    fix: "The value has the right form and breaks a rule. Ask whoever entered it to correct it.",
  },
  contracts: { title: "Rules of plans and contracts", fix: "Change the value as the message says." },
  schedules: { title: "Rules of schedules and sessions", fix: "Change the value as the message says." },
  staff: { title: "Rules of the staff", fix: "Change the value as the message says." },
  references: {
    title: "Records that refer to others",
    fix: "The id is not one of this organization's, or of a record that no longer takes part. Read the list of them again.",
  },
  files: {
    title: "Files",
    fix: "Only imports find these. Correct the line of the file and import it again: what is stored already stays as it is.",
  },
  rest: { title: "Anything else", fix: "Compare the value with its schema in the reference." },
};

function renderErrorsPage(about: AboutApi, title: string): string {
  const kinds = PROBLEM_KINDS.map((kind) => ({ kind, ...describeError(about, kind) })).sort(
    (one, other) => one.status - other.status,
  );
  const topics = (Object.keys(FAULT_TOPICS) as FaultTopic[]).filter((topic) => topic !== "rest");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Errors · ${escapeHtml(title)}</title>
<link rel="icon" href="/docs/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="path"><a href="/docs">API reference</a></p>
<h1>Errors</h1>
<p>Every failure is a problem document (<code>application/problem+json</code>). Programs decide by <code>code</code>; its
<code>type</code> leads here. <code>requestId</code> finds the request in the server's log.</p>
<h2 id="codes">code</h2>
${kinds.map(({ kind, status, title: name, when, fix }) => entry(kind, kind, `${status} ${name}`, [when, fix])).join("\n")}
<h2 id="faults">errors[].code</h2>
<p>What is wrong with one value of an <a href="#invalid"><code>invalid</code></a> request; <code>location</code> says which.
New codes may come: treat one that you do not know as <code>invalid</code>. Braces stand for members of
<code>params</code>.</p>
${topics.map((topic) => renderTopic(topic)).join("\n")}
<h2 id="reasons">reason</h2>
<p>Why the staff application refuses what is valid in itself, beside the <code>code</code>.</p>
${Object.entries(STAFF_REFUSALS)
  .map(([reason, kind]) => renderReason(reason as keyof typeof STAFF_REFUSALS, kind))
  .join("\n")}
</main>
</body>
</html>
`;
}

function renderTopic(topic: FaultTopic): string {
  const { title, fix } = ABOUT_TOPICS[topic];
  const faults = FAULT_TOPICS[topic].map((code) => {
    const { words, params } = wordTemplate(en.faults[code]);
    return entry(code, code, params.map((name) => `{${name}}`).join(" "), [words]);
  });
  return `<h3 id="${topic}-faults">${escapeHtml(title)}</h3>\n<p>${marked(fix)}</p>\n${faults.join("\n")}`;
}

/** Some reasons are called as a fault is, so their anchors differ: `reason-pause_overlaps`. */
function renderReason(reason: keyof typeof STAFF_REFUSALS, kind: ProblemKind): string {
  const sentences =
    reason === "address_refused"
      ? ADDRESS_FAULTS.map((why) => en.details.address_refused({ why }))
      : [wordTemplate(en.details[reason]).words];
  return entry(`reason-${reason}`, reason, kind, sentences);
}

function entry(id: string, code: string, beside: string, sentences: readonly string[]): string {
  return `<section id="${id}">
<h4><a href="#${id}"><code>${escapeHtml(code)}</code></a> <span>${escapeHtml(beside)}</span></h4>
${sentences.map((sentence) => `<p>${marked(sentence)}</p>`).join("\n")}
</section>`;
}

/** What stands between backticks is code. */
function marked(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, "<code>$1</code>");
}

const STYLE = `
:root { color-scheme: light dark; --text: #17211f; --soft: #56635f; --line: #d9e0de; --ground: #f6f8f7; --card: #fff; --accent: #0f766e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8eeec; --soft: #a3b1ad; --line: #2f3a37; --ground: #101615; --card: #18201e; --accent: #5eead4; }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  padding: 24px 20px 96px;
  background: var(--ground);
  color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 720px; margin: 0 auto; }
h1 { margin: 0 0 16px; font-size: 32px; line-height: 1.2; }
h2 { margin: 48px 0 8px; font-size: 24px; }
h3 { margin: 32px 0 4px; font-size: 18px; }
h4 { margin: 0; font-size: 16px; overflow-wrap: anywhere; }
h4 span { color: var(--soft); font-weight: 400; }
p { margin: 0 0 16px; }
a { color: var(--accent); }
h4 a { text-decoration: none; }
h4 a:hover, h4 a:focus-visible { text-decoration: underline; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
section { margin: 0 0 8px; padding: 10px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); scroll-margin-top: 16px; }
section:target { border-color: var(--accent); box-shadow: inset 4px 0 var(--accent); }
section p { margin: 4px 0 0; }
code { font: 14px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
