import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { operator } from "../../src/domain/audit/queries.ts";
import { linkByEmail, linkStaff } from "../../src/domain/staff/operations.ts";
import { Passwords } from "../../src/domain/staff/passwords.ts";
import { type Answer, PUBLIC_URL, startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { CHEAP, callerWith, newStaff, type TestStaff } from "../support/staff.ts";

const PASSWORD = "correct horse battery";
const passwords = new Passwords(CHEAP);
const stored = await passwords.hash(PASSWORD, Buffer.alloc(16));
const api = await startApi({ passwords });

/** A studio with two owners, one of whom has made a link for a manager. */
async function newStudio() {
  const { id } = await api.newOrganization();
  const [rita, paul] = [
    await newStaff(api, id, { name: "Rita", password: stored }),
    await newStaff(api, id, { name: "Paul", password: stored }),
  ];
  const manager = await newStaff(api, id, { role: "manager", name: "Mara" });
  const made = await paul.write("linkStaff", { staffId: manager.id });
  return { id, rita, paul, manager, token: tokenOf(made) };
}

function tokenOf({ body }: Answer): string {
  return /#link=([\w-]{43})$/.exec(body.result.link)?.[1] ?? "";
}

function accept(token: string, cookie?: string, password = PASSWORD) {
  const headers = { origin: PUBLIC_URL, ...(cookie !== undefined && { cookie }) };
  return api.call("POST", "/app/v1/acceptLink", { body: { token, password }, headers });
}

/** Whom open links are for, and who made them. */
async function openLinks(owner: TestStaff) {
  const { data, total } = (await owner.read("links")).body;
  assert.equal(total, data.length);
  return data.map(({ staffName, madeByName }: Record<string, string>) => [staffName, madeByName]);
}

const confirm = (person: TestStaff) => person.write("confirmPassword", { password: PASSWORD });

test("open links are listed with whom they are for and who made them, and are gone once they are used", async () => {
  const { id, rita, paul, manager, token } = await newStudio();
  const email = `${newId()}@example.com`;
  const maker = { keySecret: api.keySecret, publicUrl: PUBLIC_URL };
  await linkByEmail({ db: api.db, actor: operator(), organizationId: id, ...maker }, { email, name: "Olga" });
  const { data } = (await rita.read("links")).body;
  const [ofManager, ofOlga] = data;
  assert.deepEqual(
    { ...ofManager, id: "", expiresAt: "" },
    {
      id: "",
      staffId: manager.id,
      staffName: "Mara",
      madeBy: `staff:${paul.id}`,
      madeByName: "Paul",
      expiresAt: "",
    },
  );
  assert.deepEqual(
    [ofOlga.staffName, ofOlga.madeBy, ofOlga.madeByName],
    ["Olga", operator().name, undefined],
  );
  const later = await startApi({ beside: api, clockOffsetMs: 25 * 3_600_000 });
  const tomorrow = await newStaff(later, id);
  assert.deepEqual(await openLinks(tomorrow), [["Mara", "Paul"]], "the operator's holds for a day");
  assert.equal((await accept(token)).status, 200);
  assert.deepEqual(await openLinks(tomorrow), []);
});

for (const [what, end] of [
  ["is removed", ({ rita, paul }) => rita.write("removeStaff", { staffId: paul.id })],
  [
    "is no owner any more",
    ({ rita, paul }) => rita.write("editStaff", { staffId: paul.id, changes: { role: "manager" } }),
  ],
  [
    "changes the password",
    ({ paul }) => paul.write("changePassword", { password: PASSWORD, newPassword: "quite another sentence" }),
  ],
  [
    "gets a new password by a link",
    async ({ rita, paul }) => accept(tokenOf(await rita.write("linkStaff", { staffId: paul.id }))),
  ],
  [
    "ends another sign-in",
    async ({ paul }) => {
      const body = { email: paul.email, password: PASSWORD };
      await api.call("POST", "/app/v1/signIn", { body, headers: { origin: PUBLIC_URL } });
      return paul.write("endSignIn");
    },
  ],
  // The link may have been made by somebody who has signed out since.
  ["ends all others of their sign-ins when none is open", async ({ paul }) => paul.write("endSignIn")],
] as readonly [string, (studio: Awaited<ReturnType<typeof newStudio>>) => Promise<Answer>][])
  test(`the links of an owner who ${what} end, and those of others do not`, async () => {
    const studio = await newStudio();
    const other = await newStaff(api, studio.id, { role: "front_desk", name: "Other" });
    const kept = tokenOf(await studio.rita.write("linkStaff", { staffId: other.id }));
    assert.deepEqual(await openLinks(studio.rita), [
      ["Mara", "Paul"],
      ["Other", "Rita"],
    ]);
    const ended = await end(studio);
    assert.equal(ended.status, 200, ended.text);
    assert.deepEqual(await openLinks(studio.rita), [["Other", "Rita"]]);
    assert.equal((await accept(studio.token)).body.reason, "link_used");
    assert.equal((await accept(kept)).status, 200);
  });

test("a change of name, and signing out, end no link", async () => {
  const { rita, paul } = await newStudio();
  await rita.write("editStaff", { staffId: paul.id, changes: { name: "Paulo" } });
  await paul.write("signOut");
  assert.deepEqual(await openLinks(rita), [["Mara", "Paulo"]]);
});

test("a node of the release before ends the links of an owner whom it removes, also those it made itself", async () => {
  const { id, rita, paul, manager } = await newStudio();
  const asBefore = pooled(
    "test_link_without_maker",
    `update staff_links set made_by = null where organization_id = $1 and staff_id = $2`,
  );
  await api.db.query(asBefore, [id, manager.id]);
  assert.equal((await rita.read("links")).body.data[0].madeBy, undefined);
  const remove = pooled(
    "test_remove_as_before",
    "update staff set status = 'removed', password = null where organization_id = $1 and id = $2",
  );
  const other = await newStaff(api, id, { role: "front_desk" });
  await api.db.query(remove, [id, other.id]);
  assert.equal((await rita.read("links")).body.total, 1, "somebody who made none was removed");
  await api.db.query(remove, [id, paul.id]);
  assert.equal((await rita.read("links")).body.total, 0);
});

test("an owner who is removed or signed out while making a link makes none", async () => {
  const { id, rita, paul, manager } = await newStudio();
  const find = pooled(
    "test_find_sign_in",
    "select id from sign_ins where staff_id = $1 and ended_at is null",
  );
  const make = async (person: TestStaff, signInId: string | undefined) => {
    const signIn = { id: signInId ?? "", staffId: person.id };
    const actor = { name: `staff:${person.id}`, role: "owner", locationIds: undefined } as const;
    const maker = { keySecret: api.keySecret, publicUrl: PUBLIC_URL, signIn };
    await linkStaff({ db: api.db, actor, organizationId: id, ...maker }, { staffId: manager.id });
  };
  const signInOf = async ({ id: staffId }: TestStaff) =>
    (await api.db.query<{ id: string }>(find, [staffId]))[0]?.id;
  // Let in by the gate before, and carried out after.
  const [ofPaul, ofRita] = [await signInOf(paul), await signInOf(rita)];
  await make(paul, ofPaul);
  await rita.write("removeStaff", { staffId: paul.id });
  await assert.rejects(make(paul, ofPaul), { message: "not_allowed" });
  await rita.write("changePassword", { password: PASSWORD, newPassword: "quite another sentence" });
  await assert.rejects(make(rita, ofRita), { message: "not_allowed" });
});

test("a link that is revoked lets nobody in; who did it, and to whose link, is in the trail", async () => {
  const { rita, paul, manager, token } = await newStudio();
  const [link] = (await rita.read("links")).body.data;
  const dryRun = await rita.write("revokeLink", { linkId: link.id, dryRun: true });
  assert.deepEqual(dryRun.body.result, link);
  const headers = { "idempotency-key": newId() };
  const revoked = await rita.write("revokeLink", { linkId: link.id }, { headers });
  assert.deepEqual(revoked.body.result, link);
  const again = await rita.write("revokeLink", { linkId: link.id }, { headers });
  assert.deepEqual([again.status, again.body.auditId], [200, revoked.body.auditId]);
  assert.equal((await accept(token)).body.reason, "link_used");
  assert.deepEqual(await openLinks(rita), []);
  const gone = await rita.write("revokeLink", { linkId: link.id });
  assert.deepEqual([gone.status, gone.body.reason], [404, "no_link"]);
  const [entry] = (await rita.read(`audit?staffId=${manager.id}&limit=1`)).body.data;
  assert.deepEqual(
    [entry.action, entry.actorName, entry.subjectName, entry.details],
    ["revokeLink", "Rita", "Mara", { linkId: link.id, madeBy: `staff:${paul.id}` }],
  );
  const { paul: stranger } = await newStudio();
  const [theirs] = (await stranger.read("links")).body.data;
  assert.equal((await rita.write("revokeLink", { linkId: theirs.id })).body.reason, "no_link");
});

test("an accepted link is in the trail with who made it, and ends the sign-in that the browser had", async () => {
  const { rita, paul, manager, token } = await newStudio();
  const [link] = (await rita.read("links")).body.data;
  const desk = await newStaff(api, (await api.newOrganization()).id, { password: stored });
  const accepted = await accept(token, desk.cookie);
  assert.equal(accepted.status, 200);
  assert.equal((await desk.read("me")).body.reason, "signed_out", "whoever's it was");
  const cookie = accepted.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.equal((await callerWith(api, cookie).read("me")).body.staff.id, manager.id);
  const [entry] = (await rita.read(`audit?staffId=${manager.id}&limit=1`)).body.data;
  assert.deepEqual(
    [entry.action, entry.actor, entry.subjectName, entry.details],
    ["acceptLink", `staff:${manager.id}`, "Mara", { linkId: link.id, madeBy: `staff:${paul.id}` }],
  );
  assert.equal((await confirm(paul)).status, 200, "making one ends nothing of its maker");
});

test("a link says whose password it sets and where, until it is used; nothing else says so", async () => {
  const { manager, token, rita } = await newStudio();
  const look = (given: unknown) =>
    api.call("POST", "/app/v1/readLink", { body: { token: given }, headers: { origin: PUBLIC_URL } });
  const { status, body } = await look(token);
  assert.equal(status, 200);
  const { organization } = (await rita.read("me")).body;
  assert.deepEqual(
    [body.name, body.email, body.organizationName],
    ["Mara", manager.email, organization.name],
  );
  assert.ok(Date.parse(body.expiresAt) > Date.now());
  assert.equal((await accept(token)).status, 200, "looking does not use it");
  for (const given of [token, "a".repeat(43), "", "x"]) {
    const refused = await look(given);
    assert.deepEqual([refused.status, refused.body.reason], [404, "link_used"], given);
  }
  assert.equal((await look(7)).status, 422);
  const later = await startApi({ beside: api, clockOffsetMs: 200 * 3_600_000 });
  const another = tokenOf(await rita.write("linkStaff", { staffId: manager.id }));
  const late = await later.call("POST", "/app/v1/readLink", {
    body: { token: another },
    headers: { origin: PUBLIC_URL },
  });
  assert.equal(late.body.reason, "link_used", "its time is over");
});
