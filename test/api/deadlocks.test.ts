import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { newBookingStudio } from "../support/booking-studio.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

/** A write that meets another one in a deadlock, every time that it is tried, or twice. */

const api = await startApi({ isIsolated: true });
const MET = "+55 11 40404-0404";
/** What a contract costs whose blocking meets two. */
const TWICE_CENTS = 40_404;

await api.db.query(
  pooled(
    "",
    `create function test_deadlock() returns trigger language plpgsql as $$
     begin
       if tg_nargs = 0 or nextval('test_deadlocks') <= tg_argv[0]::integer then
         raise exception 'deadlock detected' using errcode = 'deadlock_detected';
       end if;
       return new;
     end $$`,
  ),
);
await api.db.query(pooled("", "create sequence test_deadlocks"));
await api.db.query(
  pooled(
    "",
    `create trigger test_deadlock_twice before update on contracts for each row
     when (new.access_blocked and new.price_cents = ${TWICE_CENTS}) execute function test_deadlock(2)`,
  ),
);
for (const [table, condition] of [
  ["clients", `new.contact_phone = '${MET}'`],
  ["contracts", `new.access_blocked and new.price_cents <> ${TWICE_CENTS}`],
])
  await api.db.query(
    pooled(
      "",
      `create trigger test_deadlock before insert or update on ${table} for each row when (${condition})
       execute function test_deadlock()`,
    ),
  );

test("a client whose write meets only deadlocks is told so, and nothing of an id document", async () => {
  const studio = await api.newOrganization();
  await addLocation(api.db, studio.id);
  const body = { contactName: "Ana", idDocument: { type: "cpf", value: "52998224725" } };
  const { id } = (await studio.call("POST", "/v1/clients", { body })).body;
  const owner = await newStaff(api, studio.id);
  for (const { status, body: problem } of [
    await studio.call("PATCH", `/v1/clients/${id}`, { body: { contactPhone: MET } }),
    await studio.call("PUT", `/v1/clients/${id}`, { body: { ...body, contactPhone: MET } }),
    await studio.call("POST", "/v1/clients", { body: { contactName: "Bia", contactPhone: MET } }),
    await owner.write("editClient", { clientId: id, changes: { contactPhone: MET } }),
  ]) {
    assert.equal(status, 503, JSON.stringify(problem));
    assert.equal(problem.detail, "Another write holds this record right now. Try again.");
  }
});

test("an operation of the staff that meets only deadlocks is told so", async () => {
  const studio = await newBookingStudio(api);
  const { contractId } = await studio.packHolder(1);
  const owner = await newStaff(api, studio.id);
  const { status, body } = await owner.write("blockAccess", { contractId, reason: "owes" });
  assert.equal(status, 503, JSON.stringify(body));
  assert.equal(body.detail, "Another write holds this record right now. Try again.");
});

test("an operation of the staff that meets two deadlocks is carried out, once", async () => {
  const studio = await newBookingStudio(api);
  const clientId = await studio.newClient();
  const contractId = await studio.newContract(clientId, { type: "access" }, { priceCents: TWICE_CENTS });
  const owner = await newStaff(api, studio.id);
  const { status, body } = await owner.write("blockAccess", { contractId, reason: "owes" });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(await studio.count("audit where action = 'blockAccess'"), 1);
});
