import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { exportText, faultsOf, importLines, smallStudio } from "./support.ts";

const api = await startApi();

const book = pooled(
  "test_book_covered",
  `insert into bookings (organization_id, id, session_id, client_id, contract_id, entitlement_id, visit_date, state, booked_at)
   values ($1, $2, $3, $4, $5, $6, '2026-01-05', 'no_show', now())`,
);

test("a file does not take a contract away from whoever booked with it, nor an entitlement that was drawn on", async () => {
  const { ids, lines } = smallStudio();
  const { organizationId } = await importLines(api.db, lines);
  const exported = (await exportText(api.db, organizationId))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const contract = exported.find(({ kind, id }) => kind === "contract" && id === ids.contract);
  const [entitlement] = contract.entitlements;
  const other = contract.clientId === ids.ana ? ids.bruno : ids.ana;
  const into = { organizationId };
  const draw = [ids.extra, contract.clientId, contract.id, entitlement.id];
  await api.db.query(book, [organizationId, newId(), ...draw]);
  const given = (change: object) => faultsOf(importLines(api.db, [{ ...contract, ...change }], into));
  assert.deepEqual(await given({ clientId: other }), [
    "line 1: contract: clientId: cannot change: another client has booked with this contract",
  ]);
  const drawn = "line 1: contract: entitlements: must keep every entitlement that bookings have drawn on";
  assert.deepEqual(await given({ entitlements: contract.entitlements.slice(1) }), [drawn]);
  assert.deepEqual(await given({ entitlements: [{ ...entitlement, id: newId() }] }), [drawn]);
  // Everything else of it may change, and the entitlements may come in another order or without ids.
  const reversed = { planName: "Renamed", entitlements: contract.entitlements.toReversed() };
  const { kinds } = await importLines(api.db, [{ ...contract, ...reversed }], into);
  assert.equal(kinds.contract?.replaced, 1);
  await importLines(api.db, [contract], into);
  const { id, ...unnamed } = entitlement;
  const entitlements = [unnamed, ...contract.entitlements.slice(1)];
  await importLines(api.db, [{ ...contract, entitlements }], into);
  assert.equal(
    (await exportText(api.db, organizationId)).includes(entitlement.id),
    true,
    "it keeps the id that stands in its place",
  );
});
