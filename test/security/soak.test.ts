import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { openTarget } from "../support/target.ts";
import { PERSON, soak } from "./soak.ts";

test("a mixed load is answered as it should be, leaves files and memory as they were, and no secret anywhere", async (t) => {
  const target = await openTarget(t, { LOG_LEVEL: "debug" });
  const db = target.store.open({ applicationName: "rollbook watch" });
  const activity = pooled(
    "test_activity",
    "select coalesce(string_agg(query, ' '), '') as text from pg_stat_activity",
  );
  const seen: string[] = [];
  const look = async () => {
    seen.push(await commandLines());
    seen.push(...(await db.query<{ text: string }>(activity)).map(({ text }) => text));
  };
  // No more than a busy machine answers: `npm run soak` is for as many as go through.
  const pressure = { callers: 4, perSecond: 200 };
  await soak(target, { ...pressure, seconds: 2, sampleSeconds: 2 });
  const filesBefore = await target.openFiles();
  const report = await soak(target, { ...pressure, seconds: 5, sampleSeconds: 0.25, onSample: look });

  assert.deepEqual(report.unexpected, []);
  assert.ok((report.statuses.get(201) ?? 0) > 10 && (report.statuses.get(422) ?? 0) > 10);
  assert.ok((await target.openFiles()) <= filesBefore + 5, "open files grew");
  const [first, last] = [report.samples[0], report.samples.at(-1)];
  assert.ok((last?.residentMiB ?? 0) - (first?.residentMiB ?? 0) < 60, JSON.stringify(report.samples));

  const places = {
    log: target.server.output(),
    metrics: await target.metrics(),
    errors: report.refusals.join("\n"),
    "process list and statements": seen.join("\n"),
  };
  const secrets = {
    key: target.key,
    "key secret": target.keySecret,
    name: PERSON.contactName.split(" ")[0] ?? "",
    mail: PERSON.contactEmail,
    phone: PERSON.contactPhone,
    "phone in digits": PERSON.contactPhone.replace(/\D/g, ""),
    notes: "xylophones",
    cpf: PERSON.cpf,
    "cpf in digits": PERSON.cpf.replace(/\D/g, ""),
    document: "PX-",
  };
  assert.ok(places.log.length > 1_000 && places.metrics.length > 1_000 && seen.join("").includes("serve"));
  for (const [place, text] of Object.entries(places)) {
    for (const [what, secret] of Object.entries(secrets)) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        assert.ok(!text.toLowerCase().includes(form.toLowerCase()), `the ${what} is in the ${place}`);
      }
    }
  }
  t.diagnostic(
    `${report.requests} requests, ${[...report.statuses].map((one) => one.join(": ")).join(", ")}`,
  );
});

/** What `ps` would show: the command line of every process. */
async function commandLines(): Promise<string> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    ids.map((id) => readFile(join("/proc", id, "cmdline"), "utf8").catch(() => "")),
  );
  return lines.map((line) => line.replaceAll("\0", " ")).join("\n");
}
