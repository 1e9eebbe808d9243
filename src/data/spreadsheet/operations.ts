import type { FileHandle } from "node:fs/promises";
import type { Database } from "../../db/database.ts";
import { listLocations } from "../../domain/locations/queries.ts";
import { findOrganization } from "../../domain/organizations/queries.ts";
import { unknownOrganization } from "../../domain/organizations/rules.ts";
import { dateIn } from "../../domain/recurrence/zones.ts";
import { type ImportOptions, importEntries, type Progress } from "../bundle/import.ts";
import type { ImportSummary } from "../bundle/summary.ts";
import type { SheetHeader } from "./columns.ts";
import {
  type RowFault,
  refuse,
  type SheetQuestion,
  SheetRefused,
  type SheetRemark,
} from "./languages/problems.ts";
import { type ClientSheet, type OpenOptions, openClientSheet } from "./open-sheet.ts";
import { type IntakeOptions, type IntakeResult, RowIntake } from "./row-intake.ts";
import { KnownLocations, type NamedLocation, type RowFacts, type SheetRow } from "./rows.ts";

/** What the owner says about a sheet. */
export interface SheetAnswers extends OpenOptions, Omit<IntakeOptions, "rejected"> {
  /** The location of rows that name none, by name or id. */
  readonly location?: string | undefined;
}

export interface SheetOptions
  extends SheetAnswers,
    Pick<IntakeOptions, "rejected">,
    Pick<ImportOptions, "organizationId" | "dryRun" | "actor" | "statementTimeoutMs" | "maxRecords"> {
  readonly onProgress?: (progress: SheetProgress) => void;
}

export interface SheetProgress extends Progress {
  /** How much of the file has been read, from 0 to 1. */
  readonly share: number;
}

export interface SheetSummary extends ImportSummary, Omit<IntakeResult, "updating"> {}

/**
 * Imports an owner's spreadsheet of clients by the rules of the API: all of it or nothing, or all of it but the
 * faulty rows. People are recognized by the id document, in a download of ours by the id.
 */
export async function importSpreadsheet(
  db: Database,
  file: FileHandle,
  options: SheetOptions,
): Promise<SheetSummary> {
  const { organizationId, dryRun = false, actor, onProgress } = options;
  if (organizationId === undefined) throw refuse({ code: "organization_missing", params: {} });
  const site = await findSite(db, organizationId);
  const sheet = await openClientSheet(file, options);
  const questions = [...sheet.questions, ...askForLocation(sheet, site.locations, options)];
  if (questions.length > 0) throw new SheetRefused(questions);
  options.rejected?.begin(sheet.header.names, sheet.delimiter);
  const intake = new RowIntake(organizationId, sheet, options, factsOf(site, sheet, options));
  const summary = await importEntries(db, (tx) => intake.read(tx), {
    organizationId,
    maxRecords: options.maxRecords,
    dryRun,
    actor,
    statementTimeoutMs: options.statementTimeoutMs,
    merge: (tx, outdated) => intake.merge(tx, outdated),
    isUndoable: true,
    onProgress: (progress) => onProgress?.({ ...progress, share: sheet.share() }),
  });
  const { updating, ...result } = intake.result();
  return { ...summary, ...result };
}

/** How a sheet is understood, before anything of it is imported. */
export interface SheetReading {
  /** Absent if the file could not be opened. */
  readonly sheet?: Pick<ClientSheet, "format" | "headerRow" | "header">;
  /** What the first rows have in each column. */
  readonly samples: readonly (readonly string[])[];
  /** While there is one, the rows are not checked. */
  readonly questions: readonly SheetQuestion[];
  readonly remarks: readonly SheetRemark[];
  /** Absent while there is a question. */
  readonly counts?: SheetCounts;
  /** The first of them. */
  readonly faultyRows: readonly FaultyRow[];
  /** The first rows that come in without a cell that could not be read. */
  readonly incompleteRows: readonly FaultyRow[];
  /** The locations that rows can name. */
  readonly locations: readonly NamedLocation[];
}

export interface SheetCounts {
  readonly rows: number;
  readonly fresh: number;
  readonly known: number;
  readonly updating: number;
  readonly faulty: number;
  /** Of those that come in, the ones that do so without a cell that could not be read. */
  readonly incomplete: number;
}

export interface FaultyRow extends Pick<SheetRow, "row" | "cells"> {
  readonly faults: readonly RowFault[];
  /** Whether the row is too long to be shown whole. */
  readonly isCut: boolean;
}

const SAMPLES = 3;
/** How far down samples are looked for. */
const SAMPLED_ROWS = 50;
const SAMPLE_CHARACTERS = 60;
/** How many faulty rows are shown at a time, and how much of them: somebody has to read them. */
const SHOWN_ROWS = 200;
const LONG_ROW_CHARACTERS = 12_000;
const CELLS_BEYOND_SHOWN = 20;

/** Reads a sheet by the rules of an import, and finds out what one would do. Nothing is written. */
export async function readSpreadsheet(
  db: Database,
  file: FileHandle,
  organizationId: string,
  answers: SheetAnswers,
): Promise<SheetReading> {
  const questions: SheetQuestion[] = [];
  const survey = new SheetSurvey();
  let site: Site | undefined;
  let sheet: ClientSheet | undefined;
  let intake: RowIntake | undefined;
  try {
    sheet = await openClientSheet(file, answers);
    site = await findSite(db, organizationId);
    questions.push(...sheet.questions, ...askForLocation(sheet, site.locations, answers));
    const rows = survey.watch(sheet.rows, sheet.header);
    if (questions.length > 0) await survey.sample(rows);
    else {
      const facts = factsOf(site, sheet, answers);
      intake = new RowIntake(organizationId, { ...sheet, rows }, { ...answers, rejected: survey }, facts);
      for await (const entries of intake.read(db)) survey.taken += entries.length;
    }
  } catch (error) {
    if (!(error instanceof SheetRefused)) throw error;
    questions.push(...error.questions);
  }
  const isRead = intake !== undefined && questions.length === 0;
  const result = isRead ? intake?.result() : undefined;
  return {
    ...(sheet && { sheet }),
    samples: survey.samples,
    questions,
    remarks: result?.notices ?? sheet?.remarks() ?? [],
    ...(result && {
      counts: {
        rows: survey.rows,
        fresh: survey.taken - result.updating,
        known: result.known,
        updating: result.updating,
        faulty: result.rejectedRows,
        incomplete: result.incomplete,
      },
    }),
    faultyRows: result ? survey.faulty : [],
    incompleteRows: result ? survey.incomplete : [],
    locations: site?.locations.list ?? [],
  };
}

/** The beginning of a cell, in characters that a screen has. */
function showShort(cell: string): string {
  return cell
    .slice(0, SAMPLE_CHARACTERS)
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ");
}

/** Gathers what is shown of a sheet while its rows pass by. */
class SheetSurvey {
  rows = 0;
  taken = 0;
  readonly samples: string[][] = [];
  readonly faulty: FaultyRow[] = [];
  readonly incomplete: FaultyRow[] = [];
  #width = 0;

  begin(): void {}

  async add(row: SheetRow, faults: readonly RowFault[]): Promise<void> {
    if (this.faulty.length < SHOWN_ROWS) this.faulty.push(this.#show(row, faults));
  }

  addIncomplete(row: SheetRow, setAside: readonly RowFault[]): void {
    if (this.incomplete.length < SHOWN_ROWS) this.incomplete.push(this.#show(row, setAside));
  }

  #show({ row, cells }: SheetRow, faults: readonly RowFault[]): FaultyRow {
    const last = cells.findLastIndex((cell) => cell !== "") + 1;
    const shown = cells.slice(0, Math.min(last, this.#width + CELLS_BEYOND_SHOWN));
    const characters = shown.reduce((sum, cell) => sum + cell.length, 0);
    const isCut = shown.length < last || characters > LONG_ROW_CHARACTERS;
    const parts = isCut ? shown.map(showShort) : shown;
    return { row, cells: parts, faults, isCut };
  }

  async *watch(rows: AsyncIterable<SheetRow>, { names }: SheetHeader): AsyncGenerator<SheetRow> {
    this.#width = names.length;
    for (const _ of names) this.samples.push([]);
    for await (const row of rows) {
      if (++this.rows <= SAMPLED_ROWS) this.#addSamples(row);
      yield row;
    }
  }

  /** Only looks at the first rows. */
  async sample(rows: AsyncIterable<SheetRow>): Promise<void> {
    for await (const _ of rows) if (this.rows >= SAMPLED_ROWS) break;
  }

  #addSamples({ cells }: SheetRow): void {
    for (const [i, samples] of this.samples.entries()) {
      const sample = showShort((cells[i] ?? "").trim());
      if (sample !== "" && samples.length < SAMPLES && !samples.includes(sample)) samples.push(sample);
    }
  }
}

/** Where the clients go. */
interface Site {
  readonly today: string;
  readonly locations: KnownLocations;
}

async function findSite(db: Database, organizationId: string): Promise<Site> {
  const organization = await findOrganization(db, organizationId);
  if (!organization) throw unknownOrganization();
  const locations = await listLocations(db, organizationId);
  if (locations.length === 0) throw refuse({ code: "locations_missing", params: { organizationId } });
  const today = dateIn(organization.timezone, await db.now());
  return { today, locations: new KnownLocations(locations) };
}

function factsOf(
  { today, locations }: Site,
  { header }: ClientSheet,
  { location, dates, shortYears, garbled, shortNumbers, strict = false }: SheetAnswers,
): RowFacts {
  const defaultLocationId = findByName(location, locations);
  return {
    header,
    locations,
    defaultLocationId,
    today,
    dateOrder: dates,
    shortYears,
    garbled,
    shortNumbers,
    isStrict: strict,
  };
}

/** With one location, everybody belongs there; with several, somebody has to say where. */
function askForLocation(
  { header }: ClientSheet,
  locations: KnownLocations,
  { location: named, update = false }: SheetAnswers,
): SheetQuestion[] {
  const known = locations.list.map(({ name }) => name);
  if (named !== undefined)
    return findByName(named, locations) ? [] : [{ code: "location_flag_unknown", params: { known } }];
  // Of an update it is asked when somebody is new.
  if (locations.list.length === 1 || header.columns.includes("location") || update) return [];
  return [{ code: "location_column_missing", params: { known } }];
}

function findByName(named: string | undefined, locations: KnownLocations): string | undefined {
  const found = named === undefined ? [] : locations.find(named.trim());
  return found.length === 1 ? found[0] : undefined;
}
