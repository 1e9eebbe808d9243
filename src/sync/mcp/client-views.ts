import type { TSchema } from "typebox";
import Type from "../../core/schema-type.ts";
import type { CatalogNames } from "./catalog-names.ts";
import { pageOf, queryOf } from "./list-arguments.ts";
import { nearest, nearQueries } from "./near-names.ts";
import type { OperationCalls, PlainJson } from "./operation-calls.ts";
import { TEXTS, toldRecord } from "./tool-schemas.ts";

/** How clients are shown to a model: no more of a person than is asked for. */

/** What is always shown. */
const SHOWN = ["id", "contactName", "status", "createdAt", "updatedAt"];

/** What is shown beside it, by the word that asks for it. */
export const CLIENT_INCLUDES = {
  contact: ["contactEmail", "contactPhone"],
  birthdate: ["birthdate"],
  address: ["address"],
  idDocument: ["idDocument"],
  notes: ["notes"],
  locationIds: ["locationIds"],
} as const;

export type ClientInclude = keyof typeof CLIENT_INCLUDES;

/** How many names that are spelt nearly so are told. */
const MAX_SIMILAR = 5;

export function clientSchema(schema: TSchema | undefined): PlainJson {
  return toldRecord(schema ?? Type.Unknown(), {
    required: SHOWN,
    added: { locationNames: { ...TEXTS, description: "In the order of locationIds." } },
  });
}

export async function shownClient(
  client: PlainJson,
  include: readonly ClientInclude[],
  names: CatalogNames,
): Promise<PlainJson> {
  return withMembers(
    client,
    include.flatMap((word) => CLIENT_INCLUDES[word]),
    names,
  );
}

/** What is always shown of a client, and these members. */
export function withMembers(
  client: PlainJson,
  members: readonly string[],
  names: CatalogNames,
): Promise<PlainJson> {
  const kept = new Set([...SHOWN, ...members]);
  return names.addPlaces(Object.fromEntries(Object.entries(client).filter(([name]) => kept.has(name))));
}

interface ClientSearch extends PlainJson {
  readonly query?: string;
  readonly cursor?: string;
  readonly include?: readonly ClientInclude[];
}

interface SearchContext {
  readonly calls: OperationCalls;
  readonly names: CatalogNames;
}

export async function findClients(args: ClientSearch, { calls, names }: SearchContext): Promise<PlainJson> {
  const { include = [], ...search } = args;
  const show = (clients: readonly PlainJson[]) =>
    Promise.all(
      clients.map(async (client) => {
        // Lists leave the places of clients out.
        const whole = include.includes("locationIds")
          ? await calls.ask("getClient", { params: { id: String(client.id) } })
          : client;
        return shownClient(whole, include, names);
      }),
    );
  const page = await calls.ask("listClients", { query: queryOf(search) });
  const data = await show(page.data as readonly PlainJson[]);
  if (Number(page.total) > 0 || search.query === undefined || search.cursor !== undefined)
    return pageOf(page, data);
  const similar = await findSimilar(search.query, search, calls);
  return { ...pageOf(page, data), ...(similar.length > 0 && { similar: await show(similar) }) };
}

/** Clients whose name is nearly what was asked for, among those that the other filters let through. */
async function findSimilar(query: string, search: ClientSearch, calls: OperationCalls): Promise<PlainJson[]> {
  const pages = await Promise.all(
    nearQueries(query).map((part) =>
      calls.ask("listClients", { query: queryOf({ ...search, query: part, limit: 100 }) }),
    ),
  );
  const found = new Map(
    pages.flatMap(({ data }) => (data as readonly PlainJson[]).map((client) => [client.id, client] as const)),
  );
  return nearest(query, [...found.values()], ({ contactName }) => String(contactName)).slice(0, MAX_SIMILAR);
}
