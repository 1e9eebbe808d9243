import type { CredentialTable } from "../../domain/keys/admission.ts";

/** The links as credentials; the facts are an `AdmittedLink`. */
export const CALENDAR_LINKS: CredentialTable = {
  table: "ics_links",
  lastUse: "last_fetched_at",
  columns: [
    ...["name", "client_id", "location_id", "service_type_id", "resource"],
    ...["past_days", "ahead_days", "language", "show_seats", "shown_until"],
  ],
  facts: {
    name: "a.name",
    clientId: "a.client_id",
    locationId: "a.location_id",
    serviceTypeId: "a.service_type_id",
    resourceId: "a.resource",
    pastDays: "a.past_days",
    aheadDays: "a.ahead_days",
    language: "a.language",
    showSeats: "a.show_seats",
    shownUntil: "a.shown_until",
    organizationName: "o.name",
    locationTimezone:
      "(select l.timezone from locations l where l.organization_id = a.organization_id and l.id = a.location_id)",
  },
};
