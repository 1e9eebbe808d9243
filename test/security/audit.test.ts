import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { newDatabase } from "../support/databases.ts";
import { newDirectory, rollbook } from "../support/processes.ts";
import { openTestStore } from "../support/store.ts";

const store = await openTestStore();
after(() => store.close());

interface Entry {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly organizationId?: string;
  readonly subject?: string;
}

test("every entry of an operator leaves an entry with its time, its actor and what it was done to", async (t) => {
  const KEY_SECRET = randomBytes(24).toString("base64url");
  const DATABASE_URL = (await newDatabase(store)).url;
  const directory = await newDirectory(t);
  const secrets: string[] = [KEY_SECRET];
  const run = async (environment: Record<string, string>, ...args: string[]) => {
    const ended = await rollbook([...args, "--json"], environment);
    assert.equal(ended.code, 0, `${args.join(" ")}: ${ended.stderr}`);
    return ended.stdout;
  };
  const here = { DATABASE_URL, KEY_SECRET };
  const json = async (...args: string[]) => JSON.parse(await run(here, ...args));
  const begun = Date.now();

  const { id: org } = await json(
    ...["org", "create", "--name", "Studio", "--timezone", "America/Sao_Paulo", "--currency", "BRL"],
  );
  await json("org", "set", org, "--plan", "Enterprise");
  const minted = await json("key", "mint", "--org", org, "--name", "website");
  const rotated = await json("key", "rotate", minted.id, "--overlap", "1h");
  await json("key", "revoke", minted.id);
  secrets.push(minted.key, rotated.key);
  const { stdout: demo } = await rollbook(["demo", "--json"], here);
  secrets.push(/rbk_\w{38}/.exec(demo)?.[0] ?? "no key");
  const bundle = join(directory, "bundle.ndjson");
  const organizations = await json("org", "list");
  const copied = organizations.data.find(({ id }: { id: string }) => id !== org);
  await writeFile(bundle, (await rollbook(["export", "--org", copied.id], here)).stdout);
  await run(here, "import", bundle);
  const refused = await rollbook(["key", "revoke", org, "--json"], here);
  assert.equal(refused.code, 1);

  const trail: { data: Entry[]; total: number } = await json("audit");
  assert.equal(trail.total, trail.data.length);
  const actions = trail.data.map(({ action }) => action);
  for (const action of [
    "organization.create",
    "organization.change",
    "mintKey",
    "rotateKey",
    "revokeKey",
    "demo",
    "import",
  ]) {
    assert.ok(actions.includes(action), `${action} left no entry`);
  }
  assert.equal(actions.filter((action) => action === "revokeKey").length, 1, "a refused entry is none");
  for (const { at, actor, organizationId, subject } of trail.data) {
    assert.ok(Date.parse(at) >= begun - 1000 && Date.parse(at) <= Date.now() + 1000, at);
    assert.equal(actor, `operator:${userInfo().username}`);
    assert.ok(organizationId && subject);
  }
  const found = async (...flags: string[]): Promise<string[]> => {
    const { data, total } = (await json("audit", ...flags)) as { data: Entry[]; total: number };
    assert.equal(total, data.length);
    return data.map(({ action }) => action);
  };
  assert.deepEqual(await found("--action", "rotateKey"), ["rotateKey"]);
  assert.deepEqual(await found("--actor", "key:nobody"), []);
  assert.deepEqual(
    await found("--actor", `operator:${userInfo().username}`, "--org", org, "--action", "demo"),
    [],
  );
  assert.ok((await found("--subject", minted.id)).every((action) => action.endsWith("Key")));
  const { at: moment } = trail.data.find(({ action }) => action === "rotateKey") as Entry;
  assert.deepEqual(await found("--from", moment, "--org", org), ["revokeKey", "rotateKey"]);
  assert.deepEqual(await found("--to", moment, "--org", org, "--action", "revokeKey"), []);
  assert.deepEqual(await found("--to", "2026-01-01"), []);
  for (const flags of [
    ["--action", "fly"],
    ["--from", "yesterday"],
  ])
    assert.equal((await rollbook(["audit", ...flags], here)).code, 2, flags.join(" "));

  const text = JSON.stringify(trail);
  for (const secret of secrets) assert.ok(!text.includes(secret), "a secret is in the trail");

  const backup = join(directory, "backup");
  await run(here, "backup", backup);
  const there = { DATABASE_URL: (await newDatabase(store)).url, KEY_SECRET };
  await run(there, "restore", backup);
  const restored = JSON.parse(await run(there, "audit"));
  assert.equal(restored.data[0].action, "restore");
  assert.equal(restored.total, trail.total + 1, "the trail came along");
});
