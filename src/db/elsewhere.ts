/**
 * An organization that is being moved to another server, or was, has rows on both. What works through the rows of all
 * organizations passes over those that are not here: see docs/decisions/moving.md.
 */

/** A condition: the organization is here. `organizationColumn` may be a parameter. */
export function isHere(organizationColumn: string): string {
  return `not exists (
    select from organization_moves m
    where m.organization_id = ${organizationColumn} and organization_elsewhere(m.organization_id, m.id) is not null
  )`;
}

/** A condition: the organization is here, and is not about to leave. */
export function isStaying(organizationColumn: string): string {
  return `not exists (
    select from organization_moves m
    where m.organization_id = ${organizationColumn}
      and (m.is_closing or organization_elsewhere(m.organization_id, m.id) is not null)
  )`;
}

/** Where the organization of the row `o` is. */
export const ELSEWHERE = "organization_elsewhere(o.id, o.moving)";

/** Absent: it is here. Empty: it is on its way here. Otherwise the public address of the server that it has moved to. */
export type Elsewhere = string | undefined;
