import { parseDuration } from "../core/duration.ts";
import { refusal } from "../core/errors.ts";
import { EXAMPLE_IDS } from "../core/example-ids.ts";
import { newId } from "../core/ids.ts";
import { NO_CHANGES, type Written } from "../core/written.ts";
import { type StaffCall, staffWrite } from "../staff/staff-write.ts";
import { mintKey, revokeKey, rotateKey } from "./operations.ts";
import { findKey, type KeyRecord } from "./queries.ts";
import { MintKey, NameKey, NewStaffKey, RotateKey, StaffKey } from "./schema.ts";

const tag = "Keys";
const role = "owner";
const needsPassword = true;
const keyId = EXAMPLE_IDS.key;
const repeat = {
  idOf: ({ id }: StaffKey) => id,
  read: async ({ db, organizationId }: StaffCall, id: string) => {
    const key = await findKey(db, organizationId, id);
    return key && shown(key);
  },
};

export const keyWrites = [
  staffWrite({
    name: "mintKey",
    role,
    needsPassword,
    tag,
    summary: "Make a key for the API",
    description:
      "The key is shown once. Whoever has it reads and writes the data of the organization over the API.",
    input: MintKey,
    example: { name: "Website", expires: "90d" },
    result: NewStaffKey,
    secrets: ["key"],
    refusals: [],
    perform: (call, { name, expires }) =>
      recorded(call, (auditId) =>
        mintKey(call.db, call.keySecret, call.actor.name, {
          organizationId: call.organizationId,
          name,
          lifetimeSeconds: expires === undefined ? undefined : parseDuration(expires),
          auditId,
        }),
      ),
    repeat,
  }),
  staffWrite({
    name: "rotateKey",
    role,
    needsPassword,
    tag,
    summary: "Make a successor to a key",
    description:
      "A new key of the same name and lifetime, shown once. The old one works until the overlap ends, so that callers " +
      "can be changed over without an outage.",
    input: RotateKey,
    example: { keyId, overlap: "24h" },
    result: NewStaffKey,
    secrets: ["key"],
    refusals: [refusal("no_key"), refusal("key_not_active", { params: { status: "revoked" } })],
    perform: (call, { keyId: id, overlap = "24h" }) =>
      recorded(call, (auditId) =>
        rotateKey(call.db, call.keySecret, call.actor.name, id.toLowerCase(), parseDuration(overlap) ?? 0, {
          organizationId: call.organizationId,
          auditId,
        }),
      ),
    repeat,
  }),
  staffWrite({
    name: "revokeKey",
    role,
    needsPassword,
    tag,
    summary: "End a key",
    description: "It is refused from the next request on, everywhere. It cannot be undone.",
    input: NameKey,
    example: { keyId },
    result: StaffKey,
    refusals: [refusal("no_key")],
    perform: (call, { keyId: id }) =>
      recorded(call, (auditId) =>
        revokeKey(call.db, call.actor.name, id.toLowerCase(), {
          organizationId: call.organizationId,
          auditId,
        }),
      ),
    repeat,
  }),
];

/** Carries a write out under the id of its audit entry. */
async function recorded<Key extends KeyRecord>(
  { db }: StaffCall,
  write: (auditId: string) => Promise<Key>,
): Promise<Written<Omit<Key, "organizationId">>> {
  const auditId = newId(await db.now());
  return { auditId, result: shown(await write(auditId)), changes: NO_CHANGES };
}

function shown<Key extends KeyRecord>({ organizationId, ...key }: Key): Omit<Key, "organizationId"> {
  return key;
}
