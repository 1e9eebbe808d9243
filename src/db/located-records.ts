import { isRecord } from "./statements.ts";

/** Records that are linked to locations, and which of them are looked for. */
export interface LocatedText {
  readonly table: string;
  /** The table of links, and its column that has the id of the record. */
  readonly links: string;
  readonly linkId: string;
  /** The parameter that is the location. */
  readonly locationParameter: string;
  /** Conditions on a record called `c`, each with ` and` before it. */
  readonly filters: string;
  /** How many records the organization has, whatever their state: a sum of counters' columns. */
  readonly stored: string;
}

/** What it costs to look a record up by its id, in entries of an index that are read one after the other. */
const LOOKUP_COST = 20;

/**
 * Selects the ids of all records of a location that match. Those of a small location are looked up one by one, which for a third
 * of a million took 3.5 s; those of a large one are met with all that match, both in the order of an index. The number of links
 * decides and no estimate, as none is right for each organization.
 */
export function allAtLocation({
  table,
  links,
  linkId,
  locationParameter,
  filters,
  stored,
}: LocatedText): string {
  const isLinked = `l.organization_id = $1 and l.location_id = ${locationParameter}`;
  return `
    with location as materialized (
      select (select count(*) from ${links} l where ${isLinked}) * ${LOOKUP_COST} > coalesce(sum(${stored}), 0) as is_large
      from organization_counters where organization_id = $1
    )
    select c.id from ${links} l
    join ${table} c on ${isRecord("c", `l.${linkId}`)}
    where ${isLinked}${filters} and not (select is_large from location)
    union all (
      select l.${linkId} from ${links} l where ${isLinked} and (select is_large from location)
      intersect
      select c.id from ${table} c where c.organization_id = $1${filters} and (select is_large from location)
    )`;
}
