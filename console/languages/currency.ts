const decimals = new Map<string, number>();

/** How many decimals an amount of a currency has: two of most, none of CLP, three of KWD. Stored are the smallest units. */
export function decimalsOf(currency: string): number {
  const known = decimals.get(currency);
  if (known !== undefined) return known;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  const found = format.resolvedOptions().maximumFractionDigits ?? 2;
  decimals.set(currency, found);
  return found;
}
