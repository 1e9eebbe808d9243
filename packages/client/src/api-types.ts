// Made by `npm run clients` from openapi.json. Not to be edited.

import type { CallOptions, Pages, PagingName, Tagged } from "./results.ts";

/** Postal address; every part is optional. */
export type Address = {
  /** City. */
  city?: string;
  /** Country. */
  country?: string;
  /** Street and number. */
  line1?: string;
  /** Whatever else the address needs, such as a floor. */
  line2?: string;
  /** Postal code. */
  postalCode?: string;
  /** State or province. */
  state?: string;
};

export type AddressInput = {
  /** City. */
  city?: string;
  /** Country. */
  country?: string;
  /** Street and number. */
  line1?: string;
  /** Whatever else the address needs, such as a floor. */
  line2?: string;
  /** Postal code. */
  postalCode?: string;
  /** State or province. */
  state?: string;
};

export type AddressPatch = {
  /** City. */
  city?: string | null;
  /** Country. */
  country?: string | null;
  /** Street and number. */
  line1?: string | null;
  /** Whatever else the address needs, such as a floor. */
  line2?: string | null;
  /** Postal code. */
  postalCode?: string | null;
  /** State or province. */
  state?: string | null;
} | null;

export type BacklogEvent = {
  /** Which event it is. */
  type: string;
  /** When what it tells of happened. */
  timestamp: string;
  /** Whose it is. */
  organizationId: string;
  /** The part of the change feed to read. */
  data: {
    /** Read `/v1/changes` from here. */
    after: string;
    /** Up to here: events after it are sent again one by one. */
    cursor: string;
    /** How many events it stands for. */
    count: number;
  };
};

export type Calendar = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Session[];
  /** How many records there are. */
  total: number;
};

export type Change = {
  /** Continue after this entry. */
  cursor: string;
  /** Rises within the organization, with holes. Compare with it; continue with `cursor`. */
  sequence: number;
  /** `schedule` stands for the sessions it produces: read them again, by `scheduleId`, in the calendar. */
  kind: "organization" | "location" | "resource" | "serviceGroup" | "serviceType" | "plan" | "client" | "contract" | "schedule" | "session";
  /** The record. A uuid, but for resources. */
  id: string;
  /** What happened, not what you know: apply `created` and `updated` alike. Archiving is `updated`. */
  type: "created" | "updated" | "deleted";
  /** When the transaction of the change began. It is no order. */
  changedAt: string;
  reason?: ChangeReason;
  /** With `include=record`: what GET shows of the record, as it is now, which may be newer than the entry and is never older. Absent for `deleted`, for a record that is deleted since, and for `schedule`. */
  record?: Record<string, unknown>;
};

export type ChangeEvent = {
  /** Which event it is: `kind` and `type` of `data`, with a dot between. */
  type: string;
  /** When what it tells of happened. */
  timestamp: string;
  /** Whose it is. */
  organizationId: string;
  /** The entry of the change feed. */
  data: {
    /** Continue after this entry. */
    cursor: string;
    /** Rises within the organization, with holes. Compare with it; continue with `cursor`. */
    sequence: number;
    /** `schedule` stands for the sessions it produces: read them again, by `scheduleId`, in the calendar. */
    kind: "organization" | "location" | "resource" | "serviceGroup" | "serviceType" | "plan" | "client" | "contract" | "schedule" | "session";
    /** The record. A uuid, but for resources. */
    id: string;
    /** What happened, not what you know: apply `created` and `updated` alike. Archiving is `updated`. */
    type: "created" | "updated" | "deleted";
    /** When the transaction of the change began. It is no order. */
    changedAt: string;
    reason?: ChangeReason;
    /** With `include=record`: what GET shows of the record, as it is now, which may be newer than the entry and is never older. Absent for `deleted`, for a record that is deleted since, and for `schedule`. */
    record?: Record<string, unknown>;
    /** Where the record is, if it has an address of its own. */
    url?: string;
  };
};

export type ChangePage = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Change[];
  /** Where to go on: `after` of the next request. There even if `data` is empty. */
  nextCursor: string;
  /** Whether more is there already. */
  hasMore: boolean;
};

/** Whose change it was. Absent if it was made by hand. */
export type ChangeReason = {
  /** `clock`: nobody, but time: a contract that ended by its date, newer time-zone data. */
  by: "key" | "staff" | "operator" | "import" | "clock";
  /** With `key`: which one. Drop the entries of your own, and a change never comes back to you. */
  keyId?: string;
  /** With `key`: the `X-Request-Id` of the write. */
  requestId?: string;
};

export type Client = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Names the record for good. */
  id: string;
  /** The client's name. */
  contactName: string;
  /** The address on file; not necessarily a portal login. */
  contactEmail?: string;
  /** Phone number, as it was given. */
  contactPhone?: string;
  /** From 1900-01-01 to today in the organization's timezone. */
  birthdate?: string;
  address: Address;
  /** The document that identifies the client; held by one client of the organization alone. */
  idDocument?: IDDocument;
  /** The locations the client belongs to. Left out in lists. */
  locationIds?: string[];
  /** Notes of the staff. */
  notes?: string;
  /** `archived` clients stay readable and keep their id document. */
  status: "active" | "archived";
  /** When it was made. */
  createdAt: string;
  /** When something of it last changed, and only then. */
  updatedAt: string;
};

export type ClientInput = {
  /** The client's name. */
  contactName: string;
  /** The address on file; not necessarily a portal login. */
  contactEmail?: string;
  /** Phone number, as it was given. */
  contactPhone?: string;
  /** From 1900-01-01 to today in the organization's timezone. */
  birthdate?: string;
  /** The postal address. */
  address?: AddressInput;
  /** The document that identifies the client; held by one client of the organization alone. */
  idDocument?: IDDocumentInput;
  /** Needed unless the organization has exactly one location. */
  locationIds?: string[];
  /** Notes of the staff. */
  notes?: string;
  /** If absent: `active` on create, unchanged on replace. */
  status?: "active" | "archived";
  /** Accepted, so that a record can be sent back, and ignored. */
  $schema?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  id?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  createdAt?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  updatedAt?: unknown;
};

export type ClientPage = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Client[];
  /** The page size that was applied. */
  limit: number;
  /** How many records were skipped. */
  offset: number;
  /** How many records match the filter, whatever the page. */
  total: number;
  /** The `cursor` of the next page, which `Link` has as well; absent on the last page. */
  nextCursor?: string;
};

export type ClientPatch = {
  /** The client's name. */
  contactName?: string;
  /** The address on file; not necessarily a portal login. */
  contactEmail?: string | null;
  /** Phone number, as it was given. */
  contactPhone?: string | null;
  /** From 1900-01-01 to today in the organization's timezone. */
  birthdate?: string | null;
  /** The postal address. */
  address?: AddressPatch;
  /** The document that identifies the client; held by one client of the organization alone. */
  idDocument?: IDDocumentPatch;
  /** Needed unless the organization has exactly one location. */
  locationIds?: string[] | null;
  /** Notes of the staff. */
  notes?: string | null;
  /** `archived` clients stay readable and keep their id document. */
  status?: "active" | "archived";
  /** Accepted, so that a record can be sent back, and ignored. */
  $schema?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  id?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  createdAt?: unknown;
  /** Accepted, so that a record can be sent back, and ignored. */
  updatedAt?: unknown;
};

export type Contract = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Names the record for good. */
  id: string;
  /** The client. */
  clientId: string;
  /** The plan it was sold from; absent once that plan is deleted. */
  planId?: string;
  /** As it was at signup. */
  planName: string;
  /** Minor units of the currency, as agreed at signup. */
  priceCents: number;
  /** Currency code (ISO 4217). */
  currency: string;
  /** Whether it is a trial. */
  isTrial: boolean;
  /** Billed again and again, or once. */
  billingKind: "recurring" | "one_time";
  /** How often it charges; only if recurring. */
  billingInterval?: "week" | "month" | "quarter" | "year";
  /** The first day. */
  startDate: string;
  /** Inclusive last day; absent on an open-ended term. */
  endDate?: string;
  /** As it is today: `paused` and `expired` come and go by the dates of the contract. */
  status: "active" | "paused" | "cancelled" | "expired";
  /** Whether the contract covers nothing for now, whatever its status. */
  accessBlocked: boolean;
  /** Usable at every location; `locationIds` is then empty. */
  allLocations: boolean;
  /** The locations it holds at; empty if `allLocations` is true. */
  locationIds: string[];
  /** When it was cancelled. */
  cancelledAt?: string;
  /** The member's answer to the agreement; absent while unanswered. */
  termsResponse?: "accepted" | "declined";
  /** When the client answered the terms. */
  termsRespondedAt?: string;
  /** Empty in lists; full when reading one contract. */
  entitlements: ContractEntitlement[];
  /** When it was made. */
  createdAt: string;
  /** When something of it last changed, and only then. */
  updatedAt: string;
  /** With `include=names`: the client's name. */
  clientName?: string;
};

export type ContractEntitlement = {
  /** Names the record for good. */
  id: string;
  /** `access`: as often as `allowance` says, or as they like; `credits`: until they are used up. */
  type: "access" | "credits";
  /** The span of time that `allowance` is for. */
  period?: "day" | "week" | "month";
  /** Visit cap per period; only for a capped access grant. */
  maxVisitsPerPeriod?: number;
  /** The live balance; only for `credits`. */
  remainingCredits?: number;
  /** Only this service type. */
  serviceTypeId?: string;
  /** Only this group of service types, as the group is now. */
  serviceGroupId?: string;
  /** When plan propagation withdrew the grant: it covers no new booking, what it drew stands. */
  revokedAt?: string;
};

export type ContractPage = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Contract[];
  /** The page size that was applied. */
  limit: number;
  /** How many records were skipped. */
  offset: number;
  /** How many records match the filter, whatever the page. */
  total: number;
  /** The `cursor` of the next page, which `Link` has as well; absent on the last page. */
  nextCursor?: string;
};

export type IDDocument = {
  /** `cpf` is the Brazilian id, checksum-validated; `other` is any foreign id or passport. */
  type: "cpf" | "other";
  /** For `cpf` punctuation is optional on input; 11 digits are stored and returned. */
  value: string;
};

export type IDDocumentInput = {
  /** `cpf` is the Brazilian id, checksum-validated; `other` is any foreign id or passport. */
  type: "cpf" | "other";
  /** For `cpf` punctuation is optional on input; 11 digits are stored and returned. */
  value: string;
};

export type IDDocumentPatch = {
  /** `cpf` is the Brazilian id, checksum-validated; `other` is any foreign id or passport. */
  type?: "cpf" | "other";
  /** For `cpf` punctuation is optional on input; 11 digits are stored and returned. */
  value?: string;
} | null;

export type Location = {
  /** The value that the rest of the API means by `locationId`. */
  id: string;
  /** The location's name. */
  name: string;
  /** The postal address. */
  address?: string;
  /** Open and closed locations are both returned. */
  status: "active" | "closed";
  /** IANA name; sessions at the location are scheduled on this clock. */
  timezone: string;
};

export type LocationList = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Location[];
  /** How many records there are. */
  total: number;
};

/** The organization a key belongs to. */
export type Organization = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Names the record for good. */
  id: string;
  /** The organization's name. */
  name: string;
  /** IANA name of the zone in which the API's reporting is read. */
  timezone: string;
  /** Currency code (ISO 4217). */
  currency: string;
  /** Name of the organization's subscription plan. */
  plan: "Free" | "Starter" | "Pro" | "Enterprise";
  /** When it joined. */
  joinedAt: string;
};

export type Plan = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Names the record for good. */
  id: string;
  /** Its name. */
  name: string;
  /** An `archived` plan is not sold any more; contracts of it go on. */
  status: "active" | "archived";
  /** Billed again and again, or once. */
  billingKind: "recurring" | "one_time";
  /** How often it charges; only if recurring. */
  billingInterval?: "week" | "month" | "quarter" | "year";
  /** How many units a term lasts. */
  durationCount?: number;
  /** What `durationCount` counts. */
  durationUnit?: "day" | "week" | "month" | "year";
  /** Minor units of the currency, never a decimal. */
  priceCents: number;
  /** Currency code (ISO 4217). */
  currency: string;
  /** An entry product, sellable once to a client with no contract history. */
  isTrial: boolean;
  /** The plan sells at every location; `locationIds` is then empty. */
  allLocations: boolean;
  /** The locations it holds at; empty if `allLocations` is true. */
  locationIds: string[];
  /** The agreement copied onto a contract at signup. */
  terms?: string;
  /** What it entitles to. */
  entitlements: PlanEntitlement[];
  /** When it was made. */
  createdAt: string;
  /** When something of it last changed, and only then. */
  updatedAt: string;
};

export type PlanEntitlement = {
  /** `access`: as often as `allowance` says, or as they like; `credits`: until they are used up. */
  type: "access" | "credits";
  /** The span of time that `allowance` is for. */
  period?: "day" | "week" | "month";
  /** Visit cap per period; only for a capped access grant. */
  maxVisitsPerPeriod?: number;
  /** Credits granted at signup; only for `credits`. */
  creditQuantity?: number;
  /** Only this service type. */
  serviceTypeId?: string;
  /** Only this group of service types, as the group is now. */
  serviceGroupId?: string;
};

export type PlanPage = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Plan[];
  /** The page size that was applied. */
  limit: number;
  /** How many records were skipped. */
  offset: number;
  /** How many records match the filter, whatever the page. */
  total: number;
  /** The `cursor` of the next page, which `Link` has as well; absent on the last page. */
  nextCursor?: string;
};

/** A failure (RFC 9457). The content type is `application/problem+json`. `title`, `detail` and `errors[].message` are in the language that `Accept-Language` asks for, if it is `en`, `pt-BR` or `es`. */
export type Problem = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Address of a page about this `code`, for people. */
  type: string;
  /** The name of the status. */
  title: string;
  /** The status of the response. */
  status: number;
  /** What went wrong, for programs. */
  code: "moved" | "malformed" | "unauthorized" | "payment_required" | "storage_full" | "forbidden" | "not_found" | "method_not_allowed" | "not_acceptable" | "timeout" | "conflict" | "in_progress" | "gone" | "precondition_failed" | "too_large" | "unsupported_media_type" | "invalid" | "precondition_required" | "rate_limited" | "headers_too_large" | "internal" | "not_implemented" | "unavailable";
  /** What went wrong, for people. */
  detail: string;
  /** `X-Request-Id` of the response, which finds the request in the server's log. A 401 has none here. */
  requestId?: string;
  /** Every fault of the request (the first 100). */
  errors?: {
    /** Where the fault is: `path.id`, `query.to`, `header.If-Match`, `body.locationIds[1]`. */
    location: string;
    /** What is wrong there, for programs: one of those listed. They are never renamed, but new ones come: treat one that you do not know as `invalid`. */
    code: "required" | "unknown_member" | "unknown_parameter" | "given_twice" | "wrong_type" | "not_one_of" | "encoding_invalid" | "characters_invalid" | "too_deep" | "too_many_values" | "empty" | "too_short" | "too_long" | "below_minimum" | "above_maximum" | "too_few" | "too_many" | "uuid_invalid" | "date_invalid" | "date_time_invalid" | "local_date_time_invalid" | "email_invalid" | "currency_invalid" | "duration_invalid" | "cursor_invalid" | "header_invalid" | "window_reversed" | "window_too_long" | "cursor_with_offset" | "not_with_download" | "idempotency_key_invalid" | "idempotency_key_reused" | "cpf_invalid" | "birthdate_out_of_range" | "location_required" | "location_unknown" | "invalid" | string;
    /** The numbers and words that the message has, never a value of yours. */
    params?: Record<string, string | number | string[]>;
    /** What is wrong there. */
    message: string;
  }[];
  /** With `conflict`: the client that holds the id document. */
  clientId?: string;
  /** With `conflict`: the status of that client. */
  clientStatus?: "active" | "archived";
  /** With `conflict`: why, if it is not the id document. `erased_client`: the person was erased, and the record takes no data any more. With `rate_limited`, `organization_limit`: the limit is that of all keys together. New reasons may come. */
  reason?: "erased_client" | "organization_limit";
};

export type Resource = {
  /** The value that sessions mean by `resourceIds`. */
  id: string;
  /** The id, unless the resource was given a name. */
  name: string;
  /** What it is; `person` unless said otherwise. */
  kind: "person" | "room" | "equipment";
  /** Active and archived resources are both returned: an archived one stays where it is. */
  status: "active" | "archived";
};

export type ResourceList = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: Resource[];
  /** How many records there are. */
  total: number;
};

export type ServiceGroup = {
  /** The value that entitlements mean by `serviceGroupId`. */
  id: string;
  /** Its name. */
  name: string;
  /** The service types that are in the group now. */
  serviceTypeIds: string[];
};

export type ServiceGroupList = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: ServiceGroup[];
  /** How many records there are. */
  total: number;
};

export type ServiceType = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** Names the record for good. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is, in the organization's own words. */
  description?: string;
  /** Booking one reserves its resource exclusively: an appointment rather than a class. */
  holdsResource: boolean;
  /** An `archived` service type has no new sessions. */
  status: "active" | "archived";
  /** When it was made. */
  createdAt: string;
  /** When something of it last changed, and only then. */
  updatedAt: string;
};

export type ServiceTypePage = {
  /** Address of the JSON Schema that describes this body. */
  $schema?: string;
  /** The records. */
  data: ServiceType[];
  /** The page size that was applied. */
  limit: number;
  /** How many records were skipped. */
  offset: number;
  /** How many records match the filter, whatever the page. */
  total: number;
  /** The `cursor` of the next page, which `Link` has as well; absent on the last page. */
  nextCursor?: string;
};

export type Session = {
  /** Absent for a session that has not yet been booked, cancelled or moved. */
  id?: string;
  /** The schedule it comes from; absent for a one-off session. */
  scheduleId?: string;
  /** The slot of the schedule that the session stands for, on the location's clock. Together with `scheduleId` it names the session for good: before it is booked and after, moved or not. Absent for a one-off session. */
  originalStart?: string;
  /** The service type. */
  serviceTypeId: string;
  /** Render the times on this location's timezone. */
  locationId: string;
  /** Who or what runs the session: instructor, room, court. */
  resourceIds?: string[];
  /** UTC. */
  startAt: string;
  /** UTC. */
  endAt: string;
  /** How many seats there are; absent if they are not counted. */
  capacity: number;
  /** Seats taken; a seat stays taken once the member arrives. */
  bookedCount: number;
  /** A `cancelled` session stays on the calendar and says so. */
  status: "scheduled" | "cancelled";
  /** With `include=names`: the service type's name. */
  serviceTypeName?: string;
  /** With `include=names`: the location's name. */
  locationName?: string;
  /** With `include=names`: when it starts, on the location's clock. */
  localStart?: string;
  /** With `include=names`: when it ends, on the location's clock. */
  localEnd?: string;
};

export type TestEvent = {
  /** Which event it is. */
  type: string;
  /** When what it tells of happened. */
  timestamp: string;
  /** Whose it is. */
  organizationId: string;
  /** What was tried. */
  data: {
    /** The webhook. */
    webhookId: string;
  };
};

/** Every schema by its name. */
export interface Schemas {
  Address: Address;
  AddressInput: AddressInput;
  AddressPatch: AddressPatch;
  BacklogEvent: BacklogEvent;
  Calendar: Calendar;
  Change: Change;
  ChangeEvent: ChangeEvent;
  ChangePage: ChangePage;
  ChangeReason: ChangeReason;
  Client: Client;
  ClientInput: ClientInput;
  ClientPage: ClientPage;
  ClientPatch: ClientPatch;
  Contract: Contract;
  ContractEntitlement: ContractEntitlement;
  ContractPage: ContractPage;
  IDDocument: IDDocument;
  IDDocumentInput: IDDocumentInput;
  IDDocumentPatch: IDDocumentPatch;
  Location: Location;
  LocationList: LocationList;
  Organization: Organization;
  Plan: Plan;
  PlanEntitlement: PlanEntitlement;
  PlanPage: PlanPage;
  Problem: Problem;
  Resource: Resource;
  ResourceList: ResourceList;
  ServiceGroup: ServiceGroup;
  ServiceGroupList: ServiceGroupList;
  ServiceType: ServiceType;
  ServiceTypePage: ServiceTypePage;
  Session: Session;
  TestEvent: TestEvent;
}

/** What `listPlans` is asked for. */
export type ListPlansQuery = {
  /** Terms to find in the name, whatever their case and accents. At most 10 different terms. */
  query?: string | undefined;
  /** Every status if absent. */
  status?: "active" | "archived" | undefined;
  /** Every kind if absent. */
  billingKind?: "recurring" | "one_time" | undefined;
  /** Page size. */
  limit?: number | undefined;
  /** How many records to skip. */
  offset?: number | undefined;
  /** `nextCursor` of the page before: the page begins after that one's last record, at any depth for the same cost. Only with the filters of that page, and not together with `offset`. */
  cursor?: string | undefined;
  /** Only records whose `updatedAt` is at or after this instant. For reports, not for keeping another system in step: a change that was under way when you read may be stored later with an earlier `updatedAt`. */
  updatedSince?: string | undefined;
};

/** What `listServiceTypes` is asked for. */
export type ListServiceTypesQuery = {
  /** Terms to find in the name, whatever their case and accents. At most 10 different terms. */
  query?: string | undefined;
  /** Every status if absent. */
  status?: "active" | "archived" | undefined;
  /** Page size. */
  limit?: number | undefined;
  /** How many records to skip. */
  offset?: number | undefined;
  /** `nextCursor` of the page before: the page begins after that one's last record, at any depth for the same cost. Only with the filters of that page, and not together with `offset`. */
  cursor?: string | undefined;
  /** Only records whose `updatedAt` is at or after this instant. For reports, not for keeping another system in step: a change that was under way when you read may be stored later with an earlier `updatedAt`. */
  updatedSince?: string | undefined;
};

/** What `listContracts` is asked for. */
export type ListContractsQuery = {
  /** One client's contracts. */
  clientId?: string | undefined;
  /** Contracts usable at one location. */
  locationId?: string | undefined;
  /** Every status if absent. */
  status?: "active" | "paused" | "cancelled" | "expired" | undefined;
  /** `names`: with the name of the client as `clientName`. */
  include?: "names" | undefined;
  /** Page size. */
  limit?: number | undefined;
  /** How many records to skip. */
  offset?: number | undefined;
  /** `nextCursor` of the page before: the page begins after that one's last record, at any depth for the same cost. Only with the filters of that page, and not together with `offset`. */
  cursor?: string | undefined;
  /** Only records whose `updatedAt` is at or after this instant. For reports, not for keeping another system in step: a change that was under way when you read may be stored later with an earlier `updatedAt`. */
  updatedSince?: string | undefined;
};

/** What `getContract` is asked for. */
export type GetContractQuery = {
  /** `names`: with the name of the client as `clientName`. */
  include?: "names" | undefined;
};

/** What `listClients` is asked for. */
export type ListClientsQuery = {
  /** Terms to find in name, e-mail, phone and id document, whatever their case, accents and, in phones and documents, punctuation. At most 10 different terms. */
  query?: string | undefined;
  /** Every status if absent, archived included. */
  status?: "active" | "archived" | undefined;
  /** Members of one location. */
  locationId?: string | undefined;
  /** Page size. */
  limit?: number | undefined;
  /** How many records to skip. */
  offset?: number | undefined;
  /** `nextCursor` of the page before: the page begins after that one's last record, at any depth for the same cost. Only with the filters of that page, and not together with `offset`. */
  cursor?: string | undefined;
  /** Only records whose `updatedAt` is at or after this instant. For reports, not for keeping another system in step: a change that was under way when you read may be stored later with an earlier `updatedAt`. */
  updatedSince?: string | undefined;
};

/** What `listSessions` is asked for. */
export type ListSessionsQuery = {
  /** Window start, inclusive; any UTC offset. */
  from: string;
  /** Window end, exclusive; at most 366 days after `from`. */
  to: string;
  /** Only sessions at this location. */
  locationId?: string | undefined;
  /** Only sessions of this service type. */
  serviceTypeId?: string | undefined;
  /** Only sessions of this schedule. */
  scheduleId?: string | undefined;
  /** Only sessions that this resource runs. */
  resourceId?: string | undefined;
  /** `names`: each session then has `serviceTypeName`, `locationName`, `localStart` and `localEnd`, as CSV always does. */
  include?: "names" | undefined;
};

/** What `listChanges` is asked for. */
export type ListChangesQuery = {
  /** Only what comes after this cursor. If absent, from the beginning: every record there is. `now`: from the end. */
  after?: string | undefined;
  /** How many entries at the most. */
  limit?: number | undefined;
  /** How many seconds to wait for an entry if there is none. */
  wait?: number | undefined;
  /** Which kinds, separated by commas; all if absent. */
  kinds?: ("organization" | "location" | "resource" | "serviceGroup" | "serviceType" | "plan" | "client" | "contract" | "schedule" | "session")[] | undefined;
  /** Each entry then has its `record`. */
  include?: "record" | undefined;
};

/** The operations of the API, each as a method of the client. */
export interface Operations {
  /** The organization of the key. The cheapest way to confirm that a key works, and to learn the currency and timezone the API reports in. */
  getOrganization(options?: CallOptions): Promise<Tagged<Organization>>;
  /** All locations. Every location, open or closed, in order of creation. The list is returned whole. */
  listLocations(options?: CallOptions): Pages<LocationList>;
  /** List plans. What the organization sells, newest first, entitlements included. */
  listPlans(options?: ListPlansQuery & CallOptions): Pages<PlanPage>;
  /** One plan. One plan by its id. */
  getPlan(id: string, options?: CallOptions): Promise<Tagged<Plan>>;
  /** List service types. The kinds of classes and appointments the organization offers, newest first. */
  listServiceTypes(options?: ListServiceTypesQuery & CallOptions): Pages<ServiceTypePage>;
  /** One service type. One service type by its id. */
  getServiceType(id: string, options?: CallOptions): Promise<Tagged<ServiceType>>;
  /** All service groups. The groups of service types that entitlements may be limited to, in order of their ids. The list is returned whole. */
  listServiceGroups(options?: CallOptions): Pages<ServiceGroupList>;
  /** List contracts. What clients have bought, newest first. `entitlements` is empty in each record of the list. */
  listContracts(options?: ListContractsQuery & CallOptions): Pages<ContractPage>;
  /** One contract. One contract by its id, with its entitlements and their live balances. */
  getContract(id: string, options?: GetContractQuery & CallOptions): Promise<Tagged<Contract>>;
  /** List clients. The organization's clients, newest first. `locationIds` is left out of each record. */
  listClients(options?: ListClientsQuery & CallOptions): Pages<ClientPage>;
  /** Create a client. A `cpf` is checksum-validated and stored as 11 digits. An id document that another client holds, archived ones included, is refused with 409, which names that client. With exactly one location `locationIds` may be left out. */
  createClient(body: ClientInput, options?: { idempotencyKey?: string | undefined } & CallOptions): Promise<Tagged<Client>>;
  /** One client. One client by its id, with its `locationIds`. */
  getClient(id: string, options?: CallOptions): Promise<Tagged<Client>>;
  /** Replace a client. A full replacement, not a patch: every field that is left out is cleared, except `status`, which stays as it is. Read the client first and send it back with your changes. */
  replaceClient(id: string, body: ClientInput, options?: { ifMatch?: string | undefined; ifNoneMatch?: string | undefined; idempotencyKey?: string | undefined } & CallOptions): Promise<Tagged<Client>>;
  /** Change some members of a client. A merge patch (RFC 7396): members that are named are set, `null` clears an optional one, the others stay. `address` and `idDocument` are merged part by part; `locationIds` is replaced whole. The merged record obeys the rules of a full replacement. Changes of different members at the same time both stand. */
  patchClient(id: string, body: ClientPatch, options?: { ifMatch?: string | undefined; ifNoneMatch?: string | undefined; idempotencyKey?: string | undefined } & CallOptions): Promise<Tagged<Client>>;
  /** Archive a client. The client's status becomes `archived`; the record is kept. Archiving an archived client changes nothing. */
  archiveClient(id: string, options?: { ifMatch?: string | undefined; ifNoneMatch?: string | undefined; idempotencyKey?: string | undefined } & CallOptions): Promise<void>;
  /** Sessions in a window. The sessions that start in the window, in order, made by expanding each schedule's recurrence rule at its location's clock. Cancelled sessions are shown as such. Who is booked is not reported. The list is returned whole; the window is its bound. */
  listSessions(options: ListSessionsQuery & CallOptions): Pages<Calendar>;
  /** All resources. Who or what runs sessions, in order of their ids: the names for the `resourceIds` of the calendar. The list is returned whole. */
  listResources(options?: CallOptions): Pages<ResourceList>;
  /** What has changed. Every change of every record that the API shows, in one order, without gaps, from the beginning or after a cursor. From the beginning it lists every record there is, so a mirror needs nothing else: start without `after`, apply each entry, store `nextCursor` after each page, and ask with it again, for ever. A write that was answered before a read began is there by the time `hasMore` is false. Of a record that has changed again, older entries are removed after some time (30 days unless the operator says otherwise); the last one stays. */
  listChanges(options?: ListChangesQuery & CallOptions): Pages<ChangePage>;
}

/** The lists that can be downloaded whole: in which forms, and with which filters. */
export interface Downloads {
  locations: { form: "csv" | "ndjson"; filters: object };
  plans: { form: "csv" | "ndjson"; filters: Omit<ListPlansQuery, PagingName> };
  "service-types": { form: "csv" | "ndjson"; filters: Omit<ListServiceTypesQuery, PagingName> };
  "service-groups": { form: "csv" | "ndjson"; filters: object };
  contracts: { form: "csv" | "ndjson"; filters: Omit<ListContractsQuery, PagingName> };
  clients: { form: "csv" | "ndjson"; filters: Omit<ListClientsQuery, PagingName> };
  calendar: { form: "csv" | "ndjson"; filters: Omit<ListSessionsQuery, PagingName> };
  resources: { form: "csv" | "ndjson"; filters: object };
  changes: { form: "ndjson"; filters: Omit<ListChangesQuery, PagingName> };
}

/** A message of a webhook. */
export type WebhookEvent =
  | (Omit<ChangeEvent, "type"> & { type: "organization.created" | "organization.updated" | "organization.deleted" | "location.created" | "location.updated" | "location.deleted" | "resource.created" | "resource.updated" | "resource.deleted" | "serviceGroup.created" | "serviceGroup.updated" | "serviceGroup.deleted" | "serviceType.created" | "serviceType.updated" | "serviceType.deleted" | "plan.created" | "plan.updated" | "plan.deleted" | "client.created" | "client.updated" | "client.deleted" | "contract.created" | "contract.updated" | "contract.deleted" | "schedule.created" | "schedule.updated" | "schedule.deleted" | "session.created" | "session.updated" | "session.deleted" })
  | (Omit<BacklogEvent, "type"> & { type: "feed.backlog" })
  | (Omit<TestEvent, "type"> & { type: "webhook.test" });
