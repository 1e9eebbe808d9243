// Made by `npm run console:types` from /app/openapi.json. Not to be edited.

export interface Schemas {
  Address: {
    readonly city?: string;
    readonly country?: string;
    readonly line1?: string;
    readonly line2?: string;
    readonly postalCode?: string;
    readonly state?: string;
  };
  AddressInput: {
    readonly city?: string;
    readonly country?: string;
    readonly line1?: string;
    readonly line2?: string;
    readonly postalCode?: string;
    readonly state?: string;
  };
  AddressPatch: {
    readonly city?: string | null;
    readonly country?: string | null;
    readonly line1?: string | null;
    readonly line2?: string | null;
    readonly postalCode?: string | null;
    readonly state?: string | null;
  } | null;
  AttendanceByWeek: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["WeekOfVisits"])[];
    readonly total: number;
  };
  BookedSlot: {
    readonly originalStart: string;
    readonly bookingId?: string;
    readonly reason?: string;
  };
  Booking: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
  };
  ChangeCount: {
    readonly contracts: number;
    readonly sessions: number;
    readonly bookings: number;
    readonly creditsReturned: number;
    readonly promoted: number;
  };
  ChangeCounts: {
    readonly contracts: number;
    readonly sessions: number;
    readonly bookings: number;
    readonly creditsReturned: number;
    readonly promoted: number;
  };
  Client: {
    readonly $schema?: string;
    readonly id: string;
    readonly contactName: string;
    readonly contactEmail?: string;
    readonly contactPhone?: string;
    readonly birthdate?: string;
    readonly address: Schemas["Address"];
    readonly idDocument?: Schemas["IDDocument"];
    readonly locationIds?: readonly (string)[];
    readonly notes?: string;
    readonly status: "active" | "archived";
    readonly createdAt: string;
    readonly updatedAt: string;
  };
  ClientAuditEntry: {
    readonly id: string;
    readonly at: string;
    readonly actor: string;
    readonly action: string;
    readonly contractId?: string;
    readonly sessionId?: string;
    readonly subjectId?: string;
    readonly reason?: string;
    readonly details: Record<never, never>;
  };
  ClientContracts: {
    readonly $schema?: string;
    readonly today: string;
    readonly data: readonly (Schemas["ListedContract"])[];
    readonly total: number;
    readonly erasedAt?: string;
  };
  ClientExport: {
    readonly $schema?: string;
    readonly exportedAt: string;
    readonly client: Schemas["Client"];
    readonly contracts: readonly (Schemas["StaffContract"])[];
    readonly bookings: readonly (Schemas["ExportedBooking"])[];
    readonly waiting: readonly (Schemas["ExportedWaiting"])[];
    readonly auditEntries: readonly (Schemas["ClientAuditEntry"])[];
  };
  Confirmed: {
    readonly $schema?: string;
    readonly confirmedUntil: string;
  };
  Contract: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly planId?: string;
    readonly planName: string;
    readonly priceCents: number;
    readonly currency: string;
    readonly isTrial: boolean;
    readonly billingKind: "recurring" | "one_time";
    readonly billingInterval?: "week" | "month" | "quarter" | "year";
    readonly startDate: string;
    readonly endDate?: string;
    readonly status: "active" | "paused" | "cancelled" | "expired";
    readonly accessBlocked: boolean;
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly cancelledAt?: string;
    readonly termsResponse?: "accepted" | "declined";
    readonly termsRespondedAt?: string;
    readonly entitlements: readonly (Schemas["ContractEntitlement"])[];
    readonly createdAt: string;
    readonly updatedAt: string;
  };
  ContractEntitlement: {
    readonly id: string;
    readonly type: "access" | "credits";
    readonly period?: "day" | "week" | "month";
    readonly maxVisitsPerPeriod?: number;
    readonly remainingCredits?: number;
    readonly serviceTypeId?: string;
    readonly serviceGroupId?: string;
    readonly revokedAt?: string;
  };
  ContractPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Contract"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  ContractPause: {
    readonly id: string;
    readonly firstDay: string;
    readonly lastDay?: string;
    readonly extendsTerm: boolean;
  };
  Coverage: {
    readonly $schema?: string;
    readonly covered: boolean;
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly choices: readonly (Schemas["CoverageChoice"])[];
    readonly reasons: readonly (Schemas["CoverageReason"])[];
  };
  CoverageChoice: {
    readonly contractId: string;
    readonly entitlementId: string;
    readonly planName: string;
    readonly type: "access" | "credits";
    readonly remainingCredits?: number;
    readonly endDate?: string;
  };
  CoverageReason: {
    readonly contractId: string;
    readonly entitlementId?: string;
    readonly planName: string;
    readonly reason: string;
  };
  DayOfKey: {
    readonly keyId: string;
    readonly name?: string;
    readonly day: string;
    readonly requests: number;
    readonly refused: number;
  };
  DeletedSchedule: {
    readonly $schema?: string;
    readonly id: string;
  };
  Ending: {
    readonly data: readonly (Schemas["EndingContract"])[];
    readonly total: number;
  };
  EndingContract: {
    readonly contractId: string;
    readonly clientId: string;
    readonly clientName: string;
    readonly planName: string;
    readonly endDate: string;
  };
  ExportedBooking: {
    readonly id: string;
    readonly sessionId: string;
    readonly startAt: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
  };
  ExportedWaiting: {
    readonly id: string;
    readonly sessionId: string;
    readonly startAt: string;
    readonly joinedAt: string;
    readonly leftAt?: string;
    readonly bookingId?: string;
  };
  FoundPerson: {
    readonly id: string;
    readonly contactName: string;
    readonly contactEmail?: string;
    readonly contactPhone?: string;
    readonly status: "active" | "archived";
    readonly contracts: readonly (Schemas["RunningContract"])[];
  };
  HourOfWeek: {
    readonly weekday: number;
    readonly hour: number;
    readonly sessions: number;
    readonly capacity: number;
    readonly booked: number;
  };
  IDDocument: {
    readonly type: "cpf" | "other";
    readonly value: string;
  };
  IDDocumentInput: {
    readonly type: "cpf" | "other";
    readonly value: string;
  };
  IDDocumentPatch: {
    readonly type?: "cpf" | "other";
    readonly value?: string;
  } | null;
  KeyUseByDay: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["DayOfKey"])[];
    readonly total: number;
  };
  LinkedStaff: {
    readonly $schema?: string;
    readonly staff: Schemas["Staff"];
    readonly link?: string;
    readonly expiresAt?: string;
  };
  ListedContract: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly planId?: string;
    readonly planName: string;
    readonly priceCents: number;
    readonly currency: string;
    readonly isTrial: boolean;
    readonly billingKind: "recurring" | "one_time";
    readonly billingInterval?: "week" | "month" | "quarter" | "year";
    readonly startDate: string;
    readonly endDate?: string;
    readonly status: "active" | "paused" | "cancelled" | "expired";
    readonly accessBlocked: boolean;
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly cancelledAt?: string;
    readonly termsResponse?: "accepted" | "declined";
    readonly termsRespondedAt?: string;
    readonly entitlements: readonly (Schemas["ListedEntitlement"])[];
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly terms?: string;
    readonly pauses: readonly (Schemas["ContractPause"])[];
    readonly locationNames: readonly (string)[];
    readonly cancelledHere: boolean;
  };
  ListedEntitlement: {
    readonly id: string;
    readonly type: "access" | "credits";
    readonly period?: "day" | "week" | "month";
    readonly maxVisitsPerPeriod?: number;
    readonly remainingCredits?: number;
    readonly serviceTypeId?: string;
    readonly serviceGroupId?: string;
    readonly revokedAt?: string;
    readonly serviceTypeName?: string;
    readonly serviceGroupName?: string;
    readonly visitsInPeriod?: number;
  };
  ListedSchedule: {
    readonly id: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly resourceIds?: readonly (string)[];
    readonly start: string;
    readonly durationMinutes: number;
    readonly capacity: number;
    readonly rrule?: string;
    readonly exdates?: readonly (string)[];
    readonly rdates?: readonly (string)[];
    readonly continuesId?: string;
    readonly lastSlot?: string;
  };
  Location: {
    readonly id: string;
    readonly name: string;
    readonly address?: string;
    readonly status: "active" | "closed";
    readonly timezone: string;
  };
  LocationList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Location"])[];
    readonly total: number;
  };
  Me: {
    readonly $schema?: string;
    readonly staff: Schemas["Staff"];
    readonly organization: {
      readonly id: string;
      readonly name: string;
      readonly timezone: string;
      readonly currency: string;
    };
    readonly confirmedUntil?: string;
  };
  MembersByMonth: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["MonthOfMembers"])[];
    readonly total: number;
  };
  MonthOfMembers: {
    readonly month: string;
    readonly day: string;
    readonly members: number;
    readonly began: number;
    readonly ended: number;
  };
  NamedCalendarSession: {
    readonly id?: string;
    readonly scheduleId?: string;
    readonly originalStart?: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly resourceIds?: readonly (string)[];
    readonly startAt: string;
    readonly endAt: string;
    readonly capacity: number;
    readonly bookedCount: number;
    readonly status: "scheduled" | "cancelled";
    readonly resourceNames?: readonly (string)[];
    readonly serviceTypeName?: string;
    readonly locationName?: string;
    readonly localStart?: string;
    readonly localEnd?: string;
    readonly timezone?: string;
    readonly waiting: number;
  };
  NewStaffKey: {
    readonly id: string;
    readonly name?: string;
    readonly status: "active" | "expired" | "revoked";
    readonly createdAt: string;
    readonly expiresAt?: string;
    readonly revokedAt?: string;
    readonly lastUsedAt?: string;
    readonly key?: string;
  };
  OpenBooking: {
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
    readonly clientName: string;
    readonly planName?: string;
    readonly startAt: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly localStart: string;
    readonly localEnd: string;
    readonly timezone: string;
    readonly sessionStatus: "scheduled" | "cancelled";
    readonly clientEmail?: string;
    readonly clientPhone?: string;
  };
  OrganizationSettings: {
    readonly cancelWindowMinutes: number;
    readonly checkInOpensMinutes: number;
    readonly weekStart: "monday" | "sunday";
  };
  Overdue: {
    readonly data: readonly (Schemas["EndingContract"])[];
    readonly total: number;
  };
  Passkey: {
    readonly $schema?: string;
    readonly id: string;
    readonly name: string;
    readonly createdAt: string;
    readonly lastUsedAt?: string;
  };
  PasskeyCreation: {
    readonly $schema?: string;
    readonly challenge: string;
    readonly rp: {
      readonly id: string;
      readonly name: string;
    };
    readonly user: {
      readonly id: string;
      readonly name: string;
      readonly displayName: string;
    };
    readonly pubKeyCredParams: readonly ({
      readonly type: "public-key";
      readonly alg: number;
    })[];
    readonly timeout: number;
    readonly excludeCredentials: readonly ({
      readonly type: "public-key";
      readonly id: string;
    })[];
    readonly authenticatorSelection: {
      readonly residentKey: "required";
      readonly requireResidentKey: boolean;
      readonly userVerification: "required";
    };
    readonly attestation: "none";
  };
  PasskeyList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Passkey"])[];
    readonly total: number;
  };
  PasskeyRequest: {
    readonly $schema?: string;
    readonly challenge: string;
    readonly rpId: string;
    readonly timeout: number;
    readonly userVerification: "required";
  };
  People: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["FoundPerson"])[];
    readonly total: number;
  };
  Plan: {
    readonly $schema?: string;
    readonly id: string;
    readonly name: string;
    readonly status: "active" | "archived";
    readonly billingKind: "recurring" | "one_time";
    readonly billingInterval?: "week" | "month" | "quarter" | "year";
    readonly durationCount?: number;
    readonly durationUnit?: "day" | "week" | "month" | "year";
    readonly priceCents: number;
    readonly currency: string;
    readonly isTrial: boolean;
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly terms?: string;
    readonly entitlements: readonly (Schemas["PlanEntitlement"])[];
    readonly createdAt: string;
    readonly updatedAt: string;
  };
  PlanContracts: {
    readonly planId: string;
    readonly running: number;
    readonly sold: number;
  };
  PlanContractsList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["PlanContracts"])[];
    readonly total: number;
  };
  PlanEntitlement: {
    readonly type: "access" | "credits";
    readonly period?: "day" | "week" | "month";
    readonly maxVisitsPerPeriod?: number;
    readonly creditQuantity?: number;
    readonly serviceTypeId?: string;
    readonly serviceGroupId?: string;
  };
  PlanPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Plan"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  Problem: {
    readonly $schema?: string;
    readonly title: string;
    readonly status: number;
    readonly code: "malformed" | "unauthorized" | "payment_required" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "timeout" | "conflict" | "in_progress" | "gone" | "precondition_failed" | "too_large" | "unsupported_media_type" | "invalid" | "precondition_required" | "rate_limited" | "headers_too_large" | "internal" | "not_implemented" | "unavailable";
    readonly detail: string;
    readonly errors?: readonly ({
      readonly location: string;
      readonly code: string;
      readonly params?: Readonly<Record<string, string | number | readonly (string)[]>>;
      readonly message: string;
    })[];
    readonly clientId?: string;
    readonly clientStatus?: "active" | "archived";
    readonly reason?: "signed_out" | "wrong_sign_in" | "too_many_tries" | "link_used" | "stale_sign_in" | "not_allowed" | "wrong_location" | "wrong_origin" | "insecure_address" | "no_location" | "no_service_group" | "no_resource" | "no_schedule" | "no_session" | "no_booking" | "no_waiting" | "no_staff" | "no_key" | "no_passkey" | "passkey_refused" | "passkey_known" | "too_many_passkeys" | "key_not_active" | "key_reused" | "last_owner" | "email_taken" | "in_use" | "has_bookings" | "archived_client" | "erased_client" | "still_member" | "plan_archived" | "price_needs_manager" | "trial_used" | "already_drawn" | "sale_too_old" | "already_undone" | "no_terms" | "terms_accepted" | "contract_over" | "cancellation_set" | "not_cancelled_here" | "pause_overlaps" | "pause_visited" | "no_slot" | "schedule_over" | "session_cancelled" | "session_begun" | "record_closed" | "below_seats" | "checked_in" | "no_unnamed" | "full" | "seat_free" | "resource_busy" | "not_covered" | "blocked" | "too_early" | "already_booked" | "already_waiting" | "not_offered" | "already_ended" | "is_covered" | "sheet_unclear" | "sheet_faulty";
    readonly capacity?: number;
    readonly bookedCount?: number;
    readonly waiting?: number;
    readonly sessions?: number;
    readonly bookings?: number;
    readonly uses?: readonly ({
      readonly kind: "clients" | "contracts" | "plans" | "schedules" | "sessions" | "serviceGroups" | "serviceTypes" | "staff";
      readonly count: number;
    })[];
    readonly resourceId?: string;
    readonly sessionId?: string;
    readonly scheduleId?: string;
    readonly originalStart?: string;
    readonly reasons?: readonly ({
      readonly contractId: string;
      readonly entitlementId?: string;
      readonly reason: string;
    })[];
  };
  RecordedWrite: {
    readonly $schema?: string;
    readonly id: string;
    readonly at: string;
    readonly actor: string;
    readonly actorName?: string;
    readonly action: string;
    readonly clientId?: string;
    readonly clientName?: string;
    readonly contractId?: string;
    readonly planName?: string;
    readonly sessionId?: string;
    readonly sessionName?: string;
    readonly sessionStart?: string;
    readonly subjectId?: string;
    readonly subjectName?: string;
    readonly reason?: string;
    readonly details: unknown;
    readonly undoneBy?: string;
    readonly undo?: Schemas["UndoStep"];
  };
  RecordedWritePage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["RecordedWrite"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  Resource: {
    readonly id: string;
    readonly name: string;
    readonly kind: "person" | "room" | "equipment";
    readonly status: "active" | "archived";
  };
  ResourceList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Resource"])[];
    readonly total: number;
  };
  Roster: {
    readonly $schema?: string;
    readonly session: Schemas["RosterSession"];
    readonly bookings: readonly (Schemas["RosterBooking"])[];
    readonly waiting: readonly (Schemas["RosterWaiting"])[];
    readonly unnamed: number;
    readonly checkInFrom: string;
    readonly freeUntil: string;
    readonly recordClosesAt: string;
    readonly now: string;
  };
  RosterBooking: {
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
    readonly clientName: string;
    readonly planName?: string;
  };
  RosterSession: {
    readonly id?: string;
    readonly scheduleId?: string;
    readonly originalStart?: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly resourceIds?: readonly (string)[];
    readonly startAt: string;
    readonly endAt: string;
    readonly capacity: number;
    readonly bookedCount: number;
    readonly status: "scheduled" | "cancelled";
    readonly resourceNames?: readonly (string)[];
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly localStart: string;
    readonly localEnd: string;
    readonly timezone: string;
  };
  RosterWaiting: {
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly position?: number;
    readonly joinedAt: string;
    readonly clientName: string;
  };
  RunningContract: {
    readonly id: string;
    readonly planName: string;
    readonly status: "active" | "paused";
    readonly endDate?: string;
    readonly accessBlocked: boolean;
  };
  Schedule: {
    readonly $schema?: string;
    readonly id: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly resourceIds?: readonly (string)[];
    readonly start: string;
    readonly durationMinutes: number;
    readonly capacity: number;
    readonly rrule?: string;
    readonly exdates?: readonly (string)[];
    readonly rdates?: readonly (string)[];
    readonly continuesId?: string;
    readonly lastSlot?: string;
  };
  SchedulePage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ListedSchedule"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  ServiceGroup: {
    readonly id: string;
    readonly name: string;
    readonly serviceTypeIds: readonly (string)[];
  };
  ServiceGroupList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ServiceGroup"])[];
    readonly total: number;
  };
  ServiceType: {
    readonly $schema?: string;
    readonly id: string;
    readonly name: string;
    readonly description?: string;
    readonly holdsResource: boolean;
    readonly status: "active" | "archived";
    readonly createdAt: string;
    readonly updatedAt: string;
  };
  ServiceTypePage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ServiceType"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  SessionOfToday: {
    readonly session: Schemas["RosterSession"];
    readonly bookings: readonly (Schemas["RosterBooking"])[];
    readonly waiting: readonly (Schemas["RosterWaiting"])[];
    readonly unnamed: number;
    readonly checkInFrom: string;
    readonly freeUntil: string;
    readonly recordClosesAt: string;
  };
  SheetReading: {
    readonly $schema?: string;
    readonly format?: {
      readonly kind: "text" | "workbook";
      readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | "macintosh";
      readonly delimiter?: "," | ";" | "tab" | "|" | "none";
      readonly worksheet?: string;
      readonly worksheets?: readonly (string)[];
    };
    readonly headerRow?: number;
    readonly isDownload: boolean;
    readonly columns: readonly ({
      readonly name: string;
      readonly as?: "contactName" | "fullName" | "firstName" | "lastName" | "contactEmail" | "mobilePhone" | "contactPhone" | "birthdate" | "cpf" | "document" | "location" | "status" | "notes" | "address.line1" | "address.line2" | "address.city" | "address.state" | "address.postalCode" | "address.country" | "id" | "idDocument.type";
      readonly samples: readonly (string)[];
    })[];
    readonly questions: readonly ({
      readonly code: string;
      readonly message: string;
      readonly columns: readonly (string)[];
    })[];
    readonly remarks: readonly ({
      readonly code: string;
      readonly message: string;
    })[];
    readonly counts?: {
      readonly rows: number;
      readonly fresh: number;
      readonly known: number;
      readonly updating: number;
      readonly faulty: number;
    };
    readonly faultyRows: readonly ({
      readonly row: number;
      readonly cells: readonly (string)[];
      readonly isCut: boolean;
      readonly faults: readonly ({
        readonly code: string;
        readonly message: string;
        readonly column?: number;
      })[];
    })[];
    readonly locations: readonly ({
      readonly id: string;
      readonly name: string;
    })[];
  };
  SignedIn: {
    readonly $schema?: string;
    readonly staff?: Schemas["Staff"];
    readonly organizations?: readonly ({
      readonly id: string;
      readonly name: string;
    })[];
  };
  SignedOut: {
    readonly $schema?: string;
    readonly signedOut: boolean;
  };
  Slot: {
    readonly originalStart: string;
    readonly localStart: string;
    readonly localEnd?: string;
    readonly startAt: string;
    readonly offset: string;
    readonly clockChange?: "skipped" | "repeated";
  };
  Slots: {
    readonly $schema?: string;
    readonly timezone: string;
    readonly data: readonly (Schemas["Slot"])[];
    readonly hasMore: boolean;
  };
  Staff: {
    readonly $schema?: string;
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly role: "front_desk" | "manager" | "owner";
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly status: "invited" | "active" | "removed";
  };
  StaffCalendar: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["NamedCalendarSession"])[];
    readonly total: number;
  };
  StaffClient: {
    readonly $schema?: string;
    readonly id: string;
    readonly contactName: string;
    readonly contactEmail?: string;
    readonly contactPhone?: string;
    readonly birthdate?: string;
    readonly address: Schemas["Address"];
    readonly idDocument?: Schemas["IDDocument"];
    readonly locationIds?: readonly (string)[];
    readonly notes?: string;
    readonly status: "active" | "archived";
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly contracts: readonly (Schemas["RunningContract"])[];
  };
  StaffClientPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["StaffClient"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  StaffContract: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly planId?: string;
    readonly planName: string;
    readonly priceCents: number;
    readonly currency: string;
    readonly isTrial: boolean;
    readonly billingKind: "recurring" | "one_time";
    readonly billingInterval?: "week" | "month" | "quarter" | "year";
    readonly startDate: string;
    readonly endDate?: string;
    readonly status: "active" | "paused" | "cancelled" | "expired";
    readonly accessBlocked: boolean;
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly cancelledAt?: string;
    readonly termsResponse?: "accepted" | "declined";
    readonly termsRespondedAt?: string;
    readonly entitlements: readonly (Schemas["ContractEntitlement"])[];
    readonly createdAt: string;
    readonly updatedAt: string;
    readonly terms?: string;
    readonly pauses: readonly (Schemas["ContractPause"])[];
  };
  StaffKey: {
    readonly id: string;
    readonly name?: string;
    readonly status: "active" | "expired" | "revoked";
    readonly createdAt: string;
    readonly expiresAt?: string;
    readonly revokedAt?: string;
    readonly lastUsedAt?: string;
  };
  StaffKeyList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["StaffKey"])[];
    readonly total: number;
  };
  StaffList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Staff"])[];
    readonly total: number;
  };
  StaffSession: {
    readonly $schema?: string;
    readonly id?: string;
    readonly scheduleId?: string;
    readonly originalStart?: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly resourceIds?: readonly (string)[];
    readonly startAt: string;
    readonly endAt: string;
    readonly capacity: number;
    readonly bookedCount: number;
    readonly status: "scheduled" | "cancelled";
  };
  StaffSettings: {
    readonly $schema?: string;
    readonly cancelWindowMinutes: number;
    readonly checkInOpensMinutes: number;
    readonly weekStart: "monday" | "sunday";
  };
  TimetableUse: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["HourOfWeek"])[];
    readonly total: number;
  };
  ToTell: {
    readonly data: readonly (Schemas["OpenBooking"])[];
    readonly total: number;
  };
  Today: {
    readonly $schema?: string;
    readonly date: string;
    readonly now: string;
    readonly sessions: readonly (Schemas["SessionOfToday"])[];
  };
  Todo: {
    readonly $schema?: string;
    readonly toTell: Schemas["ToTell"];
    readonly uncovered: Schemas["Uncovered"];
    readonly unmarked: Schemas["Unmarked"];
    readonly ending: Schemas["Ending"];
    readonly overdue: Schemas["Overdue"];
  };
  Uncovered: {
    readonly data: readonly (Schemas["OpenBooking"])[];
    readonly total: number;
  };
  UndoStep: {
    readonly operation: string;
    readonly input: unknown;
  };
  Unmarked: {
    readonly data: readonly (Schemas["UnmarkedSession"])[];
    readonly total: number;
  };
  UnmarkedSession: {
    readonly sessionId: string;
    readonly startAt: string;
    readonly serviceTypeId: string;
    readonly locationId: string;
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly localStart: string;
    readonly localEnd: string;
    readonly timezone: string;
    readonly bookings: number;
  };
  Versions: {
    readonly $schema?: string;
    readonly versions: string;
  };
  Visit: {
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
    readonly startAt: string;
    readonly localStart: string;
    readonly timezone: string;
    readonly serviceTypeId: string;
    readonly serviceTypeName: string;
    readonly locationId: string;
    readonly locationName: string;
    readonly planName?: string;
  };
  VisitPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Visit"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  Waiting: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly position?: number;
    readonly joinedAt: string;
  };
  WeekOfVisits: {
    readonly firstDay: string;
    readonly attended: number;
    readonly noShows: number;
    readonly lateCancelled: number;
    readonly unmarked: number;
  };
}

/** Reads by their path. */
export interface Reads {
  "/app/v1/versions": {
    params: Record<never, never>;
    query: {
      readonly after?: string;
      readonly wait?: number;
    };
    answer: Schemas["Versions"];
  };
  "/app/v1/me": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["Me"];
  };
  "/app/v1/settings": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["StaffSettings"];
  };
  "/app/v1/staff": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["StaffList"];
  };
  "/app/v1/passkeys": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["PasskeyList"];
  };
  "/app/v1/keys": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["StaffKeyList"];
  };
  "/app/v1/locations": {
    params: Record<never, never>;
    query: {
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["LocationList"];
  };
  "/app/v1/service-groups": {
    params: Record<never, never>;
    query: {
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["ServiceGroupList"];
  };
  "/app/v1/service-types": {
    params: Record<never, never>;
    query: {
      readonly query?: string;
      readonly status?: "active" | "archived";
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly updatedSince?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["ServiceTypePage"];
  };
  "/app/v1/service-types/{id}": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["ServiceType"];
  };
  "/app/v1/resources": {
    params: Record<never, never>;
    query: {
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["ResourceList"];
  };
  "/app/v1/plans": {
    params: Record<never, never>;
    query: {
      readonly query?: string;
      readonly status?: "active" | "archived";
      readonly billingKind?: "recurring" | "one_time";
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly updatedSince?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["PlanPage"];
  };
  "/app/v1/plans/{id}": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["Plan"];
  };
  "/app/v1/plan-contracts": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["PlanContractsList"];
  };
  "/app/v1/clients": {
    params: Record<never, never>;
    query: {
      readonly query?: string;
      readonly status?: "active" | "archived";
      readonly locationId?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly updatedSince?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["StaffClientPage"];
  };
  "/app/v1/clients/{id}": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["Client"];
  };
  "/app/v1/people": {
    params: Record<never, never>;
    query: {
      readonly query: string;
      readonly status?: "active" | "archived";
      readonly limit?: number;
    };
    answer: Schemas["People"];
  };
  "/app/v1/contracts": {
    params: Record<never, never>;
    query: {
      readonly clientId?: string;
      readonly locationId?: string;
      readonly status?: "active" | "paused" | "cancelled" | "expired";
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly updatedSince?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["ContractPage"];
  };
  "/app/v1/contracts/{id}": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["StaffContract"];
  };
  "/app/v1/clients/{id}/contracts": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["ClientContracts"];
  };
  "/app/v1/roster": {
    params: Record<never, never>;
    query: {
      readonly sessionId?: string;
      readonly scheduleId?: string;
      readonly originalStart?: string;
    };
    answer: Schemas["Roster"];
  };
  "/app/v1/today": {
    params: Record<never, never>;
    query: {
      readonly locationId?: string;
    };
    answer: Schemas["Today"];
  };
  "/app/v1/todo": {
    params: Record<never, never>;
    query: {
      readonly locationId?: string;
    };
    answer: Schemas["Todo"];
  };
  "/app/v1/coverage": {
    params: Record<never, never>;
    query: {
      readonly clientId: string;
      readonly sessionId?: string;
      readonly scheduleId?: string;
      readonly originalStart?: string;
    };
    answer: Schemas["Coverage"];
  };
  "/app/v1/clients/{id}/visits": {
    params: {
      readonly id: string;
    };
    query: {
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
    };
    answer: Schemas["VisitPage"];
  };
  "/app/v1/schedules": {
    params: Record<never, never>;
    query: {
      readonly locationId?: string;
      readonly serviceTypeId?: string;
      readonly endsFrom?: string;
      readonly endsBefore?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
    };
    answer: Schemas["SchedulePage"];
  };
  "/app/v1/schedules/{id}": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["Schedule"];
  };
  "/app/v1/slots": {
    params: Record<never, never>;
    query: {
      readonly start: string;
      readonly rrule?: string;
      readonly exdates?: string;
      readonly rdates?: string;
      readonly durationMinutes?: number;
      readonly locationId?: string;
      readonly timezone?: string;
      readonly limit?: number;
    };
    answer: Schemas["Slots"];
  };
  "/app/v1/calendar": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly to: string;
      readonly locationId?: string;
      readonly serviceTypeId?: string;
      readonly scheduleId?: string;
      readonly resourceId?: string;
    };
    answer: Schemas["StaffCalendar"];
  };
  "/app/v1/overview/members": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
    };
    answer: Schemas["MembersByMonth"];
  };
  "/app/v1/overview/timetable": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly to: string;
      readonly locationId?: string;
      readonly serviceTypeId?: string;
    };
    answer: Schemas["TimetableUse"];
  };
  "/app/v1/overview/attendance": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
    };
    answer: Schemas["AttendanceByWeek"];
  };
  "/app/v1/overview/keys": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
    };
    answer: Schemas["KeyUseByDay"];
  };
  "/app/v1/audit": {
    params: Record<never, never>;
    query: {
      readonly clientId?: string;
      readonly contractId?: string;
      readonly sessionId?: string;
      readonly staffId?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
    };
    answer: Schemas["RecordedWritePage"];
  };
}

/** Writes by the name of their operation. */
export interface Writes {
  signIn: {
    input: {
      readonly email: string;
      readonly password: string;
      readonly organizationId?: string;
    };
    result: {
      readonly $schema?: string;
      readonly staff?: Schemas["Staff"];
      readonly organizations?: readonly ({
        readonly id: string;
        readonly name: string;
      })[];
    };
  };
  acceptLink: {
    input: {
      readonly token: string;
      readonly name?: string;
      readonly password: string;
    };
    result: {
      readonly $schema?: string;
      readonly staff?: Schemas["Staff"];
      readonly organizations?: readonly ({
        readonly id: string;
        readonly name: string;
      })[];
    };
  };
  confirmPassword: {
    input: {
      readonly password: string;
    };
    result: {
      readonly $schema?: string;
      readonly confirmedUntil: string;
    };
  };
  signOut: {
    input: Record<never, never>;
    result: {
      readonly $schema?: string;
      readonly signedOut: boolean;
    };
  };
  beginPasskey: {
    input: Record<never, never>;
    result: {
      readonly $schema?: string;
      readonly challenge: string;
      readonly rp: {
        readonly id: string;
        readonly name: string;
      };
      readonly user: {
        readonly id: string;
        readonly name: string;
        readonly displayName: string;
      };
      readonly pubKeyCredParams: readonly ({
        readonly type: "public-key";
        readonly alg: number;
      })[];
      readonly timeout: number;
      readonly excludeCredentials: readonly ({
        readonly type: "public-key";
        readonly id: string;
      })[];
      readonly authenticatorSelection: {
        readonly residentKey: "required";
        readonly requireResidentKey: boolean;
        readonly userVerification: "required";
      };
      readonly attestation: "none";
    };
  };
  beginPasskeySignIn: {
    input: Record<never, never>;
    result: {
      readonly $schema?: string;
      readonly challenge: string;
      readonly rpId: string;
      readonly timeout: number;
      readonly userVerification: "required";
    };
  };
  signInByPasskey: {
    input: {
      readonly id: string;
      readonly response: {
        readonly clientDataJSON: string;
        readonly authenticatorData: string;
        readonly signature: string;
        readonly userHandle: string;
      };
    };
    result: {
      readonly $schema?: string;
      readonly staff?: Schemas["Staff"];
      readonly organizations?: readonly ({
        readonly id: string;
        readonly name: string;
      })[];
    };
  };
  addPasskey: {
    input: {
      readonly name: string;
      readonly credential: {
        readonly id: string;
        readonly response: {
          readonly clientDataJSON: string;
          readonly authenticatorData: string;
          readonly publicKey: string;
        };
      };
    };
    result: Schemas["Passkey"];
  };
  removePasskey: {
    input: {
      readonly passkeyId: string;
    };
    result: Schemas["Passkey"];
  };
  addStaff: {
    input: {
      readonly name: string;
      readonly email: string;
      readonly role: "front_desk" | "manager" | "owner";
      readonly allLocations: boolean;
      readonly locationIds?: readonly (string)[];
    };
    result: Schemas["LinkedStaff"];
  };
  editStaff: {
    input: {
      readonly staffId: string;
      readonly changes: {
        readonly name?: string;
        readonly email?: string;
        readonly role?: "front_desk" | "manager" | "owner";
        readonly allLocations?: boolean;
        readonly locationIds?: readonly (string)[];
      };
    };
    result: Schemas["Staff"];
  };
  linkStaff: {
    input: {
      readonly staffId: string;
    };
    result: Schemas["LinkedStaff"];
  };
  removeStaff: {
    input: {
      readonly staffId: string;
    };
    result: Schemas["Staff"];
  };
  editSettings: {
    input: {
      readonly changes: {
        readonly cancelWindowMinutes?: number;
        readonly checkInOpensMinutes?: number;
        readonly weekStart?: "monday" | "sunday";
      };
    };
    result: Schemas["OrganizationSettings"];
  };
  mintKey: {
    input: {
      readonly name?: string;
      readonly expires?: string;
    };
    result: Schemas["NewStaffKey"];
  };
  rotateKey: {
    input: {
      readonly keyId: string;
      readonly overlap?: string;
    };
    result: Schemas["NewStaffKey"];
  };
  revokeKey: {
    input: {
      readonly keyId: string;
    };
    result: Schemas["StaffKey"];
  };
  addLocation: {
    input: {
      readonly name: string;
      readonly address?: string;
      readonly timezone: string;
    };
    result: Schemas["Location"];
  };
  editLocation: {
    input: {
      readonly locationId: string;
      readonly changes: {
        readonly name?: string;
        readonly address?: string | null;
        readonly timezone?: string;
      };
    };
    result: Schemas["Location"];
  };
  closeLocation: {
    input: {
      readonly locationId: string;
      readonly cancelBooked?: boolean;
    };
    result: Schemas["Location"];
  };
  reopenLocation: {
    input: {
      readonly locationId: string;
    };
    result: Schemas["Location"];
  };
  deleteLocation: {
    input: {
      readonly locationId: string;
    };
    result: {
      readonly id: string;
    };
  };
  addServiceGroup: {
    input: {
      readonly name: string;
      readonly serviceTypeIds: readonly (string)[];
    };
    result: Schemas["ServiceGroup"];
  };
  editServiceGroup: {
    input: {
      readonly serviceGroupId: string;
      readonly changes: {
        readonly name?: string;
        readonly serviceTypeIds?: readonly (string)[];
      };
    };
    result: Schemas["ServiceGroup"];
  };
  deleteServiceGroup: {
    input: {
      readonly serviceGroupId: string;
    };
    result: {
      readonly id: string;
    };
  };
  addServiceType: {
    input: {
      readonly name: string;
      readonly description?: string;
      readonly holdsResource: boolean;
    };
    result: Schemas["ServiceType"];
  };
  editServiceType: {
    input: {
      readonly serviceTypeId: string;
      readonly changes: {
        readonly name?: string;
        readonly description?: string | null;
        readonly holdsResource?: boolean;
      };
    };
    result: Schemas["ServiceType"];
  };
  archiveServiceType: {
    input: {
      readonly serviceTypeId: string;
      readonly cancelBooked?: boolean;
    };
    result: Schemas["ServiceType"];
  };
  restoreServiceType: {
    input: {
      readonly serviceTypeId: string;
    };
    result: Schemas["ServiceType"];
  };
  deleteServiceType: {
    input: {
      readonly serviceTypeId: string;
    };
    result: {
      readonly id: string;
    };
  };
  addResource: {
    input: {
      readonly name: string;
      readonly kind: "person" | "room" | "equipment";
    };
    result: Schemas["Resource"];
  };
  editResource: {
    input: {
      readonly resourceId: string;
      readonly changes: {
        readonly name?: string;
        readonly kind?: "person" | "room" | "equipment";
      };
    };
    result: Schemas["Resource"];
  };
  archiveResource: {
    input: {
      readonly resourceId: string;
    };
    result: Schemas["Resource"];
  };
  restoreResource: {
    input: {
      readonly resourceId: string;
    };
    result: Schemas["Resource"];
  };
  addPlan: {
    input: {
      readonly name: string;
      readonly billingKind: "recurring" | "one_time";
      readonly billingInterval?: "week" | "month" | "quarter" | "year";
      readonly durationCount?: number;
      readonly durationUnit?: "day" | "week" | "month" | "year";
      readonly priceCents: number;
      readonly currency?: string;
      readonly isTrial?: boolean;
      readonly allLocations?: boolean;
      readonly locationIds?: readonly (string)[];
      readonly terms?: string;
      readonly entitlements: readonly ({
        readonly type: "access" | "credits";
        readonly period?: "day" | "week" | "month";
        readonly maxVisitsPerPeriod?: number;
        readonly creditQuantity?: number;
        readonly serviceTypeId?: string;
        readonly serviceGroupId?: string;
      })[];
    };
    result: Schemas["Plan"];
  };
  editPlan: {
    input: {
      readonly planId: string;
      readonly changes: {
        readonly name?: string;
        readonly billingKind?: "recurring" | "one_time";
        readonly billingInterval?: "week" | "month" | "quarter" | "year" | null;
        readonly durationCount?: number | null;
        readonly durationUnit?: "day" | "week" | "month" | "year" | null;
        readonly terms?: string | null;
        readonly priceCents?: number;
        readonly currency?: string;
        readonly isTrial?: boolean;
        readonly allLocations?: boolean;
        readonly locationIds?: readonly (string)[];
        readonly entitlements?: readonly ({
          readonly type: "access" | "credits";
          readonly period?: "day" | "week" | "month";
          readonly maxVisitsPerPeriod?: number;
          readonly creditQuantity?: number;
          readonly serviceTypeId?: string;
          readonly serviceGroupId?: string;
        })[];
      };
      readonly applyTo?: "new" | "all";
    };
    result: Schemas["Plan"];
  };
  archivePlan: {
    input: {
      readonly planId: string;
    };
    result: Schemas["Plan"];
  };
  restorePlan: {
    input: {
      readonly planId: string;
    };
    result: Schemas["Plan"];
  };
  deletePlan: {
    input: {
      readonly planId: string;
    };
    result: {
      readonly id: string;
    };
  };
  addClient: {
    input: {
      readonly contactName: string;
      readonly contactEmail?: string;
      readonly contactPhone?: string;
      readonly birthdate?: string;
      readonly address?: Schemas["AddressInput"];
      readonly idDocument?: Schemas["IDDocumentInput"];
      readonly locationIds?: readonly (string)[];
      readonly notes?: string;
      readonly status?: "active" | "archived";
    };
    result: Schemas["Client"];
  };
  editClient: {
    input: {
      readonly clientId: string;
      readonly changes: {
        readonly contactName?: string;
        readonly contactEmail?: string | null;
        readonly contactPhone?: string | null;
        readonly birthdate?: string | null;
        readonly address?: Schemas["AddressPatch"];
        readonly idDocument?: Schemas["IDDocumentPatch"];
        readonly locationIds?: readonly (string)[] | null;
        readonly notes?: string | null;
        readonly status?: "active" | "archived";
      };
    };
    result: Schemas["Client"];
  };
  archiveClient: {
    input: {
      readonly clientId: string;
    };
    result: Schemas["Client"];
  };
  restoreClient: {
    input: {
      readonly clientId: string;
    };
    result: Schemas["Client"];
  };
  sellContract: {
    input: {
      readonly clientId: string;
      readonly planId: string;
      readonly startDate?: string;
      readonly priceCents?: number;
      readonly locationIds?: readonly (string)[];
      readonly termsResponse?: "accepted" | "declined";
    };
    result: Schemas["StaffContract"];
  };
  voidSale: {
    input: {
      readonly contractId: string;
    };
    result: {
      readonly id: string;
    };
  };
  answerTerms: {
    input: {
      readonly contractId: string;
      readonly termsResponse: "accepted" | "declined";
    };
    result: Schemas["StaffContract"];
  };
  blockAccess: {
    input: {
      readonly contractId: string;
      readonly reason: string;
    };
    result: Schemas["StaffContract"];
  };
  unblockAccess: {
    input: {
      readonly contractId: string;
    };
    result: Schemas["StaffContract"];
  };
  adjustCredits: {
    input: {
      readonly entitlementId: string;
      readonly by: number;
      readonly reason: string;
      readonly undoes?: string;
    };
    result: Schemas["StaffContract"];
  };
  setEndDate: {
    input: {
      readonly contractId: string;
      readonly endDate: string | null;
      readonly reason: string;
    };
    result: Schemas["StaffContract"];
  };
  pauseContract: {
    input: {
      readonly contractId: string;
      readonly firstDay: string;
      readonly lastDay?: string;
      readonly extendsTerm?: boolean;
      readonly reason?: string;
    };
    result: Schemas["StaffContract"];
  };
  endPause: {
    input: {
      readonly contractId: string;
      readonly pauseId?: string;
      readonly firstDayBack: string;
      readonly reason?: string;
    };
    result: Schemas["StaffContract"];
  };
  cancelContract: {
    input: {
      readonly contractId: string;
      readonly now?: boolean;
      readonly lastDay?: string;
      readonly reason: string;
    };
    result: Schemas["StaffContract"];
  };
  reinstateContract: {
    input: {
      readonly contractId: string;
      readonly reason?: string;
    };
    result: Schemas["StaffContract"];
  };
  addSchedule: {
    input: {
      readonly serviceTypeId: string;
      readonly locationId: string;
      readonly resourceIds?: readonly (string)[];
      readonly start: string;
      readonly durationMinutes: number;
      readonly capacity: number;
      readonly rrule?: string;
      readonly exdates?: readonly (string)[];
      readonly rdates?: readonly (string)[];
    };
    result: Schemas["Schedule"];
  };
  editSchedule: {
    input: {
      readonly scheduleId: string;
      readonly from?: string;
      readonly changes: {
        readonly serviceTypeId?: string;
        readonly locationId?: string;
        readonly resourceIds?: readonly (string)[] | null;
        readonly start?: string;
        readonly durationMinutes?: number;
        readonly rrule?: string | null;
        readonly exdates?: readonly (string)[] | null;
        readonly rdates?: readonly (string)[] | null;
        readonly capacity?: number;
      };
      readonly keepBooked?: boolean;
      readonly cancelBooked?: boolean;
    };
    result: Schemas["Schedule"];
  };
  endSchedule: {
    input: {
      readonly scheduleId: string;
      readonly lastDay: string;
      readonly cancelBooked?: boolean;
    };
    result: Schemas["Schedule"];
  };
  deleteSchedule: {
    input: {
      readonly scheduleId: string;
    };
    result: Schemas["DeletedSchedule"];
  };
  addSession: {
    input: {
      readonly serviceTypeId: string;
      readonly locationId: string;
      readonly resourceIds?: readonly (string)[];
      readonly start: string;
      readonly durationMinutes: number;
      readonly capacity: number;
    };
    result: Schemas["StaffSession"];
  };
  editSession: {
    input: {
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
      readonly changes: {
        readonly start?: string;
        readonly durationMinutes?: number;
        readonly locationId?: string;
        readonly resourceIds?: readonly (string)[] | null;
        readonly capacity?: number;
      };
    };
    result: Schemas["StaffSession"];
  };
  cancelSession: {
    input: {
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
      readonly reason: string;
    };
    result: Schemas["StaffSession"];
  };
  reinstateSession: {
    input: {
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
      readonly reason?: string;
    };
    result: Schemas["StaffSession"];
  };
  closeDays: {
    input: {
      readonly locationId: string;
      readonly firstDay: string;
      readonly lastDay: string;
      readonly reason: string;
      readonly cancelBooked?: boolean;
    };
    result: {
      readonly contracts: number;
      readonly sessions: number;
      readonly bookings: number;
      readonly creditsReturned: number;
      readonly promoted: number;
    };
  };
  releaseUnnamed: {
    input: {
      readonly sessionId: string;
      readonly seats: number;
    };
    result: Schemas["StaffSession"];
  };
  book: {
    input: {
      readonly clientId: string;
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
      readonly entitlementId?: string;
      readonly uncovered?: {
        readonly reason: string;
      };
      readonly takeUnnamed?: boolean;
    };
    result: Schemas["Booking"];
  };
  bookMany: {
    input: {
      readonly clientId: string;
      readonly scheduleId: string;
      readonly fromDay: string;
      readonly untilDay: string;
    };
    result: readonly (Schemas["BookedSlot"])[];
  };
  cancelBooking: {
    input: {
      readonly bookingId: string;
      readonly waive?: boolean;
      readonly reason?: string;
    };
    result: Schemas["Booking"];
  };
  restoreBooking: {
    input: {
      readonly bookingId: string;
    };
    result: Schemas["Booking"];
  };
  checkIn: {
    input: {
      readonly clientId: string;
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
      readonly entitlementId?: string;
      readonly uncovered?: {
        readonly reason: string;
      };
    };
    result: Schemas["Booking"];
  };
  setAttendance: {
    input: {
      readonly bookingId: string;
      readonly state: "booked" | "attended" | "no_show";
    };
    result: Schemas["Booking"];
  };
  markRest: {
    input: {
      readonly sessionId: string;
    };
    result: Schemas["ChangeCount"];
  };
  unmarkRest: {
    input: {
      readonly sessionId: string;
      readonly bookingIds: readonly (string)[];
    };
    result: Schemas["ChangeCount"];
  };
  coverBooking: {
    input: {
      readonly bookingId: string;
      readonly entitlementId?: string;
    };
    result: Schemas["Booking"];
  };
  joinWaiting: {
    input: {
      readonly clientId: string;
      readonly session: {
        readonly sessionId?: string;
        readonly scheduleId?: string;
        readonly originalStart?: string;
      };
    };
    result: Schemas["Waiting"];
  };
  leaveWaiting: {
    input: {
      readonly waitingId: string;
    };
    result: Schemas["Waiting"];
  };
  promoteWaiting: {
    input: {
      readonly waitingId: string;
      readonly entitlementId?: string;
      readonly uncovered?: {
        readonly reason: string;
      };
    };
    result: Schemas["Booking"];
  };
  markTold: {
    input: {
      readonly bookingIds: readonly (string)[];
    };
    result: Schemas["ChangeCount"];
  };
  exportClient: {
    input: {
      readonly clientId: string;
    };
    result: Schemas["ClientExport"];
  };
  eraseClient: {
    input: {
      readonly clientId: string;
      readonly basis: string;
    };
    result: Schemas["Client"];
  };
}

/** What is sent with a file, by the name of its operation. */
export interface Uploads {
  readSheet: {
    input: {
      readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | "macintosh";
      readonly delimiter?: "," | ";" | "tab" | "|" | "none";
      readonly worksheet?: string;
      readonly headerRow?: number;
      readonly columns?: readonly ({
        readonly column: number;
        readonly as: "contactName" | "fullName" | "firstName" | "lastName" | "contactEmail" | "mobilePhone" | "contactPhone" | "birthdate" | "cpf" | "document" | "location" | "status" | "notes" | "address.line1" | "address.line2" | "address.city" | "address.state" | "address.postalCode" | "address.country" | "none";
      })[];
      readonly dates?: "dmy" | "mdy";
      readonly locationId?: string;
      readonly fixes?: readonly ({
        readonly row: number;
        readonly column: number;
        readonly value: string;
      })[];
      readonly leaveOut?: readonly (number)[];
      readonly update?: boolean;
    };
    answer: {
      readonly $schema?: string;
      readonly format?: {
        readonly kind: "text" | "workbook";
        readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | "macintosh";
        readonly delimiter?: "," | ";" | "tab" | "|" | "none";
        readonly worksheet?: string;
        readonly worksheets?: readonly (string)[];
      };
      readonly headerRow?: number;
      readonly isDownload: boolean;
      readonly columns: readonly ({
        readonly name: string;
        readonly as?: "contactName" | "fullName" | "firstName" | "lastName" | "contactEmail" | "mobilePhone" | "contactPhone" | "birthdate" | "cpf" | "document" | "location" | "status" | "notes" | "address.line1" | "address.line2" | "address.city" | "address.state" | "address.postalCode" | "address.country" | "id" | "idDocument.type";
        readonly samples: readonly (string)[];
      })[];
      readonly questions: readonly ({
        readonly code: string;
        readonly message: string;
        readonly columns: readonly (string)[];
      })[];
      readonly remarks: readonly ({
        readonly code: string;
        readonly message: string;
      })[];
      readonly counts?: {
        readonly rows: number;
        readonly fresh: number;
        readonly known: number;
        readonly updating: number;
        readonly faulty: number;
      };
      readonly faultyRows: readonly ({
        readonly row: number;
        readonly cells: readonly (string)[];
        readonly isCut: boolean;
        readonly faults: readonly ({
          readonly code: string;
          readonly message: string;
          readonly column?: number;
        })[];
      })[];
      readonly locations: readonly ({
        readonly id: string;
        readonly name: string;
      })[];
    };
  };
  importClients: {
    input: {
      readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | "macintosh";
      readonly delimiter?: "," | ";" | "tab" | "|" | "none";
      readonly worksheet?: string;
      readonly headerRow?: number;
      readonly columns?: readonly ({
        readonly column: number;
        readonly as: "contactName" | "fullName" | "firstName" | "lastName" | "contactEmail" | "mobilePhone" | "contactPhone" | "birthdate" | "cpf" | "document" | "location" | "status" | "notes" | "address.line1" | "address.line2" | "address.city" | "address.state" | "address.postalCode" | "address.country" | "none";
      })[];
      readonly dates?: "dmy" | "mdy";
      readonly locationId?: string;
      readonly fixes?: readonly ({
        readonly row: number;
        readonly column: number;
        readonly value: string;
      })[];
      readonly leaveOut?: readonly (number)[];
      readonly update?: boolean;
      readonly skipFaulty?: boolean;
      readonly dryRun?: boolean;
    };
    answer: {
      readonly $schema?: string;
      readonly auditId?: string;
      readonly dryRun?: boolean;
      readonly result: {
        readonly created: number;
        readonly replaced: number;
        readonly unchanged: number;
        readonly known: number;
        readonly faulty: number;
      };
    };
  };
}
