import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { COMMANDS } from "../../src/cli/run.ts";
import { until } from "../support/poll.ts";
import { later, newDirectory, rollbook, serve, startProgram } from "../support/processes.ts";
import { PROGRAM } from "../support/program.ts";
import { startInTerminal } from "../support/pseudo-terminal.ts";
import { copyData, templateData } from "../support/template.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const HERE = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", TERM: "xterm" };
const ID = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";

let folder = "";
/** A migrated, empty database for the commands, one after the other. */
let dataDir = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollbook-signals-"));
  dataDir = join(folder, "data");
  await copyData(await templateData(), dataDir);
});

after(() => rm(folder, { recursive: true, force: true }));

describe("signals that come more than once", { skip: process.platform === "win32" }, () => {
  test("Ctrl-C in the terminal of npm start, which arrives twice, stops the server in order, and PostgreSQL", async (t) => {
    const checkout = await newDirectory(t);
    await cp(join(ROOT, "package.json"), join(checkout, "package.json"));
    await symlink(join(ROOT, "scripts"), join(checkout, "scripts"));
    const running = startInTerminal(t, ["npm", "start", "--", "--port", "0", "--no-demo"], {
      cwd: checkout,
      env: { ...HERE, DATA_DIR: dataDir },
    });
    await until("it serves", async () => /serving; reference/.test(running.output()));
    running.pressCtrlC();
    assert.equal(await running.ended, 0);
    assert.match(running.output(), /stopping/);
    assertNothingLeft();
  });

  test("a window that is closed ends the server that runs in it, and PostgreSQL", async (t) => {
    const running = startInTerminal(t, serveCommand(), { env: { ...HERE, DATA_DIR: dataDir } });
    await until("it serves", async () => /serving; reference/.test(running.output()));
    running.closeWindow();
    await running.ended;
    await until("PostgreSQL is gone", async () => !isPostgresThere());
  });

  test("Ctrl-\\ in the terminal stops the server in order, and PostgreSQL", async (t) => {
    const running = startInTerminal(t, serveCommand(), { env: { ...HERE, DATA_DIR: dataDir } });
    await until("it serves", async () => /serving; reference/.test(running.output()));
    running.pressCtrlBackslash();
    assert.equal(await running.ended, 0);
    assertNothingLeft();
  });

  test("five times Ctrl-C, and TERM TERM, leave no PostgreSQL behind; what two signals ended has ended in order", async (t) => {
    const running = startInTerminal(t, serveCommand(), { env: { ...HERE, DATA_DIR: dataDir } });
    await until("it serves", async () => /serving; reference/.test(running.output()));
    for (let presses = 0; presses < 5; presses++) running.pressCtrlC();
    await running.ended;
    await until("PostgreSQL is gone", async () => !isPostgresThere());

    const server = await serve(t, { DATA_DIR: dataDir });
    server.child.kill("SIGTERM");
    server.child.kill("SIGTERM");
    assert.equal((await server.ended).code, 0);
    assertNothingLeft();
  });

  test("a third signal ends a server that waits for a request at once, and PostgreSQL first", async (t) => {
    const server = await serve(t, { DATA_DIR: dataDir });
    // Told to go on, the client knows that its head was read.
    const head = "POST /app/v1/signIn HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    const goOn = `${head}Expect: 100-continue\r\nContent-Length: 100\r\n\r\n`;
    const { port, hostname } = new URL(server.url);
    const stuck = connect(Number(port), hostname).on("error", () => {});
    later(t, async () => void stuck.destroy());
    stuck.write(goOn);
    const [answer] = await once(stuck, "data");
    assert.match(String(answer), /^HTTP\/1\.1 100 /);
    server.child.kill("SIGTERM");
    await until("it stops", async () => server.output().includes('"stopping"'));
    server.child.kill("SIGTERM");
    assert.equal((await fetch(`${server.url}/livez`)).status, 200, "the second changed nothing");
    // Signals that come before the one before them was read are one: as many as it takes.
    let isOver = false;
    void server.ended.then(() => {
      isOver = true;
    });
    await until("a third has ended it", async () => isOver || !server.child.kill("SIGTERM"));
    // A server that waits until the request is cut off ends in order, with 0.
    assert.equal((await server.ended).code, 143);
    assertNothingLeft();
  });

  test("Ctrl-C while the first start makes the database leaves nothing of it, for serve and for a command", async (t) => {
    const create = [process.execPath, PROGRAM, "org", "create", "--name", "A", "--timezone", "UTC"];
    for (const [command, code] of [
      [serveCommand(), 0],
      [[...create, "--currency", "BRL"], 130],
    ] as const) {
      const DATA_DIR = join(await newDirectory(t), "data");
      const running = startInTerminal(t, command, { env: { ...HERE, DATA_DIR } });
      await until("initdb runs", async () =>
        (await readdir(DATA_DIR).catch(() => [])).some((name) => name.startsWith("postgres.new-")),
      );
      running.pressCtrlC();
      assert.equal(await running.ended, code, running.output());
      assert.doesNotMatch(running.output(), /cannot be used|initdb/);
      assert.deepEqual(await readdir(DATA_DIR), []);
    }
  });

  test("a signal ends a start that waits for the migration of another process", async (t) => {
    const server = await serve(t, { DATA_DIR: dataDir });
    const holder = new pg.Client({ host: join(dataDir, "postgres"), user: "rollbook", database: "rollbook" });
    await holder.connect();
    await holder.query("begin; lock table schema_migrations");
    const waiting = startProgram(["serve", "--port", "0", "--no-demo"], { DATA_DIR: dataDir });
    const blocked = "select 1 from pg_locks where not granted";
    await until("it waits", async () => ((await holder.query(blocked)).rowCount ?? 0) > 0);
    waiting.child.kill("SIGTERM");
    waiting.child.kill("SIGTERM");
    assert.equal((await waiting.ended).code, 0);
    await holder.end();
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  });

  test(`two SIGINTs at the start of each command leave no PostgreSQL behind`, async (t) => {
    const file = join(folder, "input");
    await writeFile(file, "{}");
    for (const command of COMMANDS) {
      const needed = Object.entries(command.flags ?? {}).filter(([, flag]) => flag.needed);
      const args = [
        ...command.name.split(" "),
        ...(command.arguments ?? []).map((name) => (name === "FILE" ? file : ID)),
        ...needed.flatMap(([name, { value }]) => (value ? [`--${name}`, sampleOf(value)] : [`--${name}`])),
      ];
      const running = startInTerminal(t, [process.execPath, PROGRAM, ...args], {
        env: { ...HERE, DATA_DIR: dataDir },
      });
      let isOver = false;
      const over = running.ended.finally(() => {
        isOver = true;
      });
      await until("PostgreSQL starts, or it has ended", async () => isOver || isPostgresThere());
      running.pressCtrlC();
      running.pressCtrlC();
      await over;
      assert.ok(!isPostgresThere(), `${command.name}: ${running.output()}`);
    }
  });

  test("output that cannot be written is one sentence, and leaves no PostgreSQL behind", async () => {
    const create = ["org", "create", "--name", "A", "--timezone", "UTC", "--currency", "BRL", "--json"];
    const { id } = JSON.parse((await rollbook(create, { DATA_DIR: dataDir })).stdout);
    for (const args of [["export", "--org", id], ["org", "list"], ["backup", "-"], ["--version"]]) {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: { ...HERE, DATA_DIR: dataDir },
        stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
      });
      let stderr = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      const [code] = await once(child, "close");
      const sentence = "rollbook: Standard output cannot be written: its disk is full.\n";
      assert.deepEqual([code, stderr], [1, sentence], args.join(" "));
      assertNothingLeft();
    }
  });
});

function serveCommand(): string[] {
  return [process.execPath, PROGRAM, "serve", "--port", "0", "--no-demo"];
}

/** A value of this form, by what stands for it in the usage line. */
function sampleOf(form: string): string {
  return { ID, ZONE: "UTC", CODE: "BRL", ADDRESS: "a@example.com", "JSON|@FILE": "{}" }[form] ?? "A";
}

function isPostgresThere(): boolean {
  return existsSync(join(dataDir, "postgres", "postmaster.pid"));
}

function assertNothingLeft(): void {
  assert.ok(!isPostgresThere(), "PostgreSQL was left running");
}
