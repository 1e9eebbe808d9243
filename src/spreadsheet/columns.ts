import { fold } from "../core/search.ts";

/** What a column of an owner's spreadsheet can mean. `cpf` and `document` both become the id document. */
export type Column =
  | "contactName"
  | "contactEmail"
  | "contactPhone"
  | "birthdate"
  | "cpf"
  | "document"
  | "location"
  | "status"
  | "notes"
  | "address.line1"
  | "address.line2"
  | "address.city"
  | "address.state"
  | "address.postalCode"
  | "address.country";

/** Names that people give their columns, in English and Portuguese; compared without case, accents and spaces. */
const NAMES: Readonly<Record<Column, readonly string[]>> = {
  contactName: [
    "contactName",
    "name",
    "full name",
    "client",
    "client name",
    "member",
    "nome",
    "nome completo",
    "cliente",
    "aluno",
  ],
  contactEmail: [
    "contactEmail",
    "email",
    "e-mail",
    "e-mail address",
    "mail",
    "correio eletrônico",
    "endereço de e-mail",
  ],
  contactPhone: [
    "contactPhone",
    "phone",
    "phone number",
    "mobile",
    "cell",
    "telephone",
    "telefone",
    "celular",
    "fone",
    "tel",
    "whatsapp",
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
    "dt nascimento",
    "aniversário",
  ],
  cpf: ["cpf", "nº cpf", "número do cpf", "cpf do cliente"],
  document: [
    "idDocument",
    "id document",
    "document",
    "passport",
    "id",
    "documento",
    "passaporte",
    "rg",
    "rne",
  ],
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
  ],
  status: ["status", "situação", "estado do cliente"],
  notes: ["notes", "note", "comments", "remarks", "notas", "observações", "observação", "obs", "comentários"],
  "address.line1": ["line1", "address", "address line 1", "street", "endereço", "logradouro", "rua"],
  "address.line2": ["line2", "address line 2", "complemento", "bairro"],
  "address.city": ["city", "town", "cidade", "município"],
  "address.state": ["state", "province", "estado", "uf"],
  "address.postalCode": ["postalCode", "postal code", "postcode", "zip", "zip code", "cep", "código postal"],
  "address.country": ["country", "país"],
};

const MEANING: ReadonlyMap<string, Column> = new Map(
  Object.entries(NAMES).flatMap(([column, names]) =>
    names.map((name) => [bare(name), column as Column] as const),
  ),
);

/** What the columns of a header line mean; a column without a known name is none of ours. */
export interface Header {
  readonly columns: readonly (Column | undefined)[];
  /** The owner's own names, to speak of them in faults. */
  readonly names: readonly string[];
  readonly unknown: readonly string[];
  /** What is wrong with the header as a whole. */
  readonly faults: readonly string[];
}

export function readHeader(cells: readonly string[]): Header {
  const names = cells.map((cell) => cell.trim());
  const columns = names.map((name) => MEANING.get(bare(name)));
  const faults: string[] = [];
  if (!columns.includes("contactName")) {
    faults.push("no column is the client's name: call one of them Name or Nome");
  }
  columns.forEach((column, i) => {
    const first = columns.indexOf(column);
    if (column !== undefined && first < i) {
      faults.push(`the columns "${names[first]}" and "${names[i]}" mean the same`);
    }
  });
  if (columns.includes("cpf") && columns.includes("document")) {
    faults.push("a client has one id document: give either a CPF column or a document column");
  }
  return {
    columns,
    names,
    unknown: names.filter((name, i) => name !== "" && columns[i] === undefined),
    faults,
  };
}

/** The delimiter of a header line: whichever of the usual ones it has most of, outside quotes. */
export function guessDelimiter(line: string): string {
  const outside = line.replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => outside.split(delimiter).length;
  return [";", ",", "\t"].reduce((best, next) => (count(next) > count(best) ? next : best));
}

function bare(name: string): string {
  return fold(name).replace(/[^a-z0-9]/g, "");
}
