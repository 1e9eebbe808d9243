import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { type StaffCall, staffWrite } from "../writes/staff-write.ts";
import { addPasskey, removePasskey } from "./operations.ts";
import { findPasskey } from "./queries.ts";
import { AddPasskey, MOST_PASSKEYS, NamePasskey, Passkey } from "./schema.ts";

const TAG = "Signing in";

/** A repeat shows the passkey as it is now; nothing once it is gone. */
const own = {
  idOf: ({ id }: Passkey) => id,
  read: async ({ db, organizationId, signIn }: StaffCall, id: string) =>
    signIn && findPasskey(db, organizationId, signIn.staffId, id),
};

export const passkeyWrites = [
  staffWrite({
    name: "addPasskey",
    role: "teacher",
    needsPassword: true,
    tag: TAG,
    summary: "Add a passkey",
    description:
      "Stores a passkey of yours that the browser has made by what `beginPasskey` answered. From then on " +
      `\`signInByPasskey\` lets you in. A person has at most ${MOST_PASSKEYS}.`,
    input: AddPasskey,
    example: {
      name: "Carla's phone",
      credential: {
        id: "mhfkXvyY3rQ8Jp1dLr0o2w",
        response: {
          clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
          authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAA",
          publicKey: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
        },
      },
    },
    result: Passkey,
    refusals: [
      refusal("passkey_refused"),
      refusal("passkey_known"),
      refusal("too_many_passkeys", { params: { count: MOST_PASSKEYS } }),
    ],
    perform: addPasskey,
    repeat: own,
  }),
  staffWrite({
    name: "removePasskey",
    role: "teacher",
    needsPassword: true,
    tag: TAG,
    summary: "Remove a passkey",
    description:
      "Removes a passkey of yours. Nobody comes in by it any more; sign-ins that have begun go on.",
    input: NamePasskey,
    example: { passkeyId: EXAMPLE_IDS.passkey },
    result: Passkey,
    refusals: [refusal("no_passkey")],
    perform: removePasskey,
    repeat: own,
  }),
];
