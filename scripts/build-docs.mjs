// Builds the documentation into a folder: pages from docs/, the READMEs of packages/, CHANGELOG.md and openapi.json, each as HTML and
// as Markdown, and what they share. The server answers them below /docs (`src/api/docs-page.ts`).
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { collectionOf } from "./docs-collection.mjs";
import { renderPage } from "./docs-markdown.mjs";
import { lines, objectTable, referencePages } from "./docs-reference.mjs";
import { snippetsOf } from "./docs-snippets.mjs";
import { addressOf, markdownAddress, pageHtml } from "./docs-template.mjs";
import { writtenOut } from "./openapi-document.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Stands for the public address of whoever serves a page. */
const PUBLIC_URL = "https://public-url.invalid";
const LOCAL_URL =
  /http:\/\/(?:localhost|127\.0\.0\.1):8080(?=\/(?:v1|app|console|docs|openapi|mcp|llms|schemas|examples|ics)\b|["'`]|$)/gm;

/** In the order of the list of pages. What a file of docs/ says in its last line decides where it stands. */
const GROUPS = [
  { title: "Integrate" },
  { title: "Reference" },
  { title: "Run it" },
  { title: "Background", isAside: true },
];

/** What a person is shown at an address that has no page. */
const MISSING = `# There is no such page

The address leads to no page of this documentation. It may have been cut off, or its page has another name now.

- [Contents](/docs/contents) has every page with its headings; \`/\` searches them.
- [Errors](/docs/errors) has every code that a failure can have.
- [The API at a glance](/docs/reference/overview) has every operation.
`;

/**
 * `built` is where the program was compiled to: the words of failures come from it. Answers which links lead to files that are
 * not there.
 */
export async function buildDocs(folder, built) {
  const document = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
  const { errorsText } = await import(pathToFileURL(join(built, "src/api/errors-text.js")).href);
  const files = new Map(
    Object.entries(JSON.parse(readFileSync(join(root, "site/file-examples.json"), "utf8"))),
  );
  const pages = [
    ...readSources(),
    ...referencePages(document, files).map((page) => ({ ...page, group: "Reference", isReference: true })),
    {
      name: "errors",
      title: "Errors",
      text: errorsText(objectTable(document, "Problem")),
      group: "Reference",
    },
    sourcePage("CHANGELOG.md", "changelog", { group: "Reference", order: 900 }),
  ].map((page) => ({ ...page, text: page.text.replace(LOCAL_URL, PUBLIC_URL) }));
  refuseTwins(pages);
  const groups = GROUPS.map((group) => ({
    ...group,
    pages: pages.filter((page) => page.group === group.title).sort(byOrder),
  }));
  const ordered = groups.flatMap((group) => group.pages);
  const contents = { name: "contents", title: "Contents", text: "" };
  const missing = { name: "missing", title: "There is no such page", text: MISSING };
  const pagesWithContents = [...ordered, contents, missing];
  for (const page of ordered) render(page, pagesWithContents);
  contents.text = contentsText(groups);
  render(contents, pagesWithContents);
  render(missing, pagesWithContents);

  mkdirSync(join(folder, "pages"), { recursive: true });
  mkdirSync(join(folder, "assets"), { recursive: true });
  const assets = writeAssets(folder, {
    "docs.js": readFileSync(join(root, "site/docs.js"), "utf8"),
    "try.js": readFileSync(join(root, "site/try.js"), "utf8"),
    "icon.svg": readFileSync(join(root, "site/icon.svg"), "utf8"),
    "search.json": JSON.stringify(searchIndex(ordered)),
    "operations.json": JSON.stringify(formsOf(document)),
  });
  const style = withoutSpace(readFileSync(join(root, "site/docs.css"), "utf8"));
  const shared = {
    groups,
    style,
    assets: Object.fromEntries(
      Object.entries(assets).map(([name, { version }]) => [name, `/docs/${name}?v=${version}`]),
    ),
  };
  for (const page of pagesWithContents) {
    const at = ordered.indexOf(page);
    const [previous, next] = at < 0 ? [] : [ordered[at - 1], ordered[at + 1]];
    const html = pageHtml({ ...shared, page, previous, next });
    writeFileSync(join(folder, "pages", `${fileOf(page)}.html`), html);
    writeFileSync(join(folder, "pages", `${fileOf(page)}.md`), page.markdown);
  }
  const texts = {
    "llms.txt": llmsText(groups),
    "llms-full.txt": fullText(groups),
    "rollbook.postman_collection.json": JSON.stringify(collectionOf(document, PUBLIC_URL), null, 1),
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  const manifest = {
    placeholder: PUBLIC_URL,
    // What assistants read as resources.
    guides: ordered
      .filter(({ source = "" }) => source.startsWith("docs/guides/") || source === "docs/api.md")
      .map(({ name }) => name),
    styleHash: createHash("sha256").update(style).digest("base64"),
    pages: Object.fromEntries(
      pagesWithContents.map((page) => [page.name, { file: fileOf(page), title: page.title }]),
    ),
    assets,
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return pagesWithContents.flatMap(({ dead }) => [...dead]);
}

/** Every Markdown file that is published, found by its folder. */
function readSources() {
  const inFolder = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .sort()
      .map((name) => `${folder}/${name}`);
  const nameOf = (path) => posix.basename(path, ".md");
  return [
    ...inFolder("docs").map((path) => sourcePage(path, nameOf(path) === "index" ? "" : nameOf(path))),
    ...inFolder("docs/guides").map((path) => sourcePage(path, nameOf(path))),
    ...inFolder("docs/decisions").map((path) =>
      sourcePage(path, `decisions/${nameOf(path)}`, { group: "Background", order: 500 }),
    ),
    ...readdirSync(join(root, "packages"))
      .filter((name) => existsSync(join(root, "packages", name, "README.md")))
      .map((name) =>
        sourcePage(`packages/${name}/README.md`, `packages/${name}`, { group: "Reference", order: 800 }),
      ),
  ];
}

/** `<!-- docs: Run it, 20 -->` in the last line says the group of a page and its place there. */
function sourcePage(path, name, given = {}) {
  const source = readFileSync(join(root, path), "utf8");
  const [mark, group, order] = /\n+<!-- docs: ([^,]+), (\d+) -->\n$/.exec(source) ?? ["", "Integrate", "700"];
  if (!GROUPS.some(({ title }) => title === group)) throw new Error(`${path}: there is no group ${group}`);
  const text = mark ? `${source.slice(0, -mark.length)}\n` : source;
  const title = /^# (.+)$/m.exec(text)?.[1];
  if (title === undefined) throw new Error(`${path} has no title`);
  return {
    name,
    source: path,
    title: title.replaceAll("`", ""),
    text,
    group,
    order: Number(order),
    ...given,
  };
}

function byOrder(one, other) {
  return (one.order ?? 100) - (other.order ?? 100);
}

function refuseTwins(pages) {
  const names = pages.map(({ name }) => name);
  const twin = names.find((name, at) => names.indexOf(name) !== at);
  if (twin !== undefined) throw new Error(`two pages of the documentation are called ${twin}`);
}

function render(page, pages) {
  page.dead = new Set();
  const resolve = linksFrom(page, pages);
  const { html, headings, sections, firstWords } = renderPage(
    page.text,
    (href) => resolve(href, addressOf),
    page,
  );
  const summary = firstWords ?? page.title;
  Object.assign(page, {
    html,
    headings,
    sections,
    summary: summary.length > 200 ? `${summary.slice(0, 200).replace(/\s\S*$/, "")} …` : summary,
    markdown: page.text
      .replace(/ ?\{#[\w-]+\}$/gm, "")
      .replace(/^\{try \w+\}\n\n/gm, "")
      .replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_whole, words, href) => {
        const target = resolve(href, markdownAddress);
        if (target.href !== undefined) return `[${words}](${target.href})`;
        return `${words} (${words === `\`${target.note}\`` ? "" : `\`${target.note}\` `}in the sources)`;
      }),
  });
}

/** Where the links of a page lead: to pages, to addresses of the server, or to files that are not published. */
function linksFrom(page, pages) {
  const bySource = new Map(pages.map(({ source, name }) => [source, name]));
  const names = new Set(pages.map(({ name }) => name));
  return (href, addressIn) => {
    if (/^(?:https?:|mailto:|#)/.test(href)) return { href };
    const [path, anchor] = href.split("#");
    const end = anchor === undefined ? "" : `#${anchor}`;
    if (path.startsWith("/docs")) {
      const name = path.replace(/^\/docs\/?/, "");
      return { href: names.has(name) ? addressIn(name) + end : href };
    }
    if (path.startsWith("/")) return { href };
    const file = posix.normalize(posix.join(posix.dirname(page.source), path)).replace(/\/$/, "");
    if (bySource.has(file)) return { href: addressIn(bySource.get(file)) + end };
    if (bySource.has(`${file}/README.md`))
      return { href: addressIn(bySource.get(`${file}/README.md`)) + end };
    if (file === "openapi.json") return { href: "/openapi.json" };
    if (file === "docs/decisions") return { href: "/docs/contents#background" };
    if (!existsSync(join(root, file))) page.dead.add(`${page.source}: ${href}`);
    return { note: file };
  };
}

/** All headings of all pages: what search is without a script. */
function contentsText(groups) {
  return lines(
    "# Contents",
    "Every page with its headings.",
    ...groups.flatMap(({ title, pages, isAside }) => [
      `## ${title}`,
      pages
        .map((page) => {
          const headings = isAside ? [] : page.headings.filter(({ depth }) => depth === 2);
          const links = headings.map(({ id, text }) => `[${text}](${addressOf(page.name)}#${id})`);
          return `- [${page.title}](${addressOf(page.name)})${links.length > 0 ? `: ${links.join(" · ")}` : ""}`;
        })
        .join("\n"),
    ]),
  );
}

function searchIndex(pages) {
  const isAside = (page) => GROUPS.some(({ title, isAside: aside }) => aside && title === page.group);
  return {
    pages: pages.map((page) => ({
      title: page.title,
      address: addressOf(page.name),
      ...(isAside(page) && { isAside: true }),
    })),
    sections: pages.flatMap((page, at) =>
      page.sections.map(({ id, heading, text }) => {
        const words = text.replace(/\s+/g, " ").trim();
        return [at, id, heading, isAside(page) ? words.slice(0, 200) : words];
      }),
    ),
  };
}

/** What "Try it" needs to know of each operation. */
function formsOf(published) {
  const document = writtenOut(published);
  const needed = snippetsOf(document);
  const forms = {};
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
      const [sends, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
      forms[operationId] = {
        method: method.toUpperCase(),
        path,
        ...(sends && { sends, body: JSON.stringify(content.example, null, 2) }),
        parameters: parameters.map(({ name, in: place, required, description, schema }) => {
          const { query } = needed.get(operationId);
          const isShown = place === "path" || (place === "query" && name in query);
          return {
            name,
            in: place,
            ...(required && { required }),
            description,
            ...(schema.enum && { values: schema.enum }),
            ...(isShown && { example: String(schema.examples?.[0] ?? query[name] ?? "") }),
          };
        }),
      };
    }
  return forms;
}

function llmsText(groups) {
  const listed = (own) =>
    own
      .map((page) => `- [${page.title}](${PUBLIC_URL}${markdownAddress(page.name)}): ${page.summary}`)
      .join("\n");
  const [integrate, reference, ...others] = groups.map((group) => group.pages);
  return readFileSync(join(root, "site/llms.md"), "utf8")
    .replace(LOCAL_URL, PUBLIC_URL)
    .replace("{docs}", () => listed([...integrate, ...reference]))
    .replace("{optional}", () => listed(others.flat()));
}

/** All that an integrator reads, in one. */
function fullText(groups) {
  return groups
    .filter(({ isAside }) => !isAside)
    .flatMap((group) => group.pages)
    .map((page) => `<!-- ${PUBLIC_URL}${addressOf(page.name)} -->\n\n${page.markdown}`)
    .join("\n");
}

function writeAssets(folder, contents) {
  return Object.fromEntries(
    Object.entries(contents).map(([name, content]) => {
      writeFileSync(join(folder, "assets", name), content);
      return [name, { version: createHash("sha256").update(content).digest("base64url").slice(0, 16) }];
    }),
  );
}

function fileOf({ name }) {
  return (name === "" ? "index" : name).replaceAll("/", "--");
}

function withoutSpace(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*([{};,])\s*/g, "$1")
    .replace(/:\s+/g, ":")
    .replace(/;}/g, "}")
    .trim();
}
