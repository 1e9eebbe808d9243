import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { STAFF_WRITES } from "../../src/app/all-writes.ts";
import { runCommand } from "../../src/cli/run.ts";
import { SETTINGS } from "../../src/process/config.ts";
import { newMigratedDatabase } from "../support/databases.ts";
import { newId } from "../support/ids.ts";
import { rollbook } from "../support/processes.ts";
import { PROGRAM } from "../support/program.ts";
import { openTestStore } from "../support/store.ts";
import { assertEnded, jsonIn, runIn } from "../support/terminal.ts";

const store = await openTestStore();
after(() => store.close());
// Its own, as organizations are counted here.
const environment = {
  DATABASE_URL: (await newMigratedDatabase(store)).url,
  KEY_SECRET: await store.keySecret(),
  WEBHOOK_NETS: "127.0.0.0/8",
  WEBHOOK_HTTP: "1",
};
const run = (...args: string[]) => runIn(environment, ...args);
const json = (...args: string[]) => jsonIn(environment, ...args);

const newOrganization = (name = "Studio Aurora") =>
  json("org", "create", "--name", name, "--timezone", "America/Sao_Paulo", "--currency", "BRL");

describe("the command line", { concurrency: 2 }, () => {
  test("a secret that cannot be shown is not made: neither a key nor a link nor a demo organization", async () => {
    const { id } = await newOrganization();
    const key = await json("key", "mint", "--org", id);
    const calendarLink = await json("ics", "mint", "--org", id);
    const { staffId } = await json("staff", "link", "--org", id, "--email", "ana@example.com");
    const webhook = await json("webhook", "add", "--org", id, "--url", "http://127.0.0.1:8080/hooks");
    const lists = () =>
      Promise.all([
        json("key", "list", "--org", id),
        json("ics", "list", "--org", id),
        json("staff", "list", "--org", id),
        json("staff", "links", "--org", id),
        json("webhook", "list", "--org", id),
      ]);
    const before = await lists();
    const doing: Record<string, object> = {
      mintKey: { name: "website" },
      rotateKey: { keyId: key.id },
      mintCalendarLink: {},
      rotateCalendarLink: { calendarLinkId: calendarLink.id },
      addStaff: { email: "bia@example.com", name: "Bia", role: "manager", allLocations: true },
      linkStaff: { staffId },
      addWebhook: { url: "http://127.0.0.1:8080/hooks" },
      rotateWebhook: { webhookId: webhook.id },
    };
    assert.deepEqual(
      STAFF_WRITES.flatMap(({ name, secrets }) => (secrets ? [name] : [])).sort(),
      Object.keys(doing).sort(),
    );
    for (const args of [
      ["key", "mint", "--org", id],
      ["key", "rotate", key.id],
      ["ics", "mint", "--org", id],
      ["ics", "rotate", calendarLink.id],
      ["staff", "link", "--org", id, "--email", "ana@example.com"],
      ["webhook", "add", "--org", id, "--url", "http://127.0.0.1:8080/hooks"],
      ["webhook", "rotate", webhook.id, "--org", id],
      ["demo"],
      ...Object.entries(doing).map(([name, data]) => [
        "do",
        name,
        "--org",
        id,
        "--data",
        JSON.stringify(data),
      ]),
    ]) {
      let stderr = "";
      const code = await runCommand(args, {
        stdout: { write: (_text, written) => written?.(new Error("ENOSPC")) },
        stderr: { write: (text) => (stderr += text) },
        environment,
      });
      assert.equal(code, 1, args.join(" "));
      assert.match(stderr, /rollbook: Nothing was changed: what is shown once could not be shown\.\n$/);
      const [, made] = /demo organization .* \((\S+)\)/.exec(stderr) ?? [];
      if (args[0] === "demo") assert.equal((await run("org", "show", made ?? "")).code, 1);
    }
    assert.deepEqual(await lists(), before);

    const child = spawn(process.execPath, [PROGRAM, "key", "mint", "--org", id, "--json"], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "close")]);
    assert.deepEqual(
      [code, said],
      [
        1,
        "rollbook: Standard output cannot be written: its disk is full.\n" +
          "rollbook: Nothing was changed: what is shown once could not be shown.\n",
      ],
    );
    assert.deepEqual(await lists(), before);
  });

  test("what was done and cannot be shown is said to be done, and a dry run is not", async () => {
    const { id } = await newOrganization();
    const unseen = async (...args: string[]) => {
      let stderr = "";
      const code = await runCommand(args, {
        stdout: { write: (_text, written) => written?.(new Error("ENOSPC")) },
        stderr: { write: (text) => (stderr += text) },
        environment,
      });
      return [code, stderr];
    };
    const isDone = [1, "rollbook: It was done all the same: only its result could not be shown.\n"];
    const doing = [
      "do",
      "addResource",
      "--org",
      id,
      "--data",
      JSON.stringify({ name: "Carla", kind: "person" }),
    ];
    assert.deepEqual(
      await unseen(...doing, "--dry-run"),
      [0, ""],
      "the program tells of its output at its end",
    );
    assert.equal((await json("resource", "list", "--org", id)).total, 0);
    assert.deepEqual(await unseen(...doing), isDone);
    assert.equal((await json("resource", "list", "--org", id)).total, 1);
    const create = ["org", "create", "--name", "Estúdio Lua", "--timezone", "UTC", "--currency", "BRL"];
    assert.deepEqual(await unseen(...create), isDone);
    const { data } = await json("org", "list");
    assert.equal(data.filter(({ name }: { name: string }) => name === "Estúdio Lua").length, 1);
    assert.deepEqual(await unseen("contracts", "settle", "--org", id), isDone);

    const child = spawn(process.execPath, [PROGRAM, "org", "set", id, "--name", "Studio Sol"], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    const [said, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "close")]);
    const full = "rollbook: Standard output cannot be written: its disk is full.\n";
    assert.deepEqual([code, said], [1, `${full}${isDone[1]}`]);
    assert.equal((await json("org", "show", id)).name, "Studio Sol");
  });

  test("an organization is created, shown, changed and listed", async () => {
    const created = await json(
      ...[
        "org",
        "create",
        "--name",
        "  Estúdio Sol ",
        "--timezone",
        "Asia/Tokyo",
        "--currency",
        "JPY",
        "--plan",
        "Free",
      ],
    );
    const { id, joinedAt, ...rest } = created;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(joinedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      name: "Estúdio Sol",
      timezone: "Asia/Tokyo",
      currency: "JPY",
      plan: "Free",
      status: "active",
    });
    assert.deepEqual(await json("org", "show", id.toUpperCase()), { ...created, records: 0 });
    const changed = await json(
      "org",
      "set",
      id,
      "--plan",
      "Enterprise",
      "--status",
      "suspended",
      "--name",
      "Lua",
    );
    assert.deepEqual(changed, { ...created, plan: "Enterprise", status: "suspended", name: "Lua" });
    const limits = ["--requests-per-minute", "1200", "--records", "10000", "--upload-mb", "500"];
    const limited = await json("org", "set", id, ...limits);
    const own = { requestsPerMinute: 1_200, maxRecords: 10_000, uploadMegabytesPerDay: 500 };
    assert.deepEqual(limited, { ...changed, ...own });
    const shown = (await run("org", "show", id)).stdout;
    for (const line of [/^requestsPerMinute +1200$/m, /^maxRecords +10000$/m, /^records +0$/m])
      assert.match(shown, line);
    assert.match((await run("org", "list")).stdout, new RegExp(`^${id} .* 0 of 10,000$`, "m"));
    assert.deepEqual(await json("org", "set", id, "--records", "none"), {
      ...{ ...limited, maxRecords: 0 },
    });
    const general = ["--requests-per-minute", "--records", "--upload-mb"].flatMap((flag) => [
      flag,
      "default",
    ]);
    assert.deepEqual(await json("org", "set", id, ...general), changed);
    for (const wrong of ["0", "-1", "1.5", "many", "1234567890123"]) {
      const refused = await run("org", "set", id, "--records", wrong);
      assert.equal(refused.code, 2, wrong);
    }
    const list = await json("org", "list");
    assert.equal(list.total, list.data.length);
    assert.deepEqual(
      list.data.find((organization: { id: string }) => organization.id === id),
      { ...changed, records: 0 },
    );
    const { stdout } = await run("org", "show", id);
    assert.match(stdout, /^name +Lua$/m);
  });

  test("organizations are listed page by page, each once and in one order, and a person is told how it goes on", async () => {
    const own = { ...environment, DATABASE_URL: (await newMigratedDatabase(store)).url };
    const [json, run] = [jsonIn.bind(undefined, own), runIn.bind(undefined, own)];
    for (const name of ["Sol", "Lua", "Mar", "Rio", "Sul"])
      await json("org", "create", "--name", name, "--timezone", "UTC", "--currency", "BRL");
    const { data: all, total } = await json("org", "list");
    assert.deepEqual([total, all.length], [5, 5]);
    const seen: string[] = [];
    for (let after: string[] = []; ; ) {
      const page = await json("org", "list", "--limit", "2", ...after);
      assert.equal(page.total, total);
      assert.equal(page.data.length, Math.min(2, total - seen.length));
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (page.next === undefined) break;
      after = ["--after", page.next];
    }
    assert.deepEqual(
      seen,
      all.map(({ id }: { id: string }) => id),
    );
    const first = await run("org", "list", "--limit", "1");
    assert.equal(first.stdout.trim().split("\n").length, 2);
    assert.match(first.stderr, new RegExp(`^${total} in all\\. .*org list --after ${seen[0]}$`, "m"));
    const last = await run("org", "list", "--after", seen.at(-1) ?? "");
    assert.match(last.stdout, /^None follow this one\.$/m);
    assert.equal(last.stderr, "");
  });

  test("a key is minted, listed, rotated and revoked; its secret is shown once, and alone on standard output", async () => {
    const { id: org } = await newOrganization();
    const minted = await json("key", "mint", "--org", org, "--name", "website", "--expires", "90d");
    assert.deepEqual(Object.keys(minted), ["id", "name", "key", "expiresAt"]);
    assert.ok(Math.abs(Date.parse(minted.expiresAt) - Date.now() - 90 * 86_400_000) < 60_000);
    const unnamed = await json("key", "mint", "--org", org);
    assert.deepEqual(Object.keys(unnamed), ["id", "key"]);

    const spoken = await run("key", "mint", "--org", org, "--name", "bot");
    assert.match(spoken.stdout, /^rbk_[0-9A-Za-z]{38}\n$/);
    assert.match(spoken.stderr, /\(bot\), does not expire.*shown once/);
    assert.ok(!spoken.stderr.includes(spoken.stdout.trim()));

    const rotated = await json("key", "rotate", minted.id, "--overlap", "1h");
    assert.deepEqual(Object.keys(rotated), ["id", "name", "key", "expiresAt"]);
    const revoked = await json("key", "revoke", unnamed.id);
    assert.equal(revoked.status, "revoked");
    const list = await json("key", "list", "--org", org);
    assert.equal(list.total, 4);
    assert.deepEqual(
      list.data.map(({ status, name }: { status: string; name?: string }) => [name, status]),
      [
        ["website", "active"],
        [undefined, "revoked"],
        ["bot", "active"],
        ["website", "active"],
      ],
    );
    const text = JSON.stringify(list);
    for (const { key } of [minted, unnamed, rotated]) assert.ok(!text.includes(key.slice(4)));

    const trail = await json("audit", "--org", org);
    assert.deepEqual(
      trail.data.map(({ action }: { action: string }) => action),
      ["revokeKey", "rotateKey", "mintKey", "mintKey", "mintKey", "organization.create"],
    );
    assert.equal(trail.total, 6);
    for (const { at, actor } of trail.data) assert.ok(Date.parse(at) > 0 && actor !== "");
    const newest = await json("audit", "--org", org, "--limit", "2");
    assert.deepEqual(
      [newest.data.length, newest.total],
      [2, 6],
      "the total counts what the limit leaves out",
    );
  });

  test("what cannot be done is explained in one sentence on standard error, with exit 1", async () => {
    const { id: org } = await newOrganization();
    const { id: key } = await json("key", "mint", "--org", org);
    await json("key", "revoke", key);
    const failures: [string, string[]][] = [
      ["There is no organization with this id.", ["org", "show", newId()]],
      ["There is no organization with this id.", ["org", "set", newId(), "--plan", "Pro"]],
      ["There is no organization with this id.", ["key", "mint", "--org", newId()]],
      ["There is no organization with this id.", ["key", "list", "--org", newId()]],
      ["There is no key with this id.", ["key", "revoke", newId()]],
      ["There is no key with this id.", ["key", "rotate", newId()]],
      ["This key is revoked; mint a new one instead.", ["key", "rotate", key]],
    ];
    for (const [sentence, args] of failures) {
      for (const more of [[], ["--json"]]) {
        assertEnded(await run(...args, ...more), 1, new RegExp(`^rollbook: ${sentence}\n$`));
      }
    }
  });

  test("wrong usage is exit 2, with a sentence that helps", async () => {
    const create = ["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL"];
    const id = newId();
    const mistakes: [RegExp, string[]][] = [
      [/There is no command "nonsense"/, ["nonsense"]],
      [
        /There are: org create, org list, org show, org set, org export, org import, org delete, org restore, org move\./,
        ["org"],
      ],
      [/There are: key mint/, ["key", "nonsense"]],
      [/Unknown option '--nonsense'/, ["org", "list", "--nonsense"]],
      [/--timezone, --currency must be given/, ["org", "create", "--name", "A"]],
      [/ID must be given/, ["org", "show"]],
      [/Too many arguments/, ["org", "list", "more"]],
      [
        /--requests-per-minute must be/,
        ["org", "set", "00000000-0000-0000-0000-000000000000", "--requests-per-minute", "0"],
      ],
      [/--limit must be a whole number from 1/, ["org", "list", "--limit", "0"]],
      [/--after .*UUID/i, ["org", "list", "--after", "me"]],
      [/ID must be a UUID/, ["org", "show", "x"]],
      [/--org must be a UUID/, ["key", "mint", "--org", "x"]],
      [/--timezone must be an IANA name/, [...create, "--timezone", "Mars/Base"]],
      [/--currency must be a code/, [...create, "--currency", "real"]],
      [/--plan must be one of: Free, Starter, Pro, Enterprise/, [...create, "--plan", "pro"]],
      [/--name must be one line/, [...create, "--name", "   "]],
      [/--name must be one line/, [...create, "--name", "a\nb"]],
      [/--name must be one line/, [...create, "--name", "x".repeat(201)]],
      [/--status must be one of: active, suspended, closed/, ["org", "set", id, "--status", "gone"]],
      [/Give at least one of --plan, --status, --name, --timezone, --currency/, ["org", "set", id]],
      [/--expires must be a duration/, ["key", "mint", "--org", id, "--expires", "90"]],
      [/--expires must be longer than nothing/, ["key", "mint", "--org", id, "--expires", "0d"]],
      [/--revoke-all must be given/, ["key", "replace-secret"]],
      [/--expires must be a duration/, ["key", "mint", "--org", id, "--expires", "99999999d"]],
      [/--overlap must be a duration/, ["key", "rotate", id, "--overlap=-1h"]],
      [/'--overlap' argument is ambiguous/, ["key", "rotate", id, "--overlap", "-1h"]],
      [/--limit must be a whole number/, ["audit", "--limit", "0"]],
      [/--port must be a whole number from 0 to 65535\./, ["serve", "--port", "http"]],
      [/--rate-burst must be a whole number from 1 to 1000000\./, ["serve", "--rate-burst", "0"]],
    ];
    for (const [sentence, args] of mistakes) assertEnded(await run(...args), 2, sentence);
    const { code, stdout, stderr } = await run();
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /org create/);
  });

  test("a wrong value in the environment stops the start with one sentence that names the variable", async () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ PORT: "http" }, /PORT must be a whole number from 0 to 65535\./],
      [{ PORT: "65536" }, /PORT must/],
      [{ WORKERS: "0" }, /WORKERS must be a whole number from 1 to 256\./],
      [{ RATE_LIMIT: "-1" }, /RATE_LIMIT must/],
      [{ RATE_BURST: "1e3" }, /RATE_BURST must/],
      [{ PUBLIC_URL: "api.example.com" }, /PUBLIC_URL must be an http or https address/],
      [{ PUBLIC_URL: "https://api.example.com/?a" }, /PUBLIC_URL must/],
      [{ DATABASE_URL: "mysql://a/b" }, /DATABASE_URL must begin with postgres/],
      [{ KEY_SECRET: "short" }, /KEY_SECRET must have at least 16 characters\./],
      [{ LOG_LEVEL: "loud" }, /LOG_LEVEL must be one of: silent, error, warn, info, debug\./],
    ];
    for (const [variables, sentence] of wrong) {
      const ended = await runIn({ ...environment, ...variables }, "serve");
      assertEnded(ended, 1, new RegExp(`^rollbook: ${sentence.source}`));
      assert.equal(ended.stderr.split("\n").length, 2);
    }
  });

  test("help lists every command, and every setting with its flag, variable and default", async () => {
    const { code, stdout, stderr } = await run("--help");
    assert.deepEqual([code, stderr], [0, ""]);
    for (const command of [
      "serve",
      "migrate",
      "org create --name NAME",
      "org set ID",
      "location create --org ID --name NAME",
      "key rotate KEYID",
      "audit",
    ]) {
      assert.ok(stdout.includes(`\n  ${command}`), command);
    }
    for (const { flag, variable, fallback } of Object.values(SETTINGS)) {
      const line = stdout.split("\n").find((text) => text.includes(` ${variable} `)) ?? "";
      assert.ok(line.includes(flag === "" ? variable : `--${flag} `) && line.includes(fallback), variable);
    }
    const mint = await run("key", "mint", "--help");
    assert.equal(mint.code, 0);
    assert.match(mint.stdout, /^rollbook key mint --org ID \[--name NAME\] \[--expires DURATION\]/);
    const group = await run("org", "-h");
    assert.equal(group.code, 0);
    assert.match(group.stdout, /org show ID/);
    assert.match((await run("--version")).stdout, /^rollbook \d+\.\d+\.\d+ /);
  });

  test("migrate says what it did, also when there was nothing to do", async () => {
    assert.deepEqual(await json("migrate"), { data: [], total: 0 });
    assert.equal((await run("migrate")).stdout, "The database is up to date.\n");
  });

  test("the program itself ends with the code of its command, and keeps the streams apart", async () => {
    const { id } = await newOrganization();
    const [minted, failed, wrong] = await Promise.all([
      rollbook(["key", "mint", "--org", id], environment),
      rollbook(["org", "show", newId()], environment),
      rollbook(["org", "show"], environment),
    ]);
    assert.match(minted.stdout, /^rbk_[0-9A-Za-z]{38}\n$/);
    assert.match(minted.stderr, /shown once/);
    assert.equal(minted.code, 0);
    assertEnded(failed, 1, /There is no organization/);
    assertEnded(wrong, 2, /ID must be given/);
  });

  test("a reader that leaves early is no crash", async () => {
    const child = spawn(process.execPath, [PROGRAM, "org", "list"], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const [code, signal] = await once(child, "close");
    assert.equal(stderr, "");
    assert.deepEqual([code, signal], [1, null]);
  });
});
