import { type Language, localeOf } from "./languages.ts";

/** An amount as somebody types it: "289", "289,00", "1.289,50", "R$ 1,289.50". Undefined if it is none. */
export function centsOf(text: string): number | undefined {
  const bare = text.replace(/[^\d.,-]/g, "");
  const match = /^(\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](\d{1,2}))?$/.exec(bare);
  if (!match) return undefined;
  const [, whole = "", fraction = ""] = match;
  const cents = Number(whole.replace(/[.,]/g, "")) * 100 + Number(fraction.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/** The same for a field: no currency and no marks between thousands. */
export function amountText(cents: number, language: Language): string {
  return new Intl.NumberFormat(localeOf(language), {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    useGrouping: false,
  }).format(cents / 100);
}
