import { refusal } from "../core/errors.ts";
import { beginPasskey, beginPasskeySignIn, signInByPasskey } from "../domain/passkeys/operations.ts";
import {
  BeginPasskey,
  MOST_PASSKEYS,
  PasskeyCreation,
  PasskeyRequest,
  SignInByPasskey,
} from "../domain/passkeys/schema.ts";
import { SignedIn } from "../domain/staff/schema.ts";
import { WithHeaders } from "../http/declaration.ts";
import { operation } from "../http/operation.ts";
import type { SignInCookie } from "./sign-in-cookie.ts";
import type { SignInScopes } from "./sign-in-operations.ts";
import type { WriteSite } from "./write-operation.ts";

const TAG = "Signing in";

/** How people come in by a passkey. A repeat is another try, so it takes no Idempotency-Key. */
export function servePasskeys(
  { open, staff }: Pick<SignInScopes, "open" | "staff">,
  { site, cookie }: { readonly site: WriteSite; readonly cookie: SignInCookie },
): void {
  operation(staff.forRole("teacher", { needsPassword: true }), {
    operationId: "beginPasskey",
    method: "POST",
    path: "/app/v1/beginPasskey",
    tag: TAG,
    summary: "Begin to make a passkey",
    description:
      "Answers what the browser makes a passkey by (`PublicKeyCredential.parseCreationOptionsFromJSON`). `addPasskey` " +
      "then takes what it has made, within five minutes. For everybody on the staff, who have entered their password " +
      "within 15 minutes.",
    takesKey: false,
    body: { schema: BeginPasskey, description: "An empty object.", example: {} },
    answer: { status: 200, description: "What to give the browser.", schema: PasskeyCreation },
    errors: [refusal("too_many_passkeys", { params: { count: MOST_PASSKEYS } })],
    handle: ({ caller, db }) => beginPasskey(db, caller, site),
  });

  operation(open, {
    operationId: "beginPasskeySignIn",
    method: "POST",
    path: "/app/v1/beginPasskeySignIn",
    tag: TAG,
    summary: "Begin to sign in by a passkey",
    description:
      "Answers what the browser asks for a passkey by (`PublicKeyCredential.parseRequestOptionsFromJSON`). " +
      "`signInByPasskey` then takes its answer, within five minutes.",
    isOpen: true,
    takesKey: false,
    body: { schema: BeginPasskey, description: "An empty object.", example: {} },
    answer: { status: 200, description: "What to give the browser.", schema: PasskeyRequest },
    errors: [refusal("insecure_address")],
    handle: () => beginPasskeySignIn(open.db, site),
  });

  operation(open, {
    operationId: "signInByPasskey",
    method: "POST",
    path: "/app/v1/signInByPasskey",
    tag: TAG,
    summary: "Sign in by a passkey",
    description:
      "Signs in whoever a passkey belongs to, and sets the cookie. It counts as entering the password. An answer of the " +
      "browser can be used once. Every failure has the same answer.",
    isOpen: true,
    takesKey: false,
    body: {
      schema: SignInByPasskey,
      description: "Of what the browser gives, these members.",
      example: {
        id: "mhfkXvyY3rQ8Jp1dLr0o2w",
        response: {
          clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
          authenticatorData: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA",
          signature: "MEUCIQDx8b0h4hFq0vJ3nS1o7uD",
          userHandle: "AYEh8QpMd1CBBssmZpfsWgGBqfBBx3s2jlJtD5s8ehQ",
        },
      },
    },
    answer: { status: 200, description: "Who is signed in now.", schema: SignedIn },
    errors: [refusal("wrong_sign_in"), refusal("insecure_address")],
    handle: async ({ caller, body }) => {
      const { staff: member, token } = await signInByPasskey(open.db, body, caller, site);
      return new WithHeaders({ staff: member }, ["set-cookie", cookie.set(token)]);
    },
  });
}
