/**
 * What a request could cost at best, in a process of its own. R sends recorded answers from memory with bare
 * node:http. P runs one named query for the same rows on pipelined connections and sends `JSON.stringify` of what
 * came. Neither looks at a key, a limit or a value.
 */
import cluster from "node:cluster";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import pg from "pg";
import { clientSearchText, idDocumentKey } from "../src/domain/clients/rules.ts";
import type { ClientInput } from "../src/domain/clients/schema.ts";
import { COUNTER_SLOTS } from "../src/domain/organizations/queries.ts";
import { openStore } from "../src/process/store.ts";
import { personId } from "./people.ts";

export interface Recorded {
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export type Ceiling =
  | { readonly kind: "memory"; readonly answers: readonly Recorded[]; readonly workers?: number }
  | {
      readonly kind: "client" | "page" | "search" | "create";
      readonly dataDir: string;
      readonly organizationId: string;
      readonly locationId: string;
      readonly headers: readonly string[];
    };

process.once("message", async (ceiling: Ceiling) => {
  if (ceiling.kind === "memory" && ceiling.workers !== undefined && cluster.isPrimary) {
    share(ceiling, ceiling.workers);
    return;
  }
  const server = createServer(ceiling.kind === "memory" ? fromMemory(ceiling) : await fromDatabase(ceiling));
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.({ port: typeof address === "object" && address ? address.port : 0 });
  });
});
process.on("disconnect", () => process.exit());
// What is sent to a worker before it listens is lost.
if (cluster.isWorker) process.send?.("waits");

/** Each connection goes to one of the workers, in turn. */
function share(ceiling: Ceiling, workers: number): void {
  cluster.setupPrimary({ serialization: "advanced" });
  let listening = 0;
  for (let n = 0; n < workers; n++) {
    const worker = cluster.fork();
    worker.on("message", (reply: { port: number } | "waits") => {
      if (reply === "waits") worker.send(ceiling);
      else if (++listening === workers) process.send?.(reply);
    });
  }
}

function fromMemory({ answers }: Extract<Ceiling, { kind: "memory" }>): RequestListener {
  const known = new Map(
    answers.map(({ url, headers, body }) => [
      url,
      { headers: [...headers, "content-length", String(body.length)], body: Buffer.from(body) },
    ]),
  );
  return (request, response) => {
    const answer = known.get(request.url ?? "");
    if (answer) response.writeHead(200, answer.headers).end(answer.body);
    else response.writeHead(404).end();
  };
}

const columns = `
  r.id, r.contact_name as "contactName", r.contact_email as "contactEmail", r.contact_phone as "contactPhone",
  r.birthdate, r.city, r.country, r.line1, r.line2, r.postal_code as "postalCode", r.state,
  r.id_document_type as "idDocumentType", r.id_document_value as "idDocumentValue", r.notes, r.status,
  r.created_at as "createdAt", r.updated_at as "updatedAt"`;

const client = {
  name: "client",
  text: `
    select ${columns}, array(
      select l.location_id from client_locations l
      where l.organization_id = $1 and l.client_id = r.id order by l.location_id
    ) as "locationIds"
    from clients r where r.organization_id = $1 and r.id = $2`,
};

const page = {
  name: "page",
  text: `
    select t.total, r.* from (
      select sum(clients_active + clients_archived) as total from organization_counters where organization_id = $1
    ) t left join lateral (
      select ${columns} from (
        select id from clients where organization_id = $1 order by id desc limit $2 offset $3
      ) p join clients r on r.organization_id = $1 and r.id = p.id
    ) r on true
    order by r.id desc`,
};

const search = {
  name: "search",
  text: `
    with found as materialized (
      select id from clients where organization_id = $1 and search like $2 and search like $3
    )
    select t.total, r.* from (select count(*) as total from found) t
    left join lateral (
      select ${columns} from (select id from found order by id desc limit 50) p
      join clients r on r.organization_id = $1 and r.id = p.id
    ) r on true
    order by r.id desc`,
};

const create = {
  name: "create",
  text: `
    with r as (
      insert into clients (
        organization_id, id, status, contact_name, contact_email, contact_phone, birthdate,
        city, country, line1, line2, postal_code, state,
        id_document_type, id_document_value, id_document_key, notes, search
      )
      values ($1, $2, 'active', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      returning *
    ), joined as (
      insert into client_locations (organization_id, client_id, location_id) select $1, r.id, $18 from r
    ), counted as (
      update organization_counters set clients_active = clients_active + 1, clients_version = clients_version + 1
      where organization_id = $1 and slot = $19
    )
    select ${columns} from r`,
};

/** As many as the program has: two that are pipelined for reads, and a pool for what waits for the disk. */
const PIPELINES = 2;
const POOL_SIZE = 16;
/** Values stay the text that came: no ceiling should pay for reading what it only passes on. */
const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

async function fromDatabase(ceiling: Exclude<Ceiling, { kind: "memory" }>): Promise<RequestListener> {
  const store = await openStore({ dataDir: ceiling.dataDir, databaseUrl: undefined, keySecret: undefined });
  const config = { ...(store.connection as pg.ClientConfig), pipeline: true, types: asText };
  const { organizationId } = ceiling;
  if (ceiling.kind === "create") {
    const pool = new pg.Pool({ ...config, max: POOL_SIZE });
    return (request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const input = JSON.parse(Buffer.concat(pieces).toString()) as ClientInput;
        pool
          .query({ ...create, values: createValues(organizationId, ceiling.locationId, input) })
          .then(({ rows }) => send(response, 201, ceiling.headers, rows[0]), fail(response));
      });
    };
  }
  const connections = await Promise.all(
    Array.from({ length: PIPELINES }, async () => {
      const connection = new pg.Client(config);
      await connection.connect();
      return connection;
    }),
  );
  const { kind } = ceiling;
  let turn = 0;
  return (request, response) => {
    const query = bareQuery(kind, organizationId, request.url ?? "");
    (connections[turn++ % PIPELINES] as pg.Client)
      .query(query)
      .then(
        ({ rows }) => send(response, 200, ceiling.headers, kind === "client" ? rows[0] : toPage(rows)),
        fail(response),
      );
  };
}

function bareQuery(kind: "client" | "page" | "search", organizationId: string, url: string) {
  if (kind === "client") return { ...client, values: [organizationId, url.slice("/v1/clients/".length)] };
  const asked = new URLSearchParams(url.slice(url.indexOf("?")));
  if (kind === "page") return { ...page, values: [organizationId, asked.get("limit"), asked.get("offset")] };
  const [first, second] = (asked.get("query") ?? "").split(" ");
  return { ...search, values: [organizationId, `%${first}%`, `%${second}%`] };
}

function createValues(organizationId: string, locationId: string, input: ClientInput): unknown[] {
  const { contactName, contactEmail, contactPhone, birthdate, address = {}, idDocument, notes } = input;
  const content = { contactName, contactEmail, contactPhone, birthdate, address, idDocument, notes };
  return [
    organizationId,
    personId(Date.now()),
    contactName,
    contactEmail,
    contactPhone,
    birthdate,
    address.city,
    address.country,
    address.line1,
    address.line2,
    address.postalCode,
    address.state,
    idDocument?.type,
    idDocument?.value,
    idDocument && idDocumentKey(idDocument.value),
    notes,
    clientSearchText({ ...content, locationIds: [] }),
    locationId,
    Math.floor(Math.random() * COUNTER_SLOTS),
  ];
}

function toPage(rows: readonly { total: string }[]): object {
  return { data: rows, total: rows[0]?.total };
}

function send(response: ServerResponse, status: number, headers: readonly string[], value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, [...headers, "content-length", String(body.length)]).end(body);
}

function fail(response: ServerResponse) {
  return (error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  };
}
