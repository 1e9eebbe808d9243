import { NOBODY } from "./access-checks.ts";
import { type Check, demand, demandNone, needs } from "./check.ts";
import type { List, Probe } from "./probe.ts";
import {
  CLIENT,
  CONTRACT,
  LISTED_CLIENT,
  LOCATION,
  ORGANIZATION,
  PAGE,
  PLAN,
  SERVICE_TYPE,
  WHOLE,
  WORDS,
} from "./records.ts";
import { isObject, type Json, type Shape, uuid7 } from "./shapes.ts";

/** What holds for the organization and for every list of records. */

interface ListKind {
  /** `plans`: of the address and of the ids of checks. */
  readonly name: string;
  readonly record: Shape;
  /** Of one record by its id. */
  readonly whole: Shape;
  readonly sample: (probe: Probe) => Promise<List>;
  /** The member that `query` searches. */
  readonly searched?: string;
  readonly section: 2 | 4;
}

const PAGED: readonly ListKind[] = [
  {
    name: "plans",
    record: PLAN,
    whole: PLAN,
    sample: (probe) => probe.plans(),
    searched: "name",
    section: 4,
  },
  {
    name: "service-types",
    record: SERVICE_TYPE,
    whole: SERVICE_TYPE,
    sample: (probe) => probe.serviceTypes(),
    searched: "name",
    section: 4,
  },
  { name: "contracts", record: CONTRACT, whole: CONTRACT, sample: (probe) => probe.contracts(), section: 4 },
  {
    name: "clients",
    record: LISTED_CLIENT,
    whole: CLIENT,
    sample: (probe) => probe.clients(),
    searched: "contactName",
    section: 4,
  },
];

export const listChecks: readonly Check[] = [
  {
    id: "organization.record",
    title: "The organization has its fields",
    source: "section 2",
    says: "Organization: id, name, timezone (IANA), currency, plan, joinedAt.",
    run: async (probe) => demandNone(ORGANIZATION(await probe.organization(), "organization")),
  },
  {
    id: "locations.list",
    title: "All locations come in one list, which is not paged",
    source: "section 4",
    says: "GET /v1/locations returns {data: [Location], total}. Every location, open or closed; not paginated.",
    run: async (probe) => {
      const list = await probe.locations();
      demandNone(WHOLE(LOCATION)(list, "list"));
      demand(
        list.total === list.data.length,
        `total is ${list.total}, and there are ${list.data.length} records`,
      );
      demand(!("limit" in list) && !("offset" in list), "the list has limit or offset");
      const ids = new Set(list.data.map(({ id }) => id));
      demand(ids.size === list.data.length, "a location comes twice");
    },
  },
  {
    id: "values.words",
    title: "Fields with a closed set of values have one of them",
    source: "details",
    says: "Client.status active, archived; Contract.status active, paused, cancelled, expired; and so on (Values).",
    run: async (probe) => {
      const lists: Record<string, List> = {
        clients: await probe.clients(),
        contracts: await probe.contracts(),
        plans: await probe.plans(),
        "service-types": await probe.serviceTypes(),
        locations: await probe.locations(),
        calendar: await probe.sessions(),
      };
      const deviations = Object.entries(WORDS).flatMap(([name, members]) =>
        (lists[name]?.data ?? []).flatMap((record) =>
          Object.entries(members)
            .filter(([member, words]) => member in record && !words.includes(String(record[member])))
            .map(([member]) => `${member} of a record of ${name} is ${JSON.stringify(record[member])}`),
        ),
      );
      demandNone([...new Set(deviations)]);
    },
  },
  {
    id: "values.ids",
    title: "Ids are uuids of version 7",
    source: "section 1",
    says: "Opaque UUIDs (version 7, no type prefix). They sort by creation time.",
    run: async (probe) => {
      const deviations: string[] = [];
      for (const { name, sample } of PAGED)
        deviations.push(...(await sample(probe)).data.flatMap(({ id }) => uuid7(id, `an id of ${name}`)));
      demandNone([...new Set(deviations)]);
    },
  },
  ...PAGED.flatMap(checksOf),
];

function checksOf({ name, record, whole, sample, searched, section }: ListKind): Check[] {
  const path = `/v1/${name}`;
  const checks: Check[] = [
    {
      id: `${name}.list`,
      title: `The list of ${name} has its envelope, and its records their fields`,
      source: `section ${section}`,
      says: "200 returns { data: [record], limit, offset, total }; the fields of records are in section 2.",
      run: async (probe) => demandNone(PAGE(record)(await sample(probe), "list")),
    },
    {
      id: `${name}.one`,
      title: `One record of ${name} is the same by its id`,
      source: "section 4",
      says: `GET ${path}/{id} returns one record.`,
      run: async (probe) => {
        const { data } = await sample(probe);
        needs(data.length > 0, `there are no ${name}`);
        const [listed = {}] = data;
        const one = await probe.read(`${path}/${listed.id}`);
        demandNone(whole(one, "record"));
        const different = Object.keys(listed).filter(
          (member) =>
            member !== "entitlements" && JSON.stringify(listed[member]) !== JSON.stringify(one[member]),
        );
        demandNone(different.map((member) => `${member} is another one than in the list`));
      },
    },
    {
      id: `${name}.unknown-id`,
      title: `An id that no record of ${name} has is 404, one that is no uuid 422`,
      source: "details",
      says: "Unknown id 404; malformed uuid 422 at path.id.",
      run: async (probe) => {
        const unknown = await probe.get(`${path}/${NOBODY}`);
        demand(unknown.status === 404, `an unknown id answered ${unknown.status}, not 404`);
        const malformed = await probe.get(`${path}/42`);
        demand(malformed.status === 422, `the id 42 answered ${malformed.status}, not 422`);
      },
    },
    {
      id: `${name}.paging`,
      title: `limit and offset page through ${name}, and total ignores them`,
      source: "section 2",
      says: "total is the number of rows matching the filter, ignoring pagination. Responses echo limit, offset, total.",
      run: async (probe) => {
        const { data, total } = await sample(probe);
        const first = await probe.list(`${path}?limit=1`);
        demand(first.limit === 1, `limit=1 is echoed as ${first.limit}`);
        demand(first.offset === 0, `without offset it is echoed as ${first.offset}`);
        demand(first.total === total, `total is ${first.total} with limit=1 and ${total} without`);
        demand(first.data.length === Math.min(1, total), `limit=1 gives ${first.data.length} records`);
        const second = await probe.list(`${path}?limit=1&offset=1`);
        demand(second.offset === 1, `offset=1 is echoed as ${second.offset}`);
        demand(second.total === total, `total is ${second.total} with offset=1 and ${total} without`);
        if (total > 1)
          demand(second.data[0]?.id === data[1]?.id, "offset=1 does not give the second record of the list");
      },
    },
    {
      id: `${name}.page-bounds`,
      title: `Pages of ${name} have 1 to 200 records, 50 unless said otherwise`,
      source: "details",
      says: "limit 1 to 200, default 50; offset from 0. A page past the end is an empty list with the true total.",
      run: async (probe) => {
        const usual = await probe.list(path);
        demand(usual.limit === 50, `without limit it is ${usual.limit}, not 50`);
        for (const query of ["limit=0", "limit=201", "offset=-1", "limit=ten"]) {
          const { status } = await probe.get(`${path}?${query}`);
          demand(status === 422, `${query} answered ${status}, not 422`);
        }
        const past = await probe.list(`${path}?offset=${usual.total + 10}`);
        demand(past.data.length === 0, "a page past the end has records");
        demand(past.total === usual.total, `past the end total is ${past.total}, not ${usual.total}`);
      },
    },
    {
      id: `${name}.newest-first`,
      title: `${name} come newest first`,
      source: name === "clients" ? "section 4" : "details",
      says: "Newest first (by id), for every paginated list.",
      run: async (probe) => {
        const ids = (await sample(probe)).data.map(({ id }) => String(id));
        needs(ids.length > 1, `there are fewer than two ${name}`);
        const wrong = ids.findIndex((id, place) => place > 0 && id >= String(ids[place - 1]));
        demand(wrong < 0, `record ${wrong + 1} is newer than the one before it`);
      },
    },
    {
      id: `${name}.status`,
      title: `status selects among ${name}; without it every status is there`,
      source: "section 4",
      says: "status (enum): filter; defaults to every status.",
      run: async (probe) => {
        const { total } = await sample(probe);
        let sum = 0;
        for (const status of WORDS[name]?.status ?? []) {
          const { data, total: some } = await probe.list(`${path}?status=${status}&limit=20`);
          const other = data.find((one) => one.status !== status);
          demand(other === undefined, `status=${status} gives a record that is ${String(other?.status)}`);
          sum += some;
        }
        demand(sum === total, `the totals by status add up to ${sum}, and the total of all is ${total}`);
        const { status } = await probe.get(`${path}?status=nonsense`);
        demand(status === 422, `an unknown status answered ${status}, not 422`);
      },
    },
  ];
  return searched === undefined ? checks : [...checks, searchCheck(name, path, sample, searched)];
}

/** A word to look for: the longest of a name, which its record surely has. */
export function wordOf(record: Json, member: string): string {
  const words = String(record[member]).match(/\p{L}{2,}/gu) ?? [];
  return words.sort((a, b) => b.length - a.length)[0] ?? "";
}

function searchCheck(name: string, path: string, sample: ListKind["sample"], member: string): Check {
  return {
    id: `${name}.search`,
    title: `query finds ${name} by their name, whatever the case`,
    source: "section 4",
    says: "query: case-insensitive search over the name (of clients over name, email, phone and id document).",
    run: async (probe) => {
      const record = (await sample(probe)).data.find((one) => wordOf(one, member) !== "");
      needs(record !== undefined, `there are no ${name} with a name in letters`);
      const word = wordOf(record, member);
      const totals = new Set<number>();
      for (const query of [word, word.toUpperCase(), word.toLowerCase()]) {
        const { data, total } = await probe.list(`${path}?limit=200&query=${encodeURIComponent(query)}`);
        totals.add(total);
        demand(total > 0, `a word of a name finds nothing when it is written in ${caseOf(query)}`);
        if (total <= 200)
          demand(
            data.some(({ id }) => id === record.id),
            "a word of a name does not find its record",
          );
      }
      demand(totals.size === 1, "the same word finds more or less by its case");
      const none = await probe.list(`${path}?query=zzqxqzz-conformance`);
      demand(none.total === 0 && none.data.length === 0, "a word that nobody has finds records");
    },
  };
}

function caseOf(text: string): string {
  if (text === text.toUpperCase()) return "upper case";
  return text === text.toLowerCase() ? "lower case" : "its own case";
}

/** The records that name another one by an id. */
export function idsIn(record: Json, member: string): readonly unknown[] {
  const value = record[member];
  return Array.isArray(value) ? value : isObject(value) || value === undefined ? [] : [value];
}
