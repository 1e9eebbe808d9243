import type { OperationCalls, PlainJson } from "./operation-calls.ts";

/** A location as its list shows it. */
interface NamedPlace {
  readonly name: string;
  readonly timezone: string;
}

/** The names behind the ids of an organization's catalog. Each list is read once, when a name of it is asked for. */
export class CatalogNames {
  readonly #calls: OperationCalls;
  readonly #lists = new Map<string, Promise<ReadonlyMap<string, PlainJson>>>();

  constructor(calls: OperationCalls) {
    this.#calls = calls;
  }

  /** Adds the names of the places that a record names by id. */
  async addPlaces(record: PlainJson): Promise<PlainJson> {
    const ids = record.locationIds as readonly string[] | undefined;
    if (ids === undefined || ids.length === 0) return record;
    const places = await this.#list("listLocations");
    return { ...record, locationNames: ids.map((id) => nameIn(places, id)) };
  }

  /** Adds the names of what the entitlements of a plan or contract are limited to. */
  async addScopes(record: PlainJson): Promise<PlainJson> {
    const entitlements = (record.entitlements ?? []) as readonly PlainJson[];
    const named = await Promise.all(
      entitlements.map(async (entitlement) => ({
        ...entitlement,
        ...(await this.#nameOf("serviceTypeName", "listServiceTypes", entitlement.serviceTypeId)),
        ...(await this.#nameOf("serviceGroupName", "listServiceGroups", entitlement.serviceGroupId)),
      })),
    );
    return { ...record, entitlements: named };
  }

  /** Adds to a session who runs it and the zone of its local times. */
  async addToSession(session: PlainJson): Promise<PlainJson> {
    const ids = session.resourceIds as readonly string[] | undefined;
    const places = await this.#list("listLocations");
    const place = places.get(String(session.locationId)) as unknown as NamedPlace | undefined;
    return {
      ...session,
      ...(place && { timezone: place.timezone }),
      ...(ids && {
        resourceNames: await this.#list("listResources").then((resources) =>
          ids.map((id) => nameIn(resources, id)),
        ),
      }),
    };
  }

  async #nameOf(member: string, list: string, id: unknown): Promise<PlainJson> {
    return id === undefined ? {} : { [member]: nameIn(await this.#list(list), String(id)) };
  }

  #list(operationId: string): Promise<ReadonlyMap<string, PlainJson>> {
    const known = this.#lists.get(operationId) ?? this.#read(operationId);
    this.#lists.set(operationId, known);
    return known;
  }

  async #read(operationId: string): Promise<ReadonlyMap<string, PlainJson>> {
    const records = new Map<string, PlainJson>();
    const isPaged = operationId === "listServiceTypes";
    for (let cursor: string | undefined, page = 0; page < MAX_PAGES; page++) {
      const query = { ...(isPaged && { limit: "200" }), ...(cursor !== undefined && { cursor }) };
      const { data, nextCursor } = await this.#calls.ask(operationId, { query });
      for (const record of data as readonly PlainJson[]) records.set(String(record.id), record);
      if (nextCursor === undefined) break;
      cursor = String(nextCursor);
    }
    return records;
  }
}

/** Of a list with pages: more service types than a person could tell apart. */
const MAX_PAGES = 10;

/** A record that is gone since, or beyond what is read, is still named by its id. */
function nameIn(records: ReadonlyMap<string, PlainJson>, id: string): string {
  return String(records.get(id)?.name ?? id);
}
