// A page of the documentation: from Markdown to HTML with anchors, and to what search knows of it.
import { Marked } from "marked";

/** The three ways to call an operation; the same group of code blocks, one shown at a time. */
const LANGUAGES = new Map([
  ["sh", "curl"],
  ["ts", "TypeScript"],
  ["js", "TypeScript"],
  ["python", "Python"],
]);

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (character) => escapes[character]);

/**
 * The HTML of a text, its headings of the second and third level, and its sections for search. `resolve` answers where a link
 * leads: `{ href }`, or `{ note }` for what is not published. With `isReference`, parts of an operation are found as it.
 */
export function renderPage(text, resolve, { isReference = false } = {}) {
  const headings = [];
  const sections = [];
  const anchors = new Set();
  let groups = 0;
  const marked = new Marked({
    // Addresses are links where they are written as such: others are often patterns.
    tokenizer: { url: () => undefined },
    renderer: {
      heading({ tokens, depth, text: source }) {
        const { id, shown, isNamed } = anchorOf(source, anchors);
        const plain = plainText(shown);
        const inner = this.parser.parseInline(withoutMark(tokens));
        if (depth === 2 || depth === 3) headings.push({ depth, id, text: plain });
        if (depth < 3 || isNamed || !isReference)
          sections.push({ id: depth === 1 ? "" : id, heading: plain, text: "" });
        if (depth === 1) return `<h1>${inner}</h1>\n`;
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to “${escapeHtml(plain)}”">#</a></h${depth}>\n`;
      },
      code({ text: code, lang }) {
        return codeBlock(code, lang);
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = resolve(href);
        return target.href === undefined
          ? `${inner} (${inner === `<code>${target.note}</code>` ? "" : `<code>${escapeHtml(target.note)}</code> `}in the sources)`
          : `<a href="${escapeHtml(target.href)}">${inner}</a>`;
      },
      image({ text: words }) {
        return escapeHtml(words);
      },
      table(token) {
        const cells = (row, name) =>
          row
            .map(({ tokens }) => {
              // A heading without words would be read aloud as one.
              const tag = tokens.length === 0 ? "td" : name;
              return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
            })
            .join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        return `<div class="table" tabindex="0"><table><thead><tr>${cells(token.header, "th")}</tr></thead>\n<tbody>\n${rows}\n</tbody></table></div>\n`;
      },
    },
  });
  const blocks = grouped(marked.lexer(text));
  return { html: partsOf(blocks), headings, sections, firstWords: firstWordsOf(blocks) };

  /** What is below a heading is a part: browsers lay out those that are seen, however long the page is. */
  function partsOf(all) {
    let html = "";
    let isOpen = false;
    for (const block of all) {
      if (block.type === "heading" && (block.depth === 2 || block.depth === 3)) {
        html += `${isOpen ? "</section>\n" : ""}<section>\n`;
        isOpen = true;
      }
      html += renderBlock(block);
    }
    return isOpen ? `${html}</section>\n` : html;
  }

  function renderBlock(block) {
    const before = sections.length;
    const html = blockHtml(block);
    // Of a heading there is a section of its own already.
    const words = block.kind === "tabs" ? block.tokens.map((token) => token.text).join(" ") : block.raw;
    if (sections.length === before && sections.length > 0) sections.at(-1).text += ` ${plainText(words)}`;
    return html;
  }

  function blockHtml(block) {
    if (block.kind === "tabs") return tabs(block.tokens);
    const operation = block.type === "paragraph" && /^\{try (\w+)\}$/.exec(block.text)?.[1];
    if (operation)
      return `<p class="try"><button type="button" data-try="${operation}" hidden>Try it</button></p>\n`;
    if (block.type === "html" && block.text.startsWith("<!--")) return "";
    return marked.parser([block]);
  }

  /** A group that needs no script: radio buttons decide which block is shown. */
  function tabs(tokens) {
    const group = ++groups;
    const choices = tokens.map(({ lang }, at) => {
      const id = `code-${group}-${at}`;
      return `<input type="radio" name="code-${group}" id="${id}" value="${LANGUAGES.get(lang)}"${at === 0 ? " checked" : ""}><label for="${id}">${LANGUAGES.get(lang)}</label>`;
    });
    return `<div class="tabs" role="group" aria-label="The same in ${tokens.length} languages">\n${choices.join("")}\n${tokens.map(({ text: code, lang }) => codeBlock(code, lang)).join("")}</div>\n`;
  }
}

function codeBlock(code, lang) {
  const name = LANGUAGES.get(lang);
  return `<pre tabindex="0"${name ? ` data-language="${name}"` : ""}><code>${escapeHtml(code)}</code></pre>\n`;
}

/** Blocks of code that follow each other in different languages are one. */
function grouped(tokens) {
  const blocks = [];
  for (const token of tokens.filter(({ type }) => type !== "space" && type !== "def")) {
    const last = blocks.at(-1);
    const isChoice = token.type === "code" && LANGUAGES.has(token.lang);
    if (
      isChoice &&
      last?.kind === "tabs" &&
      last.tokens.every(({ lang }) => LANGUAGES.get(lang) !== LANGUAGES.get(token.lang))
    )
      last.tokens.push(token);
    else blocks.push(isChoice ? { kind: "tabs", tokens: [token] } : token);
  }
  return blocks.map((block) =>
    block.kind === "tabs" && block.tokens.length === 1 ? block.tokens[0] : block,
  );
}

/** What a page says of itself: its first paragraph that is no code, list or table. */
function firstWordsOf(blocks) {
  const paragraph = blocks.find(
    ({ type, text }) => type === "paragraph" && !/^(?:\{try \w+\}|`[^`]+`.*)$/.test(text),
  );
  return paragraph && plainText(paragraph.text);
}

/** `## Words {#id}` says its anchor; others have that of GitHub. */
function anchorOf(source, taken) {
  const [, shown, given] = /^(.*?)(?:\s*\{#([\w-]+)\})?$/s.exec(source);
  const base =
    given ??
    plainText(shown)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  let id = base;
  for (let at = 1; taken.has(id); at++) id = `${base}-${at}`;
  taken.add(id);
  return { id, shown, isNamed: given !== undefined };
}

function withoutMark(tokens) {
  const last = tokens.at(-1);
  if (last?.type !== "text") return tokens;
  const text = last.text.replace(/\s*\{#[\w-]+\}$/, "");
  return [...tokens.slice(0, -1), { ...last, text, raw: text, tokens: undefined }];
}

/** Markdown as it is read aloud. */
function plainText(markdown) {
  return markdown
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/```\w*\n?/g, " ")
    .replace(/\{try \w+\}/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*\|[-|: ]+\|\s*$/gm, " ")
    .replace(/<br>/g, " ")
    .replace(/(?<![\w])[*_]{1,2}([^*_\n]+)[*_]{1,2}(?![\w])/g, "$1")
    .replaceAll("`", "")
    .replaceAll("|", " ")
    .replace(/^#+ /gm, "")
    .replace(/\\([<*_[\]])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
