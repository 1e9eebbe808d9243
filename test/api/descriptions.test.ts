import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../support/api.ts";
import { writtenOut } from "../support/openapi-document.ts";

const api = await startApi();

type Json = Record<string, unknown>;

/** Every member of every schema, wherever it stands, that nobody has described. */
function undescribed(document: Json): string[] {
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (name === "example" || name === "examples") continue;
      const isMembers = name === "properties" && !path.endsWith("/properties");
      for (const [member, schema] of Object.entries(isMembers ? (part as Record<string, Json>) : {})) {
        const referred = schemas[String(schema.$ref).split("/").at(-1) ?? ""];
        if (!(schema.description ?? referred?.description)) found.push(`${path}.${member}`);
      }
      visit(part, `${path}/${name}`);
    }
  };
  visit(document.components, "components");
  visit(document.paths, "paths");
  return found;
}

test("every property in both documents has a description, and every schema that is served by itself", async () => {
  for (const folder of ["", "/app"]) {
    const { body } = await api.call("GET", `${folder}/openapi.json`);
    assert.deepEqual(undescribed(body), []);
    const { schemas } = body.components;
    for (const name of Object.keys(schemas)) {
      const served = (await api.call("GET", `${folder}/schemas/${name}.json`)).body;
      assert.deepEqual(undescribed({ components: { schemas: { [name]: served } }, paths: {} }), []);
    }
  }
});

test("every parameter and header of both documents has a description", async () => {
  for (const path of ["/openapi.json", "/app/openapi.json"]) {
    const { paths, components } = writtenOut((await api.call("GET", path)).body);
    for (const operations of Object.values<Json>(paths))
      for (const { parameters } of Object.values(operations) as {
        parameters: { description?: string; name: string }[];
      }[])
        for (const { name, description } of parameters) assert.notEqual(description ?? name, name);
    for (const [name, header] of Object.entries<Json>(components.headers))
      assert.ok(header.description, name);
  }
});
