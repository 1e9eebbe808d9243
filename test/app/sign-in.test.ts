import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pooled, read } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { linkByEmail } from "../../src/domain/staff/operations.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { emailKey, triesMark } from "../../src/domain/staff/rules.ts";
import { type Answer, PUBLIC_URL, startApi, type TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { CHEAP, callerWith, newStaff } from "../support/staff.ts";

const passwords = new Passwords(CHEAP);
const api = await startApi({ passwords });
const other = await startApi({ beside: api, passwords });

const PASSWORD = "correct horse battery";
/** One hash for all tests that need somebody with a password: how one is set is a test of its own. */
const stored = await new Passwords(CHEAP).hash(PASSWORD, Buffer.alloc(16));

/** A call from the application's own pages, without a sign-in unless a cookie is given. */
function post(operation: string, body: object, headers: Record<string, string> = {}, through: TestApi = api) {
  return through.call("POST", `/app/v1/${operation}`, { body, headers: { origin: PUBLIC_URL, ...headers } });
}

function signIn(email: string, password = PASSWORD, more: object = {}, through: TestApi = api) {
  return post("signIn", { email, password, ...more }, {}, through);
}

function cookieOf(answer: Answer): string {
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const linkMaker = { keySecret: api.keySecret, publicUrl: PUBLIC_URL };

async function newStudio() {
  const studio = await api.newOrganization();
  const email = `${newId()}@example.com`;
  const owner = await newStaff(api, studio.id, { email, password: stored });
  return { ...studio, owner, email };
}

function tokenOf(link: string): string {
  return /#link=([\w-]{43})$/.exec(link)?.[1] ?? "";
}

describe("a link", () => {
  test("lets its holder set a password and be signed in, once", async () => {
    const { owner } = await newStudio();
    const email = `Ana.${newId()}@Example.com`;
    const added = await owner.write("addStaff", { name: "Ana", email, role: "manager", allLocations: true });
    const { staff, link, expiresAt } = added.body.result;
    assert.equal(staff.status, "invited");
    assert.ok(link.startsWith(`${PUBLIC_URL}/console/#link=`));
    const hours = (Date.parse(expiresAt) - (await api.db.now())) / 3_600_000;
    assert.ok(hours > 71.9 && hours <= 72, `${hours} hours`);
    const token = tokenOf(link);

    const blank = await post("acceptLink", { token, name: " ", password: PASSWORD });
    assert.deepEqual([blank.status, blank.body.errors[0].location], [422, "body.name"]);
    const short = await post("acceptLink", { token, password: "too short" });
    assert.equal(short.body.errors[0].code, "too_short");
    const accepted = await post("acceptLink", { token, name: "Ana Souza", password: PASSWORD });
    assert.equal(accepted.status, 200);
    assert.equal(accepted.body.staff.status, "active");
    assert.match(
      accepted.headers.get("set-cookie") ?? "",
      /^__Host-rollbook=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    const me = await callerWith(api, cookieOf(accepted)).read("me");
    assert.equal(me.body.staff.name, "Ana Souza");
    assert.equal(me.body.staff.email, email);
    assert.ok(Date.parse(me.body.confirmedUntil) > (await api.db.now()));

    const again = await post("acceptLink", { token, password: PASSWORD });
    assert.equal(again.status, 404);
    assert.equal(again.body.reason, "link_used");
    // The address is found however it is written.
    assert.equal((await signIn(` ${email.toUpperCase()} `)).status, 200);
  });

  test("of the operator holds for 24 hours and not a moment longer; a new one voids it", async () => {
    const { id } = await newStudio();
    const email = `${newId()}@example.com`;
    const make = () =>
      linkByEmail(
        { db: api.db, actor: operator(), organizationId: id, ...linkMaker },
        { email, role: "owner" },
      );
    const first = (await make()).result;
    const lifetime = Date.parse(first.expiresAt ?? "") - (await api.db.now());
    assert.ok(lifetime > 86_390_000 && lifetime <= 86_400_000);
    const second = (await make()).result;
    assert.equal(second.staff.id, first.staff.id, "the same person");
    const wordOf = async (link: string | undefined, through: TestApi) =>
      (await post("acceptLink", { token: tokenOf(link ?? ""), password: PASSWORD }, {}, through)).body.reason;
    assert.equal(await wordOf(first.link, api), "link_used");
    const later = await startApi({ beside: api, passwords, clockOffsetMs: 86_400_001 });
    assert.equal(await wordOf(second.link, later), "link_used");
    assert.equal(await wordOf(second.link, api), undefined);
  });

  test("that is used ends every other sign-in of the person, everywhere", async () => {
    const { owner, email } = await newStudio();
    const first = callerWith(api, cookieOf(await signIn(email)));
    const made = await owner.write("linkStaff", { staffId: owner.id });
    assert.equal((await first.read("me", { through: other })).status, 200, "making one ends nothing");
    const accepted = await post("acceptLink", {
      token: tokenOf(made.body.result.link),
      password: "another password",
    });
    for (const through of [api, other]) {
      assert.equal((await first.read("me", { through })).body.reason, "signed_out");
      assert.equal((await owner.read("me", { through })).body.reason, "signed_out");
      assert.equal((await callerWith(api, cookieOf(accepted)).read("me", { through })).status, 200);
    }
    assert.equal((await signIn(email)).body.reason, "wrong_sign_in", "the old password is gone");
  });

  test("used by two at once lets one of them in", async () => {
    const { id } = await newStudio();
    const { result } = await linkByEmail(
      { db: api.db, actor: operator(), organizationId: id, ...linkMaker },
      { email: `${newId()}@example.com` },
    );
    const body = { token: tokenOf(result.link ?? ""), password: PASSWORD };
    const answers = await Promise.all([api, other].map((through) => post("acceptLink", body, {}, through)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  });

  test("is stored nowhere, and neither a repeat nor a dry run shows one", async () => {
    const { owner } = await newStudio();
    const headers = { "idempotency-key": newId() };
    const input = { staffId: owner.id };
    const dryRun = await owner.write("linkStaff", { ...input, dryRun: true });
    assert.deepEqual(Object.keys(dryRun.body.result), ["staff"]);
    const made = await owner.write("linkStaff", input, { headers });
    const token = tokenOf(made.body.result.link);
    const again = await owner.write("linkStaff", input, { headers });
    assert.deepEqual(again.body.result, { staff: made.body.result.staff });
    for (const table of ["staff_links", "audit", "sign_ins", "staff"]) {
      const found = pooled(
        `test_find_in_${table}`,
        `select 1 from ${table} t where t::text like '%' || $1 || '%'`,
      );
      assert.equal((await api.db.query(found, [token])).length, 0, table);
    }
  });
});

describe("signing in", () => {
  test("has one answer for every failure, to the byte, and costs one hash each time", async () => {
    const { id, email, owner } = await newStudio();
    const invited = `${newId()}@example.com`;
    await owner.write("addStaff", { name: "Ana", email: invited, role: "owner", allLocations: true });
    const removed = await newStaff(api, id, { role: "manager", password: stored });
    await owner.write("removeStaff", { staffId: removed.id });
    const elsewhere = await api.newOrganization();
    const failures: [string, Promise<Answer>][] = [];
    const costs: number[] = [];
    for (const [cause, attempt] of [
      ["wrong password", () => signIn(email, "wrong password")],
      ["no such address", () => signIn(`${newId()}@example.com`)],
      ["no address at all", () => signIn("nobody")],
      ["invited", () => signIn(invited)],
      ["removed", () => signIn(removed.email)],
      ["another organization", () => signIn(email, PASSWORD, { organizationId: elsewhere.id })],
      ["no such organization", () => signIn(email, PASSWORD, { organizationId: newId() })],
      ["a short password", () => signIn(email, "x")],
    ] as const) {
      const before = passwords.computed;
      const answer = attempt();
      await answer;
      failures.push([cause, answer]);
      costs.push(passwords.computed - before);
    }
    const answers = await Promise.all(failures.map(([, answer]) => answer));
    const plain = ({ status, text, headers }: Answer) =>
      JSON.stringify([
        status,
        text,
        [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)),
      ]);
    for (const [index, answer] of answers.entries())
      assert.equal(plain(answer), plain(answers[0] as Answer), failures[index]?.[0]);
    assert.equal(answers[0]?.status, 401);
    assert.equal(answers[0]?.body.reason, "wrong_sign_in");
    assert.equal(answers[0]?.headers.get("www-authenticate"), null);
    assert.deepEqual(new Set(costs), new Set([1]));
  });

  test("an address has ten tries over all nodes, then one a minute; whether it is anybody's does not matter", async () => {
    const { email } = await newStudio();
    const mark = pooled(
      "test_move_tries",
      "update sign_in_tries set free_at = free_at - $2::interval where mark = $1 returning 1",
    );
    for (const address of [email, `${newId()}@example.com`]) {
      const move = (by: string) =>
        api.db.query(mark, [triesMark({ emailKey: emailKey(address) }, api.keySecret), by]);
      const tries = await Promise.all(
        Array.from({ length: 14 }, (_, n) =>
          signIn(address, "wrong password", {}, n % 2 === 0 ? api : other),
        ),
      );
      const refused = tries.filter(({ status }) => status === 429);
      assert.equal(refused.length, 4);
      assert.equal(refused[0]?.body.reason, "too_many_tries");
      const seconds = Number(refused[0]?.headers.get("retry-after"));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds}`);
      assert.match(refused[0]?.body.detail, /Wait \d+ seconds/);
      // The right password does not help either.
      assert.equal((await signIn(address)).status, 429);
      await move("1 minute");
      assert.equal((await signIn(address, "wrong password")).status, 401);
      assert.equal((await signIn(address, "wrong password")).status, 429);
    }
  });

  test("a right password is not counted, and gives no other try back", async () => {
    const { email } = await newStudio();
    for (let n = 0; n < 9; n++) assert.equal((await signIn(email, "wrong password")).status, 401);
    for (let n = 0; n < 2; n++) assert.equal((await signIn(email)).status, 200);
    assert.equal((await signIn(email, "wrong password")).status, 401);
    assert.equal((await signIn(email)).status, 429);
  });

  test("somebody on the staff of several organizations with one password names the one they mean", async () => {
    const email = `${newId()}@example.com`;
    const studios = [
      await api.newOrganization({ name: "Aurora" }),
      await api.newOrganization({ name: "Boreal" }),
    ];
    for (const { id } of studios) await newStaff(api, id, { email, password: stored });
    const third = await api.newOrganization({ name: "Cinza" });
    await newStaff(api, third.id, {
      email,
      password: await passwords.hash("another password", Buffer.alloc(16)),
    });
    const asked = await signIn(email);
    assert.equal(asked.status, 200);
    assert.equal(asked.headers.get("set-cookie"), null);
    assert.deepEqual(
      asked.body.organizations,
      studios.map(({ id, record }) => ({ id, name: record.name })),
    );
    const chosen = await signIn(email, PASSWORD, { organizationId: studios[1]?.id });
    const me = await callerWith(api, cookieOf(chosen)).read("me");
    assert.equal(me.body.organization.id, studios[1]?.id);
    assert.equal((await signIn(email, PASSWORD, { organizationId: third.id })).body.reason, "wrong_sign_in");
    assert.equal((await signIn(email, "another password")).body.staff.email, email);
  });

  test("gives a token of its own each time, and ends the sign-in that the browser had", async () => {
    const { email } = await newStudio();
    const fixed = `__Host-rollbook=${"A".repeat(43)}`;
    const first = cookieOf(await post("signIn", { email, password: PASSWORD }, { cookie: fixed }));
    assert.notEqual(first, fixed);
    assert.equal(
      (await callerWith(api, fixed).read("me")).status,
      401,
      "a token of the caller's choice is never one",
    );
    const second = cookieOf(await post("signIn", { email, password: PASSWORD }, { cookie: first }));
    assert.equal((await callerWith(api, first).read("me")).status, 401);
    assert.equal((await callerWith(api, second).read("me")).status, 200);
  });

  test("ends on signing out, everywhere: a cookie that was copied before is worth nothing", async () => {
    const { email } = await newStudio();
    const here = callerWith(api, cookieOf(await signIn(email)));
    const elsewhere = callerWith(api, cookieOf(await signIn(email)));
    const out = await here.write("signOut", {}, { through: other });
    assert.equal(out.status, 200);
    assert.match(out.headers.get("set-cookie") ?? "", /^__Host-rollbook=; .*Max-Age=0$/);
    for (const through of [api, other]) assert.equal((await here.read("me", { through })).status, 401);
    assert.equal((await elsewhere.read("me")).status, 200);
  });

  test("can be ended in an organization that is suspended: it does not come back with it", async () => {
    const { owner, id } = await newStudio();
    const setStatus = pooled("test_set_status", "update organizations set status = $2 where id = $1");
    await api.db.query(setStatus, [id, "suspended"]);
    assert.equal((await owner.read("me")).status, 403);
    assert.equal((await post("signOut", {}, { cookie: owner.cookie })).status, 200);
    await api.db.query(setStatus, [id, "active"]);
    assert.equal((await owner.read("me")).body.reason, "signed_out");
  });

  test("ends 12 hours after its last use and 14 days after it began", async () => {
    const { owner } = await newStudio();
    const age = pooled(
      "test_age_sign_in",
      `update sign_ins set seen_at = now() - $2::interval, created_at = now() - $3::interval where staff_id = $1`,
    );
    const statusAt = async (seen: string, created: string) => {
      await api.db.query(age, [owner.id, seen, created]);
      return (await owner.read("me")).status;
    };
    assert.equal(await statusAt("11 hours 59 minutes", "13 days 23 hours 59 minutes"), 200);
    await owner.read("me", { headers: { "rollbook-attended": "1" } });
    // That it was used is recorded when the answer has been sent.
    const used = pooled(
      "test_used_just_now",
      "select 1 from sign_ins where staff_id = $1 and seen_at > now() - interval '1 minute'",
    );
    await until("the use is recorded", async () => (await api.db.query(used, [owner.id])).length > 0);
    assert.equal(await statusAt("12 hours 1 second", "1 day"), 401);
    assert.equal(await statusAt("1 second", "14 days 1 second"), 401);
    // By the clock of the data, which may be moved.
    assert.equal(await statusAt("1 second", "1 day"), 200);
    const later = await startApi({ beside: api, clockOffsetMs: 12 * 3_600_000 });
    assert.equal((await owner.read("me", { through: later })).status, 401);
  });

  const seen = pooled(
    "test_seen_at",
    "select seen_at::text as at, xmin::text as version from sign_ins where staff_id = $1",
  );

  test("is recorded as used at most once a minute", async () => {
    const { owner } = await newStudio();
    const before = await api.db.query(seen, [owner.id]);
    for (let n = 0; n < 3; n++) await owner.read("me", { headers: { "rollbook-attended": "1" } });
    assert.deepEqual(await api.db.query(seen, [owner.id]), before);
  });

  test("is used by what a person does, not by what an open page reads by itself", async () => {
    const { id } = await newStudio();
    const [left, reading, writing] = [
      await newStaff(api, id),
      await newStaff(api, id),
      await newStaff(api, id),
    ];
    const evening = await startApi({ beside: api, passwords, clockOffsetMs: 7 * 3_600_000 });
    for (const path of ["me", "today", "versions", "staff"]) await left.read(path, { through: evening });
    await reading.read("me", { through: evening, headers: { "rollbook-attended": "1" } });
    await writing.write("confirmPassword", { password: "wrong password" }, { through: evening });
    const used = pooled(
      "test_used_in_the_evening",
      "select 1 from sign_ins where staff_id = any($1::uuid[]) and seen_at > now() + interval '6 hours'",
    );
    const countUsed = async () => (await api.db.query(used, [[left.id, reading.id, writing.id]])).length;
    await until("both uses are recorded", async () => (await countUsed()) === 2);
    const night = await startApi({ beside: api, passwords, clockOffsetMs: 13 * 3_600_000 });
    const statuses = [left, reading, writing].map(
      async (one) => (await one.read("me", { through: night })).status,
    );
    assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
  });
});

describe("the password again", () => {
  test("is asked for after 15 minutes, and then counts for 15", async () => {
    const { id } = await newStudio();
    const tired = await newStaff(api, id, { password: stored, passwordAge: "15 minutes 1 second" });
    const remove = () => tired.write("removeStaff", { staffId: newId() });
    assert.equal((await remove()).body.reason, "stale_sign_in");
    assert.equal((await tired.read("me")).body.confirmedUntil, undefined);
    const wrong = await tired.write("confirmPassword", { password: "wrong password" });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.body.reason, "wrong_sign_in");
    assert.equal((await remove()).body.reason, "stale_sign_in");
    assert.equal((await tired.read("me")).status, 200, "a wrong one does not sign out");
    assert.equal((await tired.write("confirmPassword", { password: PASSWORD })).status, 200);
    assert.equal((await remove()).body.reason, "no_staff");
  });

  test("counts its tries by the sign-in: strangers use up none of them, and a stolen cookie has ten", async () => {
    const { owner, email } = await newStudio();
    for (let n = 0; n < 10; n++) await signIn(email, "wrong password");
    assert.equal((await signIn(email)).body.reason, "too_many_tries");
    const confirm = (password: string) => owner.write("confirmPassword", { password });
    assert.equal((await confirm(PASSWORD)).status, 200);
    for (let n = 0; n < 10; n++) assert.equal((await confirm("wrong password")).body.reason, "wrong_sign_in");
    assert.equal((await confirm(PASSWORD)).body.reason, "too_many_tries");
  });
});

describe("a request from elsewhere", () => {
  test("is refused whatever it says of where it comes from", async () => {
    const { owner, email } = await newStudio();
    const origins: (string | undefined)[] = [
      undefined,
      "null",
      "https://evil.example",
      "http://api.rollbook.test",
      "https://api.rollbook.test:8443",
      "https://api.rollbook.test.evil.example",
      "https://evil.example, https://api.rollbook.test",
      "https://API.rollbook.test",
    ];
    for (const origin of origins) {
      const headers = {
        cookie: owner.cookie,
        ...(origin !== undefined && { origin }),
        "idempotency-key": newId(),
      };
      for (const [operation, body] of [
        ["addPlan", {}],
        ["signOut", {}],
        ["signIn", { email, password: PASSWORD }],
        ["acceptLink", { token: "x", password: PASSWORD }],
      ] as const) {
        const answer = await api.call("POST", `/app/v1/${operation}`, { body, headers });
        assert.equal(answer.body.reason, "wrong_origin", `${operation} from ${origin}`);
        assert.equal(answer.headers.get("set-cookie"), null);
      }
    }
    assert.equal((await owner.read("me")).status, 200);
  });

  test("is told where the application is, in its language", async () => {
    for (const [language, sentence] of [
      [
        "en",
        "This request did not come from the application, which is at https://api.rollbook.test/console/.",
      ],
      ["pt-BR", "Esta requisição não veio do aplicativo, que está em https://api.rollbook.test/console/."],
      ["es", "Esta solicitud no vino de la aplicación, que está en https://api.rollbook.test/console/."],
    ] as const) {
      const headers = { origin: "https://127.0.0.1", "accept-language": language };
      const body = { email: "nobody@example.com", password: PASSWORD };
      const answer = await api.call("POST", "/app/v1/signIn", { body, headers });
      assert.equal(answer.body.detail, sentence);
    }
  });

  test("gets no permission to read: no answer names another origin", async () => {
    const { owner } = await newStudio();
    const answer = await owner.read("me", { headers: { origin: "https://evil.example" } });
    assert.equal([...answer.headers.keys()].filter((name) => name.startsWith("access-control")).length, 0);
    assert.equal(answer.headers.get("vary"), "Cookie, Accept, Accept-Encoding");
    assert.equal(answer.headers.get("cache-control"), "no-store", "nothing is left in the browser");
  });
});

describe("the address", () => {
  test("over http on loopback has a cookie without Secure; elsewhere nobody is signed in", async () => {
    const { email, key } = await newStudio();
    const loopback = "http://localhost:8080";
    const local = await startApi({ beside: api, passwords, publicUrl: loopback });
    const body = { email, password: PASSWORD };
    const answer = await local.call("POST", "/app/v1/signIn", { body, headers: { origin: loopback } });
    assert.equal(answer.status, 200);
    assert.match(
      answer.headers.get("set-cookie") ?? "",
      /^rollbook=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict;/,
    );
    assert.equal((await callerWith(local, cookieOf(answer)).read("me")).status, 200);

    const insecure = "http://studio.example.com";
    const open = await startApi({ beside: api, passwords, publicUrl: insecure });
    for (const operation of ["signIn", "acceptLink"]) {
      const refused = await open.call("POST", `/app/v1/${operation}`, {
        body,
        headers: { origin: insecure },
      });
      assert.equal(refused.status, 403);
      assert.equal(refused.body.reason, "insecure_address");
      assert.match(refused.body.detail, /PUBLIC_URL/);
    }
    assert.equal((await callerWith(open, cookieOf(answer)).read("me")).status, 401);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await open.call("GET", "/v1/organization", { headers })).status, 200, "the API runs on");
  });

  test("is unknown when the application is turned off", async () => {
    const off = await startApi({ beside: api, hasApplication: false });
    for (const path of ["/app/v1/me", "/app/openapi.json", "/app/v1/signIn"])
      assert.equal((await off.call("GET", path)).status, 404, path);
  });
});

describe("people", () => {
  test("who are removed, or have another role, are so on the next request, on every node", async () => {
    const { id, owner } = await newStudio();
    const manager = await newStaff(api, id, { role: "manager" });
    const plan = {
      name: "Mensal",
      billingKind: "one_time",
      priceCents: 1,
      entitlements: [{ type: "access" }],
    };
    assert.equal((await manager.write("addPlan", plan, { through: other })).status, 200);
    await owner.write("editStaff", { staffId: manager.id, changes: { role: "front_desk" } });
    for (const through of [api, other])
      assert.equal((await manager.write("addPlan", plan, { through })).body.reason, "not_allowed");
    await owner.write("removeStaff", { staffId: manager.id });
    for (const through of [api, other])
      assert.equal((await manager.read("me", { through })).body.reason, "signed_out");
    const [entry] = (await owner.read(`audit?staffId=${manager.id}&limit=1`)).body.data;
    assert.equal(entry.action, "removeStaff");
    const own = (await owner.read(`audit?staffId=${manager.id}`)).body.data;
    assert.equal(own.find(({ action }: { action: string }) => action === "addPlan").actorName, "Carla Dias");
    const listed = (await owner.read("staff")).body.data;
    assert.equal(listed.find((person: { id: string }) => person.id === manager.id).status, "removed");
    assert.equal(
      (await owner.write("removeStaff", { staffId: manager.id })).status,
      200,
      "nothing more to do",
    );
    for (const [operation, more] of [
      ["linkStaff", {}],
      ["editStaff", { changes: {} }],
    ] as const)
      assert.equal((await owner.write(operation, { staffId: manager.id, ...more })).body.reason, "no_staff");
  });

  test("there is always an active owner, even if two remove each other at once", async () => {
    const { id, owner } = await newStudio();
    const invited = { name: "Ana", email: `${newId()}@example.com`, role: "owner", allLocations: true };
    await owner.write("addStaff", invited);
    for (const [operation, more] of [
      ["removeStaff", {}],
      ["editStaff", { changes: { role: "manager" } }],
    ] as const)
      assert.equal((await owner.write(operation, { staffId: owner.id, ...more })).body.reason, "last_owner");
    const second = await newStaff(api, id);
    const answers = await Promise.all([
      owner.write("removeStaff", { staffId: second.id }),
      second.write("removeStaff", { staffId: owner.id }, { through: other }),
    ]);
    assert.equal(
      answers.filter(({ status }) => status === 200).length,
      1,
      answers.map(({ text }) => text).join(),
    );
  });

  test("have one address each within an organization, however it is written", async () => {
    const { owner, email } = await newStudio();
    const person = { name: "Ana", role: "front_desk", allLocations: true };
    const taken = await owner.write("addStaff", { ...person, email: email.toUpperCase() });
    assert.equal(taken.status, 409);
    assert.equal(taken.body.reason, "email_taken");
    const added = await owner.write("addStaff", { ...person, email: `${newId()}@example.com` });
    const staffId = added.body.result.staff.id;
    assert.equal(
      (await owner.write("editStaff", { staffId, changes: { email } })).body.reason,
      "email_taken",
    );
    await owner.write("removeStaff", { staffId });
    const again = await owner.write("addStaff", { ...person, email: added.body.result.staff.email });
    assert.equal(again.status, 200, "the address of somebody who has left is free");
  });

  test("work at all locations or at some that there are", async () => {
    const { id, owner } = await newStudio();
    const locationId = await addLocation(api.db, id);
    const person = () => ({ name: "Ana", email: `${newId()}@example.com`, role: "front_desk" });
    const faultOf = async (places: object) => {
      const { status, body } = await owner.write("addStaff", { ...person(), ...places });
      return status === 200 ? 200 : `${body.errors[0].location} ${body.errors[0].code}`;
    };
    assert.equal(
      await faultOf({ allLocations: true, locationIds: [locationId] }),
      "body.locationIds not_with_all_locations",
    );
    assert.equal(await faultOf({ allLocations: false }), "body.locationIds location_required");
    assert.equal(
      await faultOf({ allLocations: false, locationIds: [newId()] }),
      "body.locationIds[0] location_unknown",
    );
    assert.equal(await faultOf({ allLocations: false, locationIds: [locationId.toUpperCase()] }), 200);
  });

  test("who are owners work everywhere", async () => {
    const { id, owner } = await newStudio();
    const locationIds = [await addLocation(api.db, id)];
    const manager = await newStaff(api, id, { role: "manager", locationIds });
    const faultOf = ({ status, body }: Answer) => [status, body.errors?.[0].location, body.errors?.[0].code];
    const limited = { role: "owner", allLocations: false, locationIds };
    const person = { name: "Ana", email: `${newId()}@example.com` };
    const edit = (changes: object) => owner.write("editStaff", { staffId: manager.id, changes });
    assert.deepEqual(faultOf(await owner.write("addStaff", { ...person, ...limited })), [
      422,
      "body.allLocations",
      "owner_everywhere",
    ]);
    for (const changes of [{ role: "owner" }, limited])
      assert.deepEqual(faultOf(await edit(changes)), [422, "body.changes.allLocations", "owner_everywhere"]);
    const promoted = (await edit({ role: "owner", allLocations: true })).body.result;
    assert.deepEqual([promoted.role, promoted.allLocations, promoted.locationIds], ["owner", true, []]);
    assert.deepEqual(faultOf(await edit({ allLocations: false, locationIds })), [
      422,
      "body.changes.allLocations",
      "owner_everywhere",
    ]);
  });

  test("cannot give themselves what their role does not have, nor reach another organization", async () => {
    const { id, owner } = await newStudio();
    const elsewhere = await newStudio();
    const desk = await newStaff(api, id, { role: "front_desk" });
    const change = { staffId: desk.id, changes: { role: "owner" } };
    assert.equal((await desk.write("editStaff", change)).body.reason, "not_allowed");
    assert.equal((await desk.read("staff")).body.reason, "not_allowed");
    for (const operation of ["removeStaff", "linkStaff"]) {
      const answer = await owner.write(operation, { staffId: elsewhere.owner.id });
      assert.equal(answer.body.reason, "no_staff");
    }
    const body = {
      ...{ name: "Ana", email: `${newId()}@example.com`, role: "front_desk", allLocations: true },
      ...{ id: newId(), organizationId: elsewhere.id, status: "active", password: stored },
    };
    const { body: refused } = await owner.write("addStaff", body);
    assert.deepEqual(refused.errors.map(({ location }: { location: string }) => location).sort(), [
      "body.id",
      "body.organizationId",
      "body.password",
      "body.status",
    ]);
    for (const extra of [{ role: "owner" }, { organizationId: id }, { staffId: owner.id }]) {
      const answer = await post("acceptLink", { token: "x", password: PASSWORD, ...extra });
      assert.equal(answer.body.errors[0].code, "unknown_member");
    }
  });
});

describe("the audit trail", () => {
  interface Entry {
    readonly actor: string;
    readonly subjectId?: string;
    readonly subjectName?: string;
    readonly details: { readonly tries?: number; readonly by?: string };
  }

  test("has who signed in, and how often somebody failed to, without the address", async () => {
    const { id, owner, email } = await newStudio();
    const of = async (action: string): Promise<Entry[]> =>
      (await owner.read(`audit?action=${action}`)).body.data;
    assert.equal((await signIn(email)).status, 200);
    const [begun, ...more] = await of("signIn");
    assert.deepEqual([begun?.actor, begun?.details], [`staff:${owner.id}`, { by: "password" }]);
    assert.deepEqual(more, []);

    // At two nodes at once, and once more by somebody who is signed in.
    await Promise.all([api, other, api].map((node) => signIn(email, "wrong password", {}, node)));
    assert.equal((await owner.write("confirmPassword", { password: "wrong password" })).status, 401);
    const failed = await of("signIn.failed");
    // The hour may have ended meanwhile.
    assert.ok(failed.length <= 2);
    assert.equal(
      failed.reduce((sum, { details }) => sum + (details.tries ?? 0), 0),
      4,
    );
    for (const entry of failed)
      assert.deepEqual(
        [entry.actor, entry.subjectId, entry.subjectName],
        ["unknown", owner.id, "Carla Dias"],
      );
    const trail = read("test_trail_of", "select a::text as text from audit a where a.organization_id = $1");
    for (const { text } of await api.db.query<{ text: string }>(trail, [id]))
      assert.ok(!text.includes(email), text);
    const desk = await newStaff(api, id, { role: "front_desk" });
    assert.equal((await desk.read("audit?action=signIn.failed")).body.total, 0);
  });

  test("has tries with an address that is nobody's for the operator alone, in one entry an hour", async () => {
    const stranger = `${newId()}@example.com`;
    const nobodys = read(
      "test_nobodys_tries",
      `select count(*) as entries, coalesce(sum((details ->> 'tries')::int), 0) as tries, string_agg(a::text, ' ') as text
       from audit a where organization_id is null and action = 'signIn.failed'`,
    );
    const look = async () =>
      (await api.db.query<{ entries: number; tries: number; text?: string }>(nobodys))[0];
    const before = await look();
    for (let n = 0; n < 5; n++) assert.equal((await signIn(`${n}${stranger}`)).status, 401);
    const after = await look();
    assert.ok((after?.tries ?? 0) >= (before?.tries ?? 0) + 5, "other files may have strangers too");
    assert.ok((after?.entries ?? 0) <= (before?.entries ?? 0) + 2);
    assert.ok(!after?.text?.includes(stranger));
  });
});
