import { decimalsOf } from "./currency.ts";
import { type Language, localeOf } from "./languages.ts";

const WHOLE = String.raw`(\d{1,3}(?:[.,]\d{3})+|\d+)`;
/** By the number of decimals. A mark before three digits divides thousands, unless there can be three decimals. */
const AMOUNTS: readonly RegExp[] = [
  new RegExp(`^${WHOLE}()$`),
  new RegExp(`^${WHOLE}(?:[.,](\\d))?$`),
  new RegExp(`^${WHOLE}(?:[.,](\\d{1,2}))?$`),
  /^(\d{1,3}(?:[.,]\d{3})*?|\d+)(?:[.,](\d{1,3}))?$/,
];

/** An amount as somebody types it: "289", "289,00", "1.289,50", "R$ 1,289.50". Undefined if it is none. */
export function centsOf(text: string, currency: string): number | undefined {
  const places = decimalsOf(currency);
  const match = AMOUNTS[places]?.exec(text.replace(/[^\d.,-]/g, ""));
  if (!match) return undefined;
  const [, whole = "", fraction = ""] = match;
  const cents = Number(whole.replace(/[.,]/g, "")) * 10 ** places + Number(fraction.padEnd(places, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/** The same for a field: no currency and no marks between thousands. */
export function amountText(cents: number, currency: string, language: Language): string {
  const places = decimalsOf(currency);
  return new Intl.NumberFormat(localeOf(language), {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    useGrouping: false,
  }).format(cents / 10 ** places);
}
