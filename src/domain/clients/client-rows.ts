import { CLIENT_COLUMNS } from "./client-columns.ts";
import type { Client } from "./schema.ts";

/** How a client is read: the columns of a row called `r`, and the record that such a row is. */

export const clientColumns = [
  "r.id",
  ...CLIENT_COLUMNS.flatMap(({ name, member }) => (member === undefined ? [] : [`r.${name} as "${member}"`])),
  "r.status",
  'r.created_at as "createdAt"',
  'r.updated_at as "updatedAt"',
].join(", ");

export const clientLocationIds = `
  array(
    select l.location_id from client_locations l
    where l.organization_id = r.organization_id and l.client_id = r.id order by l.location_id
  ) as "locationIds"`;

export type ClientRow = Omit<Client, "address" | "idDocument" | "$schema"> &
  Client["address"] & {
    readonly idDocumentType?: NonNullable<Client["idDocument"]>["type"];
    readonly idDocumentValue?: string;
  };

/**
 * Written out member by member, so that all clients are of one shape: copying the rest of a row cost several times as
 * much. A member that is left out here does not compile.
 */
export function toClient(row: ClientRow): Client {
  const {
    city,
    country,
    line1,
    line2,
    postalCode,
    state,
    idDocumentType: type,
    idDocumentValue: value,
  } = row;
  const client = {
    id: row.id,
    contactName: row.contactName,
    contactEmail: row.contactEmail,
    contactPhone: row.contactPhone,
    birthdate: row.birthdate,
    address: { city, country, line1, line2, postalCode, state },
    idDocument: type === undefined || value === undefined ? undefined : { type, value },
    notes: row.notes,
    status: row.status,
    locationIds: row.locationIds,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  } satisfies Record<Exclude<keyof Client, "$schema">, unknown>;
  // What is undefined here is written nowhere.
  return client as Client;
}
