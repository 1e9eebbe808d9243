import assert from "node:assert/strict";
import { test } from "node:test";
import { LANGUAGES } from "../../console/languages/languages.ts";
import { amountText, centsOf } from "../../console/languages/money.ts";

test("an amount is read as people of all three languages type it", () => {
  const amounts: Readonly<Record<string, number | undefined>> = {
    "289": 28_900,
    "289,5": 28_950,
    "289.50": 28_950,
    "1.289": 128_900,
    "1,289.50": 128_950,
    "1.289,50": 128_950,
    "R$ 1.289,50": 128_950,
    "12.345.678,90": 1_234_567_890,
    "0": 0,
    "0,05": 5,
    "": undefined,
    "a lot": undefined,
    "-5": undefined,
    "1,2,3": undefined,
    "289.555,5,5": undefined,
    "99999999999999999": undefined,
  };
  for (const [text, cents] of Object.entries(amounts)) assert.equal(centsOf(text, "BRL"), cents, text);
});

test("what a field shows of an amount is read as the same amount", () => {
  for (const language of LANGUAGES)
    for (const currency of ["BRL", "CLP", "KWD"])
      for (const cents of [0, 5, 28_900, 128_950, 1_234_567_890])
        assert.equal(
          centsOf(amountText(cents, currency, language), currency),
          cents,
          `${language} ${cents} ${currency}`,
        );
});

test("an amount has the decimals of its currency", () => {
  const amounts: readonly [string, string, number | undefined][] = [
    ["25000", "CLP", 25_000],
    ["60.000", "CLP", 60_000],
    ["1,250,000", "JPY", 1_250_000],
    ["60,5", "CLP", undefined],
    ["1.5", "KWD", 1_500],
    ["1.289", "KWD", 1_289],
    ["1,289.500", "KWD", 1_289_500],
  ];
  for (const [text, currency, cents] of amounts)
    assert.equal(centsOf(text, currency), cents, `${text} ${currency}`);
});
