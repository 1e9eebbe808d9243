import { fold } from "../../core/search.ts";

/** What the text of a cell is, whatever its column means. */

type Status = "active" | "archived";

const ACTIVE =
  "active ativo ativa activo activa vigente alta matriculado matriculada inscrito inscrita inscripto inscripta enrolled";
const ARCHIVED =
  "archived inactive arquivado arquivada inativo inativa archivado archivada inactivo inactiva cancelado cancelada " +
  "cancelled canceled desativado desativada desactivado desactivada baja desistente ex-aluno ex-aluna ex-alumno " +
  "ex-alumna ex-cliente ex-socio ex-socia";
const STATUSES: ReadonlyMap<string, Status> = new Map([
  ...ACTIVE.split(" ").map((word) => [word, "active"] as const),
  ...ARCHIVED.split(" ").map((word) => [word, "archived"] as const),
  ["de alta", "active"],
  ["de baja", "archived"],
]);
/** What may be said of somebody whom a studio still counts among its clients, or not: never guessed, and no place. */
const UNCLEAR_STATUSES: ReadonlySet<string> = new Set([
  ..."vencido vencida expired suspenso suspensa suspendido suspendida suspended trancado trancada congelado".split(
    " ",
  ),
  ..."congelada frozen pausado pausada paused pendente pendiente pending inadimplente moroso morosa bloqueado".split(
    " ",
  ),
  ..."bloqueada blocked atrasado atrasada overdue".split(" "),
  ...["em dia", "al dia", "on hold"],
]);
const LONGEST_STATUS = 20;

/** What a cell says of the status. `yesMeans` is what a yes does where the column is called *Active* or *Cancelled*. */
export function readStatus(cell: string, yesMeans?: Status): Status | undefined {
  if (cell.length > LONGEST_STATUS) return undefined;
  const word = fold(cell);
  const status = STATUSES.get(word);
  if (status !== undefined) return status;
  if (yesMeans === undefined) return undefined;
  if (isMark(cell) || YES.has(word)) return yesMeans;
  if (NO.has(word)) return yesMeans === "active" ? "archived" : "active";
  return undefined;
}

/** `Activo`, `Baja`, `Vencido`: a word about somebody's status, whether it is clear or not, and no state of a country. */
export function isStatusWord(cell: string): boolean {
  if (cell.length > LONGEST_STATUS) return false;
  return readStatus(cell) !== undefined || UNCLEAR_STATUSES.has(fold(cell));
}

const YES = new Set(["sim", "s", "yes", "y", "si", "true", "verdadeiro", "verdadero", "1"]);
const NO = new Set(["nao", "n", "no", "false", "falso", "0"]);

/** A mark for yes, beside which an empty cell is a no. */
export function isMark(cell: string): boolean {
  return /^(?:x|[✓✔☑✅])\ufe0f?$/iu.test(cell);
}

/**
 * What programs show in the place of a value that they could not work out, or that the column is too narrow for: `#N/D`,
 * `########`, `#VALUE!`, `#¡VALOR!`, `#¿NOMBRE?`, `Err:502`.
 */
const FAILURES =
  "ref|value|valor|null|nulo|num|núm|div/0|spill|despejar|desbordamiento|derramar|calc|field|campo|blocked|connect|busy|error";
const ERROR = new RegExp(
  `^(?:#(?:#+|n/[ad]|getting_data|¡?(?:${FAILURES})!|¿?(?:name|nome|nombre)\\?)|Err:\\d{3})$`,
  "i",
);
/** What people and programs write for nothing. */
const NOTHING =
  /^(?:null|nil|none|nan|undefined|n\/[aid]|[-–—_.?*/]+|\((?:vazio|blank|empty|en blanco|vacías?)\))$/i;
const LONGEST_PLACEHOLDER = 20;

/** Whether a cell holds no value: a failed formula (`#N/A`, `########`), or a sign for nothing (`NULL`, `-`). */
export function placeholderOf(cell: string): "error" | "nothing" | undefined {
  if (cell.length > LONGEST_PLACEHOLDER) return undefined;
  if (ERROR.test(cell)) return "error";
  return NOTHING.test(cell) ? "nothing" : undefined;
}

/** `TOTAL`, `Total geral: 214`, `Total alunos ativos = 5`, `Subtotal`: the last line of a list, and nobody's name. */
const TOTAL =
  /^(?:sub-?\s*|grand\s+)?tota(?:l|is|les|ls)(?:\s+(?:geral|general|grand|de\s+\w{1,20}|of\s+\w{1,20}|\w{4,9}s)|(?:\s+\w{1,20}){1,4}(?=\s*[:=]\s*\d))?\s*(?:[:=-]\s*)?[\d.,]*$/;
/** What may be a name too, and is a line of a list if its row says nothing else about anybody. */
const HEADINGS: readonly RegExp[] = [
  /^(?:soma|suma|sum|geral|media|promedio|average|contagem|count|qtde?|quantidade|cantidad)\s*(?:[:=-]\s*)?[\d.,%]*$/,
  /^\d+\s+(?:alun[oa]s?|clientes?|clients?|pessoas?|alumn[oa]s?|personas?|soci[oa]s?|members?|people|registros?|records?)$/,
  /^p(?:ag(?:ina)?|age)\.?\s*\d+(?:\s*(?:de|of|\/)\s*\d+)?$/,
  /^(?:turma|grupo|group|class|clase|horario)\b.*\d/,
];
const LONGEST_TOTAL = 40;

export function isTotal(cell: string): boolean {
  return cell.length <= LONGEST_TOTAL && TOTAL.test(fold(cell));
}

/** `Soma`, `Média: 7,5`, `Qtd: 5`, `12 alunos`, `Página 1 de 3`, `Turma 7h`. */
export function isHeading(cell: string): boolean {
  return cell.length <= LONGEST_TOTAL && HEADINGS.some((pattern) => pattern.test(fold(cell)));
}

/** A sum or a share, and no phone or document: `5`, `R$ 1.200,00`, `80%`. */
export function isFigure(cell: string): boolean {
  return /^(?:r?\$\s*)?[\d.,]{1,9}\s*%?$/i.test(cell);
}

const MIN_DOCUMENT_DIGITS = 4;

/**
 * `12.345.678-9`, `FN123456`: it has digits, and not one digit all over. `não tem`, `isento`, `S/N` and `000` are what many
 * people have in common, and would make one person of them.
 */
export function looksLikeDocument(cell: string): boolean {
  const digits = cell.replace(/\D/g, "");
  return digits.length >= MIN_DOCUMENT_DIGITS && new Set(digits).size > 1;
}

export function isDigits(cell: string): boolean {
  return /^\d+$/.test(cell);
}

/** `(11) 98765-4321`, `+55 11 98765 4321`, `98765-4321`: signs that no other number of a list has. */
export function looksLikePhone(cell: string): boolean {
  if (cell.length > 30 || !/^[+(]?\d[\d ().+/-]*$/.test(cell) || !/[ (+-]/.test(cell)) return false;
  const digits = cell.replace(/\D/g, "").length;
  // 20-11122233-4 is the tax number of an Argentinian.
  if (/^\d{2}-\d{7,8}-\d$/.test(cell)) return false;
  // Dates have eight digits at most, and two signs that are equal.
  return digits >= 8 && digits <= 15 && !/^\d{1,4}([-/ .])\d{1,2}\1\d{1,4}$/.test(cell);
}

/** Digits of a number that stands alone in its cell, as phones often do: only a name says what it is. */
export function hasPhoneDigits(cell: string): boolean {
  return /^\d{8,13}$/.test(cell);
}

/** `(11) 98765-4321 / 11 3456-7890`, `98765-4321 ou 98765-4322`: several of them. */
export function hasSeveralPhones(cell: string): boolean {
  if (cell.length > 80) return false;
  const parts = cell.split(/[/;,|]|\s(?:e|ou|y|o|and|or)\s/).map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => looksLikePhone(part) || hasPhoneDigits(part));
}

export function looksLikeEmail(cell: string): boolean {
  return cell.length <= 254 && /^[^\s@;,]+@[^\s@;,.]+(?:\.[^\s@;,.]+)+$/.test(cell);
}
