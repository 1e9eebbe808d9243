import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { startPgBouncer, withoutPgBouncer } from "../support/pgbouncer.ts";
import { until } from "../support/poll.ts";
import { type OperatorsPostgres, startPostgres } from "../support/postgres.ts";
import { type Ended, serve } from "../support/processes.ts";
import { Closing, freePort } from "../support/target.ts";
import { runIn } from "../support/terminal.ts";

// Real servers of an operator: TLS, passwords, a standby, PgBouncer.
const KEY_SECRET = randomBytes(24).toString("base64url");
const withoutOpenssl = spawnSync("openssl", ["version"]).status !== 0 && "openssl is not installed";
const skip = process.platform === "win32" ? "PostgreSQL cannot be run here" : withoutOpenssl;

const folder = await mkdtemp(join(tmpdir(), "rollbook-servers-"));
const servers: OperatorsPostgres[] = [];
after(async () => {
  for (const server of servers) await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const ports = { primary: Number(await freePort()), standby: Number(await freePort()) };
const authority = join(folder, "authority.pem");
const otherAuthority = join(folder, "other.pem");
const primary = skip ? undefined : await startPrimary();

const through = (query: string, user = "rollbook", port = ports.primary) =>
  `postgres://${user}@localhost:${port}/rollbook?${query}`;
const list = (DATABASE_URL: string) => runIn({ DATABASE_URL, KEY_SECRET }, "org", "list", "--json");

describe("a PostgreSQL of the operator's", { skip }, () => {
  test("sslmode and sslrootcert mean what they mean to libpq", async () => {
    const works = [
      "sslmode=disable",
      "sslmode=prefer",
      "",
      "sslmode=require",
      `sslmode=verify-ca&sslrootcert=${authority}`,
      `sslmode=verify-full&sslrootcert=${authority}`,
    ];
    for (const query of works) {
      const { code, stderr } = await list(through(query));
      assert.equal(code, 0, `${query}: ${stderr}`);
    }
    const byAddress = `postgres://rollbook@127.0.0.1:${ports.primary}/rollbook`;
    assert.equal((await list(`${byAddress}?sslmode=verify-ca&sslrootcert=${authority}`)).code, 0);
    const fails: [string, RegExp][] = [
      [
        `${byAddress}?sslmode=verify-full&sslrootcert=${authority}`,
        /certificate of .* is for another host name/,
      ],
      [
        through(`sslmode=verify-full&sslrootcert=${otherAuthority}`),
        /is not signed by an authority of sslrootcert/,
      ],
      [
        through(`sslmode=verify-ca&sslrootcert=${otherAuthority}`),
        /is not signed by an authority of sslrootcert/,
      ],
      [through("sslmode=verify-full"), /is not signed by an authority of sslrootcert/],
      [through("sslmode=verify-full&sslrootcert=/nowhere.pem"), /The file \/nowhere\.pem, .* cannot be read/],
    ];
    for (const [url, sentence] of fails) assertSentence(await list(url), sentence);
  });

  test("the session is encrypted with sslmode=prefer, and is not with disable", async () => {
    for (const [query, isEncrypted] of [
      ["sslmode=prefer", true],
      ["sslmode=disable", false],
    ] as const) {
      const server = await serveBriefly(through(query));
      const [row] = await ask<{ encrypted: boolean }>(
        `select bool_and(s.ssl) as encrypted from pg_stat_ssl s join pg_stat_activity a using (pid)
         where a.application_name = 'rollbook serve'`,
      );
      await server.stop();
      assert.equal(row?.encrypted, isEncrypted, query);
    }
  });

  test("whatever is wrong with the address or the rights is explained in one sentence, without the password", async () => {
    const unused = await freePort();
    const cases: [string, RegExp][] = [
      [
        `postgres://rollbook@localhost:${unused}/rollbook`,
        /: nothing listens at localhost:\d+ \(ECONNREFUSED\)/,
      ],
      [
        "postgres://rollbook:s3cret@no-such-host.invalid/rollbook",
        /: the name of no-such-host\.invalid:5432 is not known/,
      ],
      [
        `postgres://guarded:s3cret@localhost:${ports.primary}/rollbook`,
        /: the password of user "guarded" is wrong/,
      ],
      [
        `postgres://guarded@localhost:${ports.primary}/rollbook`,
        /asks for a password of user "guarded", and there is none/,
      ],
      [`postgres://stranger@localhost:${ports.primary}/rollbook`, /does not let user "stranger" in/],
      [
        `postgres://rollbook@localhost:${ports.primary}/nowhere`,
        /: there is no database "nowhere" on that server/,
      ],
      [
        "postgres://rollbook@/rollbook?host=/nowhere",
        /: there is no socket in \/nowhere: PostgreSQL is not running/,
      ],
      [
        through("", "visitor"),
        /^rollbook: User "visitor" lacks a right in database "rollbook": make it the owner/,
      ],
      ["postgres://me:s3cret@h:x/rollbook", /^rollbook: DATABASE_URL has a port that is not a number/],
      [through("sslmod=require"), /^rollbook: DATABASE_URL has the parameter "sslmod", which is not known/],
    ];
    for (const [url, sentence] of cases) assertSentence(await list(url), sentence);
  });

  test("of several hosts the one that takes writes is used, and found again after it has handed over", async (t) => {
    assert.ok(primary);
    await runIn({ DATABASE_URL: through(""), KEY_SECRET }, "migrate");
    const copied = await newStudio({ DATABASE_URL: through(""), KEY_SECRET });
    await primary.stop("fast");
    const standby = await startPostgres({
      copyOf: primary.cluster,
      files: { "standby.signal": "" },
      settings: `-c listen_addresses=127.0.0.1 -c port=${ports.standby} -c ssl=off -c hot_standby=on`,
    });
    servers.push(standby);
    await primary.startIfGone();
    const alone = `postgres://rollbook@localhost:${ports.standby}/rollbook`;
    assertSentence(await list(alone), /is a standby or read-only and takes no writes; name the primary/);

    const both = `postgres://rollbook@localhost:${ports.standby},localhost:${ports.primary}/rollbook?target_session_attrs=read-write`;
    const environment = { DATABASE_URL: both, KEY_SECRET, RATE_LIMIT: "0" };
    const server = await serve(t, environment);
    const { id, key } = await newStudio(environment);
    const get = () => fetch(`${server.url}/v1/organization`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal((await get()).status, 200);

    // Of an organization that the copy knows, a write that it misses.
    const headers = { authorization: `Bearer ${copied.key}`, "content-type": "application/json" };
    const create = (contactName: string) =>
      fetch(`${server.url}/v1/clients`, { method: "POST", headers, body: JSON.stringify({ contactName }) });
    const clients = async (conditions = {}) => {
      const answer = await fetch(`${server.url}/v1/clients`, { headers: { ...headers, ...conditions } });
      const { data = [] } = answer.status === 200 ? ((await answer.json()) as { data?: Named[] }) : {};
      const names = data.map(({ contactName }) => contactName);
      return { status: answer.status, tag: answer.headers.get("etag") ?? "", names };
    };
    assert.equal((await create("Missed")).status, 201);
    const { tag, names: missed } = await clients();
    assert.deepEqual(missed, ["Missed"]);
    assert.equal((await clients()).tag, tag);
    assert.equal((await clients({ "if-none-match": tag })).status, 304);

    await primary.stop("immediate");
    assert.equal((await get()).status, 503);
    await standby.promote();
    // The copy knows neither organization nor key: that it says so shows that it answers.
    await until("the other server answers", async () => (await get()).status === 401);
    const known = await runIn(environment, "org", "list", "--json");
    assert.doesNotMatch(known.stdout, new RegExp(id));

    // Another write brings the data to the same version: neither the tag nor the body in memory may be taken for it.
    assert.equal((await create("Kept")).status, 201);
    const after = await clients({ "if-none-match": tag });
    assert.deepEqual({ status: after.status, names: after.names }, { status: 200, names: ["Kept"] });
    assert.notEqual(after.tag, tag);
    assert.deepEqual((await clients()).names, ["Kept"]);
    await primary.startIfGone();
  });
});

describe("behind PgBouncer", { concurrency: 2, skip: skip || withoutPgBouncer }, () => {
  for (const mode of ["session", "transaction"] as const) {
    const POOLER = mode === "session" ? "session" : "auto";
    test(`a server and every command work with pool_mode ${mode} and POOLER ${POOLER}`, async (t) => {
      const port = Number(await freePort());
      const place = { host: "127.0.0.1", port: ports.primary, user: "rollbook" };
      const DATABASE_URL = await startPgBouncer(t, { mode, port, server: place });
      const environment = { DATABASE_URL, KEY_SECRET, POOLER, RATE_LIMIT: "0" };
      const server = await serve(t, environment);
      const { id, key } = await newStudio(environment);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answers = await Promise.all(
        Array.from({ length: 120 }, async (_, index) => {
          const isWrite = index % 3 === 0;
          const path = isWrite
            ? "/v1/clients"
            : index % 3 === 1
              ? "/v1/clients?query=ana"
              : "/v1/organization";
          const body = isWrite ? { body: JSON.stringify({ contactName: `Ana ${index}` }) } : {};
          const answer = await fetch(server.url + path, {
            method: isWrite ? "POST" : "GET",
            headers,
            ...body,
          });
          return `${answer.status} ${answer.ok ? "" : await answer.text()}`;
        }),
      );
      assert.deepEqual(
        answers.filter((answer) => !/^20[01] $/.test(answer)),
        [],
      );
      const listed = (await (await fetch(`${server.url}/v1/clients`, { headers })).json()) as {
        total: number;
      };
      assert.equal(listed.total, 40);

      const sheet = join(folder, `clients-${mode}-${POOLER}.csv`);
      await writeFile(sheet, "name,email\nBia,bia@example.com\nCaio,caio@example.com\n");
      const backup = join(folder, `${mode}-${POOLER}.backup`);
      for (const command of [
        ["import", sheet, "--org", id],
        ["export", "--org", id, "--out", `${backup}.jsonl`],
        ["backup", backup],
        ["migrate"],
      ]) {
        const { code, stderr } = await runIn(environment, ...command);
        assert.equal(code, 0, `${command[0]}: ${stderr}`);
      }
      const after = (await (await fetch(`${server.url}/v1/clients`, { headers })).json()) as {
        total: number;
      };
      assert.equal(after.total, 42);
      assert.doesNotMatch(server.output(), /"level":"(error|warn)"/);
    });
  }
});

async function startPrimary(): Promise<OperatorsPostgres> {
  const openssl = (...args: string[]) => promisify(execFile)("openssl", args, { cwd: folder });
  const certificate = (name: string, subject: string) =>
    openssl(
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", subject, "-keyout", `${name}.key`, "-out", `${name}.pem`],
    );
  await certificate("authority", "/CN=Rollbook test authority");
  await certificate("other", "/CN=Another authority");
  await openssl(
    ...[
      "req",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:prime256v1",
      "-nodes",
      "-subj",
      "/CN=localhost",
    ],
    ...["-addext", "subjectAltName=DNS:localhost", "-keyout", "server.key", "-out", "server.csr"],
  );
  await openssl(
    ...["x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-days", "2"],
    ...["-copy_extensions", "copy", "-out", "server.pem"],
  );
  const server = await startPostgres({
    settings: `-c listen_addresses=127.0.0.1 -c port=${ports.primary} -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.key`,
    files: {
      "server.pem": await readFile(join(folder, "server.pem"), "utf8"),
      "server.key": await readFile(join(folder, "server.key"), "utf8"),
      "pg_hba.conf": [
        "local all all trust",
        "host all guarded 127.0.0.1/32 scram-sha-256",
        "host all rollbook,visitor 127.0.0.1/32 trust",
        "",
      ].join("\n"),
    },
  });
  servers.push(server);
  await ask("create role guarded login password 'right'", "postgres");
  await ask("create role visitor login", "postgres");
  const DATABASE_URL = `postgres://rollbook@localhost:${ports.primary}/rollbook`;
  const { code, stderr } = await runIn({ DATABASE_URL, KEY_SECRET }, "migrate");
  assert.equal(code, 0, stderr);
  return server;
}

async function ask<Row extends object>(text: string, user = "rollbook"): Promise<Row[]> {
  const client = new pg.Client({
    host: servers[0]?.cluster ?? "",
    port: ports.primary,
    user,
    database: "rollbook",
  });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function serveBriefly(DATABASE_URL: string): Promise<{ stop(): Promise<void> }> {
  const scope = new Closing();
  const server = await serve(scope, { DATABASE_URL, KEY_SECRET, DRAIN_MS: "0" });
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  return { stop: () => scope.close() };
}

interface Named {
  readonly contactName: string;
}

async function newStudio(environment: Record<string, string>): Promise<{ id: string; key: string }> {
  const details = [
    "--name",
    "Studio",
    "--timezone",
    "America/Sao_Paulo",
    "--currency",
    "BRL",
    "--location",
    "Centro",
  ];
  const made = await runIn(environment, "org", "create", ...details, "--plan", "Pro", "--json");
  assert.equal(made.code, 0, made.stderr);
  const { id } = JSON.parse(made.stdout) as { id: string };
  const minted = await runIn(environment, "key", "mint", "--org", id, "--json");
  return { id, key: (JSON.parse(minted.stdout) as { key: string }).key };
}

function assertSentence({ code, stdout, stderr }: Ended, sentence: RegExp): void {
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, sentence);
  assert.match(stderr, /^rollbook: [^\n]+\.\n$/);
  assert.doesNotMatch(stderr, /s3cret/);
}
