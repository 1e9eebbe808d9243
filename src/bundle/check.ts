import { dateIn, findZone, type Zone } from "../calendar/zones.ts";
import { BIRTHDATE_RANGE, NO_LOCATION } from "../clients/rules.ts";
import type { Database } from "../db/database.ts";
import * as queries from "./check-queries.ts";
import { placeSchedules, placeSessions } from "./clocks.ts";
import type { Faults, LineFault } from "./faults.ts";
import type { Intake } from "./intake.ts";
import { type StagedKind, TABLES, WRITE_ORDER } from "./record-tables.ts";

/** What is checked, and where what is found goes. */
export interface StagedFile {
  readonly tx: Database;
  readonly faults: Faults;
  readonly intake: Intake;
  /** How many records of each kind are staged. */
  readonly counts: ReadonlyMap<StagedKind, number>;
}

/** The organization as it will be. */
interface FutureOrganization {
  readonly id: string;
  readonly timezone: string;
}

/**
 * The fourth step of an import: what one line cannot tell is asked of all staged records together. Returns the
 * organization's locations as they will be: staged instants are computed by their zones.
 */
export async function checkStaged(
  file: StagedFile,
  organization: FutureOrganization,
): Promise<readonly queries.LocationZone[]> {
  const { tx, faults, counts } = file;
  for (const kind of WRITE_ORDER) if (counts.has(kind)) await checkReferences(file, kind, organization.id);
  const locations = await queries.listFutureLocations(tx, organization.id);
  if (counts.has("client")) await checkClients(file, organization, locations);
  if (counts.has("contract")) {
    await queries.nameEntitlements(tx, organization.id);
    const found = await queries.findRepeatedEntitlements(tx, organization.id);
    add(file, "contract", found, { code: "id_repeated", message: "is the id of another entitlement too" });
  }
  const zones = new Map<string, Zone | undefined>(
    locations.map((location) => [location.id, findZone(location.timezone)]),
  );
  if (counts.has("schedule")) await placeSchedules(tx, zones, faults);
  if (counts.has("session")) {
    await placeSessions(tx, zones, faults);
    const repeated = { code: "slot_repeated", message: "stands for the same slot as {line}" } as const;
    add(file, "session", await queries.findRepeatedSlots(tx), repeated);
  }
  await checkHeld(file, organization.id);
  return locations;
}

/** What other stored records hold; asked again when somebody else has taken something since. */
export async function checkHeld(file: StagedFile, organizationId: string): Promise<void> {
  const { tx, counts } = file;
  if (counts.has("client")) {
    const found = await queries.findHeldDocuments(tx, organizationId);
    add(file, "client", found, { code: "document_held", message: "is held by another client already" });
  }
  if (counts.has("session")) {
    const found = await queries.findHeldSlots(tx, organizationId);
    add(file, "session", found, {
      code: "slot_held",
      message: "stands for the same slot as another session",
    });
  }
}

async function checkReferences(file: StagedFile, kind: StagedKind, organizationId: string): Promise<void> {
  const { tx, intake } = file;
  const repeated = { code: "id_repeated", message: "is the id of {line} too" } as const;
  add(file, kind, await queries.findRepeatedIds(tx, kind), repeated);
  for (const reference of TABLES[kind].references) {
    const faulty = intake.faultyIds(reference.kind);
    const code = reference.kind === "location" ? "location_unknown" : "reference_unknown";
    const found = await queries.findUnresolved(tx, organizationId, reference, faulty);
    add(file, kind, found, { code, message: reference.message });
  }
}

async function checkClients(
  file: StagedFile,
  organization: FutureOrganization,
  locations: readonly { readonly id: string }[],
): Promise<void> {
  const { tx, intake } = file;
  const [only] = locations;
  if (only && locations.length + intake.faultyLocations === 1) await queries.setOnlyLocation(tx, only.id);
  const withoutLocation = await queries.findClientsWithoutLocation(tx);
  add(file, "client", withoutLocation, { code: "location_required", message: NO_LOCATION });
  const futureBirthdates = await queries.findFutureBirthdates(
    tx,
    dateIn(organization.timezone, await tx.now()),
  );
  add(file, "client", futureBirthdates, { code: "birthdate_out_of_range", message: BIRTHDATE_RANGE });
  const repeated = { code: "document_repeated", message: "is held by the client of {line} already" } as const;
  add(file, "client", await queries.findRepeatedDocuments(tx), repeated);
}

function add(
  { faults }: StagedFile,
  kind: StagedKind,
  found: readonly queries.StagedFault[],
  { code, message }: Pick<LineFault, "code" | "message">,
): void {
  for (const { holder, ...where } of found)
    faults.add({ ...where, kind, code, message: holder === undefined ? message : `${message}: ${holder}` });
}
