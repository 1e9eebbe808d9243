import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { type Answer, PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { CHEAP, callerWith, newStaff } from "../support/staff.ts";

const PASSWORD = "correct horse battery";
const OTHER_PASSWORD = "quite another sentence";
const passwords = new Passwords(CHEAP);
const stored = await passwords.hash(PASSWORD, Buffer.alloc(16));
const api = await startApi({ passwords });

async function newPerson(organizationId?: string) {
  const id = organizationId ?? (await api.newOrganization({ name: "Estúdio Aurora" })).id;
  const person = await newStaff(api, id, { role: "front_desk", name: "Carla Dias", password: stored });
  return { ...person, organizationId: id };
}

function signIn(email: string, password = PASSWORD, userAgent?: string) {
  const headers = { origin: PUBLIC_URL, ...(userAgent !== undefined && { "user-agent": userAgent }) };
  return api.call("POST", "/app/v1/signIn", { body: { email, password }, headers });
}

const cookieOf = (answer: Answer) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0";

test("somebody who changes the password goes on here and is out everywhere else, without passkeys", async () => {
  const person = await newPerson();
  const elsewhere = callerWith(api, cookieOf(await signIn(person.email)));
  const add = pooled(
    "test_add_passkey",
    `insert into passkeys (organization_id, id, staff_id, name, credential_id, public_key, sign_count, challenged_at,
       created_at) values ($1, $2, $3, 'Phone', 'x', 'y', 0, now(), now())`,
  );
  await api.db.query(add, [person.organizationId, newId(), person.id]);
  const wrong = await person.write("changePassword", {
    password: "wrong password",
    newPassword: OTHER_PASSWORD,
  });
  assert.deepEqual([wrong.status, wrong.body.reason], [401, "wrong_sign_in"]);
  const changed = await person.write("changePassword", { password: PASSWORD, newPassword: OTHER_PASSWORD });
  assert.equal(changed.status, 200, changed.text);
  const here = callerWith(api, cookieOf(changed));
  assert.equal((await here.read("me")).body.staff.id, person.id);
  assert.equal((await here.read("passkeys")).body.total, 0);
  for (const gone of [person, elsewhere]) assert.equal((await gone.read("me")).body.reason, "signed_out");
  assert.equal((await signIn(person.email)).body.reason, "wrong_sign_in");
  assert.equal((await signIn(person.email, OTHER_PASSWORD)).status, 200);
  const owner = await newStaff(api, person.organizationId);
  const [entry] = (await owner.read(`audit?staffId=${person.id}&action=changePassword`)).body.data;
  assert.deepEqual([entry.action, entry.actor, entry.details], ["changePassword", `staff:${person.id}`, {}]);
});

test("of two who change one password at once, one does", async () => {
  const person = await newPerson();
  const answers = await Promise.all(
    ["one more sentence here", "yet another one of them"].map((newPassword) =>
      person.write("changePassword", { password: PASSWORD, newPassword }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
});

test("a password is changed however often strangers tried its address, and the old one has ten tries", async () => {
  const person = await newPerson();
  for (let n = 0; n < 10; n++) await signIn(person.email, "wrong password");
  const change = (password: string, newPassword = OTHER_PASSWORD) =>
    person.write("changePassword", { password, newPassword });
  for (let n = 0; n < 10; n++) assert.equal((await change("wrong password")).body.reason, "wrong_sign_in");
  assert.equal((await change(PASSWORD)).body.reason, "too_many_tries");
  const another = await newPerson();
  for (let n = 0; n < 10; n++) await signIn(another.email, "wrong password");
  const changed = await another.write("changePassword", { password: PASSWORD, newPassword: OTHER_PASSWORD });
  assert.equal(changed.status, 200, changed.text);
});

test("a password that is easy to guess is refused, by a link and by a change, and says why in three languages", async () => {
  const person = await newPerson();
  const owner = await newStaff(api, person.organizationId);
  const made = await owner.write("linkStaff", { staffId: person.id });
  const token = made.body.result.link.split("#link=")[1];
  for (const guessable of ["aaaaaaaaaaaa", "abcdefghijkl", "Estúdio Aurora", "carla.dias.2026"]) {
    const changed = await person.write("changePassword", { password: PASSWORD, newPassword: guessable });
    assert.deepEqual(
      [changed.status, changed.body.errors[0].location, changed.body.errors[0].code],
      [422, "body.newPassword", "password_guessable"],
      guessable,
    );
    const accepted = await api.call("POST", "/app/v1/acceptLink", {
      body: { token, password: guessable },
      headers: { origin: PUBLIC_URL, "accept-language": "pt-BR" },
    });
    assert.equal(accepted.body.errors[0].location, "body.password", guessable);
    assert.match(accepted.body.errors[0].message, /adivinhar/);
  }
});

test("a person sees their own sign-ins that hold, this one first, and knows them by their browser", async () => {
  const person = await newPerson();
  const colleague = await newPerson(person.organizationId);
  await signIn(colleague.email);
  const here = callerWith(api, cookieOf(await signIn(person.email, PASSWORD, FIREFOX)));
  const over = callerWith(api, cookieOf(await signIn(person.email)));
  await over.write("signOut");
  const { data, total } = (await here.read("sign-ins")).body;
  assert.equal(total, 2);
  assert.deepEqual(
    data.map(({ device, isCurrent }: Record<string, unknown>) => [device, isCurrent]),
    [
      ["Firefox, Windows", true],
      [undefined, false],
    ],
  );
  assert.ok(Date.parse(data[0].lastUsedAt) >= Date.parse(data[1].createdAt));
  const later = await startApi({ beside: api, clockOffsetMs: 13 * 3_600_000 });
  const tomorrow = await newStaff(later, person.organizationId);
  assert.equal((await tomorrow.read("sign-ins", { through: later })).body.total, 1);
});

test("a person ends one sign-in of theirs, or all but this one, and nobody else's", async () => {
  const person = await newPerson();
  const colleague = await newPerson(person.organizationId);
  const others: ReturnType<typeof callerWith>[] = [];
  for (let n = 0; n < 3; n++) others.push(callerWith(api, cookieOf(await signIn(person.email))));
  const [first] = (await others[0]?.read("sign-ins"))?.body.data ?? [];
  const end = async (body: object) => (await person.write("endSignIn", body)).body.result.ended;
  assert.equal(await end({ signInId: first.id }), 1);
  assert.equal(await end({ signInId: first.id }), 0, "it has ended already");
  const statuses = async () =>
    Promise.all([person, ...others, colleague].map(async (one) => (await one.read("me")).status));
  assert.deepEqual(await statuses(), [200, 401, 200, 200, 200]);
  const [theirs] = (await colleague.read("sign-ins")).body.data;
  assert.equal(await end({ signInId: theirs.id }), 0);
  assert.equal(await end({}), 2);
  assert.deepEqual(await statuses(), [200, 401, 401, 401, 200]);
  const owner = await newStaff(api, person.organizationId);
  const [entry] = (await owner.read(`audit?staffId=${person.id}&limit=1`)).body.data;
  assert.deepEqual([entry.action, entry.details], ["endSignIn", { ended: 2 }]);
});
