import { fold } from "../../core/search.ts";
import { CLIENT_CSV_COLUMNS } from "../../domain/clients/schema.ts";
import { isMark, isTotal, readStatus } from "./cell-texts.ts";
import { recognizeContent, saysStatus, type UsualDigits, usualDigits, valuesOf } from "./column-content.ts";
import { refuse, type SheetQuestion, type SheetRemark } from "./languages/problems.ts";
import type { ChosenColumn } from "./values.ts";

/** What a column of an owner's spreadsheet can mean. `cpf` and `document` both become the id document. */
export type Column = ChosenColumn | "id" | "idDocument.type" | "unclearId" | "reason";

/** What the owner says of columns, by their places: what they are, or that they are left out. */
export type ColumnChoices = ReadonlyMap<number, ChosenColumn | "none">;

const NO_CHOICES: ColumnChoices = new Map();

/** Longer names are nobody's; they are shown again and again. */
const MAX_NAME_CHARACTERS = 80;

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
    "nome e sobrenome",
    "nombre completo",
    "nombre y apellido",
    "nombre y apellidos",
    "nombres y apellidos",
    "apellido y nombre",
    "apellidos y nombre",
    "apellidos y nombres",
  ],
  firstName: [
    "first name",
    "given name",
    "middle name",
    "primeiro nome",
    "segundo nome",
    "nome do meio",
    "primer nombre",
    "segundo nombre",
    "nombres",
  ],
  lastName: [
    "last name",
    "surname",
    "family name",
    "sobrenome",
    "último nome",
    "apellido",
    "apellidos",
    "apellido paterno",
    "apellido materno",
    "primer apellido",
    "segundo apellido",
  ],
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
    "nasc",
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
    "cpf/cnpj",
    "cnpj/cpf",
    "cpf ou cnpj",
    "cpf/rg",
    "rg/cpf",
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
  "address.line2": ["line2", "address line 2", "complemento", "bairro", "colonia", "barrio"],
  "address.city": ["city", "town", "cidade", "município", "ciudad"],
  "address.state": ["state", "province", "estado", "uf", "provincia"],
  "address.postalCode": [
    "postalCode",
    "postal code",
    "postcode",
    "zip",
    "zip code",
    "cep",
    "código postal",
    "cp",
    "cód postal",
  ],
  "address.country": ["country", "país"],
  // The column that we wrote ourselves, in a file of rejected rows that comes back.
  reason: ["Reason rejected", "Motivo da recusa", "Motivo del rechazo"],
};

/** Columns that go on where another of the same meaning ends. Their cells are joined. */
const CONTINUING: ReadonlySet<string> = new Set(
  [
    "middle name",
    "segundo nome",
    "nome do meio",
    "segundo nombre",
    "apellido materno",
    "segundo apellido",
    "complemento",
    "bairro",
    "colonia",
    "barrio",
    "address line 2",
  ].map(bare),
);
/** The number of a house, if it stands beside a street; else that of a list. */
const HOUSE_NUMBERS: ReadonlySet<string> = new Set(
  ["nº", "n", "num", "número", "number", "street number", "house number"].map(bare),
);

/** Columns of yes and no, `Ativo?` and `Cancelado (S/N)`, by what a yes says of the client. */
const YES_NO_NAMES = [
  ["active", "ativ[oa]|activ[oae]"],
  [
    "archived",
    "inativ[oa]|inactiv[oae]|desativad[oa]|cancelad[oa]|cancell?ed|arquivad[oa]|archivad[oa]|archived",
  ],
] as const;
const YES_NO_PATTERNS = YES_NO_NAMES.map(
  ([status, words]) =>
    [
      status,
      new RegExp(`^(?:is|esta|cliente?|alun[oa]|alumn[oa]|member)?(?:${words})(?:sn|simnao|sino|yn|yesno)?$`),
    ] as const,
);

function yesMeansIn(bareName: string): "active" | "archived" | undefined {
  return YES_NO_PATTERNS.find(([, pattern]) => pattern.test(bareName))?.[0];
}

/** What a column is by its name. */
export function meaningOf(name: string): Column | undefined {
  const key = bare(name);
  // An abbreviation by its point: without it, it may be the end of something.
  if (/^end\.$/i.test(name.trim())) return "address.line1";
  return MEANING.get(key) ?? (yesMeansIn(key) && "status");
}

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
  /** What stands before a cell in the notes, for columns that are not the notes' own. */
  readonly labels: readonly (string | undefined)[];
  /** How many digits the numbers of a column usually have. */
  readonly digits: readonly (UsualDigits | undefined)[];
  /** Columns that the owner has named the meaning of. */
  readonly isChosen: ReadonlySet<number>;
  /** Columns of yes and no about the status. */
  readonly yesNo: ReadonlyMap<number, YesNoColumn>;
}

interface YesNoColumn {
  readonly yesMeans: "active" | "archived";
  /** What an empty cell is: a no beside marks, nobody knows beside a yes, and nothing where others say no. */
  readonly empty: "archived" | "unclear" | undefined;
}

export interface HeaderReading {
  readonly header: SheetHeader;
  readonly questions: readonly SheetQuestion[];
  readonly remarks: readonly SheetRemark[];
}

/** Without rows that show nothing of what a column means: sums, and the names of the columns once more. */
function rowsOfPeople(rows: readonly (readonly string[])[], names: readonly string[]): (readonly string[])[] {
  const folded = names.map((name) => fold(name));
  return rows.filter((cells) => {
    const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
    const isRepeated = cells.every((cell, i) => cell.trim() === "" || fold(cell.trim()) === folded[i]);
    return !isRepeated && !isTotal(filled[0] ?? "");
  });
}

/**
 * Reads the row that names the columns. `ignored` are columns that the owner wants left out, `choices` those that the
 * owner has named the meaning of, `rows` the first ones below. A download of ours is read as it was written.
 */
export function readHeader(
  cells: readonly string[],
  ignored: readonly string[] = [],
  choices = NO_CHOICES,
  rows: readonly (readonly string[])[] = [],
): HeaderReading {
  const width = cells.findLastIndex((cell) => cell.trim() !== "") + 1;
  if (width > MAX_NAMED_COLUMNS)
    throw refuse({ code: "columns_too_many", params: { max: MAX_NAMED_COLUMNS } });
  const names = cells.slice(0, width).map(nameOfColumn);
  const samples = rowsOfPeople(rows, names);
  const left = new Set(ignored.flatMap((name) => placesOf(name, names)));
  const isDownload = isDownloadHeader(names);
  if (isDownload) return readDownloadHeader(names, left);
  const changed = findChangedDownload(names);
  if (changed) return { ...readDownloadHeader(names, left), questions: [changed] };
  const questions: SheetQuestion[] = ignored
    .filter((name) => placesOf(name, names).length === 0)
    .map((column) => ({ code: "ignored_column_unknown", params: { column } }));
  const remarks: SheetRemark[] = [];
  const meanings = names.map((name, i) => {
    const choice = choices.get(i);
    if (choice !== undefined) return choice === "none" ? undefined : choice;
    if (left.has(i)) return undefined;
    const named = meaningOf(name);
    const found = name === "" ? undefined : findByContent(name, named, valuesOf(samples, i));
    if (named === undefined && isHouseNumber(names, i)) return "address.line1";
    if (found === "unclear") questions.push({ code: "state_or_status", params: { column: name } });
    else if (found !== undefined)
      remarks.push({ code: "column_recognized", params: { column: name, as: found } });
    return found === "unclear" ? undefined : (found ?? named);
  });
  const columns = meanings.map((column) =>
    column === "unclearId" || column === "reason" ? undefined : column,
  );
  const nameOf = (index: number) => names[index] ?? "";
  const at = (...wanted: Column[]) =>
    columns.flatMap((column, i) => (column && wanted.includes(column) ? [i] : []));

  const leftOut = names.filter(
    (name, i) => name !== "" && meanings[i] === undefined && !left.has(i) && !choices.has(i),
  );
  if (leftOut.length > 0) remarks.push({ code: "column_left_out", params: { columns: leftOut } });
  for (const [i, column] of names.entries())
    if (meanings[i] === "unclearId") questions.push({ code: "id_column_unclear", params: { column } });

  const continues = (index: number) => CONTINUING.has(bare(nameOf(index))) || isHouseNumber(names, index);
  const nameParts = chooseNameParts(at, questions, nameOf, continues);
  if (nameParts.length === 0) questions.push({ code: "name_column_missing", params: {} });
  if (nameParts.length > 1)
    remarks.push({ code: "names_joined", params: { columns: nameParts.map(nameOf) } });
  const phones = [...at("mobilePhone"), ...at("contactPhone")];
  if (phones.length > 1) remarks.push({ code: "phones_several", params: { columns: phones.map(nameOf) } });
  for (const [i, column] of columns.entries()) {
    const first = columns.indexOf(column);
    if (column === undefined || first === i || phones.includes(i) || nameParts.includes(i)) continue;
    if (PARTS_OF_NAME.has(column) || column === "notes" || (continues(i) && isLine(column))) continue;
    questions.push({ code: "columns_same", params: { first: nameOf(first), second: nameOf(i) } });
  }
  for (const line of LINES) {
    const parts = at(line);
    if (parts.length > 1) remarks.push({ code: "address_joined", params: { columns: parts.map(nameOf) } });
  }
  const [cpf] = at("cpf");
  const [document] = at("document");
  if (cpf !== undefined && document !== undefined)
    questions.push({ code: "documents_two", params: { first: nameOf(cpf), second: nameOf(document) } });
  const notes = at("notes");
  if (notes.length > 1) remarks.push({ code: "notes_joined", params: { columns: notes.map(nameOf) } });
  // The notes' own column needs no label, if it is the only one that has the name.
  const isOwn = (index: number) => notes.length === 1 && MEANING.get(bare(nameOf(index))) === "notes";
  const header = {
    isDownload,
    columns,
    names,
    phones,
    nameParts,
    labels: columns.map((column, i) => (column === "notes" && !isOwn(i) ? nameOf(i) : undefined)),
    digits: columns.map((column, i) =>
      column === "address.postalCode" || column === "document"
        ? usualDigits(bare(nameOf(i)), valuesOf(samples, i))
        : undefined,
    ),
    isChosen: new Set(choices.keys()),
    yesNo: new Map(
      at("status").flatMap((i) => {
        const column = readYesNo(bare(nameOf(i)), valuesOf(samples, i));
        return column ? [[i, column] as const] : [];
      }),
    ),
  };
  // One answer often settles several, and nobody reads a hundred.
  return { header, questions: questions.slice(0, MAX_QUESTIONS), remarks };
}

const MAX_QUESTIONS = 20;

function readYesNo(bareName: string, values: readonly string[]): YesNoColumn | undefined {
  const yesMeans = yesMeansIn(bareName);
  if (yesMeans === undefined) return undefined;
  const isYesAlone = values.length > 0 && values.every((cell) => readStatus(cell, yesMeans) === yesMeans);
  // Who is not marked as cancelled is active, as everybody is.
  if (!isYesAlone || yesMeans === "archived") return { yesMeans, empty: undefined };
  return { yesMeans, empty: values.every(isMark) ? "archived" : "unclear" };
}

/** Where columns of a name are: those that have exactly that name if there are any, so that one of `email` and `E-mail` can be meant. */
function placesOf(name: string, names: readonly string[]): number[] {
  const places = (isMeant: (known: string) => boolean) =>
    names.flatMap((known, i) => (isMeant(known) ? [i] : []));
  const exact = places((known) => known === name.trim());
  return exact.length > 0 ? exact : places((known) => bare(known) === bare(name));
}

/** What the cells of a column show, where its name does not say it or says something else. */
function findByContent(
  name: string,
  named: Column | undefined,
  values: readonly string[],
): "contactPhone" | "contactEmail" | "cpf" | "status" | "unclear" | undefined {
  if (named === undefined) return recognizeContent(fold(name), values);
  if (named !== "address.state") return undefined;
  const status = saysStatus(values);
  return status === "all" ? "status" : status === "some" ? "unclear" : undefined;
}

function nameOfColumn(cell: string): string {
  const name = cell.trim().replace(/\p{Cc}+/gu, " ");
  return name.length > MAX_NAME_CHARACTERS
    ? `${name.slice(0, MAX_NAME_CHARACTERS - 1).toWellFormed()}…`
    : name;
}

/**
 * Whether the columns are those of our own download, with or without the one that says why rows were rejected. Some may be
 * missing, as in a file of a release that did not have them: what is not named stays as it is. A document is named whole.
 */
function isDownloadHeader(names: readonly string[]): boolean {
  const own = MEANING.get(bare(names.at(-1) ?? "")) === "reason" ? names.slice(0, -1) : names;
  const inOrder = CLIENT_CSV_COLUMNS.filter((name) => own.includes(name));
  const isInOrder = own.length === inOrder.length && inOrder.every((name, i) => name === own[i]);
  const hasHalfDocument = own.includes("idDocument.type") !== own.includes("idDocument.value");
  return (
    isInOrder && isOfDownload(own) && own.includes("id") && own.includes("contactName") && !hasHalfDocument
  );
}

/** Whether there is a name that no owner writes: `idDocument.value`, or `id` beside `address.city`. */
function isOfDownload(names: readonly string[]): boolean {
  const dotted = names.filter((name) => name.includes(".") && CLIENT_CSV_COLUMNS.some((own) => own === name));
  return dotted.some((name) => names.includes("id") || name.startsWith("idDocument."));
}

/**
 * What to ask if a download comes back with other columns or in another order. Read as any other sheet, with its id
 * ignored, it would make a second client of every row without an id document.
 */
function findChangedDownload(names: readonly string[]): SheetQuestion | undefined {
  if (!isOfDownload(names)) return undefined;
  const missing = CLIENT_CSV_COLUMNS.filter((name) => !names.includes(name));
  return { code: "download_columns_changed", params: { missing } };
}

function readDownloadHeader(names: readonly string[], left: ReadonlySet<number>): HeaderReading {
  const columns = names.map((name, i) => (left.has(i) ? undefined : downloadColumn(name)));
  const at = (wanted: Column) => columns.flatMap((column, i) => (column === wanted ? [i] : []));
  const header = {
    isDownload: true,
    columns,
    names,
    phones: at("contactPhone"),
    nameParts: at("contactName"),
    labels: [],
    digits: [],
    isChosen: new Set<number>(),
    yesNo: new Map<number, YesNoColumn>(),
  };
  return { header, questions: [], remarks: [] };
}

/** When a client was made and changed is for the server to say. */
function downloadColumn(name: string): Column | undefined {
  if (name === "idDocument.value") return "document";
  if (name === "locationIds") return "location";
  return Object.hasOwn(NAMES, name) ? (name as Column) : undefined;
}

const LINES = ["address.line1", "address.line2"] as const;

function isLine(column: Column): boolean {
  return LINES.some((line) => line === column);
}

function isHouseNumber(names: readonly string[], index: number): boolean {
  return HOUSE_NUMBERS.has(bare(names[index] ?? "")) && meaningOf(names[index - 1] ?? "") === "address.line1";
}

const PARTS_OF_NAME: ReadonlySet<Column> = new Set(["contactName", "fullName", "firstName", "lastName"]);

/** One column, or those with first names and those with last names. Everything else would say the name twice. */
function chooseNameParts(
  at: (...wanted: Column[]) => number[],
  questions: SheetQuestion[],
  nameOf: (index: number) => string,
  continues: (index: number) => boolean,
): readonly number[] {
  const [first, ...more] = at("fullName", "contactName", "firstName").filter((index) => !continues(index));
  const [last, ...moreLast] = at("lastName").filter((index) => !continues(index));
  const isWhole = first !== undefined && at("fullName").includes(first);
  const spare = [...more, ...(isWhole && last !== undefined ? [last] : []), ...moreLast];
  for (const index of spare) {
    const other = moreLast.includes(index) ? last : first;
    const params = { first: nameOf(other ?? index), second: nameOf(index) };
    questions.push({ code: "columns_same", params });
  }
  if (first === undefined) return [];
  if (isWhole) return [first];
  const following = (column: Column) => at(column).filter(continues);
  return [first, ...following("firstName"), ...(last === undefined ? [] : [last]), ...following("lastName")];
}

/** How many rows from the top the names of the columns may be. */
export const MAX_TITLE_ROWS = 20;
/** No list of people has more; to compare the names of 100,000 with each other would take minutes. */
export const MAX_NAMED_COLUMNS = 500;
/** No spreadsheet program has more. */
export const MAX_COLUMNS = 16_384;

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
    return (
      known * MAX_NAMED_COLUMNS +
      cells.slice(0, MAX_NAMED_COLUMNS).filter((cell) => cell.trim() !== "").length
    );
  });
  return scores.indexOf(Math.max(...scores));
}

function meaningsOf(cells: readonly string[]): (Column | undefined)[] {
  return cells.slice(0, MAX_NAMED_COLUMNS).map(meaningOf);
}

/** A name as it is compared. Folding makes a text up to eighteen times as long. */
function bare(name: string): string {
  return fold(name.slice(0, MAX_NAME_CHARACTERS)).replace(/[^a-z0-9]/g, "");
}
