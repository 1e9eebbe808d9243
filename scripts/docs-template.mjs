// The frame around each page of the documentation.
import { escapeHtml } from "./docs-markdown.mjs";

/** What says where a page is, beside its own text. */
export function pageHtml({ page, groups, previous, next, style, assets }) {
  const address = addressOf(page.name);
  const markdown = markdownAddress(page.name);
  return `<!doctype html>
<!-- This page as Markdown: ${markdown} · all pages: /llms.txt -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Rollbook</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${assets["icon.svg"]}">
<link rel="alternate" type="text/markdown" href="${markdown}">
<style>${style}</style>
<script defer src="${assets["docs.js"]}" data-search="${assets["search.json"]}" data-try="${assets["try.js"]}" data-operations="${assets["operations.json"]}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="name" href="/docs"><img src="${assets["icon.svg"]}" alt="" width="22" height="22">Rollbook</a>
<form role="search" action="/docs/contents"><input type="search" name="q" placeholder="Search" aria-label="Search the documentation" autocomplete="off"></form>
<input type="checkbox" id="menu" aria-label="Show the list of pages"><label class="menu" for="menu">Pages</label>
</header>
<div class="columns">
<nav aria-label="Pages">
${groups.map((group) => groupHtml(group, page)).join("\n")}
</nav>
<main id="content">
${contentsHtml(page)}${page.html}
<footer>
${neighbour(previous, "Before", "prev")}${neighbour(next, "Next", "next")}
<p><a href="${markdown}">This page as Markdown</a></p>
</footer>
</main>
</div>
</body>
</html>
`.replaceAll(`href="${address}">`, `href="${address}" aria-current="page">`);
}

export const addressOf = (name) => (name === "" ? "/docs" : `/docs/${name}`);
export const markdownAddress = (name) => `/docs/${name === "" ? "index" : name}.md`;

function groupHtml({ title, pages, isAside }, page) {
  const isOpen = !isAside || pages.includes(page);
  const items = pages
    .map(({ name, title: words }) => `<li><a href="${addressOf(name)}">${escapeHtml(words)}</a></li>`)
    .join("");
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${items}</ul></details>`;
}

/** What stands on a long page. */
function contentsHtml({ headings, isReference }) {
  const shown = headings.filter(({ depth }) => depth === 2);
  if (shown.length < 3) return "";
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join("");
  return `<details class="contents"${isReference ? " open" : ""}><summary>On this page</summary><ul>${items}</ul></details>\n`;
}

function neighbour(page, words, rel) {
  return page
    ? `<p><a rel="${rel}" href="${addressOf(page.name)}">${words}: ${escapeHtml(page.title)}</a></p>\n`
    : "";
}
