import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_WRITES, STAFF_WRITES } from "../../src/app/all-writes.ts";
import { ROLES, type Role } from "../../src/core/actor.ts";
import { startApi } from "../support/api.ts";
import { newStaff } from "../support/staff.ts";

/** Who may use each operation; an asterisk: with a fresh password. Written by hand, so that a slip in a list is seen. */
const WHO = table(`
  addStaff* editStaff* linkStaff* revokeLink* removeStaff*                             owner
  endSignIn                                                                            teacher
  addPasskey* removePasskey*                                                           teacher
  editSettings* mintKey* rotateKey* revokeKey*                                         owner
  colorCalendar editOrganization*                                                      owner
  addWebhook* editWebhook* rotateWebhook* enableWebhook disableWebhook                 owner
  replayWebhook skipWebhook testWebhook removeWebhook                                  owner
  mintCalendarLink rotateCalendarLink revokeCalendarLink                               front_desk
  addLocation editLocation reopenLocation closeLocation deleteLocation*                owner
  addServiceGroup editServiceGroup                                                     manager
  deleteServiceGroup*                                                                  owner
  addServiceType editServiceType restoreServiceType archiveServiceType                 manager
  deleteServiceType*                                                                   owner
  addResource editResource archiveResource restoreResource                             front_desk
  addPlan archivePlan restorePlan editPlan                                             manager
  deletePlan*                                                                          owner
  addClient editClient archiveClient restoreClient                                     front_desk
  sellContract voidSale                                                                front_desk
  recordPayment useBalance voidPayment addInvoice                                      front_desk
  refund editInvoice voidInvoice                                                       manager
  answerTerms blockAccess unblockAccess                                                front_desk
  pauseContract endPause cancelContract setEndDate reinstateContract adjustCredits     manager
  addSchedule editSchedule endSchedule deleteSchedule                                  manager
  addSession editSession cancelSession reinstateSession                                front_desk
  closeDays                                                                            manager
  releaseUnnamed                                                                       front_desk
  endFixedPlace moveFixedPlace                                                         front_desk
  book bookMany restoreBooking promoteWaiting cancelBooking coverBooking               front_desk
  checkIn setAttendance markRest unmarkRest                                            teacher
  joinWaiting leaveWaiting markTold unmarkTold                                         front_desk
  markCourtesy unmarkCourtesy                                                          front_desk
  exportClient* eraseClient*                                                           owner
  readSheet importClients undoImport                                                   owner
`);

const WRITES = [...OWN_WRITES, ...STAFF_WRITES];

/** Operations that take a file: no list of writes has them, because `rollbook do` cannot carry them out. */
const UPLOADS = ["readSheet", "importClients"];

/** Reads that are not for everybody. */
const OWNERS_READ = [
  "/app/v1/staff",
  "/app/v1/links",
  "/app/v1/keys",
  "/app/v1/keys/{id}/requests",
  "/app/v1/overview/keys",
  "/app/v1/webhooks",
  "/app/v1/webhooks/{id}/attempts",
  "/app/v1/calendar-links",
  "/app/v1/use",
];

/** What teachers read; the rest is for everybody else. */
const TEACHERS_READ = [
  "/app/v1/me",
  "/app/v1/sign-ins",
  "/app/v1/passkeys",
  "/app/v1/settings",
  "/app/v1/versions",
  "/app/v1/today",
  "/app/v1/calendar",
  "/app/v1/roster",
  "/app/v1/locations",
  "/app/v1/service-groups",
  "/app/v1/service-types",
  "/app/v1/service-types/{id}",
  "/app/v1/resources",
  "/app/v1/calendar-colors",
];

const api = await startApi();
const studio = await api.newOrganization();
const people = new Map(
  await Promise.all(ROLES.map(async (role) => [role, await newStaff(api, studio.id, { role })] as const)),
);
const tired = await newStaff(api, studio.id, { passwordAge: "16 minutes" });
const { paths } = (await (await fetch(`${api.url}/app/openapi.json`)).json()) as {
  paths: Record<string, { get?: object; post?: object }>;
};

test("every write of the application has its row in the table", () => {
  for (const { name } of WRITES) assert.ok(WHO.has(name), `${name} has no row`);
  const served = Object.keys(paths).filter((path) => paths[path]?.post);
  const signingIn = ["signIn", "readLink", "acceptLink", "confirmPassword", "changePassword", "signOut"];
  const byPasskey = ["beginPasskey", "beginPasskeySignIn", "signInByPasskey"];
  assert.deepEqual(
    served.map((path) => path.replace("/app/v1/", "")).sort(),
    [...WRITES.map(({ name }) => name), ...signingIn, ...byPasskey, ...UPLOADS].sort(),
  );
});

test("each role may do what its row says and no more, before anything of the request is looked at", async () => {
  for (const { name } of WRITES) {
    const row = WHO.get(name);
    for (const [role, person] of people) {
      // Not JSON: whoever is let through is told so, and nothing is written.
      const { status, body } = await person.write(name, {}, { raw: "{" });
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(row?.role ?? "owner");
      assert.equal(
        `${name} ${role} ${status} ${body.reason ?? body.code}`,
        `${name} ${role} ${isAllowed ? "400 malformed" : "403 not_allowed"}`,
      );
    }
    const { body } = await tired.write(name, {}, { raw: "{" });
    assert.equal(
      `${name} ${body.reason ?? body.code}`,
      `${name} ${row?.needsPassword ? "stale_sign_in" : "malformed"}`,
    );
  }
});

test("a file is refused to whoever may not send it, before anything of it is read", async () => {
  for (const name of UPLOADS) {
    for (const [role, person] of people) {
      const { status, body } = await person.write(name, {}, { raw: "{" });
      const isAllowed = role === WHO.get(name)?.role;
      assert.equal(
        `${name} ${role} ${status} ${body.reason ?? body.code}`,
        `${name} ${role} ${isAllowed ? "415 unsupported_media_type" : "403 not_allowed"}`,
      );
    }
    const { status } = await api.call("POST", `/app/v1/${name}`, { raw: "{" });
    assert.equal(status, 401);
  }
});

test("the staff may read, but for the owners' lists, and teachers what they need; nobody else may read anything", async () => {
  const reads = Object.keys(paths).filter((path) => paths[path]?.get);
  assert.ok(reads.length >= 8);
  for (const path of reads) {
    const address = path.replace(/\{\w+\}/g, "0181a9f0-41c7-7b36-8e52-6d0f9b3c7a14").replace("/app/v1/", "");
    const isOwners = OWNERS_READ.includes(path);
    for (const [role, person] of people) {
      const { status, body } = await person.read(address);
      const isRefused = role === "teacher" ? !TEACHERS_READ.includes(path) : isOwners && role !== "owner";
      if (isRefused) assert.equal(body.reason, "not_allowed", `${path} ${role}`);
      else assert.ok(![401, 403, 500].includes(status), `${path} ${role}: ${status}`);
    }
    const { status, body } = await api.call("GET", `/app/v1/${address}`);
    assert.equal(`${status} ${body.reason}`, "401 signed_out", path);
    const withKey = await studio.get(`/app/v1/${address}`);
    assert.equal(withKey.body.reason, "signed_out", "a key is no sign-in");
  }
});

test("a sign-in is no key", async () => {
  const cookie = people.get("owner")?.cookie ?? "";
  assert.equal((await api.call("GET", "/v1/organization", { headers: { cookie } })).status, 401);
});

function table(text: string): Map<string, { readonly role: Role; readonly needsPassword: boolean }> {
  return new Map(
    text
      .trim()
      .split("\n")
      .flatMap((line) => {
        const words = line.trim().split(/\s+/);
        const role = words.pop() as Role;
        return words.map(
          (name) => [name.replace("*", ""), { role, needsPassword: name.endsWith("*") }] as const,
        );
      }),
  );
}
