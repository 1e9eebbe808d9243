import { parseDuration } from "../../core/duration.ts";
import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Static } from "../../core/fields.ts";
import { accountWrite, type OpenAccount, type Outcome } from "../writes/recorded-write.ts";
import { type StaffCall, staffWrite } from "../writes/staff-write.ts";
import { mint, revoke, rotate } from "./operations.ts";
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
    perform: accountWrite("mintKey", async (open: OpenKeys, { name, expires }: Static<typeof MintKey>) => {
      const lifetimeSeconds = expires === undefined ? undefined : parseDuration(expires);
      const { tx, keySecret, organizationId } = open;
      return shownAs(await mint(tx, keySecret, { organizationId, name, lifetimeSeconds }));
    }),
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
    perform: accountWrite("rotateKey", async (open: OpenKeys, input: Static<typeof RotateKey>) => {
      const { keyId: id, overlap = "24h" } = input;
      const { tx, keySecret, organizationId } = open;
      return shownAs(await rotate(tx, keySecret, { id, organizationId }, parseDuration(overlap) ?? 0));
    }),
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
    perform: accountWrite(
      "revokeKey",
      async ({ tx, organizationId }, { keyId: id }: Static<typeof NameKey>) =>
        shownAs(await revoke(tx, { id, organizationId })),
    ),
    repeat,
  }),
];

type OpenKeys = OpenAccount & Pick<StaffCall, "keySecret">;

function shownAs<Key extends KeyRecord>({
  result,
  entry,
}: Outcome<Key>): Outcome<Omit<Key, "organizationId">> {
  return { result: shown(result), entry };
}

function shown<Key extends KeyRecord>({ organizationId, ...key }: Key): Omit<Key, "organizationId"> {
  return key;
}
