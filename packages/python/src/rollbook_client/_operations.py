"""Made by `npm run clients` from openapi.json. Not to be edited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

VERSION = "0.2.0"


class Address(TypedDict):
    """Postal address; every part is optional."""

    city: NotRequired[str]
    country: NotRequired[str]
    line1: NotRequired[str]
    line2: NotRequired[str]
    postalCode: NotRequired[str]
    state: NotRequired[str]


class AddressInput(TypedDict):
    city: NotRequired[str]
    country: NotRequired[str]
    line1: NotRequired[str]
    line2: NotRequired[str]
    postalCode: NotRequired[str]
    state: NotRequired[str]


class AddressPatch(TypedDict):
    city: NotRequired[str | None]
    country: NotRequired[str | None]
    line1: NotRequired[str | None]
    line2: NotRequired[str | None]
    postalCode: NotRequired[str | None]
    state: NotRequired[str | None]


class BacklogEventData(TypedDict):
    """The part of the change feed to read."""

    after: str
    cursor: str
    count: int


class BacklogEvent(TypedDict):
    type: str
    timestamp: str
    organizationId: str
    data: BacklogEventData


class Calendar(TypedDict):
    data: Sequence[Session]
    total: int


class Change(TypedDict):
    cursor: str
    sequence: int
    kind: Literal["organization", "location", "resource", "serviceGroup", "serviceType", "plan", "client", "contract", "schedule", "session"]
    id: str
    type: Literal["created", "updated", "deleted"]
    changedAt: str
    reason: NotRequired[ChangeReason]
    record: NotRequired[dict[str, Any]]


class ChangeEventData(TypedDict):
    """The entry of the change feed."""

    cursor: str
    sequence: int
    kind: Literal["organization", "location", "resource", "serviceGroup", "serviceType", "plan", "client", "contract", "schedule", "session"]
    id: str
    type: Literal["created", "updated", "deleted"]
    changedAt: str
    reason: NotRequired[ChangeReason]
    record: NotRequired[dict[str, Any]]
    url: NotRequired[str]


class ChangeEvent(TypedDict):
    type: str
    timestamp: str
    organizationId: str
    data: ChangeEventData


class ChangePage(TypedDict):
    data: Sequence[Change]
    nextCursor: str
    hasMore: bool


class ChangeReason(TypedDict):
    """Whose change it was. Absent if it was made by hand."""

    by: Literal["key", "staff", "operator", "import", "clock"]
    keyId: NotRequired[str]
    requestId: NotRequired[str]


class Client(TypedDict):
    id: str
    contactName: str
    contactEmail: NotRequired[str]
    contactPhone: NotRequired[str]
    birthdate: NotRequired[str]
    address: Address
    idDocument: NotRequired[IDDocument]
    locationIds: NotRequired[Sequence[str]]
    notes: NotRequired[str]
    status: Literal["active", "archived"]
    createdAt: str
    updatedAt: str


class ClientInput(TypedDict):
    contactName: str
    contactEmail: NotRequired[str]
    contactPhone: NotRequired[str]
    birthdate: NotRequired[str]
    address: NotRequired[AddressInput]
    idDocument: NotRequired[IDDocumentInput]
    locationIds: NotRequired[Sequence[str]]
    notes: NotRequired[str]
    status: NotRequired[Literal["active", "archived"]]
    id: NotRequired[Any]
    createdAt: NotRequired[Any]
    updatedAt: NotRequired[Any]


class ClientPage(TypedDict):
    data: Sequence[Client]
    limit: int
    offset: int
    total: int
    nextCursor: NotRequired[str]


class ClientPatch(TypedDict):
    contactName: NotRequired[str]
    contactEmail: NotRequired[str | None]
    contactPhone: NotRequired[str | None]
    birthdate: NotRequired[str | None]
    address: NotRequired[AddressPatch]
    idDocument: NotRequired[IDDocumentPatch]
    locationIds: NotRequired[Sequence[str] | None]
    notes: NotRequired[str | None]
    status: NotRequired[Literal["active", "archived"]]
    id: NotRequired[Any]
    createdAt: NotRequired[Any]
    updatedAt: NotRequired[Any]


class Contract(TypedDict):
    id: str
    clientId: str
    planId: NotRequired[str]
    planName: str
    priceCents: int
    currency: str
    isTrial: bool
    billingKind: Literal["recurring", "one_time"]
    billingInterval: NotRequired[Literal["week", "month", "quarter", "year"]]
    startDate: str
    endDate: NotRequired[str]
    status: Literal["active", "paused", "cancelled", "expired"]
    accessBlocked: bool
    allLocations: bool
    locationIds: Sequence[str]
    cancelledAt: NotRequired[str]
    termsResponse: NotRequired[Literal["accepted", "declined"]]
    termsRespondedAt: NotRequired[str]
    entitlements: Sequence[ContractEntitlement]
    createdAt: str
    updatedAt: str
    clientName: NotRequired[str]


class ContractEntitlement(TypedDict):
    id: str
    type: Literal["access", "credits"]
    period: NotRequired[Literal["day", "week", "month"]]
    maxVisitsPerPeriod: NotRequired[int]
    remainingCredits: NotRequired[int]
    serviceTypeId: NotRequired[str]
    serviceGroupId: NotRequired[str]
    revokedAt: NotRequired[str]


class ContractPage(TypedDict):
    data: Sequence[Contract]
    limit: int
    offset: int
    total: int
    nextCursor: NotRequired[str]


class IDDocument(TypedDict):
    type: Literal["cpf", "other"]
    value: str


class IDDocumentInput(TypedDict):
    type: Literal["cpf", "other"]
    value: str


class IDDocumentPatch(TypedDict):
    type: NotRequired[Literal["cpf", "other"]]
    value: NotRequired[str]


class Location(TypedDict):
    id: str
    name: str
    address: NotRequired[str]
    status: Literal["active", "closed"]
    timezone: str


class LocationList(TypedDict):
    data: Sequence[Location]
    total: int


class Organization(TypedDict):
    """The organization a key belongs to."""

    id: str
    name: str
    timezone: str
    currency: str
    plan: Literal["Free", "Starter", "Pro", "Enterprise"]
    joinedAt: str


class Plan(TypedDict):
    id: str
    name: str
    status: Literal["active", "archived"]
    billingKind: Literal["recurring", "one_time"]
    billingInterval: NotRequired[Literal["week", "month", "quarter", "year"]]
    durationCount: NotRequired[int]
    durationUnit: NotRequired[Literal["day", "week", "month", "year"]]
    priceCents: int
    currency: str
    isTrial: bool
    allLocations: bool
    locationIds: Sequence[str]
    terms: NotRequired[str]
    entitlements: Sequence[PlanEntitlement]
    createdAt: str
    updatedAt: str


class PlanEntitlement(TypedDict):
    type: Literal["access", "credits"]
    period: NotRequired[Literal["day", "week", "month"]]
    maxVisitsPerPeriod: NotRequired[int]
    creditQuantity: NotRequired[int]
    serviceTypeId: NotRequired[str]
    serviceGroupId: NotRequired[str]


class PlanPage(TypedDict):
    data: Sequence[Plan]
    limit: int
    offset: int
    total: int
    nextCursor: NotRequired[str]


class ProblemErrors(TypedDict):
    location: str
    code: Literal["required", "unknown_member", "unknown_parameter", "given_twice", "wrong_type", "not_one_of", "encoding_invalid", "characters_invalid", "too_deep", "too_many_values", "empty", "too_short", "too_long", "below_minimum", "above_maximum", "too_few", "too_many", "uuid_invalid", "date_invalid", "date_time_invalid", "local_date_time_invalid", "email_invalid", "currency_invalid", "duration_invalid", "cursor_invalid", "header_invalid", "window_reversed", "window_too_long", "cursor_with_offset", "not_with_download", "idempotency_key_invalid", "idempotency_key_reused", "cpf_invalid", "birthdate_out_of_range", "location_required", "location_unknown", "invalid"] | str
    params: NotRequired[dict[str, str | float | Sequence[str]]]
    message: str


class Problem(TypedDict):
    """A failure (RFC 9457). The content type is `application/problem+json`. `title`, `detail` and `errors[].message` are in the language that `Accept-Language` asks for, if it is `en`, `pt-BR` or `es`."""

    type: str
    title: str
    status: int
    code: Literal["moved", "malformed", "unauthorized", "payment_required", "storage_full", "forbidden", "not_found", "method_not_allowed", "not_acceptable", "timeout", "conflict", "in_progress", "gone", "precondition_failed", "too_large", "unsupported_media_type", "invalid", "precondition_required", "rate_limited", "headers_too_large", "internal", "not_implemented", "unavailable"]
    detail: str
    requestId: NotRequired[str]
    errors: NotRequired[list[ProblemErrors]]
    clientId: NotRequired[str]
    clientStatus: NotRequired[Literal["active", "archived"]]
    reason: NotRequired[Literal["erased_client", "organization_limit"]]


class Resource(TypedDict):
    id: str
    name: str
    kind: Literal["person", "room", "equipment"]
    status: Literal["active", "archived"]


class ResourceList(TypedDict):
    data: Sequence[Resource]
    total: int


class ServiceGroup(TypedDict):
    id: str
    name: str
    serviceTypeIds: Sequence[str]


class ServiceGroupList(TypedDict):
    data: Sequence[ServiceGroup]
    total: int


class ServiceType(TypedDict):
    id: str
    name: str
    description: NotRequired[str]
    holdsResource: bool
    status: Literal["active", "archived"]
    createdAt: str
    updatedAt: str


class ServiceTypePage(TypedDict):
    data: Sequence[ServiceType]
    limit: int
    offset: int
    total: int
    nextCursor: NotRequired[str]


class Session(TypedDict):
    id: NotRequired[str]
    scheduleId: NotRequired[str]
    originalStart: NotRequired[str]
    serviceTypeId: str
    locationId: str
    resourceIds: NotRequired[Sequence[str]]
    startAt: str
    endAt: str
    capacity: int
    bookedCount: int
    status: Literal["scheduled", "cancelled"]
    serviceTypeName: NotRequired[str]
    locationName: NotRequired[str]
    localStart: NotRequired[str]
    localEnd: NotRequired[str]


class TestEventData(TypedDict):
    """What was tried."""

    webhookId: str


class TestEvent(TypedDict):
    type: str
    timestamp: str
    organizationId: str
    data: TestEventData

EventType = Literal[
    "organization.created",
    "organization.updated",
    "organization.deleted",
    "location.created",
    "location.updated",
    "location.deleted",
    "resource.created",
    "resource.updated",
    "resource.deleted",
    "serviceGroup.created",
    "serviceGroup.updated",
    "serviceGroup.deleted",
    "serviceType.created",
    "serviceType.updated",
    "serviceType.deleted",
    "plan.created",
    "plan.updated",
    "plan.deleted",
    "client.created",
    "client.updated",
    "client.deleted",
    "contract.created",
    "contract.updated",
    "contract.deleted",
    "schedule.created",
    "schedule.updated",
    "schedule.deleted",
    "session.created",
    "session.updated",
    "session.deleted",
    "feed.backlog",
    "webhook.test",
]

LISTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "locations": ("/v1/locations", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "plans": ("/v1/plans", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "service-types": ("/v1/service-types", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "service-groups": ("/v1/service-groups", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "contracts": ("/v1/contracts", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "clients": ("/v1/clients", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "calendar": ("/v1/calendar", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "resources": ("/v1/resources", {"csv": "text/csv", "ndjson": "application/x-ndjson"}),
    "changes": ("/v1/changes", {"ndjson": "application/x-ndjson"}),
}


def _fill(path: str, *parts: str) -> str:
    """The path with its parts. An empty id would be the address of the list."""
    for part in parts:
        if not part:
            raise ValueError("An id must be a text that is not empty.")
        path = re.sub(r"\{\w+\}", quote(part, safe=""), path, count=1)
    return path


class Operations:
    """The operations of the API. What sends them is in the class that inherits this one."""

    def _call(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _walk(self, *args: Any, **options: Any) -> Iterator[Any]:
        raise NotImplementedError

    def get_organization(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Organization:
        """The organization of the key. The cheapest way to confirm that a key works, and to learn the currency and timezone the API reports in."""
        found: Organization = self._call("GET", "/v1/organization", timeout=timeout, accept_language=accept_language)
        return found

    def list_locations(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> LocationList:
        """All locations. Every location, open or closed, in order of creation. The list is returned whole."""
        found: LocationList = self._call("GET", "/v1/locations", timeout=timeout, accept_language=accept_language)
        return found

    def list_locations_all(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Location]:
        """Every record of `list_locations`, page by page."""
        return self._walk("/v1/locations", timeout=timeout, accept_language=accept_language)

    def list_plans(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        billing_kind: Literal["recurring", "one_time"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> PlanPage:
        """List plans. What the organization sells, newest first, entitlements included."""
        found: PlanPage = self._call("GET", "/v1/plans", query={"query": query, "status": status, "billingKind": billing_kind, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, timeout=timeout, accept_language=accept_language)
        return found

    def list_plans_all(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        billing_kind: Literal["recurring", "one_time"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Plan]:
        """Every record of `list_plans`, page by page."""
        return self._walk("/v1/plans", query={"query": query, "status": status, "billingKind": billing_kind, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, next_name="cursor", limit=200, timeout=timeout, accept_language=accept_language)

    def get_plan(
        self,
        id: str,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Plan:
        """One plan. One plan by its id."""
        found: Plan = self._call("GET", _fill("/v1/plans/{id}", id), timeout=timeout, accept_language=accept_language)
        return found

    def list_service_types(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ServiceTypePage:
        """List service types. The kinds of classes and appointments the organization offers, newest first."""
        found: ServiceTypePage = self._call("GET", "/v1/service-types", query={"query": query, "status": status, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, timeout=timeout, accept_language=accept_language)
        return found

    def list_service_types_all(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[ServiceType]:
        """Every record of `list_service_types`, page by page."""
        return self._walk("/v1/service-types", query={"query": query, "status": status, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, next_name="cursor", limit=200, timeout=timeout, accept_language=accept_language)

    def get_service_type(
        self,
        id: str,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ServiceType:
        """One service type. One service type by its id."""
        found: ServiceType = self._call("GET", _fill("/v1/service-types/{id}", id), timeout=timeout, accept_language=accept_language)
        return found

    def list_service_groups(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ServiceGroupList:
        """All service groups. The groups of service types that entitlements may be limited to, in order of their ids. The list is returned whole."""
        found: ServiceGroupList = self._call("GET", "/v1/service-groups", timeout=timeout, accept_language=accept_language)
        return found

    def list_service_groups_all(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[ServiceGroup]:
        """Every record of `list_service_groups`, page by page."""
        return self._walk("/v1/service-groups", timeout=timeout, accept_language=accept_language)

    def list_contracts(
        self,
        *,
        client_id: str | None = None,
        location_id: str | None = None,
        status: Literal["active", "paused", "cancelled", "expired"] | None = None,
        include: Literal["names"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ContractPage:
        """List contracts. What clients have bought, newest first. `entitlements` is empty in each record of the list."""
        found: ContractPage = self._call("GET", "/v1/contracts", query={"clientId": client_id, "locationId": location_id, "status": status, "include": include, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, timeout=timeout, accept_language=accept_language)
        return found

    def list_contracts_all(
        self,
        *,
        client_id: str | None = None,
        location_id: str | None = None,
        status: Literal["active", "paused", "cancelled", "expired"] | None = None,
        include: Literal["names"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Contract]:
        """Every record of `list_contracts`, page by page."""
        return self._walk("/v1/contracts", query={"clientId": client_id, "locationId": location_id, "status": status, "include": include, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, next_name="cursor", limit=200, timeout=timeout, accept_language=accept_language)

    def get_contract(
        self,
        id: str,
        *,
        include: Literal["names"] | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Contract:
        """One contract. One contract by its id, with its entitlements and their live balances."""
        found: Contract = self._call("GET", _fill("/v1/contracts/{id}", id), query={"include": include}, timeout=timeout, accept_language=accept_language)
        return found

    def list_clients(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        location_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ClientPage:
        """List clients. The organization's clients, newest first. `locationIds` is left out of each record."""
        found: ClientPage = self._call("GET", "/v1/clients", query={"query": query, "status": status, "locationId": location_id, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, timeout=timeout, accept_language=accept_language)
        return found

    def list_clients_all(
        self,
        *,
        query: str | None = None,
        status: Literal["active", "archived"] | None = None,
        location_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        updated_since: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Client]:
        """Every record of `list_clients`, page by page."""
        return self._walk("/v1/clients", query={"query": query, "status": status, "locationId": location_id, "limit": limit, "offset": offset, "cursor": cursor, "updatedSince": updated_since}, next_name="cursor", limit=200, timeout=timeout, accept_language=accept_language)

    def create_client(
        self,
        body: ClientInput,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Client:
        """Create a client. A `cpf` is checksum-validated and stored as 11 digits. An id document that another client holds, archived ones included, is refused with 409, which names that client. With exactly one location `locationIds` may be left out."""
        found: Client = self._call("POST", "/v1/clients", headers={"Idempotency-Key": idempotency_key}, body=body, media_type="application/json", timeout=timeout, accept_language=accept_language)
        return found

    def get_client(
        self,
        id: str,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Client:
        """One client. One client by its id, with its `locationIds`."""
        found: Client = self._call("GET", _fill("/v1/clients/{id}", id), timeout=timeout, accept_language=accept_language)
        return found

    def replace_client(
        self,
        id: str,
        body: ClientInput,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Client:
        """Replace a client. A full replacement, not a patch: every field that is left out is cleared, except `status`, which stays as it is. Read the client first and send it back with your changes."""
        found: Client = self._call("PUT", _fill("/v1/clients/{id}", id), headers={"If-Match": if_match, "If-None-Match": if_none_match, "Idempotency-Key": idempotency_key}, body=body, media_type="application/json", timeout=timeout, accept_language=accept_language)
        return found

    def patch_client(
        self,
        id: str,
        body: ClientPatch,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Client:
        """Change some members of a client. A merge patch (RFC 7396): members that are named are set, `null` clears an optional one, the others stay. `address` and `idDocument` are merged part by part; `locationIds` is replaced whole. The merged record obeys the rules of a full replacement. Changes of different members at the same time both stand."""
        found: Client = self._call("PATCH", _fill("/v1/clients/{id}", id), headers={"If-Match": if_match, "If-None-Match": if_none_match, "Idempotency-Key": idempotency_key}, body=body, media_type="application/merge-patch+json", timeout=timeout, accept_language=accept_language)
        return found

    def archive_client(
        self,
        id: str,
        *,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> None:
        """Archive a client. The client's status becomes `archived`; the record is kept. Archiving an archived client changes nothing."""
        self._call("DELETE", _fill("/v1/clients/{id}", id), headers={"If-Match": if_match, "If-None-Match": if_none_match, "Idempotency-Key": idempotency_key}, timeout=timeout, accept_language=accept_language)

    def list_sessions(
        self,
        *,
        from_: str,
        to: str,
        location_id: str | None = None,
        service_type_id: str | None = None,
        schedule_id: str | None = None,
        resource_id: str | None = None,
        include: Literal["names"] | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Calendar:
        """Sessions in a window. The sessions that start in the window, in order, made by expanding each schedule's recurrence rule at its location's clock. Cancelled sessions are shown as such. Who is booked is not reported. The list is returned whole; the window is its bound."""
        found: Calendar = self._call("GET", "/v1/calendar", query={"from": from_, "to": to, "locationId": location_id, "serviceTypeId": service_type_id, "scheduleId": schedule_id, "resourceId": resource_id, "include": include}, timeout=timeout, accept_language=accept_language)
        return found

    def list_sessions_all(
        self,
        *,
        from_: str,
        to: str,
        location_id: str | None = None,
        service_type_id: str | None = None,
        schedule_id: str | None = None,
        resource_id: str | None = None,
        include: Literal["names"] | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Session]:
        """Every record of `list_sessions`, page by page."""
        return self._walk("/v1/calendar", query={"from": from_, "to": to, "locationId": location_id, "serviceTypeId": service_type_id, "scheduleId": schedule_id, "resourceId": resource_id, "include": include}, timeout=timeout, accept_language=accept_language)

    def list_resources(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ResourceList:
        """All resources. Who or what runs sessions, in order of their ids: the names for the `resourceIds` of the calendar. The list is returned whole."""
        found: ResourceList = self._call("GET", "/v1/resources", timeout=timeout, accept_language=accept_language)
        return found

    def list_resources_all(
        self,
        *,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Resource]:
        """Every record of `list_resources`, page by page."""
        return self._walk("/v1/resources", timeout=timeout, accept_language=accept_language)

    def list_changes(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        kinds: Sequence[Literal["organization", "location", "resource", "serviceGroup", "serviceType", "plan", "client", "contract", "schedule", "session"]] | None = None,
        include: Literal["record"] | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> ChangePage:
        """What has changed. Every change of every record that the API shows, in one order, without gaps, from the beginning or after a cursor. From the beginning it lists every record there is, so a mirror needs nothing else: start without `after`, apply each entry, store `nextCursor` after each page, and ask with it again, for ever. A write that was answered before a read began is there by the time `hasMore` is false. Of a record that has changed again, older entries are removed after some time (30 days unless the operator says otherwise); the last one stays."""
        found: ChangePage = self._call("GET", "/v1/changes", query={"after": after, "limit": limit, "wait": wait, "kinds": kinds, "include": include}, timeout=timeout, accept_language=accept_language)
        return found

    def list_changes_all(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        kinds: Sequence[Literal["organization", "location", "resource", "serviceGroup", "serviceType", "plan", "client", "contract", "schedule", "session"]] | None = None,
        include: Literal["record"] | None = None,
        timeout: float | None = None,
        accept_language: str | None = None,
    ) -> Iterator[Change]:
        """Every record of `list_changes`, page by page."""
        return self._walk("/v1/changes", query={"after": after, "limit": limit, "kinds": kinds, "include": include}, next_name="after", limit=1000, timeout=timeout, accept_language=accept_language)

