import { importWrites } from "../data/spreadsheet/staff-writes.ts";
import { bookingWrites } from "../domain/bookings/staff-writes.ts";
import { clientWrites } from "../domain/clients/staff-writes.ts";
import { contractWrites } from "../domain/contracts/staff-writes.ts";
import { keyWrites } from "../domain/keys/staff-writes.ts";
import { locationWrites } from "../domain/locations/staff-writes.ts";
import { moneyWrites } from "../domain/money/staff-writes.ts";
import { passkeyWrites } from "../domain/passkeys/staff-writes.ts";
import { planWrites } from "../domain/plans/staff-writes.ts";
import { privacyWrites } from "../domain/privacy/staff-writes.ts";
import { resourceWrites } from "../domain/resources/staff-writes.ts";
import { scheduleWrites } from "../domain/schedules/staff-writes.ts";
import { serviceGroupWrites } from "../domain/service-groups/staff-writes.ts";
import { serviceTypeWrites } from "../domain/service-types/staff-writes.ts";
import { locationSessionWrites } from "../domain/sessions/location-writes.ts";
import { serviceTypeSessionWrites } from "../domain/sessions/service-type-writes.ts";
import { sessionWrites } from "../domain/sessions/staff-writes.ts";
import { settingsWrites } from "../domain/settings/staff-writes.ts";
import { ownSignInWrites, staffMemberWrites } from "../domain/staff/staff-writes.ts";
import type { StaffWrite } from "../domain/writes/staff-write.ts";
import { calendarLinkWrites } from "../sync/calendar-links/staff-writes.ts";
import { webhookWrites } from "../sync/webhooks/staff-writes.ts";

/** What people do to their own account. The command line has none of it: the operator has no account. */
export const OWN_WRITES: readonly StaffWrite[] = [...ownSignInWrites, ...passkeyWrites];

/** Every other write of the application, slice by slice. To offer one more, a slice adds it to its list. */
export const STAFF_WRITES: readonly StaffWrite[] = [
  ...staffMemberWrites,
  ...settingsWrites,
  ...keyWrites,
  ...calendarLinkWrites,
  ...locationWrites,
  ...locationSessionWrites,
  ...serviceGroupWrites,
  ...serviceTypeWrites,
  ...serviceTypeSessionWrites,
  ...resourceWrites,
  ...planWrites,
  ...clientWrites,
  ...contractWrites,
  ...moneyWrites,
  ...scheduleWrites,
  ...sessionWrites,
  ...bookingWrites,
  ...privacyWrites,
  ...importWrites,
  ...webhookWrites,
];
