import { bookingWrites } from "../bookings/staff-writes.ts";
import { clientWrites } from "../clients/staff-writes.ts";
import { contractWrites } from "../contracts/staff-writes.ts";
import { keyWrites } from "../keys/staff-writes.ts";
import { locationWrites } from "../locations/staff-writes.ts";
import { organizationWrites } from "../organizations/staff-writes.ts";
import { passkeyWrites } from "../passkeys/staff-writes.ts";
import { planWrites } from "../plans/staff-writes.ts";
import { privacyWrites } from "../privacy/staff-writes.ts";
import { resourceWrites } from "../resources/staff-writes.ts";
import { scheduleWrites } from "../schedules/staff-writes.ts";
import { serviceGroupWrites } from "../service-groups/staff-writes.ts";
import { serviceTypeWrites } from "../service-types/staff-writes.ts";
import { sessionWrites } from "../sessions/staff-writes.ts";
import type { StaffWrite } from "./staff-write.ts";
import { staffMemberWrites } from "./staff-writes.ts";

/** What people do to their own account. The command line has none of it: the operator has no account. */
export const OWN_WRITES: readonly StaffWrite[] = passkeyWrites;

/** Every other write of the application, slice by slice. To offer one more, a slice adds it to its list. */
export const STAFF_WRITES: readonly StaffWrite[] = [
  ...staffMemberWrites,
  ...organizationWrites,
  ...keyWrites,
  ...locationWrites,
  ...serviceGroupWrites,
  ...serviceTypeWrites,
  ...resourceWrites,
  ...planWrites,
  ...clientWrites,
  ...contractWrites,
  ...scheduleWrites,
  ...sessionWrites,
  ...bookingWrites,
  ...privacyWrites,
];
