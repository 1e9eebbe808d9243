import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startApi } from "../support/api.ts";
import { sendFile } from "../support/forms.ts";
import { newId } from "../support/ids.ts";
import { until } from "../support/poll.ts";
import { addLocation } from "../support/records.ts";
import { newStaff } from "../support/staff.ts";

const api = await startApi();
const CPFS = ["529.982.247-25", "111.444.777-35", "123.456.789-09"];

async function newStudio() {
  const studio = await api.newOrganization();
  const locationId = await addLocation(api.db, studio.id, { name: "Centro" });
  const owner = await newStaff(api, studio.id);
  const clients = async () => {
    const { body } = await studio.get("/v1/clients?limit=200");
    const list = body.data as Record<string, unknown>[];
    return new Map(list.map((client) => [client.contactName as string, client]));
  };
  const load = async (file: string, input: object = {}) => {
    const answer = await sendFile(owner, "importClients", file, input, {
      headers: { "idempotency-key": newId() },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as { auditId: string; result: Record<string, number> };
  };
  return { ...studio, owner, locationId, clients, load };
}

test("an import is taken back as a whole: whom it added is gone, whom it changed is as before", async () => {
  const studio = await newStudio();
  await studio.load(`Nome,CPF,Telefone\nAna,${CPFS[0]},11 1111-1111\n`);
  const before = (await studio.clients()).get("Ana");
  const sheet = `Nome,CPF,Telefone,Status,Cidade\nAna,${CPFS[0]},11 2222-2222,inativo,Santos\nBia,${CPFS[1]},,,\nCaio,,,inativo,\n`;
  const { auditId, result } = await studio.load(sheet, { update: true });
  assert.deepEqual([result.created, result.replaced], [2, 1]);

  const dry = await studio.owner.write("undoImport", { importId: auditId, dryRun: true });
  assert.deepEqual(dry.body.result, { importId: auditId, removed: 2, setBack: 1, kept: 0 });
  assert.equal((await studio.clients()).size, 3, "a dry run takes nothing back");

  const { body: trail } = await studio.owner.read("audit");
  const entry = trail.data.find(({ id }: { id: string }) => id === auditId);
  assert.deepEqual(entry.undo, { operation: "undoImport", input: { importId: auditId } });
  const undone = await studio.owner.write(entry.undo.operation, entry.undo.input);
  assert.equal(undone.status, 200, undone.text);
  const after = await studio.clients();
  assert.deepEqual([...after.keys()], ["Ana"]);
  const { updatedAt: _, ...was } = before ?? {};
  const { updatedAt, ...is } = after.get("Ana") ?? {};
  assert.deepEqual(is, was);
  assert.notEqual(updatedAt, before?.updatedAt, "whoever keeps a copy sees that it changed");
  for (const [status, total] of [
    ["active", 1],
    ["archived", 0],
  ])
    assert.equal((await studio.get(`/v1/clients?status=${status}`)).body.total, total);

  const { body: later } = await studio.owner.read("audit");
  const [undoing] = later.data;
  const again = later.data.find(({ id }: { id: string }) => id === auditId);
  assert.deepEqual([undoing.action, again.undoneBy, again.undo], ["undoImport", undoing.id, undefined]);
  const twice = await studio.owner.write("undoImport", { importId: auditId });
  assert.deepEqual([twice.status, twice.body.reason], [409, "import_settled"]);
  // The documents are free: the corrected sheet comes in.
  assert.equal((await studio.load(sheet)).result.created, 2);
});

test("whoever was changed or used since an import stays as they are when it is taken back", async () => {
  const studio = await newStudio();
  await studio.load(`Nome,CPF\nAna,${CPFS[0]}\n`);
  const sheet = `Nome,CPF,Cidade\nAna Souza,${CPFS[0]},Santos\nBia,${CPFS[1]},\nCaio,${CPFS[2]},\nDora,,\n`;
  const { auditId } = await studio.load(sheet, { update: true });
  const idOf = async (name: string) => (await studio.clients()).get(name)?.id as string;
  const edit = async (name: string, changes: object) => {
    const { status, text } = await studio.owner.write("editClient", { clientId: await idOf(name), changes });
    assert.equal(status, 200, text);
  };
  await edit("Ana Souza", { contactPhone: "11 1" });
  await edit("Bia", { notes: "joelho" });
  const { result } = (
    await studio.owner.write("addPlan", {
      name: "Mensal",
      billingKind: "one_time",
      durationCount: 6,
      durationUnit: "month",
      priceCents: 30_000,
      entitlements: [{ type: "credits", creditQuantity: 10 }],
    })
  ).body;
  const sold = await studio.owner.write("sellContract", { clientId: await idOf("Caio"), planId: result?.id });
  assert.equal(sold.status, 200, sold.text);
  const undone = await studio.owner.write("undoImport", { importId: auditId });
  assert.deepEqual(undone.body.result, { importId: auditId, removed: 1, setBack: 0, kept: 3 });
  const after = await studio.clients();
  assert.deepEqual([...after.keys()].sort(), ["Ana Souza", "Bia", "Caio"]);
});

test("an import is taken back in its own organization alone, and of an erased client nothing is kept for it", async () => {
  const [studio, other] = [await newStudio(), await newStudio()];
  await studio.load(`Nome,CPF\nAna,${CPFS[0]}\n`);
  const { auditId } = await studio.load(`Nome,CPF\nAna Maria,${CPFS[0]}\n`, { update: true });
  const foreign = await other.owner.write("undoImport", { importId: auditId });
  assert.deepEqual([foreign.status, foreign.body.reason], [404, "no_import"]);
  const { auditId: otherEntry } = (await studio.owner.write("addResource", { name: "Sala 1", kind: "room" }))
    .body;
  for (const importId of [newId(), otherEntry])
    assert.equal((await studio.owner.write("undoImport", { importId })).body.reason, "no_import");
  const clientId = (await studio.clients()).get("Ana Maria")?.id;
  const erased = await studio.owner.write("eraseClient", { clientId, basis: "asked" });
  assert.equal(erased.status, 200, erased.text);
  const kept = await api.db.query(keptOfClient, [studio.id, clientId]);
  assert.deepEqual(kept, []);
});

const keptOfClient = pooled(
  "test_kept_of_client",
  "select before from imported_clients where organization_id = $1 and client_id = $2",
);

test("an import with update changes what the sheet says and nothing that the desk changes meanwhile", async () => {
  const studio = await newStudio();
  await studio.load(`Nome,CPF,Telefone,Cidade\nAna,${CPFS[0]},11 1111-1111,Santos\n`);
  const client = (await studio.clients()).get("Ana");
  const importing = await api.db.transaction(async (tx) => {
    // The desk is at it: the import has read the client and waits for the lock.
    const [holder] = await tx.query<{ pid: number }>(deskEdit, [studio.id, client?.id]);
    const answer = studio.load(`Nome,CPF,Cidade\nAna Souza,${CPFS[0]},Campinas\n`, { update: true });
    await until("the import waits", async () => {
      const waiting = await api.db.query(waitingFor, [holder?.pid]);
      return waiting.length > 0;
    });
    await tx.query(countDeskEdit, [studio.id]);
    return { answer };
  });
  assert.equal((await importing.answer).result.replaced, 1);
  const after = (await studio.clients()).get("Ana Souza");
  assert.deepEqual(
    [after?.contactPhone, after?.notes, (after?.address as Record<string, string> | undefined)?.city],
    ["11 9999-9999", "called today", "Campinas"],
  );
});

test("an import with update gets through however often the desk writes to its clients meanwhile", async () => {
  const studio = await newStudio();
  // More than two parts of those in which clients are replaced.
  const rows = Array.from({ length: 2_001 }, (_, i) => `Ana ${i},${100_000 + i}\n`);
  await studio.load(`Nome,RG\n${rows.join("")}`);
  const ids = (await api.db.query<{ id: string }>(allIds, [studio.id])).map(({ id }) => id);
  const desks = await Promise.all([0, 1_000, 2_000].map((place) => editAtDesk(studio.id, ids[place] ?? "")));
  const importing = studio.load(`Nome,RG\n${rows.join("").replaceAll("Ana", "Bia")}`, { update: true });
  for (const { pid, commit } of desks) {
    await until("the import waits", async () => (await api.db.query(waitingFor, [pid])).length > 0);
    await commit();
  }
  assert.equal((await importing).result.replaced, rows.length);
  const { body } = await studio.get("/v1/clients?query=9999-9999");
  const found = body.data as { id: string; contactName: string; notes: string }[];
  assert.deepEqual(
    found.map(({ id, contactName, notes }) => [ids.indexOf(id), contactName.slice(0, 3), notes]).sort(),
    [0, 1_000, 2_000].map((place) => [place, "Bia", "called today"]),
  );
});

const allIds = pooled("test_all_ids", "select id from clients where organization_id = $1 order by id");

/** Somebody at the desk writes to a client, and is done when `commit` is called. */
async function editAtDesk(organizationId: string, clientId: string) {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let written: Promise<void> = Promise.resolve();
  const pid = await new Promise<number | undefined>((resolve, reject) => {
    written = api.db.transaction(async (tx) => {
      const [holder] = await tx.query<{ pid: number }>(deskEdit, [organizationId, clientId]);
      resolve(holder?.pid);
      await ended;
    });
    written.catch(reject);
  });
  const commit = async () => {
    end();
    await written;
  };
  return { pid, commit };
}

const deskEdit = pooled(
  "test_desk_edit",
  `update clients set contact_phone = '11 9999-9999', notes = 'called today', updated_at = updated_at + interval '1 second'
   where organization_id = $1 and id = $2 returning pg_backend_pid() as pid`,
);
const countDeskEdit = pooled(
  "test_count_desk_edit",
  "update organization_counters set clients_version = clients_version + 1 where organization_id = $1 and slot = 0",
);
const waitingFor = pooled(
  "test_waiting_for",
  "select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))",
);
