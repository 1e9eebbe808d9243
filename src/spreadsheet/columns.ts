import { CLIENT_CSV_COLUMNS } from "../clients/schema.ts";
import { fold } from "../core/search.ts";
import { refuse, type SheetQuestion, type SheetRemark } from "./problems.ts";
import type { ChosenColumn } from "./values.ts";

/** What a column of an owner's spreadsheet can mean. `cpf` and `document` both become the id document. */
export type Column = ChosenColumn | "id" | "idDocument.type" | "unclearId" | "reason";

/** What the owner says of columns, by their places: what they are, or that they are left out. */
export type ColumnChoices = ReadonlyMap<number, ChosenColumn | "none">;

const NO_CHOICES: ColumnChoices = new Map();

/** Names that people give their columns; compared without case, accents, spaces and punctuation. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  // Only a download of ours has these two.
  id: [],
  "idDocument.type": [],
  contactName: [
    "contactName",
    "name",
    "client",
    "member",
    "nome",
    "cliente",
    "aluno",
    "aluna",
    "nombre",
    "alumno",
  ],
  fullName: [
    "full name",
    "client name",
    "nome completo",
    "nome do cliente",
    "nome do aluno",
    "nombre completo",
  ],
  firstName: ["first name", "given name", "primeiro nome", "primer nombre", "nombres"],
  lastName: ["last name", "surname", "family name", "sobrenome", "último nome", "apellido", "apellidos"],
  contactEmail: [
    "contactEmail",
    "email",
    "e-mail",
    "e-mail address",
    "mail",
    "correio eletrônico",
    "endereço de e-mail",
    "correo",
    "correo electrónico",
  ],
  mobilePhone: [
    "mobile",
    "mobile phone",
    "cell",
    "cell phone",
    "celular",
    "telefone celular",
    "tel celular",
    "whatsapp",
    "celular/whatsapp",
    "móvil",
    "teléfono móvil",
  ],
  contactPhone: [
    "contactPhone",
    "phone",
    "phone number",
    "telephone",
    "home phone",
    "telefone",
    "telefone fixo",
    "telefone residencial",
    "fone",
    "tel",
    "contato",
    "teléfono",
    "teléfono fijo",
  ],
  birthdate: [
    "birthdate",
    "birth date",
    "birthday",
    "date of birth",
    "dob",
    "born",
    "nascimento",
    "data de nascimento",
    "data nascimento",
    "data nasc",
    "dt nascimento",
    "dt nasc",
    "aniversário",
    "nacimiento",
    "fecha de nacimiento",
    "cumpleaños",
  ],
  cpf: ["cpf", "nº cpf", "nº do cpf", "número do cpf", "cpf do cliente", "cpf do aluno"],
  document: [
    "idDocument",
    "id document",
    "document",
    "passport",
    "documento",
    "documento de identidad",
    "passaporte",
    "pasaporte",
    "rg",
    "rne",
    "dni",
  ],
  // A number of the owner's own list, or an id document: asked, not guessed.
  unclearId: ["id"],
  location: [
    "location",
    "locations",
    "locationIds",
    "branch",
    "studio",
    "unidade",
    "unidades",
    "local",
    "filial",
    "estúdio",
    "sede",
    "sucursal",
  ],
  status: ["status", "situação", "estado do cliente", "situación"],
  notes: [
    "notes",
    "note",
    "comments",
    "remarks",
    "notas",
    "observações",
    "observação",
    "obs",
    "comentários",
    "observaciones",
    "comentarios",
  ],
  "address.line1": [
    "line1",
    "address",
    "address line 1",
    "street",
    "endereço",
    "logradouro",
    "rua",
    "dirección",
    "calle",
  ],
  "address.line2": ["line2", "address line 2", "complemento", "bairro"],
  "address.city": ["city", "town", "cidade", "município", "ciudad"],
  "address.state": ["state", "province", "estado", "uf", "provincia"],
  "address.postalCode": ["postalCode", "postal code", "postcode", "zip", "zip code", "cep", "código postal"],
  "address.country": ["country", "país"],
  // The column that we wrote ourselves, in a file of rejected rows that comes back.
  reason: ["Reason rejected", "Motivo da recusa", "Motivo del rechazo"],
};

const MEANING: ReadonlyMap<string, Column> = new Map(
  Object.entries(NAMES).flatMap(([column, names]) =>
    names.map((name) => [bare(name), column as Column] as const),
  ),
);

/** What the columns of a header row mean; a column without a known name is left out. */
export interface SheetHeader {
  /** Whether it is a download of clients that comes back: its cells are as we wrote them. */
  readonly isDownload: boolean;
  readonly columns: readonly (Column | undefined)[];
  /** The owner's own names, to speak of them in faults. */
  readonly names: readonly string[];
  /** Where the phones are, the mobile ones first. */
  readonly phones: readonly number[];
  /** The columns whose cells make up the name. */
  readonly nameParts: readonly number[];
}

export interface HeaderReading {
  readonly header: SheetHeader;
  readonly questions: readonly SheetQuestion[];
  readonly remarks: readonly SheetRemark[];
}

/**
 * Reads the row that names the columns. `ignored` are columns that the owner wants left out, `choices` those that the
 * owner has named the meaning of. A download of ours is read as it was written.
 */
export function readHeader(
  cells: readonly string[],
  ignored: readonly string[] = [],
  choices = NO_CHOICES,
): HeaderReading {
  const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  if (width > MAX_COLUMNS) throw refuse({ code: "columns_too_many", params: { max: MAX_COLUMNS } });
  const names = cells.slice(0, width).map((cell) => cell.trim());
  const left = new Set(ignored.map(bare));
  const isDownload = isDownloadHeader(names);
  if (isDownload) return readDownloadHeader(names, left);
  const changed = findChangedDownload(names);
  if (changed) return { ...readDownloadHeader(names, left), questions: [changed] };
  const meanings = names.map((name, i) => {
    const choice = choices.get(i);
    if (choice !== undefined) return choice === "none" ? undefined : choice;
    return left.has(bare(name)) ? undefined : MEANING.get(bare(name));
  });
  const columns = meanings.map((column) =>
    column === "unclearId" || column === "reason" ? undefined : column,
  );
  const nameOf = (index: number) => names[index] ?? "";
  const at = (...wanted: Column[]) =>
    columns.flatMap((column, i) => (column && wanted.includes(column) ? [i] : []));

  const questions: SheetQuestion[] = ignored
    .filter((name) => !names.some((known) => bare(known) === bare(name)))
    .map((column) => ({ code: "ignored_column_unknown", params: { column } }));
  const remarks: SheetRemark[] = names.flatMap((column, i): SheetRemark[] => {
    const isExpected = column === "" || meanings[i] !== undefined || left.has(bare(column)) || choices.has(i);
    return isExpected ? [] : [{ code: "column_left_out", params: { column } }];
  });
  for (const [i, column] of names.entries())
    if (meanings[i] === "unclearId") questions.push({ code: "id_column_unclear", params: { column } });

  const nameParts = chooseNameParts(at, questions, nameOf);
  if (nameParts.length === 0) questions.push({ code: "name_column_missing", params: {} });
  if (nameParts.length > 1)
    remarks.push({ code: "names_joined", params: { columns: nameParts.map(nameOf) } });
  const phones = [...at("mobilePhone"), ...at("contactPhone")];
  if (phones.length > 1) remarks.push({ code: "phones_several", params: { columns: phones.map(nameOf) } });
  for (const [i, column] of columns.entries()) {
    const first = columns.indexOf(column);
    if (column === undefined || first === i || phones.includes(i) || nameParts.includes(i)) continue;
    if (PARTS_OF_NAME.has(column)) continue;
    questions.push({ code: "columns_same", params: { first: nameOf(first), second: nameOf(i) } });
  }
  const [cpf] = at("cpf");
  const [document] = at("document");
  if (cpf !== undefined && document !== undefined)
    questions.push({ code: "documents_two", params: { first: nameOf(cpf), second: nameOf(document) } });
  return { header: { isDownload, columns, names, phones, nameParts }, questions, remarks };
}

/** Whether the columns are those of our own download, with or without the one that says why rows were rejected. */
function isDownloadHeader(names: readonly string[]): boolean {
  const own = MEANING.get(bare(names.at(-1) ?? "")) === "reason" ? names.slice(0, -1) : names;
  return own.length === CLIENT_CSV_COLUMNS.length && CLIENT_CSV_COLUMNS.every((name, i) => name === own[i]);
}

/**
 * What to ask if a download comes back with other columns or in another order. Read as any other sheet, with its id
 * ignored, it would make a second client of every row without an id document. It is known by names that no owner
 * writes: `idDocument.value`, or `id` beside `address.city`.
 */
function findChangedDownload(names: readonly string[]): SheetQuestion | undefined {
  const dotted = names.filter((name) => name.includes(".") && CLIENT_CSV_COLUMNS.some((own) => own === name));
  const isOurs = dotted.some((name) => names.includes("id") || name.startsWith("idDocument."));
  if (!isOurs) return undefined;
  const missing = CLIENT_CSV_COLUMNS.filter((name) => !names.includes(name));
  return { code: "download_columns_changed", params: { missing } };
}

function readDownloadHeader(names: readonly string[], left: ReadonlySet<string>): HeaderReading {
  const columns = names.map((name) => (left.has(bare(name)) ? undefined : downloadColumn(name)));
  const at = (wanted: Column) => columns.flatMap((column, i) => (column === wanted ? [i] : []));
  const header = {
    isDownload: true,
    columns,
    names,
    phones: at("contactPhone"),
    nameParts: at("contactName"),
  };
  return { header, questions: [], remarks: [] };
}

/** When a client was made and changed is for the server to say. */
function downloadColumn(name: string): Column | undefined {
  if (name === "idDocument.value") return "document";
  if (name === "locationIds") return "location";
  return Object.hasOwn(NAMES, name) ? (name as Column) : undefined;
}

const PARTS_OF_NAME: ReadonlySet<Column> = new Set(["contactName", "fullName", "firstName", "lastName"]);

/** One column, or one with first names and one with last names. Everything else would say the name twice. */
function chooseNameParts(
  at: (...wanted: Column[]) => number[],
  questions: SheetQuestion[],
  nameOf: (index: number) => string,
): readonly number[] {
  const [first, ...more] = at("fullName", "contactName", "firstName");
  const [last, ...moreLast] = at("lastName");
  const isWhole = first !== undefined && at("fullName").includes(first);
  const spare = [...more, ...(isWhole && last !== undefined ? [last] : []), ...moreLast];
  for (const index of spare) {
    const other = moreLast.includes(index) ? last : first;
    const params = { first: nameOf(other ?? index), second: nameOf(index) };
    questions.push({ code: "columns_same", params });
  }
  if (first === undefined) return [];
  return last === undefined || isWhole ? [first] : [first, last];
}

/** How many rows from the top the names of the columns may be. */
export const MAX_TITLE_ROWS = 20;
/** No list of people has more; to compare the names of 100,000 with each other would take minutes. */
const MAX_COLUMNS = 500;

/** Which of the first rows names the columns: the one with most known names, one for the client among them. */
export function findHeader(
  rows: readonly (readonly string[])[],
): { index: number; known: number } | undefined {
  let best: { index: number; known: number } | undefined;
  for (const [index, cells] of rows.slice(0, MAX_TITLE_ROWS).entries()) {
    const meanings = meaningsOf(cells);
    if (
      !meanings.some((column) => column !== undefined && column !== "lastName" && PARTS_OF_NAME.has(column))
    )
      continue;
    const known = meanings.filter((column) => column !== undefined).length;
    if (!best || known > best.known) best = { index, known };
  }
  return best;
}

/** Where the names of columns probably are if none is the client's: where most are known, else where most cells are. */
export function guessHeader(rows: readonly (readonly string[])[]): number {
  const scores = rows.map((cells) => {
    const known = meaningsOf(cells).filter((column) => column !== undefined).length;
    return known * MAX_COLUMNS + cells.slice(0, MAX_COLUMNS).filter((cell) => cell.trim() !== "").length;
  });
  return scores.indexOf(Math.max(...scores));
}

function meaningsOf(cells: readonly string[]): (Column | undefined)[] {
  return cells.slice(0, MAX_COLUMNS).map((cell) => MEANING.get(bare(cell)));
}

function bare(name: string): string {
  return fold(name).replace(/[^a-z0-9]/g, "");
}
