/** What is written from right to left, and the characters that only say so. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text as it is put into a sentence: one with another direction is set apart, so that it turns nothing around but itself.
 * Its own controls go, as one of them could end that.
 */
export function isolate<Value>(value: Value): Value | string {
  if (typeof value !== "string" || !RIGHT_TO_LEFT.test(value)) return value;
  return `\u2068${value.replace(CONTROLS, "")}\u2069`;
}

/** What a letter begins with, in the program that sends it. */
export interface Letter {
  readonly subject: string;
  readonly body: string;
}

/** The address that writes to somebody: nothing of an e-mail address becomes a subject or another recipient. */
export function mailLink(email: string, letter?: Letter): string {
  const address = `mailto:${encodeURIComponent(email).replace("%40", "@")}`;
  if (!letter) return address;
  return `${address}?subject=${encodeURIComponent(letter.subject)}&body=${encodeURIComponent(letter.body)}`;
}

/**
 * The address that writes to somebody by WhatsApp. It takes a number with its country alone; of another one nobody knows where it
 * is, so that whoever sends the text chooses to whom.
 */
export function whatsAppLink(phone: string, text: string): string {
  const [number = ""] = phone.split(/\p{L}/u);
  const digits = number.replace(/\D/g, "");
  const international = /^\D*\+/.test(number) ? digits : digits.startsWith("00") ? digits.slice(2) : "";
  return `https://wa.me/${international}?text=${encodeURIComponent(text)}`;
}

/**
 * The address that calls somebody: the digits up to the first letter, which begins a remark such as an extension. None
 * without digits: the text is then no link.
 */
export function callLink(phone: string): { readonly href?: string } {
  const [number = ""] = phone.split(/\p{L}/u);
  if (!/\d/.test(number)) return {};
  return { href: `tel:${/^\D*\+/.test(number) ? "+" : ""}${number.replace(/\D/g, "")}` };
}
