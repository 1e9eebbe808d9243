/** Bech32 (BIP 173), the form of age's keys: a readable prefix, the bytes, and a checksum that finds typing errors. */
const LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_LETTERS = 6;

export function toBech32(prefix: string, bytes: Uint8Array): string {
  const digits = regroup(bytes, 8, 5, true) ?? [];
  const checksum = polymod([...expand(prefix), ...digits, ...Array(CHECKSUM_LETTERS).fill(0)]) ^ 1;
  const last = Array.from({ length: CHECKSUM_LETTERS }, (_, place) => (checksum >> (5 * (5 - place))) & 31);
  return `${prefix}1${[...digits, ...last].map((digit) => LETTERS[digit]).join("")}`;
}

/** Undefined for what is not written rightly, or has another prefix. In lower case. */
export function bytesOfBech32(prefix: string, text: string): Buffer | undefined {
  if (!text.startsWith(`${prefix}1`)) return undefined;
  const digits = [...text.slice(prefix.length + 1)].map((letter) => LETTERS.indexOf(letter));
  if (digits.includes(-1) || digits.length < CHECKSUM_LETTERS) return undefined;
  if (polymod([...expand(prefix), ...digits]) !== 1) return undefined;
  const bytes = regroup(digits.slice(0, -CHECKSUM_LETTERS), 5, 8, false);
  return bytes && Buffer.from(bytes);
}

function polymod(digits: readonly number[]): number {
  let sum = 1;
  for (const digit of digits) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ digit;
    for (const [bit, generator] of GENERATORS.entries()) if ((top >>> bit) & 1) sum ^= generator;
  }
  return sum >>> 0;
}

function expand(prefix: string): number[] {
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

/** The same bits in groups of another size; undefined if bits are left over that are no padding. */
function regroup(values: Iterable<number>, from: number, to: number, pad: boolean): number[] | undefined {
  const groups: number[] = [];
  let held = 0;
  let bits = 0;
  for (const value of values) {
    held = (held << from) | value;
    bits += from;
    for (; bits >= to; bits -= to) groups.push((held >> (bits - to)) & ((1 << to) - 1));
    held &= (1 << bits) - 1;
  }
  if (pad) return bits > 0 ? [...groups, (held << (to - bits)) & ((1 << to) - 1)] : groups;
  return bits < from && held === 0 ? groups : undefined;
}
