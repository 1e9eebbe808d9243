import { NOBODY } from "./access-checks.ts";
import { type Check, demand, demandNone, needs } from "./check.ts";
import { checkDigit } from "./client-checks.ts";
import type { Exchange } from "./exchange.ts";
import type { Probe } from "./probe.ts";
import { CLIENT } from "./records.ts";
import { isObject, type Json } from "./shapes.ts";

/** What holds of writes. They make clients of their own, and change no other. */

const NAME = "Conformance Check";

/** A CPF that nobody is likely to have, new each time. */
function newCpf(): string {
  const nine = String(Math.floor(Math.random() * 1e9)).padStart(9, "0");
  const ten = nine + checkDigit(nine);
  const all = ten + checkDigit(ten);
  return /^(\d)\1+$/.test(all) ? newCpf() : all;
}

function newWord(): string {
  return `zq${Math.random().toString(36).slice(2, 10)}`;
}

function cpf(value: string) {
  return { type: "cpf", value };
}

function documentIn(client: Json): Json {
  return isObject(client.idDocument) ? client.idDocument : {};
}

/** Whether a fault of a refusal is at this place. */
function hasFault({ body }: Exchange, location: string): boolean {
  const errors = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.some((fault) => isObject(fault) && fault.location === location);
}

/** A create that must be refused as invalid, with its fault at this place. */
async function demandRefused(probe: Probe, body: unknown, location: string, what: string): Promise<void> {
  const refused = await probe.create(body);
  demand(refused.status === 422, `${what} answered ${refused.status}, not 422`);
  demand(hasFault(refused, location), `${what} has no fault at ${location}`);
}

async function read(probe: Probe, { id }: Json): Promise<Json> {
  return probe.read(`/v1/clients/${id}`);
}

async function replace(probe: Probe, id: unknown, body: unknown): Promise<Exchange> {
  return probe.send("PUT", `/v1/clients/${id}`, { body });
}

async function replaced(probe: Probe, id: unknown, body: unknown): Promise<Json> {
  const { status, body: client } = await replace(probe, id, body);
  demand(status === 200, `PUT of a good client answered ${status}, not 200`);
  demand(isObject(client), "the answer to PUT is not an object");
  return client;
}

const ALL = {
  contactEmail: "conformance@example.com",
  contactPhone: "+55 11 90000-0001",
  birthdate: "1990-04-23",
  address: {
    city: "São Paulo",
    country: "BR",
    line1: "Rua Um 1",
    line2: "Apto 2",
    postalCode: "01000-000",
    state: "SP",
  },
  notes: "Made by a conformance check.",
};

export const writeChecks: readonly Check[] = (
  [
    {
      id: "create.stored",
      title: "A client is created with 201 and is there at once, as it was sent",
      source: "section 4",
      says: "Success: 201 with the Client record (including locationIds).",
      run: async (probe) => {
        const sent = { contactName: NAME, ...ALL, ...(await probe.home()) };
        const made = await probe.created(sent);
        demandNone(CLIENT(made, "client"));
        for (const [member, value] of Object.entries(sent))
          demand(
            JSON.stringify(sortedMembers(made[member])) === JSON.stringify(sortedMembers(value)),
            `${member} is not what was sent`,
          );
        demand(made.status === "active", `a new client is ${String(made.status)}, not active`);
        const stored = await read(probe, made);
        demandNone(
          Object.keys(made)
            .filter(
              (member) =>
                member !== "$schema" && JSON.stringify(stored[member]) !== JSON.stringify(made[member]),
            )
            .map((member) => `${member} is another one when it is read`),
        );
      },
    },
    {
      id: "create.location-header",
      title: "The answer to a create says where the client is",
      source: "details",
      says: "POST answers where the new record can be read, in Location.",
      run: async (probe) => {
        const { status, headers, body } = await probe.create({ contactName: NAME, ...(await probe.home()) });
        demand(status === 201 && isObject(body), `a good client answered ${status}, not 201`);
        const location = headers.get("location") ?? "";
        demand(location.endsWith(`/v1/clients/${body.id}`), `Location is ${JSON.stringify(location)}`);
      },
    },
    {
      id: "create.name-alone",
      title: "Only the name is required",
      source: "section 4",
      says: "Only contactName is required.",
      run: async (probe) => {
        const home = await probe.home();
        const made = await probe.created({ contactName: NAME, ...home });
        demand(isObject(made.address), "address is not an object when none was sent");
        await demandRefused(
          probe,
          { ...home, contactEmail: "a@example.com" },
          "body.contactName",
          "a client without a name",
        );
        await demandRefused(
          probe,
          { ...home, contactName: "  " },
          "body.contactName",
          "a client with an empty name",
        );
      },
    },
    {
      id: "create.listed",
      title: "A new client is counted, and first in the list",
      source: "section 4",
      says: "200 returns the list envelope with Client records, newest first; total is the number of rows matching the filter.",
      run: async (probe) => {
        const before = await probe.list("/v1/clients?limit=1");
        const word = newWord();
        const made = await probe.created({ contactName: `${NAME} ${word}`, ...(await probe.home()) });
        const after = await probe.list("/v1/clients?limit=1");
        demand(after.total > before.total, `total was ${before.total} before and is ${after.total} after`);
        demand(after.data[0]?.id === made.id, "the new client is not the first of the list");
        const found = await probe.list(`/v1/clients?query=${word}`);
        demand(found.total === 1 && found.data[0]?.id === made.id, "the new client is not found by its name");
      },
    },
    {
      id: "create.cpf-digits",
      title: "A CPF is stored as 11 digits, with or without punctuation",
      source: "section 4",
      says: "A cpf document is checksum-validated and stored as 11 digits.",
      run: async (probe) => {
        const value = newCpf();
        const written = value.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4");
        const made = await probe.created({
          contactName: NAME,
          ...(await probe.home()),
          idDocument: cpf(written),
        });
        demand(documentIn(made).value === value, "a CPF with punctuation is not stored as its 11 digits");
      },
    },
    {
      id: "create.cpf-checked",
      title: "A CPF with wrong check digits is refused, and nothing is stored",
      source: "section 7",
      says: "An invalid cpf checksum is refused. (As settled: 422 at body.idDocument.value.)",
      run: async (probe) => {
        const home = await probe.home();
        const good = newCpf();
        const wrong = good.slice(0, 10) + ((Number(good[10]) + 1) % 10);
        const word = newWord();
        const client = (value: string) => ({
          contactName: `${NAME} ${word}`,
          ...home,
          idDocument: cpf(value),
        });
        for (const value of [wrong, "11111111111", good.slice(0, 10), `${good.slice(0, 3)}-${good.slice(3)}`])
          await demandRefused(probe, client(value), "body.idDocument.value", `the CPF ${value}`);
        demand(
          (await probe.list(`/v1/clients?query=${word}`)).total === 0,
          "a refused client is in the list",
        );
      },
    },
    {
      id: "create.document-parts",
      title: "An id document needs its type and its value",
      source: "section 4",
      says: "If idDocument is sent, its type and value are required.",
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()) };
        const refused = [{ type: "cpf" }, { value: newCpf() }, { type: "passport", value: "X1" }];
        for (const idDocument of refused) {
          const { status } = await probe.create({ ...client, idDocument });
          demand(status === 422, `the document ${JSON.stringify(idDocument)} answered ${status}, not 422`);
        }
      },
    },
    {
      id: "create.document-held",
      title: "An id document is held once, by an archived client too",
      source: "section 4",
      says: "An id document already held by another client is refused with 409.",
      run: async (probe) => {
        const home = await probe.home();
        const client = { contactName: NAME, ...home, idDocument: cpf(newCpf()) };
        const first = await probe.created(client);
        const second = await probe.create(client);
        demand(second.status === 409, `a held document answered ${second.status}, not 409`);
        await probe.send("DELETE", `/v1/clients/${first.id}`);
        const third = await probe.create(client);
        demand(
          third.status === 409,
          `a document held by an archived client answered ${third.status}, not 409`,
        );
      },
    },
    {
      id: "create.document-holder",
      title: "The refusal of a held document names who holds it",
      source: "details",
      says: "The problem also carries clientId and clientStatus of the holder, so the caller can go on.",
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()), idDocument: cpf(newCpf()) };
        const first = await probe.created(client);
        const { body } = await probe.create(client);
        demand(isObject(body) && body.clientId === first.id, "clientId is not the holder");
        demand(
          body.clientStatus === "active",
          `clientStatus is ${JSON.stringify(body.clientStatus)}, not active`,
        );
      },
    },
    {
      id: "create.document-race",
      title: "Of simultaneous creates with one document exactly one succeeds",
      source: "details",
      says: "Of any number of simultaneous creates, exactly one is 201 and the rest are 409.",
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()), idDocument: cpf(newCpf()) };
        const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => probe.create(client)));
        const statuses = answers.map(({ status }) => status).sort();
        demand(statuses.join() === "201,409,409,409,409,409", `six at once answered ${statuses.join(", ")}`);
      },
    },
    {
      id: "create.other-document",
      title: "Other documents are compared without regard to case",
      source: "details",
      says: "other values compare without regard to case; they are stored and returned as sent.",
      run: async (probe) => {
        const home = await probe.home();
        const value = `Ab-${newWord()}`;
        const made = await probe.created({
          contactName: NAME,
          ...home,
          idDocument: { type: "other", value },
        });
        demand(documentIn(made).value === value, "the document is not returned as it was sent");
        const again = {
          contactName: NAME,
          ...home,
          idDocument: { type: "other", value: value.toUpperCase() },
        };
        const { status } = await probe.create(again);
        demand(status === 409, `the same document in upper case answered ${status}, not 409`);
      },
    },
    {
      id: "create.locations",
      title: "Locations are taken if there is one, and must be named if there are more",
      source: "section 4",
      says: "When locationIds is omitted and the organization has exactly one location, that location is used. With more than one the caller names them.",
      run: async (probe) => {
        const { data } = await probe.locations();
        needs(data.length > 0, "there are no locations");
        if (data.length === 1) {
          const made = await probe.created({ contactName: NAME });
          demand(
            JSON.stringify(made.locationIds) === JSON.stringify([data[0]?.id]),
            "the only location is not used",
          );
        } else
          await demandRefused(probe, { contactName: NAME }, "body.locationIds", "a client without locations");
        const unknown = await probe.create({ contactName: NAME, locationIds: [NOBODY] });
        demand(unknown.status === 422, `an unknown location answered ${unknown.status}, not 422`);
      },
    },
    {
      id: "create.strict",
      title: "Members that are unknown or of another type are refused",
      source: "details",
      says: 'Types are never coerced (5 is not "5"), null is not a string; an unknown member is 422.',
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()) };
        await demandRefused(probe, { ...client, contactFone: "1" }, "body.contactFone", "an unknown member");
        await demandRefused(
          probe,
          { ...client, contactName: 5 },
          "body.contactName",
          "a name that is a number",
        );
        await demandRefused(probe, { ...client, notes: null }, "body.notes", "null as notes");
        await demandRefused(probe, { ...client, status: "asleep" }, "body.status", "an unknown status");
        await demandRefused(
          probe,
          { ...client, contactName: "n".repeat(201) },
          "body.contactName",
          "a name of 201 characters",
        );
      },
    },
    {
      id: "create.email",
      title: "An e-mail must be one",
      source: "section 2",
      says: "contactEmail: string (email on input).",
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()) };
        for (const contactEmail of ["nonsense", "a@", "a b@example.com"])
          await demandRefused(
            probe,
            { ...client, contactEmail },
            "body.contactEmail",
            `the e-mail ${contactEmail}`,
          );
      },
    },
    {
      id: "create.birthdate",
      title: "A birthdate is a day that exists, and not to come",
      source: "details",
      says: "birthdate: a real date from 1900-01-01 to today in the organization's timezone.",
      run: async (probe) => {
        const client = { contactName: NAME, ...(await probe.home()) };
        for (const birthdate of ["1990-02-30", "1899-12-31", "2999-01-01", "23/04/1990"])
          await demandRefused(
            probe,
            { ...client, birthdate },
            "body.birthdate",
            `the birthdate ${birthdate}`,
          );
      },
    },
    {
      id: "create.trimmed",
      title: "Texts are trimmed, and an empty one counts as absent",
      source: "details",
      says: "contactName, contactEmail, contactPhone and idDocument.value are trimmed. An optional string that is then empty counts as absent.",
      run: async (probe) => {
        const home = await probe.home();
        const made = await probe.created({
          contactName: `  ${NAME}  `,
          ...home,
          contactPhone: "  ",
          contactEmail: "",
        });
        demand(made.contactName === NAME, "the name is not trimmed");
        demand(!("contactPhone" in made) && !("contactEmail" in made), "an empty text is stored");
      },
    },
    {
      id: "create.faults-together",
      title: "All faults of a body are told at once",
      source: "details",
      says: "422: all faults listed at once, each with its location.",
      run: async (probe) => {
        const idDocument = cpf("52998224726");
        const refused = await probe.create({ ...(await probe.home()), contactEmail: "nonsense", idDocument });
        for (const place of ["body.contactName", "body.contactEmail", "body.idDocument.value"])
          demand(hasFault(refused, place), `${place} is not among the faults`);
      },
    },
    {
      id: "create.body",
      title: "What is no JSON is refused as such",
      source: "details",
      says: "400: body is not JSON, or is empty. 415: Content-Type is absent or not JSON. 422: a body that is JSON but no object.",
      run: async (probe) => {
        const post = (raw: string, type = "application/json") =>
          probe.send("POST", "/v1/clients", { raw, headers: { "content-type": type } });
        const broken = await post('{"contactName": ');
        demand(broken.status === 400, `broken JSON answered ${broken.status}, not 400`);
        const list = await post("[]");
        demand(list.status === 422, `an array answered ${list.status}, not 422`);
        const text = await post('{"contactName":"Text"}', "text/plain");
        demand(text.status === 415, `text/plain answered ${text.status}, not 415`);
      },
    },
    {
      id: "create.idempotency",
      title: "A create with an Idempotency-Key is carried out once",
      source: "details",
      says: "Idempotency-Key: a repeated request gets the first answer, with Idempotent-Replayed; with another body it is 422.",
      run: async (probe) => {
        const home = await probe.home();
        const word = newWord();
        const headers = { "idempotency-key": word };
        const client = { contactName: `${NAME} ${word}`, ...home };
        const [first, second] = [
          await probe.create(client, { headers }),
          await probe.create(client, { headers }),
        ];
        demand(
          first.status === 201 && second.status === 201,
          `twice the same answered ${first.status} and ${second.status}`,
        );
        demand(second.text === first.text, "the second answer is another one");
        demand(
          second.headers.get("idempotent-replayed") === "true",
          "the second answer has no Idempotent-Replayed: true",
        );
        demand((await probe.list(`/v1/clients?query=${word}`)).total === 1, "there are two clients");
        const other = await probe.create({ ...client, notes: "other" }, { headers });
        demand(other.status === 422, `another body with the same key answered ${other.status}, not 422`);
      },
    },
    {
      id: "replace.whole",
      title: "PUT replaces everything: what is left out is cleared",
      source: "section 4",
      says: "Full replacement, not a patch: every omitted field is cleared. Success: 200 with the Client record.",
      run: async (probe) => {
        const home = await probe.home();
        const made = await probe.created({ contactName: NAME, ...ALL, ...home, idDocument: cpf(newCpf()) });
        const after = await replaced(probe, made.id, { contactName: `${NAME} 2`, ...home });
        demandNone(CLIENT(after, "client"));
        demand(after.contactName === `${NAME} 2`, "the new name is not there");
        const left = ["contactEmail", "contactPhone", "birthdate", "notes", "idDocument"].filter(
          (name) => name in after,
        );
        demand(left.length === 0, `${left.join(", ")} were left out and are still there`);
        demand(
          Object.keys(after.address as Json).length === 0,
          "the address was left out and is still there",
        );
        demand(after.id === made.id && after.createdAt === made.createdAt, "id or createdAt has changed");
        const stored = await read(probe, made);
        demand(
          stored.contactName === after.contactName && !("notes" in stored),
          "what is read is not what was answered",
        );
      },
    },
    {
      id: "replace.read-back",
      title: "What was read can be sent back",
      source: "details",
      says: "Callers read the client first and send it back with changes applied: $schema, id, createdAt, updatedAt are accepted and ignored.",
      run: async (probe) => {
        const made = await probe.created({ contactName: NAME, ...ALL, ...(await probe.home()) });
        const stored = await read(probe, made);
        const after = await replaced(probe, made.id, stored);
        demand(after.updatedAt === made.updatedAt, "updatedAt moved although nothing has changed");
        const changed = await replaced(probe, made.id, { ...stored, notes: "Changed." });
        demand(
          String(changed.updatedAt) > String(made.updatedAt),
          "updatedAt did not move although notes have changed",
        );
        demand(changed.contactEmail === made.contactEmail, "a member that was sent back has changed");
      },
    },
    {
      id: "replace.status-kept",
      title: "PUT without status leaves it as it is",
      source: "details",
      says: "status omitted: active on create; unchanged on replace, so that a sync which knows nothing of archiving revives nobody.",
      run: async (probe) => {
        const home = await probe.home();
        const made = await probe.created({ contactName: NAME, ...home });
        await probe.send("DELETE", `/v1/clients/${made.id}`);
        const after = await replaced(probe, made.id, { contactName: NAME, ...home });
        demand(after.status === "archived", `the archived client is ${String(after.status)}`);
        const back = await replaced(probe, made.id, { contactName: NAME, ...home, status: "active" });
        demand(back.status === "active", "status: active does not bring the client back");
      },
    },
    {
      id: "replace.rules",
      title: "PUT obeys the rules of create",
      source: "section 4",
      says: "Body: same shape and rules as create. 409 on client create (and replace, by the same rules).",
      run: async (probe) => {
        const home = await probe.home();
        const value = newCpf();
        await probe.created({ contactName: NAME, ...home, idDocument: cpf(value) });
        const other = await probe.created({ contactName: NAME, ...home, notes: "Kept." });
        const held = await replace(probe, other.id, { contactName: NAME, ...home, idDocument: cpf(value) });
        demand(held.status === 409, `another client's document answered ${held.status}, not 409`);
        const nameless = await replace(probe, other.id, home);
        demand(nameless.status === 422, `a client without a name answered ${nameless.status}, not 422`);
        demand((await read(probe, other)).notes === "Kept.", "a refused PUT has changed the client");
        const own = await replaced(probe, other.id, {
          contactName: NAME,
          ...home,
          idDocument: cpf(newCpf()),
        });
        const again = await replace(probe, other.id, {
          contactName: NAME,
          ...home,
          idDocument: own.idDocument,
        });
        demand(again.status === 200, `its own document answered ${again.status}, not 200`);
        const unknown = await replace(probe, NOBODY, { contactName: NAME, ...home });
        demand(unknown.status === 404, `PUT of an unknown client answered ${unknown.status}, not 404`);
      },
    },
    {
      id: "archive.kept",
      title: "DELETE archives: the client stays, and is in lists without a status",
      source: "section 3",
      says: "Archives the client (status becomes archived); the profile is kept; still returned by list when no status filter is given.",
      run: async (probe) => {
        const word = newWord();
        const made = await probe.created({ contactName: `${NAME} ${word}`, ...ALL, ...(await probe.home()) });
        const { status } = await probe.send("DELETE", `/v1/clients/${made.id}`);
        demand(status >= 200 && status < 300, `DELETE answered ${status}`);
        const stored = await read(probe, made);
        demand(stored.status === "archived", `the client is ${String(stored.status)}, not archived`);
        demand(stored.notes === made.notes, "the profile has changed");
        const total = async (query: string) => (await probe.list(`/v1/clients?query=${word}${query}`)).total;
        demand((await total("")) === 1, "without status the archived client is not in the list");
        demand((await total("&status=archived")) === 1, "with status=archived the client is not in the list");
        demand(
          (await total("&status=active")) === 0,
          "with status=active the archived client is in the list",
        );
      },
    },
    {
      id: "archive.again",
      title: "DELETE answers 204 without a body, also again; an unknown client is 404",
      source: "details",
      says: "DELETE: 204, no body; again on an archived client 204; unknown id 404.",
      run: async (probe) => {
        const made = await probe.created({ contactName: NAME, ...(await probe.home()) });
        for (const time of ["first", "second"]) {
          const { status, text } = await probe.send("DELETE", `/v1/clients/${made.id}`);
          demand(
            status === 204 && text === "",
            `the ${time} DELETE answered ${status} with ${text.length} characters`,
          );
        }
        const unknown = await probe.send("DELETE", `/v1/clients/${NOBODY}`);
        demand(unknown.status === 404, `DELETE of an unknown client answered ${unknown.status}, not 404`);
      },
    },
    {
      id: "write.if-match",
      title: "A write on a state that is gone is refused",
      source: "details",
      says: "If-Match on PUT and DELETE: 412 unless the record is as its tag says.",
      run: async (probe) => {
        const home = await probe.home();
        const made = await probe.created({ contactName: NAME, ...home });
        const tag = (await probe.get(`/v1/clients/${made.id}`)).headers.get("etag") ?? "";
        const put = (notes: string) =>
          probe.send("PUT", `/v1/clients/${made.id}`, {
            body: { contactName: NAME, ...home, notes },
            headers: { "if-match": tag },
          });
        const [first, second] = [await put("one"), await put("two")];
        demand(first.status === 200, `PUT with the tag that was read answered ${first.status}, not 200`);
        demand(second.status === 412, `PUT with a tag that is gone answered ${second.status}, not 412`);
      },
    },
  ] satisfies readonly Omit<Check, "writes">[]
).map((check) => ({ ...check, writes: true as const }));

/** Members in the order of their names, so that two objects can be compared. */
function sortedMembers(value: unknown): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
