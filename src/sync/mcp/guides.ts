import { readFile } from "node:fs/promises";
import { fold } from "../../core/search.ts";

/** The guides of the documentation, as resources and to be searched. They are read when somebody asks for them. */

export interface Guide {
  /** Its name below `/docs/`: `signup-form`. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** What stands under one heading of a guide. */
export interface Passage {
  readonly page: string;
  readonly uri: string;
  readonly heading: string;
  readonly text: string;
}

// Where the build has put it, seen from dist/src/sync/mcp/.
const DOCS = new URL("../../../docs/", import.meta.url);
const PASSAGES = 5;
const PASSAGE_LENGTH = 1_500;
/** More words than a question has. */
const MAX_TERMS = 20;

export const GUIDE_URI = "rollbook://docs/";

/** What is used of what the build says of its files (`scripts/build-docs.mjs`). */
interface GuideList {
  readonly placeholder: string;
  readonly guides: readonly string[];
  readonly pages: Readonly<Record<string, { readonly file: string; readonly title: string }>>;
}

/** Reads them, with the address of this server in them. A failure is not remembered. */
export function guidesOf(publicUrl: string): () => Promise<readonly Guide[]> {
  let reading: Promise<readonly Guide[]> | undefined;
  return () => {
    reading ??= read(publicUrl).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

async function read(publicUrl: string): Promise<readonly Guide[]> {
  const text = await readFile(new URL("manifest.json", DOCS), "utf8");
  const { placeholder, guides, pages } = JSON.parse(text) as GuideList;
  return Promise.all(
    guides.map(async (page) => {
      const { file = page, title = page } = pages[page] ?? {};
      const markdown = await readFile(new URL(`pages/${file}.md`, DOCS), "utf8");
      return { page, title, text: markdown.replaceAll(placeholder, () => publicUrl) };
    }),
  );
}

/** The passages that have most of the words that are asked for, rare words before frequent ones. */
export function searchGuides(guides: readonly Guide[], query: string): Passage[] {
  const passages = guides.flatMap(passagesOf).map((passage) => ({
    passage,
    heading: fold(passage.heading),
    text: fold(passage.text),
  }));
  const words = fold(query.slice(0, 400)).split(/[^\p{L}\p{N}]+/u);
  const terms = [...new Set(words)].filter((word) => word.length > 2).slice(0, MAX_TERMS);
  const scores = passages.map(() => 0);
  for (const term of terms) {
    const counts = passages.map(({ heading, text }) =>
      heading.includes(term) ? 3 : text.includes(term) ? 1 : 0,
    );
    const having = counts.filter((count) => count > 0).length;
    if (having === 0) continue;
    const weight = Math.log(1 + passages.length / having);
    counts.forEach((count, place) => {
      scores[place] = (scores[place] ?? 0) + count * weight;
    });
  }
  return passages
    .map(({ passage }, place) => ({ passage, score: scores[place] ?? 0 }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, PASSAGES)
    .map(({ passage }) => passage);
}

function passagesOf({ page, title, text }: Guide): Passage[] {
  return text.split(/^(?=##+ )/m).map((part) => {
    const [, heading = title] = /^#+ (.+)$/m.exec(part) ?? [];
    const shown = part.length > PASSAGE_LENGTH ? `${part.slice(0, PASSAGE_LENGTH)} …` : part.trim();
    return { page, uri: GUIDE_URI + page, heading, text: shown };
  });
}
