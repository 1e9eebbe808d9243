import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createDemo } from "../../src/data/demo/operations.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { startApi } from "../support/api.ts";
import { CHEAP, newStaff } from "../support/staff.ts";

const run = promisify(execFile);
// Python sends no cookie of a public address to this machine.
const publicUrl = "http://127.0.0.1";
const api = await startApi({ publicUrl });
const guide = await readFile(new URL("../../../docs/guides/accounting.md", import.meta.url), "utf8");
const DAY_MS = 86_400_000;

test("the guide's program takes the files of a month as a manager, and its sums are those of the server", async (t) => {
  const found = await run("python3", ["--version"]).catch(() => undefined);
  if (!found) return t.skip("no Python on this machine");
  const { organization } = await createDemo(api.db, api.keySecret, "accounting");
  const password = "winter sun over the harbour";
  const stored = await new Passwords(CHEAP).hash(password, Buffer.alloc(16));
  const manager = await newStaff(api, organization.id, { role: "manager", password: stored });
  const code = /^```python\n(.*?)^```$/ms.exec(guide)?.[1];
  assert.ok(code);
  assert.match(code, /"Origin": URL/);
  const folder = await mkdtemp(join(tmpdir(), "accounting-"));
  try {
    const days = [45, 5].map((ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10));
    const { stdout } = await run(
      "python3",
      ["-c", code.replace('"Origin": URL', `"Origin": "${publicUrl}"`), ...days],
      {
        cwd: folder,
        env: { ...process.env, ROLLBOOK_URL: api.url, EMAIL: manager.email, PASSWORD: password },
      },
    );
    assert.match(stdout, /^\S+ to \S+: invoiced [1-9]\d+, received [1-9]\d+\n$/);
    for (const name of ["invoices", "payments"])
      assert.ok((await readFile(join(folder, `${name}.csv`), "utf8")).split("\r\n").length > 10, name);
  } finally {
    await rm(folder, { recursive: true });
  }
});
