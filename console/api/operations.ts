// Made by `npm run console:types` from /app/openapi.json. Not to be edited.

export interface Schemas {
  AccountInvoice: {
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly contractId?: string;
    readonly description: string;
    readonly periodFirst?: string;
    readonly periodLast?: string;
    readonly issuedOn: string;
    readonly dueOn: string;
    readonly amountCents: number;
    readonly paidCents: number;
    readonly status: "open" | "paid" | "void";
    readonly isOverdue: boolean;
  };
  AccountLine: {
    readonly day: string;
    readonly invoice?: Schemas["AccountInvoice"];
    readonly payment?: Schemas["AccountPayment"];
  };
  AccountPayment: {
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly type: "payment" | "refund";
    readonly amountCents: number;
    readonly restCents: number;
    readonly method: "cash" | "card" | "transfer" | "pix" | "other";
    readonly paidOn: string;
    readonly note?: string;
    readonly status: "done" | "void";
    readonly allocations: readonly (Schemas["PaymentAllocation"])[];
  };
  AccountSums: {
    readonly $schema?: string;
    readonly clientId: string;
    readonly openCents: number;
    readonly overdueCents: number;
    readonly balanceCents: number;
  };
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
  AttendanceReport: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ReportedSession"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  BookedSlot: {
    readonly scheduleId: string;
    readonly originalStart: string;
    readonly bookingId?: string;
    readonly wasBooked?: boolean;
    readonly reason?: string;
    readonly whyNot?: string;
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
    readonly isCourtesy?: boolean;
    readonly fixedPlaceId?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
  };
  CalendarColors: {
    readonly $schema?: string;
    readonly by: "service" | "teacher" | "none";
    readonly colors: readonly ({
      readonly id: string;
      readonly color: "teal" | "blue" | "violet" | "orange" | "pink" | "green" | "amber" | "red";
    })[];
  };
  CalendarLink: {
    readonly id: string;
    readonly name?: string;
    readonly clientId?: string;
    readonly locationId?: string;
    readonly serviceTypeId?: string;
    readonly resourceId?: string;
    readonly clientName?: string;
    readonly pastDays: number;
    readonly aheadDays: number;
    readonly language: "en" | "pt-BR" | "es";
    readonly showSeats: boolean;
    readonly status: "active" | "expired" | "revoked";
    readonly createdAt: string;
    readonly expiresAt?: string;
    readonly revokedAt?: string;
    readonly lastFetchedAt?: string;
    readonly shownUntil?: string;
  };
  CalendarLinkList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["CalendarLink"])[];
    readonly total: number;
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
  CheckedIn: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly day: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly contractId?: string;
    readonly entitlementId?: string;
    readonly uncoveredReason?: string;
    readonly isCourtesy?: boolean;
    readonly fixedPlaceId?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
    readonly owesSince?: string;
  };
  ClassesGiven: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ClassesOfTeacher"])[];
    readonly total: number;
  };
  ClassesOfTeacher: {
    readonly resourceId?: string;
    readonly name?: string;
    readonly classes: number;
    readonly withoutVisit: number;
    readonly minutes: number;
    readonly booked: number;
    readonly attended: number;
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
  ClientAccount: {
    readonly $schema?: string;
    readonly clientId: string;
    readonly openCents: number;
    readonly overdueCents: number;
    readonly balanceCents: number;
    readonly owesSince?: string;
    readonly lines: readonly (Schemas["AccountLine"])[];
  };
  ClientAuditEntry: {
    readonly id: string;
    readonly at: string;
    readonly actor: string;
    readonly action: string;
    readonly contractId?: string;
    readonly sessionId?: string;
    readonly subjectId?: string;
    readonly requestId?: string;
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
    readonly invoices: readonly (Schemas["ExportedInvoice"])[];
    readonly payments: readonly (Schemas["ExportedPayment"])[];
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
    readonly clientName?: string;
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
  CreditLine: {
    readonly entitlementId: string;
    readonly at: string;
    readonly event: "granted" | "used" | "returned" | "kept" | "adjusted";
    readonly credits: number;
    readonly balance: number;
    readonly actor?: string;
    readonly actorName?: string;
    readonly action?: string;
    readonly reason?: string;
    readonly sessionId?: string;
    readonly serviceTypeName?: string;
    readonly localStart?: string;
  };
  CreditStatement: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["CreditLine"])[];
    readonly total: number;
  };
  DayOfKey: {
    readonly keyId: string;
    readonly name?: string;
    readonly day: string;
    readonly requests: number;
    readonly refused: number;
  };
  Debtor: {
    readonly clientId: string;
    readonly clientName: string;
    readonly clientEmail?: string;
    readonly clientPhone?: string;
    readonly dueOn: string;
    readonly openCents: number;
    readonly overdueCents: number;
  };
  DebtorPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Debtor"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly openCents: number;
    readonly overdueCents: number;
  };
  DeletedSchedule: {
    readonly $schema?: string;
    readonly id: string;
  };
  EndedBooking: {
    readonly bookingId: string;
    readonly localStart: string;
    readonly state: "cancelled" | "late_cancelled";
  };
  EndedSignIns: {
    readonly $schema?: string;
    readonly ended: number;
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
  ExportedInvoice: {
    readonly $schema?: string;
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly contractId?: string;
    readonly description: string;
    readonly periodFirst?: string;
    readonly periodLast?: string;
    readonly issuedOn: string;
    readonly dueOn: string;
    readonly amountCents: number;
    readonly paidCents: number;
    readonly status: "open" | "paid" | "void";
    readonly isOverdue: boolean;
  };
  ExportedPayment: {
    readonly $schema?: string;
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly type: "payment" | "refund";
    readonly amountCents: number;
    readonly restCents: number;
    readonly method: "cash" | "card" | "transfer" | "pix" | "other";
    readonly paidOn: string;
    readonly note?: string;
    readonly status: "done" | "void";
    readonly allocations: readonly (Schemas["PaymentAllocation"])[];
  };
  ExportedWaiting: {
    readonly id: string;
    readonly sessionId: string;
    readonly startAt: string;
    readonly joinedAt: string;
    readonly leftAt?: string;
    readonly bookingId?: string;
  };
  FixedPlace: {
    readonly id: string;
    readonly firstDay: string;
    readonly lastDay: string;
    readonly visits: number;
    readonly places: readonly (Schemas["WeeklyPlace"])[];
  };
  FixedPlaces: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["FixedPlace"])[];
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
  Income: {
    readonly $schema?: string;
    readonly receivedCents: number;
    readonly invoicedCents: number;
    readonly openCents: number;
    readonly months: readonly (Schemas["IncomeOfMonth"])[];
    readonly methods: readonly (Schemas["IncomeByMethod"])[];
    readonly plans: readonly (Schemas["IncomeByPlan"])[];
  };
  IncomeByMethod: {
    readonly method: "cash" | "card" | "transfer" | "pix" | "other";
    readonly receivedCents: number;
    readonly payments: number;
  };
  IncomeByPlan: {
    readonly description: string;
    readonly receivedCents: number;
    readonly invoicedCents: number;
    readonly openCents: number;
  };
  IncomeOfMonth: {
    readonly month: string;
    readonly receivedCents: number;
    readonly invoicedCents: number;
    readonly openCents: number;
  };
  Invoice: {
    readonly $schema?: string;
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly contractId?: string;
    readonly description: string;
    readonly periodFirst?: string;
    readonly periodLast?: string;
    readonly issuedOn: string;
    readonly dueOn: string;
    readonly amountCents: number;
    readonly paidCents: number;
    readonly status: "open" | "paid" | "void";
    readonly isOverdue: boolean;
  };
  InvoicePage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ListedInvoice"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  KeyRequest: {
    readonly at: string;
    readonly keyId: string;
    readonly operation: string;
    readonly status: number;
    readonly milliseconds: number;
    readonly requestId: string;
    readonly code?: string;
    readonly reason?: string;
    readonly errors?: readonly ({
      readonly location: string;
      readonly code: string;
    })[];
    readonly errorCount?: number;
  };
  KeyRequestPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["KeyRequest"])[];
    readonly leftOut: number;
    readonly nextCursor?: string;
  };
  KeyUseByDay: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["DayOfKey"])[];
    readonly total: number;
  };
  LinkFor: {
    readonly $schema?: string;
    readonly name: string;
    readonly email: string;
    readonly organizationName: string;
    readonly expiresAt: string;
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
    readonly isSaleUndoable: boolean;
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
  ListedInvoice: {
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly contractId?: string;
    readonly description: string;
    readonly periodFirst?: string;
    readonly periodLast?: string;
    readonly issuedOn: string;
    readonly dueOn: string;
    readonly amountCents: number;
    readonly paidCents: number;
    readonly status: "open" | "paid" | "void";
    readonly isOverdue: boolean;
    readonly clientName: string;
  };
  ListedPayment: {
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly type: "payment" | "refund";
    readonly amountCents: number;
    readonly restCents: number;
    readonly method: "cash" | "card" | "transfer" | "pix" | "other";
    readonly paidOn: string;
    readonly note?: string;
    readonly status: "done" | "void";
    readonly allocations: readonly (Schemas["PaymentAllocation"])[];
    readonly clientName: string;
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
    readonly storage?: {
      readonly records: number;
      readonly limit: number;
    };
    readonly confirmedUntil?: string;
  };
  MemberChanges: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["MonthOfMemberChanges"])[];
    readonly total: number;
    readonly reasons: readonly (Schemas["ReasonOfLoss"])[];
  };
  MembersByMonth: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["MonthOfMembers"])[];
    readonly total: number;
  };
  MonthOfMemberChanges: {
    readonly month: string;
    readonly gained: number;
    readonly returned: number;
    readonly cancelled: number;
    readonly expired: number;
  };
  MonthOfMembers: {
    readonly month: string;
    readonly day: string;
    readonly members: number;
    readonly began: number;
    readonly ended: number;
  };
  MovedPlace: {
    readonly ended: readonly (Schemas["EndedBooking"])[];
    readonly booked: readonly (Schemas["BookedSlot"])[];
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
  NearestVisits: {
    readonly $schema?: string;
    readonly next?: Schemas["Visit"];
    readonly last?: Schemas["Visit"];
  };
  NewCalendarLink: {
    readonly id: string;
    readonly name?: string;
    readonly clientId?: string;
    readonly locationId?: string;
    readonly serviceTypeId?: string;
    readonly resourceId?: string;
    readonly clientName?: string;
    readonly pastDays: number;
    readonly aheadDays: number;
    readonly language: "en" | "pt-BR" | "es";
    readonly showSeats: boolean;
    readonly status: "active" | "expired" | "revoked";
    readonly createdAt: string;
    readonly expiresAt?: string;
    readonly revokedAt?: string;
    readonly lastFetchedAt?: string;
    readonly shownUntil?: string;
    readonly url?: string;
    readonly webcalUrl?: string;
    readonly jsonUrl?: string;
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
  NewWebhook: {
    readonly id: string;
    readonly url: string;
    readonly name?: string;
    readonly events?: readonly (string)[];
    readonly flood: number;
    readonly include?: "record";
    readonly state: "active" | "disabled";
    readonly reason?: "owner" | "failing" | "gone" | "secret_lost";
    readonly isHeld: boolean;
    readonly sequence: number;
    readonly eventsBehind: number;
    readonly secondsBehind?: number;
    readonly tries: number;
    readonly failingSince?: string;
    readonly nextAttemptAt?: string;
    readonly pendingSequence?: number;
    readonly oldSecretEndsAt?: string;
    readonly lastAttempt?: Schemas["WebhookAttempt"];
    readonly createdAt: string;
    readonly secret?: string;
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
    readonly isCourtesy?: boolean;
    readonly fixedPlaceId?: string;
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
    readonly reason?: string;
    readonly clientEmail?: string;
    readonly clientPhone?: string;
  };
  OrganizationSettings: {
    readonly cancelWindowMinutes: number;
    readonly checkInOpensMinutes: number;
    readonly weekStart: "monday" | "sunday";
    readonly paymentDays: number;
    readonly invoicesFrom?: string;
  };
  OrganizationUse: {
    readonly $schema?: string;
    readonly requests: {
      readonly today: number;
      readonly perMinute?: number;
    };
    readonly storage: {
      readonly records: number;
      readonly limit?: number;
    };
    readonly uploads: {
      readonly bytes: number;
      readonly megabytes?: number;
    };
  };
  Overdue: {
    readonly data: readonly (Schemas["EndingContract"])[];
    readonly total: number;
  };
  Owes: {
    readonly data: readonly (Schemas["OwingClient"])[];
    readonly total: number;
  };
  OwingClient: {
    readonly clientId: string;
    readonly clientName: string;
    readonly clientEmail?: string;
    readonly clientPhone?: string;
    readonly since: string;
    readonly openCents: number;
  };
  OwnSignIn: {
    readonly $schema?: string;
    readonly id: string;
    readonly device?: string;
    readonly createdAt: string;
    readonly lastUsedAt: string;
    readonly isCurrent: boolean;
  };
  OwnSignInList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["OwnSignIn"])[];
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
  Payment: {
    readonly $schema?: string;
    readonly id: string;
    readonly number: number;
    readonly clientId: string;
    readonly type: "payment" | "refund";
    readonly amountCents: number;
    readonly restCents: number;
    readonly method: "cash" | "card" | "transfer" | "pix" | "other";
    readonly paidOn: string;
    readonly note?: string;
    readonly status: "done" | "void";
    readonly allocations: readonly (Schemas["PaymentAllocation"])[];
  };
  PaymentAllocation: {
    readonly invoiceId: string;
    readonly amountCents: number;
  };
  PaymentPage: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ListedPayment"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
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
    readonly type: string;
    readonly title: string;
    readonly status: number;
    readonly code: "moved" | "malformed" | "unauthorized" | "payment_required" | "storage_full" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "timeout" | "conflict" | "in_progress" | "gone" | "precondition_failed" | "too_large" | "unsupported_media_type" | "invalid" | "precondition_required" | "rate_limited" | "headers_too_large" | "internal" | "not_implemented" | "unavailable";
    readonly detail: string;
    readonly requestId?: string;
    readonly errors?: readonly ({
      readonly location: string;
      readonly code: "required" | "unknown_member" | "unknown_parameter" | "given_twice" | "wrong_type" | "not_one_of" | "encoding_invalid" | "characters_invalid" | "too_deep" | "too_many_values" | "empty" | "too_short" | "too_long" | "below_minimum" | "above_maximum" | "too_few" | "too_many" | "uuid_invalid" | "date_invalid" | "date_time_invalid" | "local_date_time_invalid" | "email_invalid" | "currency_invalid" | "duration_invalid" | "cursor_invalid" | "header_invalid" | "window_reversed" | "window_too_long" | "cursor_with_offset" | "not_with_download" | "idempotency_key_invalid" | "idempotency_key_reused" | "cpf_invalid" | "birthdate_out_of_range" | "location_required" | "location_unknown" | "required_with" | "required_for_recurring" | "required_for_credits" | "only_for_recurring" | "only_for_access" | "only_for_credits" | "not_with_all_locations" | "not_together_with" | "scope_repeated" | "currency_differs" | "before_member" | "after_member" | "after_fixed_end" | "in_the_past" | "before_pause" | "after_pause" | "not_of_plan" | "start_out_of_range" | "only_with_terms" | "zero" | "balance_out_of_range" | "day_out_of_range" | "required_unless_now" | "too_far_ahead" | "span_too_long" | "too_many_slots" | "time_zone_unknown" | "year_out_of_range" | "rule_too_long" | "rule_prefixed" | "rule_malformed" | "rule_part_repeated" | "rule_part_unsupported" | "rule_part_unknown" | "rule_frequency_missing" | "rule_frequency_invalid" | "rule_count_with_until" | "rule_ordinal_refused" | "rule_month_day_refused" | "rule_set_position_alone" | "rule_until_malformed" | "rule_until_unreal" | "rule_weekdays_invalid" | "rule_week_start_invalid" | "rule_number_invalid" | "rule_numbers_invalid" | "rule_start_excluded" | "rule_ends_before_start" | "days_too_many" | "record_would_be_closed" | "too_many_to_move" | "day_too_full" | "timetable_too_full" | "rule_count_too_far" | "owner_everywhere" | "only_for_teachers" | "not_a_person" | "password_guessable" | "client_unknown" | "plan_unknown" | "service_type_unknown" | "service_group_unknown" | "schedule_unknown" | "session_unknown" | "contract_unknown" | "booking_unknown" | "invoice_unknown" | "payment_unknown" | "entitlement_unknown" | "adjustment_unknown" | "resource_unknown" | "not_colored" | "location_closed" | "service_type_archived" | "resource_archived" | "line_too_long" | "line_not_utf8" | "line_not_json" | "line_not_object" | "organization_repeated" | "id_repeated" | "entitlement_repeated" | "pause_repeated" | "pause_overlaps" | "document_repeated" | "document_held" | "client_erased" | "contract_booked" | "entitlement_drawn" | "session_booked" | "number_repeated" | "sum_differs" | "seat_repeated" | "seat_in_cancelled" | "slot_repeated" | "slot_held" | "invalid" | string;
      readonly params?: Readonly<Record<string, string | number | readonly (string)[]>>;
      readonly message: string;
    })[];
    readonly clientId?: string;
    readonly clientStatus?: "active" | "archived";
    readonly reason?: "signed_out" | "wrong_sign_in" | "too_many_tries" | "uploads_used_up" | "link_used" | "stale_sign_in" | "not_allowed" | "wrong_location" | "wrong_origin" | "insecure_address" | "no_location" | "no_service_group" | "no_resource" | "no_schedule" | "no_session" | "no_booking" | "no_waiting" | "no_fixed_place" | "no_staff" | "no_link" | "no_import" | "no_key" | "no_calendar_link" | "no_passkey" | "no_webhook" | "no_invoice" | "no_payment" | "passkey_refused" | "passkey_known" | "too_many_passkeys" | "key_not_active" | "address_refused" | "too_many_webhooks" | "nothing_to_skip" | "webhook_held" | "calendar_link_ended" | "calendar_address_too_long" | "key_reused" | "last_owner" | "currency_in_use" | "currency_has_money" | "email_taken" | "in_use" | "has_bookings" | "archived_client" | "erased_client" | "still_member" | "plan_archived" | "price_needs_manager" | "trial_used" | "already_drawn" | "sale_too_old" | "already_undone" | "no_terms" | "terms_accepted" | "contract_over" | "cancellation_set" | "not_cancelled_here" | "pause_overlaps" | "pause_visited" | "no_slot" | "schedule_over" | "session_cancelled" | "session_begun" | "record_closed" | "place_closed" | "below_seats" | "checked_in" | "no_unnamed" | "full" | "seat_free" | "resource_busy" | "not_covered" | "blocked" | "too_early" | "already_booked" | "already_waiting" | "not_offered" | "already_ended" | "is_covered" | "sheet_unclear" | "sheet_faulty" | "import_settled" | "not_open" | "payment_refunded" | "has_payments";
    readonly why?: "not_a_url" | "scheme" | "user" | "fragment" | "port" | "unresolved" | "not_public";
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
  ReasonOfLoss: {
    readonly cause: "cancelled" | "expired";
    readonly reason?: string;
    readonly members: number;
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
    readonly requestId?: string;
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
  ReinstatedSession: {
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
    readonly bookings?: readonly (Schemas["ReturningBooking"])[];
  };
  ReportedSale: {
    readonly id: string;
    readonly soldAt: string;
    readonly clientId: string;
    readonly clientName: string;
    readonly planId?: string;
    readonly planName: string;
    readonly priceCents: number;
    readonly currency: string;
    readonly billingKind: "recurring" | "one_time";
    readonly isTrial: boolean;
    readonly startDate: string;
    readonly endDate?: string;
    readonly status: "active" | "paused" | "cancelled" | "expired";
    readonly soldBy?: string;
  };
  ReportedSession: {
    readonly id: string;
    readonly day: string;
    readonly localStart: string;
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly resourceNames: string;
    readonly status: "scheduled" | "cancelled";
    readonly capacity: number;
    readonly bookedCount: number;
    readonly attended: number;
    readonly noShows: number;
    readonly lateCancelled: number;
    readonly unmarked: number;
  };
  ReportedVisit: {
    readonly id: string;
    readonly day: string;
    readonly localStart: string;
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly clientId: string;
    readonly clientName: string;
    readonly state: "booked" | "attended" | "no_show" | "cancelled" | "late_cancelled";
    readonly planName?: string;
    readonly uncoveredReason?: string;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
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
  ReturningBooking: {
    readonly bookingId: string;
    readonly clientId: string;
    readonly outcome: "booked" | "uncovered" | "full" | "archived" | "erased";
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
    readonly isCourtesy?: boolean;
    readonly fixedPlaceId?: string;
    readonly moved: boolean;
    readonly toTell: boolean;
    readonly bookedAt: string;
    readonly checkedInAt?: string;
    readonly endedAt?: string;
    readonly clientName: string;
    readonly planName?: string;
    readonly owesSince?: string;
    readonly clientNotes?: string;
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
  SaleReport: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ReportedSale"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
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
      readonly incomplete: number;
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
    readonly incompleteRows: readonly ({
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
    readonly role: "teacher" | "front_desk" | "manager" | "owner";
    readonly allLocations: boolean;
    readonly locationIds: readonly (string)[];
    readonly resourceId?: string;
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
  StaffLink: {
    readonly $schema?: string;
    readonly id: string;
    readonly staffId: string;
    readonly staffName: string;
    readonly madeBy?: string;
    readonly madeByName?: string;
    readonly expiresAt: string;
  };
  StaffLinkList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["StaffLink"])[];
    readonly total: number;
  };
  StaffList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Staff"])[];
    readonly total: number;
  };
  StaffOrganization: {
    readonly $schema?: string;
    readonly id: string;
    readonly name: string;
    readonly timezone: string;
    readonly currency: string;
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
    readonly paymentDays: number;
    readonly invoicesFrom?: string;
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
    readonly owes: Schemas["Owes"];
  };
  Uncovered: {
    readonly data: readonly (Schemas["OpenBooking"])[];
    readonly total: number;
  };
  UndoStep: {
    readonly operation: string;
    readonly input: unknown;
  };
  UndoneImport: {
    readonly $schema?: string;
    readonly importId: string;
    readonly removed: number;
    readonly setBack: number;
    readonly kept: number;
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
    readonly isCourtesy?: boolean;
    readonly fixedPlaceId?: string;
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
  VisitReport: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["ReportedVisit"])[];
    readonly limit: number;
    readonly offset: number;
    readonly total: number;
    readonly nextCursor?: string;
  };
  Visits: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["VisitsOf"])[];
    readonly total: number;
  };
  VisitsOf: {
    readonly serviceTypeId?: string;
    readonly resourceId?: string;
    readonly weekday?: number;
    readonly hour?: number;
    readonly name?: string;
    readonly sessions: number;
    readonly attended: number;
    readonly noShows: number;
    readonly lateCancelled: number;
    readonly unmarked: number;
  };
  Waiting: {
    readonly $schema?: string;
    readonly id: string;
    readonly clientId: string;
    readonly sessionId: string;
    readonly position?: number;
    readonly joinedAt: string;
  };
  Webhook: {
    readonly id: string;
    readonly url: string;
    readonly name?: string;
    readonly events?: readonly (string)[];
    readonly flood: number;
    readonly include?: "record";
    readonly state: "active" | "disabled";
    readonly reason?: "owner" | "failing" | "gone" | "secret_lost";
    readonly isHeld: boolean;
    readonly sequence: number;
    readonly eventsBehind: number;
    readonly secondsBehind?: number;
    readonly tries: number;
    readonly failingSince?: string;
    readonly nextAttemptAt?: string;
    readonly pendingSequence?: number;
    readonly oldSecretEndsAt?: string;
    readonly lastAttempt?: Schemas["WebhookAttempt"];
    readonly createdAt: string;
  };
  WebhookAttempt: {
    readonly id: string;
    readonly at: string;
    readonly event: string;
    readonly sequence?: number;
    readonly try: number;
    readonly status?: number;
    readonly failure?: "timeout" | "refused" | "dns" | "tls" | "blocked" | "redirect";
    readonly milliseconds: number;
    readonly excerpt?: string;
  };
  WebhookAttemptList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["WebhookAttempt"])[];
    readonly total: number;
  };
  WebhookList: {
    readonly $schema?: string;
    readonly data: readonly (Schemas["Webhook"])[];
    readonly total: number;
  };
  WeekOfVisits: {
    readonly firstDay: string;
    readonly attended: number;
    readonly noShows: number;
    readonly lateCancelled: number;
    readonly unmarked: number;
  };
  WeeklyPlace: {
    readonly scheduleId?: string;
    readonly weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
    readonly time: string;
    readonly serviceTypeName: string;
    readonly locationName: string;
    readonly timezone: string;
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
  "/app/v1/sign-ins": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["OwnSignInList"];
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
  "/app/v1/links": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["StaffLinkList"];
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
  "/app/v1/keys/{id}/requests": {
    params: {
      readonly id: string;
    };
    query: {
      readonly show?: "failed";
      readonly cursor?: string;
    };
    answer: Schemas["KeyRequestPage"];
  };
  "/app/v1/webhooks": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["WebhookList"];
  };
  "/app/v1/webhooks/{id}/attempts": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["WebhookAttemptList"];
  };
  "/app/v1/calendar-links": {
    params: Record<never, never>;
    query: {
      readonly clientId?: string;
    };
    answer: Schemas["CalendarLinkList"];
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
  "/app/v1/use": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["OrganizationUse"];
  };
  "/app/v1/calendar-colors": {
    params: Record<never, never>;
    query: Record<never, never>;
    answer: Schemas["CalendarColors"];
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
      readonly include?: "names";
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
  "/app/v1/contracts/{id}/credits": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["CreditStatement"];
  };
  "/app/v1/invoices": {
    params: Record<never, never>;
    query: {
      readonly clientId?: string;
      readonly status?: "open" | "paid" | "void" | "overdue";
      readonly from?: string;
      readonly to?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["InvoicePage"];
  };
  "/app/v1/payments": {
    params: Record<never, never>;
    query: {
      readonly clientId?: string;
      readonly status?: "done" | "void";
      readonly method?: "cash" | "card" | "transfer" | "pix" | "other";
      readonly from?: string;
      readonly to?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["PaymentPage"];
  };
  "/app/v1/debtors": {
    params: Record<never, never>;
    query: {
      readonly limit?: number;
      readonly offset?: number;
    };
    answer: Schemas["DebtorPage"];
  };
  "/app/v1/clients/{id}/account": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["ClientAccount"];
  };
  "/app/v1/income": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly to: string;
    };
    answer: Schemas["Income"];
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
  "/app/v1/clients/{id}/fixed-places": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["FixedPlaces"];
  };
  "/app/v1/clients/{id}/nearest-visits": {
    params: {
      readonly id: string;
    };
    query: Record<never, never>;
    answer: Schemas["NearestVisits"];
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
  "/app/v1/reports/visits": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly locationId?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["VisitReport"];
  };
  "/app/v1/reports/sales": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly locationId?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["SaleReport"];
  };
  "/app/v1/reports/attendance": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly locationId?: string;
      readonly limit?: number;
      readonly offset?: number;
      readonly cursor?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["AttendanceReport"];
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
  "/app/v1/overview/member-changes": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["MemberChanges"];
  };
  "/app/v1/overview/visits": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly by: "service" | "hour" | "teacher";
      readonly locationId?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["Visits"];
  };
  "/app/v1/overview/classes": {
    params: Record<never, never>;
    query: {
      readonly from: string;
      readonly until: string;
      readonly resourceId?: string;
      readonly locationId?: string;
      readonly csv?: "plain" | "excel";
    };
    answer: Schemas["ClassesGiven"];
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
      readonly actor?: string;
      readonly action?: string;
      readonly from?: string;
      readonly to?: string;
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
  readLink: {
    input: {
      readonly token: string;
    };
    result: {
      readonly $schema?: string;
      readonly name: string;
      readonly email: string;
      readonly organizationName: string;
      readonly expiresAt: string;
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
  changePassword: {
    input: {
      readonly password: string;
      readonly newPassword: string;
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
  endSignIn: {
    input: {
      readonly signInId?: string;
    };
    result: Schemas["EndedSignIns"];
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
      readonly role: "teacher" | "front_desk" | "manager" | "owner";
      readonly allLocations: boolean;
      readonly locationIds?: readonly (string)[];
      readonly resourceId?: string;
    };
    result: Schemas["LinkedStaff"];
  };
  editStaff: {
    input: {
      readonly staffId: string;
      readonly changes: {
        readonly name?: string;
        readonly email?: string;
        readonly role?: "teacher" | "front_desk" | "manager" | "owner";
        readonly allLocations?: boolean;
        readonly locationIds?: readonly (string)[];
        readonly resourceId?: string;
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
  revokeLink: {
    input: {
      readonly linkId: string;
    };
    result: Schemas["StaffLink"];
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
        readonly paymentDays?: number;
        readonly invoicesFrom?: string | null;
      };
    };
    result: Schemas["OrganizationSettings"];
  };
  editOrganization: {
    input: {
      readonly changes: {
        readonly name?: string;
        readonly timezone?: string;
        readonly currency?: string;
      };
    };
    result: Schemas["StaffOrganization"];
  };
  colorCalendar: {
    input: {
      readonly by?: "service" | "teacher" | "none";
      readonly colors?: readonly ({
        readonly id: string;
        readonly color?: "teal" | "blue" | "violet" | "orange" | "pink" | "green" | "amber" | "red" | null;
      })[];
    };
    result: Schemas["CalendarColors"];
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
  mintCalendarLink: {
    input: {
      readonly name?: string;
      readonly clientId?: string;
      readonly locationId?: string;
      readonly serviceTypeId?: string;
      readonly resourceId?: string;
      readonly pastDays?: number;
      readonly aheadDays?: number;
      readonly language?: "en" | "pt-BR" | "es";
      readonly showSeats?: boolean;
      readonly expires?: string;
    };
    result: Schemas["NewCalendarLink"];
  };
  rotateCalendarLink: {
    input: {
      readonly calendarLinkId: string;
      readonly overlap?: string;
    };
    result: Schemas["NewCalendarLink"];
  };
  revokeCalendarLink: {
    input: {
      readonly calendarLinkId: string;
    };
    result: Schemas["CalendarLink"];
  };
  addLocation: {
    input: {
      readonly name: string;
      readonly address?: string;
      readonly timezone: string;
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
  deleteServiceType: {
    input: {
      readonly serviceTypeId: string;
    };
    result: {
      readonly id: string;
    };
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
      readonly payment?: {
        readonly method: "cash" | "card" | "transfer" | "pix" | "other";
        readonly amountCents?: number;
        readonly paidOn?: string;
      };
    };
    result: Schemas["StaffContract"];
  };
  voidSale: {
    input: {
      readonly contractId: string;
      readonly voidPayments?: boolean;
    };
    result: {
      readonly id: string;
      readonly paymentIds: readonly (string)[];
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
  recordPayment: {
    input: {
      readonly clientId: string;
      readonly amountCents: number;
      readonly method: "cash" | "card" | "transfer" | "pix" | "other";
      readonly paidOn?: string;
      readonly invoiceIds?: readonly (string)[];
      readonly note?: string;
    };
    result: Schemas["Payment"];
  };
  useBalance: {
    input: {
      readonly clientId: string;
      readonly invoiceIds?: readonly (string)[];
    };
    result: Schemas["AccountSums"];
  };
  voidPayment: {
    input: {
      readonly paymentId: string;
      readonly reason: string;
    };
    result: Schemas["Payment"];
  };
  refund: {
    input: {
      readonly clientId: string;
      readonly amountCents: number;
      readonly method: "cash" | "card" | "transfer" | "pix" | "other";
      readonly reason: string;
    };
    result: Schemas["Payment"];
  };
  addInvoice: {
    input: {
      readonly clientId: string;
      readonly description: string;
      readonly amountCents: number;
      readonly dueOn?: string;
    };
    result: Schemas["Invoice"];
  };
  editInvoice: {
    input: {
      readonly invoiceId: string;
      readonly changes: {
        readonly amountCents?: number;
        readonly dueOn?: string;
      };
      readonly reason: string;
    };
    result: Schemas["Invoice"];
  };
  voidInvoice: {
    input: {
      readonly invoiceId: string;
      readonly reason: string;
    };
    result: Schemas["Invoice"];
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
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
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
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
      };
      readonly reason: string;
    };
    result: Schemas["StaffSession"];
  };
  reinstateSession: {
    input: {
      readonly session: {
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
      };
      readonly reason?: string;
    };
    result: Schemas["ReinstatedSession"];
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
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
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
      readonly scheduleId?: string;
      readonly places?: readonly ({
        readonly scheduleId: string;
        readonly weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
      })[];
      readonly fromDay: string;
      readonly untilDay: string;
    };
    result: readonly (Schemas["BookedSlot"])[];
  };
  endFixedPlace: {
    input: {
      readonly fixedPlaceId: string;
      readonly fromDay?: string;
      readonly waive?: boolean;
      readonly reason?: string;
    };
    result: readonly (Schemas["EndedBooking"])[];
  };
  moveFixedPlace: {
    input: {
      readonly fixedPlaceId: string;
      readonly places: readonly ({
        readonly scheduleId: string;
        readonly weekdays?: readonly ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
      })[];
      readonly fromDay?: string;
      readonly waive?: boolean;
      readonly reason?: string;
      readonly untilDay?: string;
    };
    result: Schemas["MovedPlace"];
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
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
      };
      readonly entitlementId?: string;
      readonly uncovered?: {
        readonly reason: string;
      };
    };
    result: Schemas["CheckedIn"];
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
      readonly state?: "no_show" | "attended";
    };
    result: Schemas["ChangeCount"];
  };
  unmarkRest: {
    input: {
      readonly sessionId: string;
      readonly bookingIds: readonly (string)[];
      readonly state?: "no_show" | "attended";
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
  markCourtesy: {
    input: {
      readonly bookingId: string;
    };
    result: Schemas["Booking"];
  };
  unmarkCourtesy: {
    input: {
      readonly bookingId: string;
    };
    result: Schemas["Booking"];
  };
  joinWaiting: {
    input: {
      readonly clientId: string;
      readonly session: {
        readonly sessionId: string;
      } | {
        readonly scheduleId: string;
        readonly originalStart: string;
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
  unmarkTold: {
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
  undoImport: {
    input: {
      readonly importId: string;
    };
    result: Schemas["UndoneImport"];
  };
  addWebhook: {
    input: {
      readonly url: string;
      readonly events?: readonly ("organization.*" | "organization.created" | "organization.updated" | "organization.deleted" | "location.*" | "location.created" | "location.updated" | "location.deleted" | "resource.*" | "resource.created" | "resource.updated" | "resource.deleted" | "serviceGroup.*" | "serviceGroup.created" | "serviceGroup.updated" | "serviceGroup.deleted" | "serviceType.*" | "serviceType.created" | "serviceType.updated" | "serviceType.deleted" | "plan.*" | "plan.created" | "plan.updated" | "plan.deleted" | "client.*" | "client.created" | "client.updated" | "client.deleted" | "contract.*" | "contract.created" | "contract.updated" | "contract.deleted" | "schedule.*" | "schedule.created" | "schedule.updated" | "schedule.deleted" | "session.*" | "session.created" | "session.updated" | "session.deleted")[];
      readonly name?: string;
      readonly from?: string;
      readonly flood?: number;
      readonly include?: "record";
    };
    result: Schemas["NewWebhook"];
  };
  editWebhook: {
    input: {
      readonly webhookId: string;
      readonly changes: {
        readonly url?: string;
        readonly flood?: number;
        readonly events?: readonly ("organization.*" | "organization.created" | "organization.updated" | "organization.deleted" | "location.*" | "location.created" | "location.updated" | "location.deleted" | "resource.*" | "resource.created" | "resource.updated" | "resource.deleted" | "serviceGroup.*" | "serviceGroup.created" | "serviceGroup.updated" | "serviceGroup.deleted" | "serviceType.*" | "serviceType.created" | "serviceType.updated" | "serviceType.deleted" | "plan.*" | "plan.created" | "plan.updated" | "plan.deleted" | "client.*" | "client.created" | "client.updated" | "client.deleted" | "contract.*" | "contract.created" | "contract.updated" | "contract.deleted" | "schedule.*" | "schedule.created" | "schedule.updated" | "schedule.deleted" | "session.*" | "session.created" | "session.updated" | "session.deleted")[] | null;
        readonly name?: string | null;
        readonly include?: "record" | null;
      };
    };
    result: Schemas["Webhook"];
  };
  rotateWebhook: {
    input: {
      readonly webhookId: string;
      readonly overlap?: string;
    };
    result: Schemas["NewWebhook"];
  };
  enableWebhook: {
    input: {
      readonly webhookId: string;
      readonly from?: string;
    };
    result: Schemas["Webhook"];
  };
  disableWebhook: {
    input: {
      readonly webhookId: string;
    };
    result: Schemas["Webhook"];
  };
  replayWebhook: {
    input: {
      readonly webhookId: string;
      readonly from: string;
    };
    result: Schemas["Webhook"];
  };
  skipWebhook: {
    input: {
      readonly webhookId: string;
    };
    result: Schemas["Webhook"];
  };
  testWebhook: {
    input: {
      readonly webhookId: string;
    };
    result: {
      readonly webhookId: string;
      readonly testId: string;
    };
  };
  removeWebhook: {
    input: {
      readonly webhookId: string;
    };
    result: {
      readonly webhookId: string;
    };
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
      readonly shortYears?: "recent" | "notes";
      readonly garbled?: "repair" | "keep";
      readonly shortNumbers?: "zeros" | "keep";
      readonly strict?: boolean;
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
        readonly incomplete: number;
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
      readonly incompleteRows: readonly ({
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
      readonly shortYears?: "recent" | "notes";
      readonly garbled?: "repair" | "keep";
      readonly shortNumbers?: "zeros" | "keep";
      readonly strict?: boolean;
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
