import assert from "node:assert/strict";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { english } from "../../src/data/spreadsheet/languages/english.ts";
import { SheetRefused } from "../../src/data/spreadsheet/languages/problems.ts";
import { wordGroup, wordQuestion, wordRemark } from "../../src/data/spreadsheet/languages/sentences.ts";
import {
  importSpreadsheet,
  type SheetOptions,
  type SheetSummary,
} from "../../src/data/spreadsheet/operations.ts";
import type { TestApi } from "../support/api.ts";
import { addLocation } from "../support/records.ts";

type Options = Partial<Omit<SheetOptions, "organizationId" | "actor">>;

/** An organization with these locations, into which sheets can be loaded. */
export async function newStudio(api: TestApi, locations: readonly string[] = ["Centro"]) {
  const studio = await api.newOrganization();
  const locationIds: string[] = [];
  for (const name of locations) locationIds.push(await addLocation(api.db, studio.id, { name }));
  const load = (content: string | Uint8Array, options: Options = {}): Promise<SheetSummary> =>
    withFile(content, (file) =>
      importSpreadsheet(api.db, file, { ...options, organizationId: studio.id, actor: "test" }),
    );
  return {
    ...studio,
    locationIds,
    load,
    /** The codes of what is asked, or of the faults that a sheet is refused for. */
    async refusalCodes(content: string | Uint8Array): Promise<string[]> {
      const { questions, faults } = await refused(content, {});
      return [...questions.map(({ code }) => code), ...faults.map(({ fault }) => `faulty ${fault.code}`)];
    },
    /** What the owner of a sheet that must be refused reads. Nothing may have been written. */
    async refusal(content: string | Uint8Array, options: Options = {}): Promise<string[]> {
      const error = await refused(content, options);
      return [
        ...error.questions.map((question) => wordQuestion(question, english)),
        ...error.faults.map((group) => {
          const { location, message } = wordGroup(group, english);
          return `${location}: ${message}`;
        }),
        ...(error.knownLocations.length > 0 ? [english.knownLocations(error.knownLocations)] : []),
      ];
    },
    async clients() {
      const { body } = await studio.get("/v1/clients?limit=200");
      return body.data as Record<string, unknown>[];
    },
    /** The clients' names, in order. */
    async names() {
      const { body } = await studio.get("/v1/clients?limit=200");
      return (body.data as { contactName: string }[]).map(({ contactName }) => contactName).sort();
    },
  };

  async function refused(content: string | Uint8Array, options: Options): Promise<SheetRefused> {
    const before = await total();
    const error = await load(content, options).then(
      () => assert.fail("the spreadsheet was accepted"),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof SheetRefused)) throw error;
    assert.equal(await total(), before, "a refused sheet wrote something");
    return error;
  }

  async function total(): Promise<number> {
    const { body } = await studio.get("/v1/clients?limit=1");
    return body.total as number;
  }
}

/** What the owner reads beside the counts. */
export function remarksOf(summary: SheetSummary): string[] {
  return summary.notices.map((notice) => wordRemark(notice, english));
}

export async function withFile<Result>(
  content: string | Uint8Array,
  work: (file: Awaited<ReturnType<typeof open>>) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "rollbook-sheet-"));
  try {
    const path = join(folder, "sheet");
    await writeFile(path, content);
    const file = await open(path, "r");
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
