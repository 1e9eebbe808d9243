import { readCpf } from "../../domain/clients/cpf.ts";
import {
  hasPhoneDigits,
  hasSeveralPhones,
  isDigits,
  isStatusWord,
  looksLikeEmail,
  looksLikePhone,
  placeholderOf,
  readStatus,
} from "./cell-texts.ts";

/** What the first cells of a column show of what it means. Only cells that hold a value count. */
export function valuesOf(rows: readonly (readonly string[])[], index: number): string[] {
  return rows
    .map((cells) => (cells[index] ?? "").trim())
    .filter((cell) => cell !== "" && placeholderOf(cell) === undefined);
}

/** `Tel/Whats`, `Fone p/ contato`: not the name of a phone, but one that speaks of it. */
const SPEAKS_OF_PHONE = /tel|fone|phone|cel|mobile|movil|whats|zap|wpp|contat|contact/;

/** `Tel. emergência`, `E-mail da mãe`, `Indicado por`: what it holds is somebody else's. */
const SPEAKS_OF_OTHERS =
  /(?:^|[^a-z])(?:emergenc(?:ia|y)|pais?|mae|padres?|madre|father|mother|mom|dad|parents?|responsavel|responsable|tutora?|guardian|conjuge|espos[oa]|marido|spouse|wife|husband|irma|irmao|herman[oa]|filh[oa]|hij[oa]|indicad[oa]|indicacao|referred|referral|referid[oa]|recomendad[oa]|professora?|profesora?|instrutora?|instructora?|teacher|trainer|vendedora?|consultora?)(?![a-z])/;

/** `Situação do aluno`, `Membership status`, and not `Status do pagamento`. */
const SPEAKS_OF_STATUS = /^(?!.*(?:pag|pay|financ|cobran|civil)).*(?:status|situa[ct]|estado|condic)/;

/** If the name speaks of phones, some cells may say that there is none. */
const NAMED_SHARE = 0.5;

/** What a column with an unknown name holds, if every cell shows it; undefined if that is not certain. */
export function recognizeContent(
  foldedName: string,
  values: readonly string[],
): "contactPhone" | "contactEmail" | "cpf" | "status" | undefined {
  if (values.length === 0 || SPEAKS_OF_OTHERS.test(foldedName)) return undefined;
  if (values.every(looksLikeEmail)) return "contactEmail";
  if (values.every((cell) => /^\d{3}\.\d{3}\.\d{3}-\d{2}$/.test(cell) && readCpf(cell))) return "cpf";
  if (SPEAKS_OF_STATUS.test(foldedName) && values.every((cell) => readStatus(cell) !== undefined))
    return "status";
  const isNamed = SPEAKS_OF_PHONE.test(foldedName);
  const isPhone = (cell: string) =>
    looksLikePhone(cell) || (isNamed && (hasPhoneDigits(cell) || hasSeveralPhones(cell)));
  const count = values.filter(isPhone).length;
  return count >= values.length * (isNamed ? NAMED_SHARE : 1) ? "contactPhone" : undefined;
}

/** Whether a column that is called `Estado` says who is active: all of its cells do, some, or none. */
export function saysStatus(values: readonly string[]): "all" | "some" | "none" {
  const count = values.filter(isStatusWord).length;
  if (count === 0) return "none";
  return count === values.length ? "all" : "some";
}

/** How many digits the numbers of a column have. */
export interface UsualDigits {
  readonly count: number;
  /** Whether its name says so. */
  readonly isCertain: boolean;
}

/** How many digits a number lacks: `2134`, `2134-1234` and, as a CEP, `1310-100` lack one. Not above 0 if it is none. */
export function missingDigits(cell: string, { count, isCertain }: UsualDigits): number {
  const match = /^(\d+)(-\d{3,4})?$/.exec(cell);
  const [, digits = "", added = ""] = match ?? [];
  if (!match || (added !== "" && !isCertain)) return 0;
  // The four digits that may follow a zip code are none of its five.
  return count - digits.length - (count === NAMED_DIGITS.cep ? Math.max(added.length - 1, 0) : 0);
}

/** Postal codes that have so many digits by their name. */
const NAMED_DIGITS: Readonly<Record<string, number>> = { cep: 8, zip: 5, zipcode: 5 };
const MIN_NUMBERS = 2;
const MIN_DIGITS = 4;
const USUAL_SHARE = 0.6;

export function usualDigits(bareName: string, values: readonly string[]): UsualDigits | undefined {
  const named = Object.hasOwn(NAMED_DIGITS, bareName) ? NAMED_DIGITS[bareName] : undefined;
  if (named !== undefined) return { count: named, isCertain: true };
  const lengths = values.map((cell) => cell.replace(/[.-]/g, "")).filter(isDigits);
  const counts = new Map<number, number>();
  for (const { length } of lengths) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most || most[0] < MIN_DIGITS || most[1] < Math.max(MIN_NUMBERS, lengths.length * USUAL_SHARE))
    return undefined;
  return { count: most[0], isCertain: false };
}
