import { crc32, deflateRawSync } from "node:zlib";

/** A cell of a test's workbook as its XML, or a text that is written into the cell itself. */
export type TestCell = string | { readonly xml: string };

export interface TestSheet {
  readonly name: string;
  readonly rows: readonly (readonly TestCell[])[];
  readonly isHidden?: boolean;
  /** Beside the rows: what stands before and after them. */
  readonly columns?: string;
  readonly merged?: readonly string[];
  readonly hiddenRows?: readonly number[];
}

export interface TestWorkbook {
  readonly sheets: readonly TestSheet[];
  readonly is1904?: boolean;
  readonly strings?: readonly string[];
  /** Number formats by their code; a cell's style `s` is the place in this list plus one. */
  readonly formats?: readonly string[];
  /** How many further styles have the first of the formats. */
  readonly furtherStyles?: number;
}

/** The bytes of a workbook as Excel lays it out. */
export function buildWorkbook({
  sheets,
  is1904 = false,
  strings = [],
  formats = [],
  furtherStyles = 0,
}: TestWorkbook): Buffer {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const relations = (list: readonly (readonly [string, string, string])[]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
      .map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`)
      .join("")}</Relationships>`;
  const parts: [string, string][] = [
    ["_rels/.rels", relations([["rId1", "officeDocument", "xl/workbook.xml"]])],
    [
      "xl/workbook.xml",
      `<workbook ${main} xmlns:r="${office}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${sheets
        .map(
          ({ name, isHidden }, i) =>
            `<sheet name="${name}" sheetId="${i + 1}" ${isHidden ? 'state="hidden" ' : ""}r:id="rId${i + 1}"/>`,
        )
        .join("")}</sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      relations([
        ...sheets.map((_, i) => [`rId${i + 1}`, "worksheet", `worksheets/sheet${i + 1}.xml`] as const),
        ["rIdS", "sharedStrings", "sharedStrings.xml"],
        ["rIdF", "styles", "/xl/styles.xml"],
      ]),
    ],
    ["xl/sharedStrings.xml", `<sst ${main}>${strings.map((item) => `<si>${item}</si>`).join("")}</sst>`],
    [
      "xl/styles.xml",
      `<styleSheet ${main}><numFmts>${formats
        .map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code.replaceAll('"', "&quot;")}"/>`)
        .join(
          "",
        )}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats
        .map((_, i) => `<xf numFmtId="${164 + i}"/>`)
        .join("")}<xf numFmtId="14"/>${'<xf numFmtId="164"/>'.repeat(furtherStyles)}</cellXfs></styleSheet>`,
    ],
    ...sheets.map((sheet, i): [string, string] => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet, main)]),
  ];
  return zip(
    parts.map(([name, text]) => [name, Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`)]),
  );
}

/** A workbook of one sheet whose parts are given as they are. */
export function rawWorkbook(sheet: string, strings = "<sst/>"): Buffer {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const parts: [string, string][] = [
    ["_rels/.rels", `<R>${relation("a", "officeDocument", "xl/workbook.xml")}</R>`],
    ["xl/workbook.xml", '<w xmlns:r="r"><sheets><sheet name="A" r:id="a"/></sheets></w>'],
    [
      "xl/_rels/workbook.xml.rels",
      `<R>${relation("a", "worksheet", "s.xml")}${relation("b", "sharedStrings", "t.xml")}</R>`,
    ],
    ["xl/s.xml", sheet],
    ["xl/t.xml", strings],
  ];
  return zip(parts.map(([name, text]) => [name, Buffer.from(text)]));
}

function sheetXml({ rows, columns = "", merged = [], hiddenRows = [] }: TestSheet, main: string): string {
  const lines = rows.map((cells, i) => {
    const row = i + 1;
    const written = cells.map((cell, column) => {
      const at = `${String.fromCharCode(65 + column)}${row}`;
      if (typeof cell !== "string") return cell.xml.replace("<c", `<c r="${at}"`);
      return cell === "" ? "" : `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`;
    });
    return cells.length === 0
      ? ""
      : `<row r="${row}"${hiddenRows.includes(row) ? ' hidden="1"' : ""}>${written.join("")}</row>`;
  });
  const areas = merged.map((area) => `<mergeCell ref="${area}"/>`).join("");
  return `<worksheet ${main}>${columns}<sheetData>${lines.join("")}</sheetData><mergeCells>${areas}</mergeCells></worksheet>`;
}

/** A zip archive of these files. `declaredSize` lies about how large they are unpacked. */
export function zip(files: readonly (readonly [string, Uint8Array])[], declaredSize?: number): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x0800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(declaredSize ?? content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004", "latin1"), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000", "latin1"), fields, rest, Buffer.from(name)]),
    );
    bodies.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}
