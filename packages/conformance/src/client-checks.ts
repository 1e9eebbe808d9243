import { NOBODY } from "./access-checks.ts";
import { type Check, demand, demandNone, needs } from "./check.ts";
import { wordOf } from "./list-checks.ts";
import type { Probe } from "./probe.ts";
import type { Json } from "./shapes.ts";

/** What holds of clients that are there already. */

async function clientWith(probe: Probe, has: (client: Json) => boolean, what: string): Promise<Json> {
  const client = (await probe.clients()).data.find(has);
  needs(client !== undefined, `none of a hundred clients has ${what}`);
  return client;
}

/** Fails unless this query finds this client. */
async function demandFound(probe: Probe, query: string, client: Json, how: string): Promise<void> {
  const { data, total } = await probe.list(`/v1/clients?limit=200&query=${encodeURIComponent(query)}`);
  demand(
    total > 0 && (total > 200 || data.some(({ id }) => id === client.id)),
    `a client is not found by ${how}`,
  );
}

function documentOf(client: Json): Json {
  return (client.idDocument ?? {}) as Json;
}

/** The name without accents. */
function bare(text: string): string {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
}

export const clientChecks: readonly Check[] = [
  {
    id: "clients.locations-omitted",
    title: "Lists leave locationIds out, one client has them",
    source: "section 4",
    says: "locationIds is omitted on each record of the list; GET /v1/clients/{id} returns one Client including locationIds.",
    run: async (probe) => {
      const { data } = await probe.clients();
      needs(data.length > 0, "there are no clients");
      demand(
        data.every((client) => !("locationIds" in client)),
        "a client of the list has locationIds",
      );
      const one = await probe.sampleOf(`/v1/clients/${data[0]?.id}`);
      demand(Array.isArray(one.locationIds), "one client has no locationIds");
    },
  },
  {
    id: "clients.documents",
    title: "A stored CPF has 11 digits and is valid",
    source: "section 2",
    says: "cpf (Brazilian id, checksum-validated): punctuation is optional on input; the stored value is 11 digits.",
    run: async (probe) => {
      const documents = (await probe.clients()).data.map(documentOf).filter(({ type }) => type !== undefined);
      needs(documents.length > 0, "no client has an id document");
      demandNone(
        documents.flatMap(({ type, value }) => {
          if (type !== "cpf")
            return type === "other" ? [] : [`a document is of type ${JSON.stringify(type)}`];
          if (!/^\d{11}$/.test(String(value))) return ["a stored CPF is not 11 digits"];
          return isCpf(String(value)) ? [] : ["a stored CPF has wrong check digits"];
        }),
      );
    },
  },
  {
    id: "clients.search-email",
    title: "query finds clients by their e-mail",
    source: "section 4",
    says: "query: case-insensitive search over name, email, phone and id document.",
    run: async (probe) => {
      const client = await clientWith(probe, ({ contactEmail }) => contactEmail !== undefined, "an e-mail");
      await demandFound(probe, String(client.contactEmail).toUpperCase(), client, "the e-mail in upper case");
    },
  },
  {
    id: "clients.search-phone",
    title: "query finds clients by their phone, with and without punctuation",
    source: "section 4",
    says: "query: search over name, email, phone and id document; in phones and documents punctuation does not matter.",
    run: async (probe) => {
      const client = await clientWith(
        probe,
        ({ contactPhone }) => String(contactPhone ?? "").replace(/\D/g, "").length >= 8,
        "a phone",
      );
      await demandFound(probe, String(client.contactPhone), client, "the phone as it is written");
      const digits = String(client.contactPhone).replace(/\D/g, "").slice(-8);
      await demandFound(probe, digits, client, "the last digits of the phone");
    },
  },
  {
    id: "clients.search-document",
    title: "query finds clients by their id document, with and without punctuation",
    source: "section 4",
    says: "query: search over name, email, phone and id document; 529.982.247-25 and 52998224725 find the same client.",
    run: async (probe) => {
      const client = await clientWith(probe, (one) => documentOf(one).type === "cpf", "a CPF");
      const value = String(documentOf(client).value);
      await demandFound(probe, value, client, "the CPF");
      const written = value.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4");
      await demandFound(probe, written, client, "the CPF with punctuation");
    },
  },
  {
    id: "clients.search-accents",
    title: "query passes over accents",
    source: "details",
    says: "Every term must occur somewhere in the searched fields, ignoring case and accents (jose finds José).",
    run: async (probe) => {
      const client = await clientWith(
        probe,
        (one) => bare(wordOf(one, "contactName")) !== wordOf(one, "contactName"),
        "an accent in the longest word of the name",
      );
      await demandFound(probe, bare(wordOf(client, "contactName")), client, "a name without its accents");
    },
  },
  {
    id: "clients.search-terms",
    title: "Every term of a query must be found, and none is a pattern",
    source: "details",
    says: "query splits on white space; every term must occur. %, _ and \\ are ordinary characters. An empty query is no filter.",
    run: async (probe) => {
      const { total } = await probe.clients();
      const client = await clientWith(probe, (one) => wordOf(one, "contactName") !== "", "a name in letters");
      const word = encodeURIComponent(wordOf(client, "contactName"));
      const both = await probe.list(`/v1/clients?query=${word}%20zzqxqzz`);
      demand(both.total === 0, "a word that nobody has beside one that somebody has finds clients");
      const pattern = await probe.list("/v1/clients?query=%25_%25zzq");
      demand(pattern.total === 0, "%_%zzq finds clients");
      const empty = await probe.list("/v1/clients?query=&limit=1");
      demand(empty.total === total, `an empty query finds ${empty.total} of ${total} clients`);
    },
  },
  {
    id: "clients.of-location",
    title: "locationId selects the members of a location",
    source: "section 4",
    says: "locationId (uuid; members of one location).",
    run: async (probe) => {
      const [place] = (await probe.locations()).data;
      needs(place !== undefined, "there are no locations");
      const { data } = await probe.list(`/v1/clients?locationId=${place.id}&limit=5`);
      for (const { id } of data) {
        const { locationIds } = await probe.sampleOf(`/v1/clients/${id}`);
        demand(
          Array.isArray(locationIds) && locationIds.includes(place.id),
          "locationId gives a client who is not a member of the location",
        );
      }
      const none = await probe.list(`/v1/clients?locationId=${NOBODY}`);
      demand(none.total === 0, "a location that is not there has members");
    },
  },
];

export function isCpf(digits: string): boolean {
  if (!/^\d{11}$/.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  return [9, 10].every((length) => checkDigit(digits.slice(0, length)) === digits[length]);
}

/** The check digit after these digits. */
export function checkDigit(digits: string): string {
  const sum = [...digits].reduce(
    (total, digit, place) => total + Number(digit) * (digits.length + 1 - place),
    0,
  );
  return String(((sum * 10) % 11) % 10);
}
