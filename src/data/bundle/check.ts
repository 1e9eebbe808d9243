import type { FaultContent } from "../../core/faults.ts";
import type { Database } from "../../db/database.ts";
import { BIRTHDATE_OUT_OF_RANGE } from "../../domain/clients/rules.ts";
import { dateIn, findZone, type Zone } from "../../domain/recurrence/zones.ts";
import * as queries from "./check-queries.ts";
import { placeSchedules, placeSessions } from "./clocks.ts";
import type { Intake } from "./intake.ts";
import type { Faults } from "./line-faults.ts";
import { findDifferingSums, findRepeatedNumbers } from "./money-check-queries.ts";
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
    add(file, "contract", found, () => ({ code: "entitlement_repeated" }));
    await queries.namePauses(tx, organization.id);
    const pauses = await queries.findRepeatedPauses(tx, organization.id);
    add(file, "contract", pauses, () => ({ code: "pause_repeated" }));
  }
  const zones = new Map<string, Zone | undefined>(
    locations.map((location) => [location.id, findZone(location.timezone)]),
  );
  if (counts.has("schedule")) await placeSchedules(tx, zones, faults);
  if (counts.has("session")) {
    await placeSessions(tx, zones, faults);
    const found = await queries.findRepeatedSlots(tx);
    add(file, "session", found, ({ otherLine: line = 0 }) => ({ code: "slot_repeated", params: { line } }));
  }
  await checkHeld(file, organization.id);
  await checkStaffWork(file, organization.id);
  return locations;
}

/** What other stored records hold; asked again when somebody else has taken something since. */
export async function checkHeld(file: StagedFile, organizationId: string): Promise<void> {
  const { tx, counts } = file;
  if (counts.has("client")) {
    const found = await queries.findHeldDocuments(tx, organizationId);
    add(file, "client", found, ({ holder = "" }) => ({ code: "document_held", params: { holder } }));
  }
  if (counts.has("session")) {
    const found = await queries.findHeldSlots(tx, organizationId);
    add(file, "session", found, ({ holder = "" }) => ({ code: "slot_held", params: { holder } }));
  }
}

/**
 * What the staff did that a file cannot undo. Asked again once the organization is locked: from then on nobody is erased
 * and nothing is booked.
 */
export async function checkStaffWork(file: StagedFile, organizationId: string): Promise<void> {
  const { tx, counts, intake } = file;
  if (counts.has("client")) {
    const erased = await queries.findErasedClients(tx, organizationId);
    add(file, "client", erased, () => ({ code: "client_erased" }));
  }
  if (counts.has("contract")) {
    const booked = await queries.findBookedContracts(tx, organizationId);
    add(file, "contract", booked, () => ({ code: "contract_booked" }));
    const drawn = await queries.findDrawnEntitlements(tx, organizationId);
    add(file, "contract", drawn, () => ({ code: "entitlement_drawn" }));
  }
  if (counts.has("session")) {
    const booked = await queries.findBookedSessions(tx, organizationId);
    add(file, "session", booked, () => ({ code: "session_booked" }));
  }
  if (counts.has("booking")) {
    const foreign = await queries.findForeignDraws(tx, organizationId, intake.faultyIds("contract"));
    add(file, "booking", foreign, () => ({ code: "entitlement_unknown" }));
    const repeated = await queries.findRepeatedSeats(tx, organizationId);
    add(file, "booking", repeated, () => ({ code: "seat_repeated" }));
    const unseated = await queries.findSeatsInCancelled(tx, organizationId);
    add(file, "booking", unseated, () => ({ code: "seat_in_cancelled" }));
  }
  if (counts.has("invoice") || counts.has("payment")) {
    for (const fault of await findRepeatedNumbers(tx, organizationId))
      add(file, fault.kind, [fault], () => ({ code: "number_repeated" }));
    for (const fault of await findDifferingSums(tx, organizationId))
      add(file, fault.kind, [fault], () => ({ code: "sum_differs" }));
  }
  if (counts.has("waiting")) {
    const repeated = await queries.findRepeatedPlaces(tx, organizationId);
    add(file, "waiting", repeated, () => ({ code: "seat_repeated" }));
  }
}

async function checkReferences(file: StagedFile, kind: StagedKind, organizationId: string): Promise<void> {
  const { tx, intake } = file;
  const repeated = await queries.findRepeatedIds(tx, kind);
  add(file, kind, repeated, ({ otherLine: line = 0 }) => ({ code: "id_repeated", params: { line } }));
  for (const reference of TABLES[kind].references) {
    const faulty = intake.faultyIds(reference.kind);
    const found = await queries.findUnresolved(tx, organizationId, reference, faulty);
    add(file, kind, found, () => ({ code: reference.fault }));
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
  add(file, "client", withoutLocation, () => ({ code: "location_required" }));
  const futureBirthdates = await queries.findFutureBirthdates(
    tx,
    dateIn(organization.timezone, await tx.now()),
  );
  add(file, "client", futureBirthdates, () => BIRTHDATE_OUT_OF_RANGE);
  const repeated = await queries.findRepeatedDocuments(tx);
  add(file, "client", repeated, ({ otherLine: line = 0 }) => ({
    code: "document_repeated",
    params: { line },
  }));
}

function add(
  { faults }: StagedFile,
  kind: StagedKind,
  found: readonly queries.StagedFault[],
  contentOf: (fault: queries.StagedFault) => FaultContent,
): void {
  for (const fault of found) {
    const { line, place } = fault;
    faults.add({ line, kind, place, ...contentOf(fault) });
  }
}
