import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { userHandle } from "../../src/domain/passkeys/rules.ts";
import { MOST_PASSKEYS } from "../../src/domain/passkeys/schema.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { type Answer, PUBLIC_URL, startApi } from "../support/api.ts";
import { type AnswerParts, TestPasskey } from "../support/authenticator.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { CHEAP, callerWith, type NewTestStaff, newStaff, type TestStaff } from "../support/staff.ts";

const passwords = new Passwords(CHEAP);
const api = await startApi({ passwords, isIsolated: true });
const other = await startApi({ beside: api, passwords });
const { origin, hostname } = new URL(PUBLIC_URL);

/** From the application's own pages, without a sign-in unless a cookie is given. */
function post(operation: string, body: object, { through = api, cookie = "", from = PUBLIC_URL } = {}) {
  const headers = { origin: from, ...(cookie && { cookie }) };
  return through.call("POST", `/app/v1/${operation}`, { body, headers });
}

interface Member extends TestStaff {
  readonly organizationId: string;
  readonly handle: string;
}

async function newMember(wanted: NewTestStaff = {}, organizationId?: string): Promise<Member> {
  const id = organizationId ?? (await api.newOrganization()).id;
  const staff = await newStaff(api, id, wanted);
  return { ...staff, organizationId: id, handle: userHandle(id, staff.id) };
}

async function registration(member: TestStaff, passkey: TestPasskey, name = "Phone", flags?: number) {
  const begun = await member.write("beginPasskey");
  assert.equal(begun.status, 200, begun.text);
  const { challenge, rp } = begun.body;
  const parts = { challenge, origin, rpId: rp.id, ...(flags !== undefined && { flags }) };
  return { name, credential: passkey.register(parts) };
}

/** Somebody who has a passkey. */
async function newHolder(wanted: NewTestStaff = {}, organizationId?: string) {
  const member = await newMember(wanted, organizationId);
  const passkey = new TestPasskey();
  const added = await member.write("addPasskey", await registration(member, passkey));
  assert.equal(added.status, 200, added.text);
  return { ...member, passkey, passkeyId: added.body.result.id as string };
}

async function answerOf(
  { passkey, handle }: { readonly passkey: TestPasskey; readonly handle: string },
  parts: Partial<AnswerParts> = {},
) {
  const { challenge, rpId } = (await post("beginPasskeySignIn", {}, { through: other })).body;
  return passkey.answer({ challenge, origin, rpId, userHandle: handle, ...parts });
}

function cookieOf(answer: Answer): string {
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

const countRows = pooled("test_count_passkeys", "select count(*) as count from passkeys where staff_id = $1");
async function countOf(staffId: string): Promise<number> {
  return (await api.db.query<{ count: number }>(countRows, [staffId]))[0]?.count ?? 0;
}

describe("a passkey", () => {
  test("is made for its owner, lets them in as if with the password, and says when it was used", async () => {
    const member = await newMember({ role: "front_desk", name: "Carla Dias", passwordAge: "1 minute" });
    const begun = (await member.write("beginPasskey")).body;
    assert.deepEqual(
      [begun.rp.id, begun.user.id, begun.user.displayName, begun.excludeCredentials],
      [hostname, member.handle, "Carla Dias", []],
    );
    const passkey = new TestPasskey();
    const credential = passkey.register({ challenge: begun.challenge, origin, rpId: begun.rp.id });
    const added = await member.write("addPasskey", { name: " Carla's phone ", credential });
    const { id, name, createdAt } = added.body.result;
    assert.equal(name, "Carla's phone");
    assert.deepEqual((await member.read("passkeys")).body.data, [{ id, name, createdAt }]);
    assert.deepEqual(
      (await member.write("beginPasskey")).body.excludeCredentials,
      [{ type: "public-key", id: passkey.id }],
      "no authenticator makes a second one",
    );

    const signedIn = await post("signInByPasskey", await answerOf({ ...member, passkey }));
    assert.equal(signedIn.status, 200);
    assert.match(
      signedIn.headers.get("set-cookie") ?? "",
      /^__Host-rollbook=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=1209600$/,
    );
    const now = callerWith(api, cookieOf(signedIn));
    const me = (await now.read("me", { through: other })).body;
    assert.equal(me.staff.id, member.id);
    assert.ok(Date.parse(me.confirmedUntil) > (await api.db.now()), "it counts as entering the password");
    const [listed] = (await now.read("passkeys")).body.data;
    assert.ok(Date.parse(listed.lastUsedAt) >= Date.parse(createdAt));

    const owner = await newStaff(api, member.organizationId);
    const [entry] = (await owner.read(`audit?staffId=${member.id}&action=addPasskey`)).body.data;
    assert.deepEqual(
      [entry.action, entry.subjectId, entry.subjectName, entry.details],
      ["addPasskey", member.id, "Carla Dias", { passkeyId: id }],
    );
    const removed = await now.write("removePasskey", { passkeyId: id });
    assert.equal(removed.body.result.id, id);
    assert.equal((await now.read("passkeys")).body.total, 0);
    assert.equal((await now.read("me")).status, 200, "a sign-in that has begun goes on");
  });

  test("ends the sign-in that the browser had", async () => {
    const holder = await newHolder();
    const signedIn = await post("signInByPasskey", await answerOf(holder), { cookie: holder.cookie });
    assert.equal((await holder.read("me")).body.reason, "signed_out");
    assert.equal((await callerWith(api, cookieOf(signedIn)).read("me")).status, 200);
  });

  test("an answer counts once over all nodes, also if both get it at the same moment", async () => {
    const holder = await newHolder();
    const [answer, later] = [await answerOf(holder), await answerOf(holder)];
    const answers = await Promise.all(
      [api, other, api, other].map((through) => post("signInByPasskey", answer, { through })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    for (const used of [await answerOf(holder), later]) {
      assert.equal((await post("signInByPasskey", used)).status, 200);
      assert.equal((await post("signInByPasskey", used, { through: other })).status, 401);
    }
    assert.equal((await post("signInByPasskey", answer)).status, 401, "also after others");
  });

  test("that is synced to two computers lets both in, whichever began or ended first, with counters of their own", async () => {
    const SYNCED = 0x0d;
    const member = await newMember();
    const passkey = new TestPasskey();
    await member.write("addPasskey", await registration(member, passkey, "Phone", SYNCED));
    const answerWith = (signCount: number, flags = SYNCED) =>
      answerOf({ ...member, passkey }, { signCount, flags });
    const [began, beganLater] = [await answerWith(3), await answerWith(40)];
    const statuses = [];
    for (const answer of [
      beganLater,
      began,
      await answerWith(4),
      await answerWith(0),
      await answerWith(41, 0x05),
    ])
      statuses.push((await post("signInByPasskey", answer)).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 401]);
  });

  test("that a release before has stored says by its next use whether it is synced", async () => {
    const SYNCED = 0x0d;
    const asBefore = pooled(
      "test_passkey_as_before",
      "update passkeys set is_synced = null, sign_count = 9 where id = $1",
    );
    const signIn = async (
      holder: { passkey: TestPasskey; handle: string },
      signCount: number,
      flags: number,
    ) => (await post("signInByPasskey", await answerOf(holder, { signCount, flags }))).status;
    const [synced, bound] = [await newHolder(), await newHolder()];
    for (const { passkeyId } of [synced, bound]) await api.db.query(asBefore, [passkeyId]);
    assert.deepEqual([await signIn(synced, 2, SYNCED), await signIn(synced, 1, SYNCED)], [200, 200]);
    assert.deepEqual(
      [await signIn(bound, 9, 0x05), await signIn(bound, 10, 0x05), await signIn(bound, 2, SYNCED)],
      [401, 200, 401],
    );
  });

  test("a counter that goes back is that of a copy", async () => {
    const holder = await newHolder();
    const signIn = async (signCount: number) =>
      (await post("signInByPasskey", await answerOf(holder, { signCount }))).status;
    assert.deepEqual(
      [await signIn(5), await signIn(5), await signIn(4), await signIn(6)],
      [200, 401, 401, 200],
    );
  });

  test("has one answer for every failure, to the byte, and none signs anybody in", async () => {
    const holder = await newHolder();
    const colleague = await newHolder({}, holder.organizationId);
    const stranger = await newHolder();
    const gone = await newHolder();
    await gone.write("removePasskey", { passkeyId: gone.passkeyId });
    const used = await answerOf(holder);
    assert.equal((await post("signInByPasskey", used)).status, 200);
    const addChallenge = (await holder.write("beginPasskey")).body.challenge;
    const forged = { ...(await answerOf(stranger)), id: holder.passkey.id };
    const attempts: readonly (readonly [cause: string, body: object])[] = [
      ["used already", used],
      ["a passkey that nobody has", await answerOf({ ...holder, passkey: new TestPasskey() })],
      ["a passkey that was removed", await answerOf(gone)],
      ["for a colleague", await answerOf({ ...holder, handle: colleague.handle })],
      ["for somebody of another organization", await answerOf({ ...holder, handle: stranger.handle })],
      [
        "the person in another organization",
        await answerOf({ ...holder, handle: userHandle(stranger.organizationId, holder.id) }),
      ],
      ["for nobody", await answerOf({ ...holder, handle: userHandle(newId(), newId()) })],
      ["for no person at all", await answerOf({ ...holder, handle: "AAAA" })],
      ["signed by somebody else", { ...forged, response: { ...forged.response, userHandle: holder.handle } }],
      ["a challenge to add a passkey", await answerOf(holder, { challenge: addChallenge })],
      ["no challenge of ours", await answerOf(holder, { challenge: "AAAA" })],
      ["another origin", await answerOf(holder, { origin: "https://evil.example.com" })],
      ["another host", await answerOf(holder, { rpId: "evil.example.com" })],
      ["nobody verified", await answerOf(holder, { flags: 1 })],
      ["another type", await answerOf(holder, { type: "webauthn.create" })],
    ];
    const plain = ({ status, text, headers }: Answer) =>
      JSON.stringify([
        status,
        text,
        [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)),
      ]);
    const answers: [string, Answer][] = [];
    for (const [cause, body] of attempts) answers.push([cause, await post("signInByPasskey", body)]);
    const first = answers[0]?.[1];
    assert.deepEqual(
      [first?.status, first?.body.reason, first?.headers.get("set-cookie")],
      [401, "wrong_sign_in", null],
    );
    for (const [cause, answer] of answers) assert.equal(plain(answer), plain(first as Answer), cause);
  });

  test("of somebody who is removed lets nobody in, and is gone", async () => {
    const owner = await newMember();
    const holder = await newHolder({ role: "manager" }, owner.organizationId);
    const answer = await answerOf(holder);
    assert.equal((await owner.write("removeStaff", { staffId: holder.id })).status, 200);
    assert.equal((await post("signInByPasskey", answer)).body.reason, "wrong_sign_in");
    assert.equal(await countOf(holder.id), 0);
  });

  test("is gone once a link is used, also with the password as it was, and by whichever release", async () => {
    const owner = await newMember();
    const password = "correct horse battery";
    for (const isSecond of [false, true]) {
      const holder = await newHolder({ role: "manager" }, owner.organizationId);
      const link = async () => (await owner.write("linkStaff", { staffId: holder.id })).body.result.link;
      const accept = (address: string) =>
        post("acceptLink", { token: address.split("#link=")[1] ?? "", password });
      if (isSecond) {
        const accepted = callerWith(api, cookieOf(await accept(await link())));
        const again = await accepted.write(
          "addPasskey",
          await registration({ ...holder, ...accepted }, holder.passkey),
        );
        assert.equal(again.status, 200, again.text);
      }
      const made = await link();
      assert.equal(await countOf(holder.id), 1, "making a link ends nothing");
      await accept(made);
      assert.equal(await countOf(holder.id), 0);
      assert.equal((await post("signInByPasskey", await answerOf(holder))).body.reason, "wrong_sign_in");
    }
    const holder = await newHolder();
    const write = pooled("test_write_password", "update staff set password = password where id = $1");
    await api.db.query(write, [holder.id]);
    assert.equal(await countOf(holder.id), 0, "written by a program that knows nothing of passkeys");
  });

  test("lets nobody into an organization that is not active, nor from pages of others", async () => {
    const holder = await newHolder();
    const setStatus = pooled("test_set_status_of", "update organizations set status = $2 where id = $1");
    await api.db.query(setStatus, [holder.organizationId, "suspended"]);
    const inactive = await post("signInByPasskey", await answerOf(holder));
    assert.deepEqual([inactive.status, inactive.headers.get("set-cookie")], [403, null]);
    await api.db.query(setStatus, [holder.organizationId, "active"]);
    for (const operation of ["beginPasskeySignIn", "signInByPasskey"]) {
      const { body } = await post(operation, {}, { from: "https://evil.example.com" });
      assert.equal(body.reason, "wrong_origin");
    }
  });
});

describe("adding a passkey", () => {
  test("needs the password within 15 minutes, before the browser is asked and after", async () => {
    const tired = await newMember({ passwordAge: "16 minutes" });
    for (const operation of ["beginPasskey", "addPasskey", "removePasskey"])
      assert.equal((await tired.write(operation)).body.reason, "stale_sign_in");
  });

  test("takes no answer that was made for somebody else, for signing in, or elsewhere", async () => {
    const member = await newMember();
    const colleague = await newMember({}, member.organizationId);
    const passkey = new TestPasskey();
    const theirs = await registration(colleague, passkey);
    const { challenge } = (await post("beginPasskeySignIn", {})).body;
    const own = (await member.write("beginPasskey")).body.challenge;
    for (const credential of [
      theirs.credential,
      passkey.register({ challenge, origin, rpId: hostname }),
      passkey.register({ challenge: own, origin: "https://evil.example.com", rpId: hostname }),
      passkey.register({ challenge: own, origin, rpId: "evil.example.com" }),
    ]) {
      const { status, body } = await member.write("addPasskey", { name: "Phone", credential });
      assert.deepEqual([status, body.reason], [409, "passkey_refused"]);
    }
    assert.equal(await countOf(member.id), 0);
  });

  test("a repeat adds nothing, a dry run stores nothing, and nobody has a passkey of a colleague", async () => {
    const member = await newMember();
    const passkey = new TestPasskey();
    const input = await registration(member, passkey);
    const dryRun = await member.write("addPasskey", { ...input, dryRun: true });
    assert.equal(dryRun.body.dryRun, true);
    assert.equal(await countOf(member.id), 0);
    const headers = { "idempotency-key": newId() };
    const first = await member.write("addPasskey", input, { headers });
    const again = await member.write("addPasskey", input, { headers, through: other });
    assert.deepEqual(again.body, first.body);
    assert.equal((await member.write("addPasskey", input)).body.reason, "passkey_known");
    const colleague = await newMember({}, member.organizationId);
    const copied = await registration(colleague, passkey);
    assert.equal((await colleague.write("addPasskey", copied)).body.reason, "passkey_known");
    const passkeyId = first.body.result.id;
    assert.equal((await colleague.write("removePasskey", { passkeyId })).body.reason, "no_passkey");
    assert.equal((await colleague.read("passkeys")).body.total, 0);
    assert.equal(await countOf(member.id), 1);
  });

  test(`a person has at most ${MOST_PASSKEYS}, also if the last are added at once`, async () => {
    const member = await newMember();
    const fill = pooled(
      "test_fill_passkeys",
      `insert into passkeys (organization_id, id, staff_id, name, credential_id, public_key, sign_count, challenged_at,
         created_at)
       select $1, gen_random_uuid(), $2, 'Phone', sha256(n::text::bytea), '', 0, now(), now()
       from generate_series(1, $3::int) n`,
    );
    await api.db.query(fill, [member.organizationId, member.id, MOST_PASSKEYS - 1]);
    const inputs = await Promise.all([1, 2, 3].map(() => registration(member, new TestPasskey())));
    const answers = await Promise.all(inputs.map((input) => member.write("addPasskey", input)));
    assert.deepEqual(answers.map(({ body }) => body.reason ?? "added").sort(), [
      "added",
      "too_many_passkeys",
      "too_many_passkeys",
    ]);
    assert.equal((await member.write("beginPasskey")).body.reason, "too_many_passkeys");
  });

  test("is not possible with a sign-in that a link has ended meanwhile", async () => {
    const member = await newMember();
    const input = await registration(member, new TestPasskey());
    const lock = pooled("test_lock_person", "select from staff where id = $1 for update");
    const end = pooled("test_end_sign_ins_of", "update sign_ins set ended_at = now() where staff_id = $1");
    let added: Promise<Answer> | undefined;
    await api.db.transaction(async (tx) => {
      await tx.query(lock, [member.id]);
      added = member.write("addPasskey", input);
      // It is past the gate once it waits for the person.
      const waits = pooled(
        "test_waits_for_lock",
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
           and query like '%from staff s where%no key update%'`,
      );
      await until("it waits", async () => (await api.db.query(waits)).length > 0);
      await tx.query(end, [member.id]);
    });
    assert.equal((await added)?.body.reason, "signed_out");
    assert.equal(await countOf(member.id), 0);
  });
});
