import assert from "node:assert/strict";
import { test } from "node:test";
import { Contract } from "../domain/contracts/schema.ts";
import { Location } from "../domain/locations/schema.ts";
import { compileCsv, csvColumns, EXCEL_CSV, PLAIN_CSV } from "./csv.ts";

const COLUMNS = ["id", "name", "address.city", "ids", "count", "isTrial"];

test("a record is one line: absent values are empty, lists are divided by a space, lines end with CRLF", () => {
  const { head, line } = compileCsv(COLUMNS, PLAIN_CSV);
  assert.equal(head, "id,name,address.city,ids,count,isTrial\r\n");
  assert.equal(
    line({ id: "7", name: "Ana", address: { city: "São Paulo" }, ids: ["a", "b"], count: 0, isTrial: false }),
    "7,Ana,São Paulo,a b,0,false\r\n",
  );
  assert.equal(line({ id: "7" }), "7,,,,,\r\n");
  assert.equal(line({ id: "7", address: {}, ids: [] }), "7,,,,,\r\n");
});

const QUOTED: readonly [name: string, plain: string, excel: string][] = [
  ["Souza, Ana", '"Souza, Ana"', "Souza, Ana"],
  ["a;b", "a;b", '"a;b"'],
  ['the "boss"', '"the ""boss"""', '"the ""boss"""'],
  ["two\r\nlines", '"two\r\nlines"', '"two\r\nlines"'],
  ["two\nlines", '"two\nlines"', '"two\nlines"'],
  [" outer", '" outer"', '" outer"'],
  ["outer ", '"outer "', '"outer "'],
  ["a b", "a b", "a b"],
  ["=1+1", "'=1+1", "'=1+1"],
  ['=a,"b"', '"\'=a,""b"""', '"\'=a,""b"""'],
  ["\tx", "'\tx", "'\tx"],
];

test("a cell is quoted where it must be, and a formula is prefixed before that", () => {
  const [plain, excel] = [compileCsv(["name"], PLAIN_CSV), compileCsv(["name"], EXCEL_CSV)];
  for (const [name, inPlain, inExcel] of QUOTED) {
    assert.equal(plain.line({ name }), `${inPlain}\r\n`, name);
    assert.equal(excel.line({ name }), `${inExcel}\r\n`, name);
  }
});

test("Excel's form begins with the byte order mark and is divided by semicolons", () => {
  const { head, line } = compileCsv(["id", "name"], EXCEL_CSV);
  assert.deepEqual([...Buffer.from(head).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  assert.equal(head.slice(1), "id;name\r\n");
  assert.equal(line({ id: "1", name: "a" }), "1;a\r\n");
});

test("the columns of a record are its members in the order of the schema, without lists of records", () => {
  assert.deepEqual(csvColumns(Location), ["id", "name", "address", "status", "timezone"]);
  const columns = csvColumns(Contract);
  assert.deepEqual(columns.slice(0, 3), ["id", "clientId", "planId"]);
  assert.ok(columns.includes("locationIds"));
  assert.ok(!columns.includes("entitlements") && !columns.includes("$schema"));
});
