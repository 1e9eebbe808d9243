import {
  arrayOf,
  boolean,
  currency,
  date,
  instant,
  int32,
  integer,
  object,
  optional,
  type Shape,
  string,
  timezone,
  uuid,
} from "./shapes.ts";

/** The records of the specification (section 2), member by member. */

export const ORGANIZATION = object({
  id: uuid,
  name: string,
  timezone,
  currency,
  plan: string,
  joinedAt: instant,
});

const parts = ["city", "country", "line1", "line2", "postalCode", "state"];
const ADDRESS = object(Object.fromEntries(parts.map((part) => [part, optional(string)])));
const ID_DOCUMENT = object({ type: string, value: string });

/** A client as lists show it; one client has `locationIds` too. */
const listedClient = {
  id: uuid,
  contactName: string,
  contactEmail: optional(string),
  contactPhone: optional(string),
  birthdate: optional(date),
  address: ADDRESS,
  idDocument: optional(ID_DOCUMENT),
  notes: optional(string),
  status: string,
  createdAt: instant,
  updatedAt: instant,
};
export const LISTED_CLIENT = object(listedClient);
export const CLIENT = object({ ...listedClient, locationIds: arrayOf(uuid) });

const grant = {
  type: string,
  period: optional(string),
  maxVisitsPerPeriod: optional(int32),
  serviceTypeId: optional(string),
  serviceGroupId: optional(string),
};

export const CONTRACT = object({
  id: string,
  clientId: string,
  planId: optional(string),
  planName: string,
  priceCents: integer,
  currency: string,
  isTrial: boolean,
  billingKind: string,
  billingInterval: optional(string),
  startDate: date,
  endDate: optional(date),
  status: string,
  accessBlocked: boolean,
  allLocations: boolean,
  locationIds: arrayOf(string),
  cancelledAt: optional(instant),
  termsResponse: optional(string),
  termsRespondedAt: optional(instant),
  entitlements: arrayOf(
    object({ id: string, ...grant, remainingCredits: optional(int32), revokedAt: optional(instant) }),
  ),
  createdAt: instant,
  updatedAt: instant,
});

export const PLAN = object({
  id: string,
  name: string,
  status: string,
  billingKind: string,
  billingInterval: optional(string),
  durationCount: optional(int32),
  durationUnit: optional(string),
  priceCents: integer,
  currency: string,
  isTrial: boolean,
  allLocations: boolean,
  locationIds: arrayOf(string),
  terms: optional(string),
  entitlements: arrayOf(object({ ...grant, creditQuantity: optional(int32) })),
  createdAt: instant,
  updatedAt: instant,
});

export const SERVICE_TYPE = object({
  id: string,
  name: string,
  description: optional(string),
  holdsResource: boolean,
  status: string,
  createdAt: instant,
  updatedAt: instant,
});

export const LOCATION = object({
  id: string,
  name: string,
  address: optional(string),
  status: string,
  timezone,
});

export const SESSION = object({
  id: optional(string),
  scheduleId: optional(string),
  serviceTypeId: string,
  locationId: string,
  resourceIds: optional(arrayOf(string)),
  startAt: instant,
  endAt: instant,
  capacity: int32,
  bookedCount: int32,
  status: string,
});

export const PAGE = (record: Shape): Shape =>
  object({ data: arrayOf(record), limit: integer, offset: integer, total: integer });
export const WHOLE = (record: Shape): Shape => object({ data: arrayOf(record), total: integer });

/** The words that members may have, as the details settle them. */
export const WORDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  clients: { status: ["active", "archived"] },
  contracts: {
    status: ["active", "paused", "cancelled", "expired"],
    billingKind: ["recurring", "one_time"],
    billingInterval: ["week", "month", "quarter", "year"],
    termsResponse: ["accepted", "declined"],
  },
  plans: {
    status: ["active", "archived"],
    billingKind: ["recurring", "one_time"],
    billingInterval: ["week", "month", "quarter", "year"],
    durationUnit: ["day", "week", "month", "year"],
  },
  "service-types": { status: ["active", "archived"] },
  locations: { status: ["active", "closed"] },
  calendar: { status: ["scheduled", "cancelled"] },
};
