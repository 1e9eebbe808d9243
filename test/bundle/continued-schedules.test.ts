import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openDatabase } from "../../src/db/open-database.ts";
import { startApi } from "../support/api.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { exportText, importLines, type Line, smallStudio, toldOf } from "./support.ts";

const api = await startApi();

test("a schedule that continues another comes back from an export to the byte, whichever stands first", async () => {
  const { ids, lines } = smallStudio();
  const plain = lines.filter(({ kind }) => kind !== "session");
  const known: Line = plain.find(({ id }) => id === ids.weekly) ?? assert.fail();
  const { rdates, exdates, ...weekly } = known;
  const later = { ...weekly, start: "2026-06-01T07:30", id: newId() };
  await importLines(api.db, [
    ...plain.slice(0, -2),
    { ...later, continuesId: ids.weekly },
    ...plain.slice(-2),
  ]);
  const text = await exportText(api.db, ids.organization);
  assert.equal(text.match(/"continuesId"/g)?.length, 1);
  assert.match(text, new RegExp(`"continuesId":"${ids.weekly}"`));
  const own = await newMigratedDatabase(api.store);
  const other = openDatabase({ connection: own.connection, applicationName: "rollbook test", poolSize: 2 });
  after(() => other.close());
  await importLines(other, text);
  assert.equal(await exportText(other, ids.organization), text);
});

test("a schedule cannot continue one that is not there", async () => {
  const { ids, lines } = smallStudio();
  const faulty = lines.map((line) => (line.id === ids.once ? { ...line, continuesId: newId() } : line));
  const told = await toldOf(importLines(api.db, faulty));
  assert.deepEqual(
    told.map(({ code }) => code),
    ["schedule_unknown"],
  );
  assert.match(told[0]?.location ?? "", /continuesId$/);
});
