import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { type UndoFacts, undoneBy } from "../../core/undo.ts";
import { type StaffCall, staffWrite } from "../writes/staff-write.ts";
import { documentHeld, unknownClient } from "./operations.ts";
import { listClientsById } from "./queries.ts";
import { tidyClient, tidyPatch } from "./rules.ts";
import { AddClient, Client, EditClient, exampleClient, NameClient } from "./schema.ts";
import {
  addClientByStaff,
  archiveClientByStaff,
  editClientByStaff,
  findClientChangeFaults,
  findClientFaults,
  restoreClientByStaff,
} from "./staff-operations.ts";

const tag = "Clients";
const role = "front_desk";
const clientId = EXAMPLE_IDS.client;
const result = Client;
const repeat = {
  idOf: ({ id }: Client) => id,
  read: async ({ db, organizationId }: StaffCall, id: string) =>
    (await listClientsById(db, organizationId, [id]))[0],
};

const isStatusChanged = ({ details: { members } }: UndoFacts) =>
  Array.isArray(members) && members.includes("status");

export const clientWrites = [
  staffWrite({
    name: "addClient",
    role,
    tag,
    summary: "Add a client",
    description:
      "By the rules of the API: an id document is held once, and with one location that one is meant.",
    input: AddClient,
    tidy: tidyClient,
    faults: ({ db, organizationId }, tidy) => findClientFaults(db, organizationId, tidy),
    example: {
      contactName: "Ana Souza",
      contactPhone: "+55 11 90765-4321",
      locationIds: [EXAMPLE_IDS.location],
    },
    result,
    refusals: [documentHeld(exampleClient)],
    perform: addClientByStaff,
    repeat,
  }),
  staffWrite({
    name: "editClient",
    role,
    tag,
    summary: "Change a client",
    description: "Members that are not named stay; null clears one.",
    input: EditClient,
    tidy: tidyChanges,
    faults: ({ db, organizationId }, tidy) => findClientChangeFaults(db, organizationId, tidy),
    example: { clientId, changes: { contactPhone: "+55 11 90765-4321" } },
    result,
    refusals: [unknownClient(), documentHeld(exampleClient), refusal("erased_client")],
    perform: editClientByStaff,
    repeat,
  }),
  staffWrite({
    name: "archiveClient",
    role,
    tag,
    summary: "Archive a client",
    description: "The record is kept. Nothing is sold to or booked for a client who is archived.",
    input: NameClient,
    example: { clientId },
    result,
    refusals: [unknownClient()],
    perform: archiveClientByStaff,
    undo: undoneBy("restoreClient", "clientId", isStatusChanged),
    repeat,
  }),
  staffWrite({
    name: "restoreClient",
    role,
    tag,
    summary: "Bring an archived client back",
    description: "Not one who was erased: whoever comes back is a new client.",
    input: NameClient,
    example: { clientId },
    result,
    refusals: [unknownClient(), refusal("erased_client")],
    perform: restoreClientByStaff,
    undo: undoneBy("archiveClient", "clientId", isStatusChanged),
    repeat,
  }),
];

function tidyChanges(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null || !("changes" in raw)) return raw;
  return { ...raw, changes: tidyPatch(raw.changes) };
}
