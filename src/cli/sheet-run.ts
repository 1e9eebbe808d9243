import { stat } from "node:fs/promises";
import { AppError } from "../core/errors.ts";
import type { Words } from "../data/spreadsheet/languages/language.ts";
import { LANGUAGES, languageOf } from "../data/spreadsheet/languages/languages.ts";
import { type FaultGroup, SheetRefused } from "../data/spreadsheet/languages/problems.ts";
import { wordGroup, wordQuestion, wordRemark } from "../data/spreadsheet/languages/sentences.ts";
import { importSpreadsheet, type SheetSummary } from "../data/spreadsheet/operations.ts";
import { RejectedFile } from "../data/spreadsheet/rejected.ts";
import {
  DATE_ORDERS,
  DELIMITER_NAMES,
  ENCODINGS,
  GARBLED_TEXTS,
  SHORT_NUMBERS,
  SHORT_YEARS,
} from "../data/spreadsheet/values.ts";
import { operator } from "../domain/audit/queries.ts";
import type { Language } from "../languages/dictionary.ts";
import { type CommandCall, ToldFailure, type ToldFault, textFlag, UsageError } from "./command.ts";
import { readOneOf } from "./flag-values.ts";
import type { InputFile } from "./input-file.ts";
import { ProgressLine } from "./progress.ts";
import { showCommitted } from "./shown-once.ts";

/** Brings in a spreadsheet of clients, and tells its owner about it in the owner's language. */
export async function importSheetFile(
  call: CommandCall,
  input: InputFile,
  organizationId: string | undefined,
): Promise<void> {
  const words = LANGUAGES[readLanguage(call)];
  const dryRun = call.flags["dry-run"] === true;
  const options = readOptions(call);
  const rejected = await prepareRejected(call, words);
  const db = (await call.store()).open({ applicationName: "rollbook import", poolSize: 1 });
  const line = new ProgressLine(!call.out.json, words.rows);
  let summary: SheetSummary;
  try {
    summary = await importSpreadsheet(db, await input.file(), {
      ...options,
      organizationId,
      maxRecords: call.config.orgRecords,
      dryRun,
      actor: operator().name,
      ...(rejected && { rejected: dryRun ? NOWHERE : rejected }),
      onProgress: ({ stage, records, share }) => {
        if (stage === "reading") line.show(words.reading, records, share);
        else line.say(stage === "checking" ? words.checking : words.writing, records);
      },
    });
  } catch (error) {
    await rejected?.discard();
    throw error instanceof SheetRefused ? explainRefusal(error, words) : error;
  } finally {
    line.clear();
  }
  await rejected?.keep();
  const { knownLocations, faults, notices, ...counts } = summary;
  for (const notice of notices) call.out.say(wordRemark(notice, words));
  for (const group of faults) {
    const { location, message } = wordGroup(group, words);
    call.out.say(`  ${location}: ${message}`);
  }
  if (knownLocations.length > 0) call.out.say(`  ${words.knownLocations(knownLocations)}`);
  if (counts.rejectedRows > 0 && rejected)
    call.out.say(
      dryRun ? words.wouldReject(counts.rejectedRows) : words.rejected(counts.rejectedRows, rejected.path),
    );
  const { created = 0, replaced = 0, unchanged = 0 } = summary.kinds.client ?? {};
  const isWritten = counts.rejectedRows > 0 && rejected && !dryRun;
  const show = () =>
    call.out.result(
      { ...counts, notices, faults, ...(isWritten && { rejectedFile: rejected.path }) },
      words.done({ created, replaced, unchanged, dryRun }),
    );
  if (dryRun) show();
  else await showCommitted(call.out, show);
}

function readLanguage(call: CommandCall): Language {
  const named = textFlag(call, "lang");
  if (named === undefined) return languageOf(call.config.locale);
  return readOneOf(named, Object.keys(LANGUAGES) as Language[], "lang");
}

function readOptions(call: CommandCall) {
  const oneOf = <Value extends string>(flag: string, values: readonly Value[]): Value | undefined => {
    const value = textFlag(call, flag);
    return value === undefined ? undefined : readOneOf(value, values, flag);
  };
  const ignore = textFlag(call, "ignore")?.split(",");
  return {
    encoding: oneOf("encoding", ENCODINGS),
    delimiter: oneOf("delimiter", DELIMITER_NAMES),
    dates: oneOf("dates", DATE_ORDERS),
    shortYears: oneOf("short-years", SHORT_YEARS),
    shortNumbers: oneOf("short-numbers", SHORT_NUMBERS),
    garbled: oneOf("garbled", GARBLED_TEXTS),
    strict: call.flags.strict === true,
    sheet: textFlag(call, "sheet"),
    location: textFlag(call, "location"),
    ignore: ignore?.map((name) => name.trim()).filter((name) => name !== ""),
    update: call.flags.update === true,
  };
}

/** A dry run only counts. */
const NOWHERE = { begin: () => {}, add: async () => {} };

/** What can be checked before anything is read. */
export function checkSheetFlags(call: CommandCall): void {
  const isNamed = textFlag(call, "rejected") !== undefined;
  const isSkipping = call.flags["skip-faulty"] === true;
  if (isNamed && !isSkipping) throw new UsageError("--rejected goes with --skip-faulty.");
  if (isSkipping && !isNamed && call.arguments[0] === "-")
    throw new UsageError("--skip-faulty needs --rejected PATH if the sheet comes through standard input.");
}

async function prepareRejected(call: CommandCall, words: Words): Promise<RejectedFile | undefined> {
  if (call.flags["skip-faulty"] !== true) return undefined;
  const target = textFlag(call, "rejected") ?? `${call.arguments[0]}.rejected.csv`;
  // It may have been edited: what somebody fixed by hand is not overwritten.
  if (await stat(target).catch(() => undefined))
    throw new AppError("conflict", words.rejectedFileExists(target));
  return new RejectedFile(target, words);
}

function explainRefusal(refusal: SheetRefused, words: Words): AppError {
  const { questions, faults, faultyRows, knownLocations } = refusal;
  const [only, ...more] = questions;
  if (only && more.length === 0)
    return new AppError("invalid", `${words.nothingImported} ${wordQuestion(only, words)}`);
  if (only) {
    const sentences = questions.map((question) => `  ${wordQuestion(question, words)}`);
    return new AppError("invalid", `${words.nothingImported}\n${sentences.join("\n")}`);
  }
  const known = knownLocations.length > 0 ? `\n  ${words.knownLocations(knownLocations)}` : "";
  return new ToldFailure(
    `${words.refused(faultyRows)}${known}`,
    faults.map((group) => ({ ...wordGroup(group, words), ...contentOf(group) })),
  );
}

function contentOf({ fault: { code, params } }: FaultGroup): Pick<ToldFault, "code" | "params"> {
  return Object.keys(params).length === 0 ? { code } : { code, params };
}
