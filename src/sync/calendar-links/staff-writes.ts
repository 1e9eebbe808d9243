import { parseDuration } from "../../core/duration.ts";
import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { repeatedBy, staffWrite } from "../../domain/writes/staff-write.ts";
import { mintCalendarLink, revokeCalendarLink, rotateCalendarLink } from "./operations.ts";
import { findCalendarLink } from "./queries.ts";
import {
  CalendarLink,
  MintCalendarLink,
  NameCalendarLink,
  NewCalendarLink,
  RotateCalendarLink,
} from "./schema.ts";
import { MOST_ADDRESS_LENGTH } from "./values.ts";

const tag = "Calendar links";
// A link to a client's own bookings is for whoever books for them; all others are refused to whoever is no owner.
const role = "front_desk";
const calendarLinkId = EXAMPLE_IDS.calendarLink;
const secrets = ["url", "webcalUrl", "jsonUrl"];
const unknown = refusal("no_calendar_link");
const tooLong = refusal("calendar_address_too_long", {
  params: { count: MOST_ADDRESS_LENGTH + 1, max: MOST_ADDRESS_LENGTH },
});
const repeat = repeatedBy(findCalendarLink);

export const calendarLinkWrites = [
  staffWrite({
    name: "mintCalendarLink",
    role,
    tag,
    summary: "Make a link to a calendar",
    description:
      "Whoever has the address reads the sessions in a calendar program, and nothing else: not who is booked. Without " +
      "`clientId`, for owners.",
    input: MintCalendarLink,
    example: { name: "Vila Madalena", locationId: EXAMPLE_IDS.location, language: "pt-BR" },
    result: NewCalendarLink,
    secrets,
    refusals: [refusal("not_allowed"), refusal("no_client"), refusal("erased_client"), tooLong],
    perform: mintCalendarLink,
    repeat,
  }),
  staffWrite({
    name: "rotateCalendarLink",
    role,
    tag,
    summary: "Make a successor to a link",
    description:
      "A new link that shows the same, for as long. The old one works until the overlap ends. A link that is not to the " +
      "bookings of a client, for owners.",
    input: RotateCalendarLink,
    example: { calendarLinkId, overlap: "24h" },
    result: NewCalendarLink,
    secrets,
    refusals: [
      refusal("not_allowed"),
      unknown,
      refusal("calendar_link_ended", { params: { status: "revoked" } }),
      tooLong,
    ],
    perform: (call, { calendarLinkId: id, overlap = "24h" }) =>
      rotateCalendarLink(call, { calendarLinkId: id, overlapSeconds: parseDuration(overlap) ?? 0 }),
    repeat,
  }),
  staffWrite({
    name: "revokeCalendarLink",
    role,
    tag,
    summary: "End a link to a calendar",
    description:
      "Its address answers from the next fetch on as if it had never been, everywhere. It cannot be undone. A link that is " +
      "not to the bookings of a client, for owners.",
    input: NameCalendarLink,
    example: { calendarLinkId },
    result: CalendarLink,
    refusals: [refusal("not_allowed"), unknown],
    perform: revokeCalendarLink,
    repeat,
  }),
];
