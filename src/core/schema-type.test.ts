import assert from "node:assert/strict";
import { test } from "node:test";
import Library from "typebox";
import Type from "./schema-type.ts";

test("schemas are those that typebox makes, member by member and in its order", () => {
  const make = (type: typeof Type) =>
    type.Object(
      {
        id: type.String({ format: "uuid" }),
        name: type.Optional(type.String({ maxLength: 3, description: "A name." })),
        kind: type.Unsafe<"a" | "b">({ type: "string", enum: ["a", "b"] }),
        ids: type.Array(type.String(), { maxItems: 2 }),
        part: type.Optional(
          type.Object({ flag: type.Optional(type.Boolean()) }, { additionalProperties: false }),
        ),
        count: type.Integer({ minimum: 0 }),
        anything: type.Optional(type.Unknown({ description: "Ignored." })),
        plain: type.Unknown(),
      },
      { $id: "Thing", additionalProperties: false },
    );
  assert.equal(JSON.stringify(make(Type)), JSON.stringify(make(Library)));
});
