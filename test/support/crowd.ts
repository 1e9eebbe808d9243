import type { Database } from "../../src/db/database.ts";
import { pooled, replanned } from "../../src/db/statements.ts";
import { completeCpf } from "../../src/domain/clients/cpf.ts";
import { type ClientContent, clientSearchText, idDocumentKey } from "../../src/domain/clients/rules.ts";
import { newId } from "./ids.ts";

/**
 * A large organization, for plans and times that mean something: names, mail addresses, phones and documents
 * as varied as real ones, a tenth of the clients archived, locations of very different size.
 */
export interface Crowd {
  readonly clientIds: string[];
  /** A document, a phone and a name that belong to exactly one client each. */
  readonly someone: { readonly cpf: string; readonly phone: string; readonly email: string };
}

const FIRST = `Ana Maria José João Antônio Francisco Carlos Paulo Pedro Lucas Luiz Marcos Luís Gabriel Rafael
  Francisca Antônia Adriana Juliana Márcia Fernanda Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia
  Júlia Luciana Vanessa Mariana Vera Vitória Larissa Cláudia Beatriz Rita Sônia Renata Eliane Daniel Marcelo
  Bruno Eduardo Felipe Raimundo Rodrigo Manoel Mateus André Fernando Fábio Leonardo Gustavo Guilherme Leandro
  Tiago Ânderson Ricardo Márcio Jorge Sebastião Alexandre Roberto Édson Diego Vítor Sérgio Cláudio Matheus
  Thiago Geraldo Adriano Luciano Júlio Renato Alex Vinícius Rogério Samuel Ronaldo Mário Flávio Ígor Douglas
  Davi Jéferson Danilo Chloë Søren Łukasz Zoë Ümit Đức Νίκος Ирина 美咲`.split(/\s+/);
const LAST =
  `Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho
  Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado
  Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto Cavalcanti Moura Campos Jesus Borges
  Batista Monteiro Castro Correia Cunha Sales Melo Azevedo Pires Barros Duarte Reis Farias Aguiar D’Ávila
  O'Neil Müller Yamamoto Nguyễn Kowalski Öztürk Παπαδόπουλος Иванова`.split(/\s+/);

const BATCH = 10_000;

/** Fills an organization. The draw is the same on every run. */
export async function loadCrowd(
  db: Database,
  organizationId: string,
  size: { clients: number; contracts: number; locationIds: readonly string[] },
): Promise<Crowd> {
  const draw = drawer();
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(draw() ** 2 * items.length)] as Item;
  const clientIds: string[] = [];
  let someone: Crowd["someone"] | undefined;
  for (let start = 0; start < size.clients; start += BATCH) {
    const rows: (string | null)[][] = [];
    const memberships: [string, string][] = [];
    for (let n = start; n < Math.min(start + BATCH, size.clients); n++) {
      const id = newId();
      const name = `${pick(FIRST)} ${pick(LAST)} ${draw() < 0.6 ? pick(LAST) : ""}`.trim();
      const mailbox = name
        .normalize("NFKD")
        .replace(/[^a-zA-Z]+/g, ".")
        .toLowerCase();
      const phone = `+55 ${11 + Math.floor(draw() * 80)} 9${digits(draw, 4)}-${digits(draw, 4)}`;
      const cpf = completeCpf(String(n * 37 + 1_000_000).padStart(9, "0")) ?? "";
      const content: ClientContent = {
        contactName: name,
        contactEmail: `${mailbox}.${n}@example.com`,
        contactPhone: phone,
        birthdate: `19${50 + (n % 50)}-0${1 + (n % 9)}-1${n % 10}`,
        address: { city: "São Paulo", line1: `Rua Harmonia ${n}`, state: "SP" },
        idDocument: n % 5 === 0 ? { type: "other", value: `P-${n}/BR` } : { type: "cpf", value: cpf },
        notes: n % 3 === 0 ? "Prefers mornings. Signed the waiver at the front desk." : undefined,
        locationIds: [],
      };
      if (n === Math.floor(size.clients / 2) + 1) {
        someone = { cpf, phone, email: content.contactEmail as string };
      }
      clientIds.push(id);
      rows.push([
        id,
        draw() < 0.1 ? "archived" : "active",
        content.contactName,
        content.contactEmail as string,
        phone,
        content.birthdate as string,
        content.address.city as string,
        content.address.line1 as string,
        content.address.state as string,
        content.idDocument?.type ?? null,
        content.idDocument?.value ?? null,
        idDocumentKey(content.idDocument?.value ?? ""),
        content.notes ?? null,
        clientSearchText(content),
      ]);
      const home = pick(size.locationIds);
      memberships.push([id, home]);
      const second = pick(size.locationIds);
      if (second !== home && draw() < 0.2) memberships.push([id, second]);
    }
    const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
    await db.query(insertClients, [organizationId, ...columns]);
    await db.query(insertMemberships, [
      organizationId,
      memberships.map(([id]) => id),
      memberships.map(([, location]) => location),
    ]);
  }
  await db.query(insertContracts, [organizationId, size.contracts, clientIds, size.locationIds]);
  await db.query(recount, [organizationId]);
  return { clientIds, someone: someone ?? { cpf: "", phone: "", email: "" } };
}

/** Gives another, empty organization the same records: a neighbour in the tables. */
export async function copyCrowd(db: Database, from: string, to: string): Promise<void> {
  for (const table of ["locations", "clients", "client_locations", "contracts", "contract_locations"]) {
    const [others] = await db.query<{ names: string }>(otherColumns, [table]);
    await db.query(
      replanned(
        `insert into ${table} (organization_id, ${others?.names})
         select $2::uuid, ${others?.names} from ${table} where organization_id = $1::uuid`,
      ),
      [from, to],
    );
  }
  await db.query(recount, [to]);
}

const otherColumns = pooled(
  "crowd_other_columns",
  `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
   where attrelid = $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     and attname <> 'organization_id'`,
);

/** What autovacuum does in its own time, now. */
export async function settleCrowd(db: Database): Promise<void> {
  for (const table of [
    ...["clients", "client_locations", "contracts", "contract_locations"],
    ...["sessions", "bookings"],
  ]) {
    await db.query(replanned(`vacuum analyze ${table}`));
  }
}

const insertClients = pooled(
  "crowd_clients",
  `insert into clients (
     organization_id, id, status, contact_name, contact_email, contact_phone, birthdate, city, line1, state,
     id_document_type, id_document_value, id_document_key, notes, search
   )
   select $1::uuid, * from unnest(
     $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::date[], $8::text[], $9::text[], $10::text[],
     $11::text[], $12::text[], $13::text[], $14::text[], $15::text[]
   )`,
);

const insertMemberships = pooled(
  "crowd_memberships",
  `insert into client_locations (organization_id, client_id, location_id)
   select $1::uuid, * from unnest($2::uuid[], $3::uuid[])`,
);

// Every third is for all locations; the others name one. One client in a thousand has a hundred contracts.
const insertContracts = pooled(
  "crowd_contracts",
  `with made as (
     insert into contracts (
       organization_id, id, client_id, plan_name, price_cents, currency, is_trial, billing_kind, billing_interval,
       start_date, status, access_blocked, all_locations
     )
     select $1, gen_random_uuid(),
       ($3::uuid[])[1 + case when n % 10 = 0 then n % 200 else n * 7 end % cardinality($3::uuid[])],
       'Unlimited monthly', 15000 + n, 'BRL', false, 'recurring', 'month',
       date '2020-01-01' + n % 2000,
       (array['active', 'active', 'active', 'paused', 'cancelled', 'expired'])[1 + n % 6], false, n % 3 = 0
     from generate_series(1, $2::int) n
     returning id, all_locations, price_cents - 15000 as n
   )
   insert into contract_locations (organization_id, contract_id, location_id)
   select $1, id, ($4::uuid[])[1 + n % cardinality($4::uuid[])] from made where not all_locations`,
);

/** The counters as the rows have them, for rows that were written past the operations. */
const recount = pooled(
  "crowd_recount",
  `update organization_counters set
     catalog_version = catalog_version + 1, clients_version = clients_version + 1,
     clients_active = (select count(*) from clients where organization_id = $1 and status = 'active'),
     clients_archived = (select count(*) from clients where organization_id = $1 and status = 'archived'),
     contracts_active = (select count(*) from contracts where organization_id = $1 and status = 'active'),
     contracts_paused = (select count(*) from contracts where organization_id = $1 and status = 'paused'),
     contracts_cancelled = (select count(*) from contracts where organization_id = $1 and status = 'cancelled'),
     contracts_expired = (select count(*) from contracts where organization_id = $1 and status = 'expired')
   where organization_id = $1 and slot = 0`,
);

/** Pseudo-random numbers from 0 to 1, the same ones each time (mulberry32). */
function drawer(): () => number {
  let state = 20_261_115;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function digits(draw: () => number, count: number): string {
  return String(Math.floor(draw() * 10 ** count)).padStart(count, "0");
}
