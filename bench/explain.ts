// `npm run bench -- explain`: how PostgreSQL answers every list and search on 200,000 clients and 20,000 contracts.
// Prints a table of times and, with --plans, the plans. docs/decisions/lists-and-search.md has the figures.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Database } from "../src/db/database.ts";
import { migrate } from "../src/db/migrate.ts";
import { replanned } from "../src/db/statements.ts";
import { listClients } from "../src/domain/clients/list-queries.ts";
import { findPeople } from "../src/domain/clients/people-queries.ts";
import { listContracts } from "../src/domain/contracts/queries.ts";
import { createOrganization } from "../src/domain/organizations/operations.ts";
import { countMembers } from "../src/domain/overview/queries.ts";
import { monthsBetween } from "../src/domain/overview/rules.ts";
import { openStore } from "../src/process/store.ts";
import { copyCrowd, loadCrowd, settleCrowd } from "../test/support/crowd.ts";
import { openExplainer } from "../test/support/explain.ts";
import { addLocation } from "../test/support/records.ts";

const { values: flags } = parseArgs({
  options: {
    clients: { type: "string", default: "200000" },
    contracts: { type: "string", default: "20000" },
    plans: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    keep: { type: "string" },
  },
});

const searchIndex = "create index clients_search on clients using gin (organization_id, search gin_trgm_ops)";

const dataDir = flags.keep ?? (await mkdtemp(join(tmpdir(), "rollbook-explain-")));
const store = await openStore({ dataDir, databaseUrl: undefined, keySecret: undefined });
try {
  await migrate(store.connection);
  const db = store.open({ applicationName: "rollbook explain" });
  const explainer = await openExplainer(store.connection);
  const begun = performance.now();
  const size = Number(flags.clients);
  // Filled faster without, and then built as a restore would build it.
  await db.query(replanned("drop index clients_search"));
  const id = await newOrganization(db);
  const locations: string[] = [];
  for (let n = 0; n < 5; n++) locations.push(await addLocation(db, id, { name: `Location ${n}` }));
  const contractCount = Number(flags.contracts);
  const crowd = await loadCrowd(db, id, { clients: size, contracts: contractCount, locationIds: locations });
  // Neighbours, so that an organization is not the whole table.
  for (let n = 0; n < 2; n++) await copyCrowd(db, id, await newOrganization(db));
  await db.query(replanned(searchIndex));
  await settleCrowd(db);
  console.log(`loaded in ${Math.round((performance.now() - begun) / 1000)} s\n`);

  const deep = Math.floor(crowd.clientIds.length * 0.75);
  const newestFirst = crowd.clientIds.toSorted().reverse();
  const at = (share: number) => newestFirst[Math.floor(newestFirst.length * share)] ?? "";
  const [big = "", , , , small = ""] = locations;
  const page = { limit: 50, offset: 0 };
  const clients = (filter: object) => (on: Database) => listClients(on, id, { ...page, ...filter });
  const contracts = (filter: object) => (on: Database) => listContracts(on, id, { ...page, ...filter });
  const people = (query: string) => (on: Database) => findPeople(on, id, { query, limit: 10 });
  const member = crowd.clientIds[0] ?? "";
  const calls: Record<string, (on: Database) => Promise<unknown>> = {
    clients: clients({}),
    "clients, offset 75 %": clients({ offset: deep }),
    "clients, cursor at 75 %": clients({ cursor: at(0.75) }),
    "clients, active, cursor at 75 %": clients({ status: "active", cursor: at(0.75) }),
    "clients of the largest location, cursor at 75 %": clients({ locationId: big, cursor: at(0.75) }),
    "archived clients of the largest location, cursor at 75 %": clients({
      locationId: big,
      status: "archived",
      cursor: at(0.75),
    }),
    "clients, all updated since": clients({ updatedSince: "2000-01-01T00:00:00Z" }),
    "clients, all updated since, cursor at 75 %": clients({
      updatedSince: "2000-01-01T00:00:00Z",
      cursor: at(0.75),
    }),
    "clients, none updated since": clients({ updatedSince: "2099-01-01T00:00:00Z" }),
    "clients, past the end": clients({ offset: 9_007_199_254_740_991 }),
    "clients, archived": clients({ status: "archived" }),
    "clients, active, offset 75 %": clients({ status: "active", offset: deep }),
    "clients of the largest location": clients({ locationId: big }),
    "clients of the largest location, offset 30 %": clients({
      locationId: big,
      offset: Math.floor(deep * 0.4),
    }),
    "clients of the smallest location": clients({ locationId: small }),
    "archived clients of the largest location": clients({ locationId: big, status: "archived" }),
    "query: one client's CPF, 11 digits": clients({ query: crowd.someone.cpf }),
    "query: one client's CPF, punctuated": clients({
      query: crowd.someone.cpf.replace(/(...)(...)(...)(..)/, "$1.$2.$3-$4"),
    }),
    "query: one client's phone": clients({ query: crowd.someone.phone }),
    "query: one client's e-mail": clients({ query: crowd.someone.email }),
    "query: silva (frequent)": clients({ query: "silva" }),
    "query: maria silva": clients({ query: "maria silva" }),
    "query: silva, offset 10,000": clients({ query: "silva", offset: 10_000 }),
    "query: silva, archived": clients({ query: "silva", status: "archived" }),
    "query: silva, largest location": clients({ query: "silva", locationId: big }),
    "query: silva, smallest location, active": clients({
      query: "silva",
      locationId: small,
      status: "active",
    }),
    "query: example.com (everybody)": clients({ query: "example.com" }),
    "query: no such name": clients({ query: "xyzzyx" }),
    "query: Παπαδόπουλος": clients({ query: "Παπαδόπουλος" }),
    "query: 美咲": clients({ query: "美咲" }),
    "query: a": clients({ query: "a" }),
    "query: jo": clients({ query: "jo" }),
    "query: (1": clients({ query: "(1" }),
    "query: o'": clients({ query: "o'" }),
    "query: ---": clients({ query: "---" }),
    "query: a, smallest location": clients({ query: "a", locationId: small }),
    "query: jo silva": clients({ query: "jo silva" }),
    "query: 10 short terms": clients({ query: "a e i o r s m n l c" }),
    "query: 10 punctuated terms": clients({
      query: Array.from({ length: 10 }, (_, n) => `${100 + n}-`).join(" "),
    }),
    "query: a phone of this country, with its code": clients({ query: "+55 11 98765-4321" }),
    "query: a phone of another country": clients({ query: "+351 912 345 678" }),
    "query: a phone of another country, in one piece": clients({ query: "00351912345678" }),
    "people: j": people("j"),
    "people: jo": people("jo"),
    "people: ma": people("ma"),
    "people: jo si": people("jo si"),
    "people: xq (nobody)": people("xq"),
    "people: jo zz (nobody)": people("jo zz"),
    "people: silva": people("silva"),
    "people: 美咲": people("美咲"),
    "members by month, a year": (on) => countMembers(on, id, monthsBetween("2025-12-01", "2026-11-16")),
    "members by month, three years": (on) => countMembers(on, id, monthsBetween("2023-12-01", "2026-11-16")),
    contracts: contracts({}),
    "contracts, offset 75 %": contracts({ offset: Math.floor(contractCount * 0.75) }),
    "contracts, cancelled": contracts({ status: "cancelled" }),
    "contracts of one client": contracts({ clientId: member }),
    "contracts usable at one location": contracts({ locationId: big }),
    "contracts usable at one location, active": contracts({ locationId: big, status: "active" }),
    "contracts of one client usable at one location": contracts({ clientId: member, locationId: big }),
  };

  console.log("| Call | first five runs, ms | next five, ms | plan then | index |\n|---|---|---|---|---|");
  for (const [name, call] of Object.entries(calls)) {
    if (!flags.only.split(",").some((part) => name.includes(part))) continue;
    const { plan, plannedMs, settledMs, isGeneric } = await explainer.time(call, 11);
    const indexes = new Set(
      [...plan.matchAll(/Scan (?:Backward )?(?:using|on) (c\w+_\w+)/g)].map(([, index]) => index),
    );
    const cells = [plannedMs.toFixed(1), settledMs.toFixed(1), isGeneric ? "generic" : "for its values"];
    console.log(`| ${[name, ...cells, [...indexes].join(", ")].join(" | ")} |`);
    if (flags.plans) console.log(`\n\`\`\`\n${plan}\n\`\`\`\n`);
  }
  await explainer.close();
} finally {
  await store.close();
  if (!flags.keep) await rm(dataDir, { recursive: true, force: true });
}

async function newOrganization(db: Database): Promise<string> {
  const { id } = await createOrganization(db, "explain", {
    name: "Studio Explain",
    timezone: "America/Sao_Paulo",
    currency: "BRL",
    plan: "Pro",
  });
  return id;
}
