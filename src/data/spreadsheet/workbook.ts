import type { FileHandle } from "node:fs/promises";
import { posix } from "node:path";
import type { Effort } from "../../core/effort.ts";
import { fold } from "../../core/search.ts";
import { refuse, type SheetRemark } from "./languages/problems.ts";
import { MAX_ROW_CHARACTERS } from "./rows.ts";
import type { OpenSheet } from "./text-sheet.ts";
import { WorkbookArchive } from "./workbook-archive.ts";
import { type NumberFormat, readNumberFormat, unescapeText } from "./workbook-cells.ts";
import { readXmlWhole } from "./workbook-xml.ts";
import { isTrue, Worksheet } from "./worksheet.ts";

const MEBIBYTE = 1024 * 1024;
/** How large a part may be unpacked, in bytes. Rows stream by; the texts that cells share are held in memory. */
export interface WorkbookLimits {
  readonly small: number;
  readonly worksheet: number;
  readonly strings: number;
  /** Characters and cells of all rows: a text that cells share is stored once but read in each of them. */
  readonly rows: number;
}

/** Somebody chooses among them by name. Programs give them 31 characters at most. */
const MAX_SHEETS = 1_000;
const SHEET_NAME_CHARACTERS = 60;
/** What a text takes in memory beside its characters. */
const STRING_OVERHEAD = 16;

/** For a command, which has the machine to itself. */
const COMMAND_LIMITS: WorkbookLimits = {
  small: 32 * MEBIBYTE,
  worksheet: 1024 * MEBIBYTE,
  strings: 256 * MEBIBYTE,
  rows: 1024 * MEBIBYTE,
};

/** For a server, whose memory and processor others share: some times of what 20,000 rows need. */
export const SERVER_WORKBOOK_LIMITS: WorkbookLimits = {
  small: 4 * MEBIBYTE,
  worksheet: 128 * MEBIBYTE,
  strings: 32 * MEBIBYTE,
  rows: 32 * MEBIBYTE,
};

/** Opens one sheet of a workbook: the one that is named, or the first that is not hidden. */
export async function openWorkbook(
  file: FileHandle,
  sheetName: string | undefined,
  effort: Effort,
  limits = COMMAND_LIMITS,
): Promise<OpenSheet> {
  const archive = await WorkbookArchive.open(file, effort);
  const { path, relations } = await findWorkbook(archive, limits, effort);
  const { sheets, is1904 } = await readSheets(archive, path, limits, effort);
  // By a map: a workbook of a few kilobytes can name 100,000 of each.
  const relationsById = new Map(relations.map((relation) => [relation.id, relation]));
  const worksheets = sheets.flatMap(({ name, isHidden, relation }) => {
    const found = relationsById.get(relation);
    return found?.type.endsWith("/worksheet") ? [{ name, isHidden, target: found.target }] : [];
  });
  const chosen =
    sheetName === undefined
      ? (worksheets.find(({ isHidden }) => !isHidden) ?? worksheets[0])
      : worksheets.find(({ name }) => fold(name.trim()) === fold(sheetName.trim()));
  if (!chosen)
    throw refuse({ code: "worksheet_unknown", params: { known: worksheets.map(({ name }) => name) } });
  const partOf = (kind: string) => relations.find(({ type }) => type.endsWith(kind))?.target;
  const worksheet = new Worksheet({
    strings: await readStrings(archive, partOf("/sharedStrings"), limits, effort),
    formats: await readFormats(archive, partOf("/styles"), limits, effort),
    is1904,
    maxSize: limits.rows,
    effort,
  });
  const size = Math.max(archive.size(chosen.target), 1);
  let bytes = 0;
  const others = worksheets.filter((other) => other !== chosen).map(({ name }) => name);
  const isChoice = sheetName === undefined && others.length > 0;
  const choice: SheetRemark[] = isChoice
    ? [{ code: "worksheet_chosen", params: { name: chosen.name, others } }]
    : [];
  return {
    rows: worksheet.read(
      counted(archive.read(chosen.target, limits.worksheet), (read) => {
        bytes += read;
      }),
    ),
    remarks: (header) => [...choice, ...worksheet.remarks(header)],
    problem: (headerRow, header) => worksheet.mergedBelow(headerRow, header),
    share: () => bytes / size,
    format: { kind: "workbook", worksheet: chosen.name, worksheets: worksheets.map(({ name }) => name) },
  };
}

interface Relation {
  readonly id: string;
  readonly type: string;
  /** The path of the part in the archive. */
  readonly target: string;
}

async function findWorkbook(
  archive: WorkbookArchive,
  limits: WorkbookLimits,
  effort: Effort,
): Promise<{ path: string; relations: readonly Relation[] }> {
  if (!archive.has("_rels/.rels"))
    throw refuse({ code: archive.has("content.xml") ? "open_document" : "archive", params: {} });
  const roots = await readRelations(archive, "", limits, effort);
  const path = roots.find(({ type }) => type.endsWith("/officeDocument"))?.target;
  // A text document or a presentation is packed in the same way.
  if (path === undefined || !posix.basename(path).toLowerCase().startsWith("workbook"))
    throw refuse({ code: "archive", params: {} });
  return { path, relations: await readRelations(archive, path, limits, effort) };
}

/** What a part refers to; `""` is the archive as a whole. */
async function readRelations(
  archive: WorkbookArchive,
  part: string,
  { small }: WorkbookLimits,
  effort: Effort,
): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const path = part === "" ? "_rels/.rels" : `${folder}/_rels/${posix.basename(part)}.rels`;
  const relations: Relation[] = [];
  await readXmlWhole(
    archive.read(path, small),
    {
      open: (name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) => {
        if (name !== "Relationship" || mode === "External") return;
        relations.push({ id, type, target: target.startsWith("/") ? target : posix.join(folder, target) });
      },
    },
    effort,
  );
  return relations;
}

async function readSheets(archive: WorkbookArchive, path: string, { small }: WorkbookLimits, effort: Effort) {
  const sheets: { name: string; isHidden: boolean; relation: string }[] = [];
  let is1904 = false;
  await readXmlWhole(
    archive.read(path, small),
    {
      open: (tag, attributes) => {
        if (tag === "workbookPr") is1904 = isTrue(attributes.date1904);
        if (tag !== "sheet") return;
        const relation = Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? "";
        const { name = "", state = "visible" } = attributes;
        if (sheets.length >= MAX_SHEETS) throw refuse({ code: "workbook_too_large", params: {} });
        const shown = unescapeText(name).slice(0, SHEET_NAME_CHARACTERS);
        sheets.push({ name: shown, isHidden: state !== "visible", relation });
      },
    },
    effort,
  );
  return { sheets, is1904 };
}

/** The texts of cells, each stored once and referred to by its number. */
async function readStrings(
  archive: WorkbookArchive,
  path: string | undefined,
  limits: WorkbookLimits,
  effort: Effort,
): Promise<string[]> {
  const strings: string[] = [];
  if (path === undefined || !archive.has(path)) return strings;
  let size = 0;
  let text = "";
  let isText = false;
  let isPhonetic = false;
  await readXmlWhole(
    archive.read(path, limits.strings),
    {
      open: (name) => {
        if (name === "si") text = "";
        else if (name === "rPh") isPhonetic = true;
        else if (name === "t") isText = !isPhonetic;
      },
      text: (piece) => {
        if (!isText) return;
        text += piece;
        if (text.length > MAX_ROW_CHARACTERS) throw refuse({ code: "workbook_too_large", params: {} });
      },
      close: (name) => {
        // A long blank text would be looked through in every cell that refers to it.
        if (name === "si") {
          strings.push(text.trim() === "" ? "" : unescapeText(text));
          size += text.length + STRING_OVERHEAD;
          if (size > limits.strings) throw refuse({ code: "workbook_too_large", params: {} });
        } else if (name === "rPh") isPhonetic = false;
        else if (name === "t") isText = false;
      },
    },
    effort,
  );
  return strings;
}

/** How the numbers of each cell style are shown. */
async function readFormats(
  archive: WorkbookArchive,
  path: string | undefined,
  { small }: WorkbookLimits,
  effort: Effort,
): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (path === undefined || !archive.has(path)) return formats;
  // Understood once, however many styles have it.
  const declared = new Map<number, NumberFormat>();
  let isCellStyle = false;
  await readXmlWhole(
    archive.read(path, small),
    {
      open: (name, { numFmtId = "0", formatCode = "" }) => {
        const id = Number(numFmtId);
        if (name === "numFmt") declared.set(id, readNumberFormat(id, formatCode));
        else if (name === "cellXfs") isCellStyle = true;
        else if (name === "xf" && isCellStyle)
          formats.push(declared.has(id) ? declared.get(id) : readNumberFormat(id, undefined));
      },
      close: (name) => {
        if (name === "cellXfs") isCellStyle = false;
      },
    },
    effort,
  );
  return formats;
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onRead(chunk.length);
    yield chunk;
  }
}
