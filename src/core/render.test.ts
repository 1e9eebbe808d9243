import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { compileBody, compileLongBody, compileRender, compileTemplate } from "./render.ts";

const Thing = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.String(),
  tags: Type.Optional(Type.Array(Type.String())),
  startAt: Type.String(),
  size: Type.Optional(Type.Integer()),
  endAt: Type.String(),
});

test("a template with its gaps filled is what the record would be written as, whatever is absent", () => {
  const write = compileTemplate(Thing, ["id", "startAt", "endAt"]);
  const render = compileRender(Thing);
  const optional = { id: "7f", tags: ['a "b"', "c\n"], size: 0 };
  for (let chosen = 0; chosen < 8; chosen++) {
    const record = {
      ...Object.fromEntries(Object.entries(optional).filter((_, i) => chosen & (1 << i))),
      name: 'Ioga à "noite"',
      startAt: "2026-01-05T07:00:00.000Z",
      endAt: "2026-01-05T08:00:00.000Z",
    };
    const gaps = ["id" in record ? [optional.id] : [], record.startAt, record.endAt].flat();
    const pieces = write(record);
    assert.equal(pieces.length, gaps.length + 1);
    const text = pieces.map((piece, i) => piece + (gaps[i] ?? "")).join("");
    assert.equal(text, render(record));
    assert.deepEqual(JSON.parse(text), record);
  }
});

test("what the schema does not name is not written", () => {
  const write = compileTemplate(Thing, ["startAt", "endAt"]);
  const record = { name: "a", startAt: "", endAt: "", secret: "s" };
  assert.deepEqual(write(record), ['{"name":"a","startAt":"', '","endAt":"', '"}']);
});

test("a long body comes in pieces, which together are what it would be as one text", () => {
  const Page = Type.Object({
    $schema: Type.Optional(Type.String()),
    data: Type.Array(Thing),
    of: Type.Optional(Type.Object({ name: Type.String(), waiting: Type.Array(Type.String()) })),
    total: Type.Integer(),
  });
  const [whole, long] = [compileBody(Page, "http://x/Page"), compileLongBody(Page, "http://x/Page")];
  const thing = { name: 'à "b"', tags: ["c"], startAt: "", endAt: "" };
  for (const [things, waiting] of [
    [0, 0],
    [3, 2],
    [20_000, 2],
    [2, 200_000],
    [0, 200_000],
  ] as const) {
    const page = {
      data: Array.from({ length: things }, () => thing),
      ...(waiting > 0 && { of: { name: "n", waiting: Array.from({ length: waiting }, String) } }),
      total: 7,
    };
    const text = long(page);
    assert.equal(typeof text === "string", things + waiting < 10);
    assert.equal([...text].join(""), whole(page));
  }
});
