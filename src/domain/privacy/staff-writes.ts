import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { unknownClient } from "../clients/operations.ts";
import { Client } from "../clients/schema.ts";
import { type StaffWrite, staffWrite } from "../writes/staff-write.ts";
import { eraseClient, exportClient, readClientExport, readErasedClient } from "./operations.ts";
import { ClientExport, EraseClient, ExportClient } from "./schema.ts";

const clientId = EXAMPLE_IDS.client;

export const privacyWrites: readonly StaffWrite[] = [
  staffWrite({
    name: "exportClient",
    role: "owner",
    needsPassword: true,
    tag: "Privacy",
    summary: "Give out everything about a person",
    description:
      "One document with everything that is stored about a client: the record, contracts with their terms and pauses, bookings, " +
      "waiting and the audit entries about them. That it was given out is recorded; a dry run gives out nothing.",
    input: ExportClient,
    example: { clientId },
    result: ClientExport,
    isGivenOut: true,
    refusals: [unknownClient()],
    perform: exportClient,
    repeat: {
      idOf: ({ client }) => client.id,
      read: readClientExport,
    },
  }),
  staffWrite({
    name: "eraseClient",
    role: "owner",
    needsPassword: true,
    tag: "Privacy",
    summary: "Erase a person",
    description:
      "Takes the person out of a client's record and out of every reason that was written about them. Contracts and " +
      "bookings stay, for the books, and evidence of the erasure is kept. It cannot be undone. Refused while a contract " +
      "runs or a booking is to come.",
    input: EraseClient,
    example: { clientId, basis: "LGPD art. 18 VI, request of 2026-11-10" },
    result: Client,
    refusals: [unknownClient(), refusal("still_member")],
    perform: eraseClient,
    repeat: {
      idOf: ({ id }) => id,
      read: ({ db, organizationId }, id) => readErasedClient(db, organizationId, id),
    },
  }),
];
