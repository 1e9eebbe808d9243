import assert from "node:assert/strict";
import { test } from "node:test";
import { completeCpf, readCpf } from "./cpf.ts";

const VALID: [text: string, digits: string][] = [
  ["52998224725", "52998224725"],
  ["529.982.247-25", "52998224725"],
  ["111.444.777-35", "11144477735"],
  ["11144477735", "11144477735"],
  ["00000000191", "00000000191"],
  ["000.000.001-91", "00000000191"],
  ["12345678909", "12345678909"],
  // Both ways a check digit becomes zero: a remainder of 10, and one of 0.
  ["10000000108", "10000000108"],
  ["00000001406", "00000001406"],
];

const INVALID: [reason: string, text: string][] = [
  ...Array.from({ length: 10 }, (_, digit): [string, string] => [
    "eleven equal digits",
    String(digit).repeat(11),
  ]),
  ["equal digits with punctuation", "111.111.111-11"],
  ["first check digit wrong", "52998224715"],
  ["second check digit wrong", "52998224726"],
  ["check digits exchanged", "52998224752"],
  ["a digit changed", "52998234725"],
  ["ten digits", "5299822472"],
  ["twelve digits", "529982247250"],
  ["leading zeros left out", "191"],
  ["empty", ""],
  ["punctuation misplaced", "5299.82.247-25"],
  ["dash instead of a dot", "529-982-247-25"],
  ["dot instead of the dash", "529.982.247.25"],
  ["only the dots", "529.982.24725"],
  ["only the dash", "529982247-25"],
  ["one dot only", "529.982247-25"],
  ["trailing dash", "529.982.247-25-"],
  ["leading dot", ".529.982.247-25"],
  ["another dash", "529.982.247–25"],
  ["spaces inside", "529 982 247 25"],
  ["a space before", " 52998224725"],
  ["a line feed after", "52998224725\n"],
  ["letters", "5299822472S"],
  ["letters only", "abcdefghijk"],
  ["a sign", "+52998224725"],
  ["Arabic-Indic digits", "٥٢٩٩٨٢٢٤٧٢٥"],
  ["full-width digits", "５２９９８２２４７２５"],
  ["mathematical digits", "𝟱𝟮𝟵𝟵𝟴𝟮𝟮𝟰𝟳𝟮𝟱"],
  ["a zero-width space inside", "529982\u200b24725"],
];

for (const [text, digits] of VALID) {
  test(`${text} is a CPF`, () => assert.equal(readCpf(text), digits));
}

for (const [reason, text] of INVALID) {
  test(`${JSON.stringify(text)} is none: ${reason}`, () => assert.equal(readCpf(text), undefined));
}

test("of the hundred possible endings of nine digits exactly one is a CPF", () => {
  for (let n = 1; n < 300; n++) {
    const nine = String((n * 7_919_993) % 1e9).padStart(9, "0");
    const endings = Array.from({ length: 100 }, (_, end) => nine + String(end).padStart(2, "0"));
    assert.equal(endings.filter((text) => readCpf(text)).length, 1, nine);
  }
});

test("nine digits are completed to the only CPF that begins with them, eleven equal ones to none", () => {
  for (const [, digits] of VALID) assert.equal(completeCpf(digits.slice(0, 9)), digits);
  for (let digit = 0; digit < 10; digit++) assert.equal(completeCpf(String(digit).repeat(9)), undefined);
});
