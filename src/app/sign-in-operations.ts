import { refusal } from "../core/errors.ts";
import { trimTexts } from "../core/trim-texts.ts";
import type { BegunSignIn } from "../domain/staff/begin-sign-in.ts";
import {
  AcceptLink,
  ChangePassword,
  Confirmed,
  ConfirmPassword,
  LinkFor,
  ReadLink,
  SignedIn,
  SignedOut,
  SignIn,
  SignOut,
} from "../domain/staff/schema.ts";
import type { SigningIn } from "../domain/staff/signing-in.ts";
import { type OperationScope, WithHeaders } from "../http/declaration.ts";
import { operation } from "../http/operation.ts";
import type { StaffMember, StaffScope } from "../http/staff-scope.ts";
import type { SignInCookie } from "./sign-in-cookie.ts";
import type { Newcomer } from "./sign-in-gate.ts";

const TAG = "Signing in";

/** Who is let in to what: anybody, who is signed in, and who is about to leave. */
export interface SignInScopes {
  readonly open: OperationScope<Newcomer>;
  readonly staff: StaffScope;
  readonly leaving: OperationScope<StaffMember>;
}

/** How people come in and leave. What is sent twice is answered for what it is then, so none takes an Idempotency-Key. */
export function serveSigningIn(
  { open, staff, leaving }: SignInScopes,
  { signingIn, cookie }: { readonly signingIn: SigningIn; readonly cookie: SignInCookie },
): void {
  const begun = ({ staff: member, token }: BegunSignIn) =>
    new WithHeaders({ staff: member }, ["set-cookie", cookie.set(token)]);

  operation(open, {
    operationId: "signIn",
    method: "POST",
    path: "/app/v1/signIn",
    tag: TAG,
    summary: "Sign in",
    description:
      "Signs somebody in by e-mail address and password, and sets the cookie. Somebody on the staff of several " +
      "organizations with this password is answered which, and names one. Every failure has the same answer.",
    isOpen: true,
    takesKey: false,
    body: {
      schema: SignIn,
      description: "Address and password.",
      example: { email: "carla@example.com", password: "a long sentence of yours" },
    },
    answer: {
      status: 200,
      description: "Who is signed in now, or which organizations there are.",
      schema: SignedIn,
    },
    errors: [refusal("wrong_sign_in"), refusal("insecure_address"), tooManyTries()],
    handle: async ({ caller, body }) => {
      const signedIn = await signingIn.signIn(body, caller);
      return "organizations" in signedIn ? { organizations: [...signedIn.organizations] } : begun(signedIn);
    },
  });

  operation(open, {
    operationId: "acceptLink",
    method: "POST",
    path: "/app/v1/acceptLink",
    tag: TAG,
    summary: "Use a link",
    description:
      "Sets the password of whoever a link was made for and signs them in. A link can be used once; every other sign-in of " +
      "theirs ends, and so does whoever's sign-in the browser had before. Their passkeys are removed. It is in the audit trail.",
    isOpen: true,
    takesKey: false,
    body: {
      schema: AcceptLink,
      tidy: (raw) => trimTexts(AcceptLink, raw),
      description: "The token of the link, and the new password.",
      example: {
        token: "2vYb0yXhYvO6yD3mK4u1Zf1d0nS8vJ5rQxTq7hWc9Lk",
        password: "a long sentence of yours",
      },
    },
    answer: { status: 200, description: "Who is signed in now.", schema: SignedIn },
    errors: [refusal("link_used"), refusal("insecure_address")],
    handle: async ({ caller, body }) => begun(await signingIn.acceptLink(body, caller)),
  });

  operation(open, {
    operationId: "readLink",
    method: "POST",
    path: "/app/v1/readLink",
    tag: TAG,
    summary: "Look at a link",
    description:
      "Whose password a link sets and in which organization, before it is used. The token is in the body, so that no log has it.",
    isOpen: true,
    takesKey: false,
    body: {
      schema: ReadLink,
      tidy: (raw) => trimTexts(ReadLink, raw),
      description: "The token of the link.",
      example: { token: "2vYb0yXhYvO6yD3mK4u1Zf1d0nS8vJ5rQxTq7hWc9Lk" },
    },
    answer: { status: 200, description: "Whom it is for.", schema: LinkFor },
    errors: [refusal("link_used"), refusal("insecure_address")],
    handle: ({ body }) => signingIn.readLink(body),
  });

  operation(staff.forRole("teacher"), {
    operationId: "confirmPassword",
    method: "POST",
    path: "/app/v1/confirmPassword",
    tag: TAG,
    summary: "Enter the password again",
    description: "For 15 minutes, operations that need the password can be used.",
    takesKey: false,
    body: {
      schema: ConfirmPassword,
      description: "The password.",
      example: { password: "a long sentence of yours" },
    },
    answer: { status: 200, description: "Until when it counts.", schema: Confirmed },
    errors: [refusal("wrong_sign_in"), tooManyTries()],
    handle: async ({ caller, body }) => ({ confirmedUntil: await signingIn.confirm(caller, body.password) }),
  });

  // Without an Idempotency-Key: a hash of the request would be stored with it, by which passwords are quickly guessed.
  operation(staff.forRole("teacher"), {
    operationId: "changePassword",
    method: "POST",
    path: "/app/v1/changePassword",
    tag: TAG,
    summary: "Change your password",
    description:
      "Sets another password. Every other sign-in of yours ends, your passkeys are removed and the links that you made end: " +
      "whoever came in by the old password is out. The cookie is a new one.",
    takesKey: false,
    body: {
      schema: ChangePassword,
      description: "The password until now, and the new one.",
      example: { password: "a long sentence of yours", newPassword: "another sentence of yours" },
    },
    answer: { status: 200, description: "Who is signed in.", schema: SignedIn },
    errors: [refusal("wrong_sign_in"), tooManyTries()],
    handle: async ({ caller, body }) =>
      begun(await signingIn.changePassword(caller, body, { token: undefined, device: caller.device })),
  });

  operation(leaving, {
    operationId: "signOut",
    method: "POST",
    path: "/app/v1/signOut",
    tag: TAG,
    summary: "Sign out",
    description: "Ends the sign-in, everywhere and at once, also of an organization that is not active.",
    takesKey: false,
    body: { schema: SignOut, description: "An empty object.", example: {} },
    answer: { status: 200, description: "Nobody is signed in any more.", schema: SignedOut },
    handle: async ({ caller }) => {
      await signingIn.signOut(caller);
      return new WithHeaders({ signedOut: true }, ["set-cookie", cookie.clear()]);
    },
  });
}

function tooManyTries() {
  return refusal("too_many_tries", { params: { seconds: 42 }, retryAfterSeconds: 42 });
}
