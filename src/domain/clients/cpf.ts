const CPF = /^(?:[0-9]{11}|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})$/;

/** The eleven digits of a valid CPF, written plain or with its punctuation in the usual places; else undefined. */
export function readCpf(text: string): string | undefined {
  if (!CPF.test(text)) return undefined;
  const digits = text.replace(/[.-]/g, "");
  const allEqual = /^(.)\1*$/.test(digits);
  const valid = !allEqual && checkDigit(digits, 9) === digits[9] && checkDigit(digits, 10) === digits[10];
  return valid ? digits : undefined;
}

/** The CPF that begins with nine digits; undefined if it would be the same digit eleven times. */
export function completeCpf(nine: string): string | undefined {
  const ten = nine + checkDigit(nine, 9);
  return readCpf(ten + checkDigit(ten, 10));
}

/** The check digit that belongs after the first `length` digits. */
function checkDigit(digits: string, length: number): string {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += Number(digits[i]) * (length + 1 - i);
  return String(((sum * 10) % 11) % 10);
}
