import type { StaffContent } from "../../domain/staff/queries.ts";
import { exampleStaff } from "../../domain/staff/schema.ts";
import { idOf, MOEMA } from "./catalog.ts";
import type { DemoRecord } from "./studio.ts";

/** Who runs the studio. Nobody has a password yet: a link lets each of them choose one. */
export function demoTeam(records: readonly DemoRecord[]): readonly [owner: StaffContent, ...StaffContent[]] {
  const locations = records.filter(({ kind }) => kind === "location") as (DemoRecord & { name: string })[];
  const everywhere = { allLocations: true, locationIds: [] as string[] };
  return [
    { name: "Helena Prado", email: "helena.prado@example.com", role: "owner", ...everywhere },
    // Of the published examples.
    { name: exampleStaff.name, email: exampleStaff.email, role: exampleStaff.role, ...everywhere },
    { name: "Joana Pires", email: "joana.pires@example.com", role: "front_desk", ...everywhere },
    {
      name: "Caio Moura",
      email: "caio.moura@example.com",
      role: "front_desk",
      allLocations: false,
      locationIds: [idOf(locations, MOEMA)],
    },
  ];
}
