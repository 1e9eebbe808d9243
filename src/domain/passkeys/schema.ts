import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import { Body, Id, Instant, Int32, Line, OneOf, type Static, whole } from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";

/** Nobody needs more; each is sent to the browser that makes another. */
export const MOST_PASSKEYS = 20;

/** Bytes as browsers write them in JSON: base64url without padding. */
const Bytes = (description: string, most: number, example: string) =>
  Type.String({
    minLength: 1,
    maxLength: Math.ceil((most * 4) / 3),
    pattern: "^[A-Za-z0-9_-]+$",
    description,
    examples: [example],
  });

const credentialId = Bytes("By what the authenticator knows the passkey.", 1_023, "mhfkXvyY3rQ8Jp1dLr0o2w");
const clientDataJSON = Bytes(
  "What the browser asked the authenticator for.",
  2_000,
  "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0Iiw",
);
const authenticatorData = Bytes(
  "What the authenticator says of itself.",
  4_000,
  "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLH",
);
const challenge = Bytes("To be signed within five minutes.", 100, "3q2-7wAAAZpVn2kAb6pVb1z8T0m5uQ");

const examplePasskey = {
  id: EXAMPLE_IDS.passkey,
  name: "Carla's phone",
  createdAt: "2026-11-02T14:05:00.000Z",
  lastUsedAt: "2026-11-16T09:30:00.000Z",
};

export const Passkey = Body(
  "Passkey",
  {
    id: Id(),
    name: Line(100, { minLength: 1 }),
    createdAt: Instant(),
    lastUsedAt: Type.Optional(Instant("When somebody last signed in with it.")),
  },
  { description: "A passkey of the person who is signed in.", examples: [examplePasskey] },
);

export const PasskeyList = whole("PasskeyList", Passkey, examplePasskey);

const Credential = { type: OneOf(["public-key"]), id: credentialId };

/** As `PublicKeyCredential.parseCreationOptionsFromJSON` takes it. */
export const PasskeyCreation = Body(
  "PasskeyCreation",
  {
    challenge,
    rp: Type.Object({ id: Line(253), name: Line(200) }),
    user: Type.Object({
      id: Bytes("Of the person, for the authenticator to give back.", 64, "AYEh8QpMd1CBBssmZpfsWgGBqfBBx3s2"),
      name: Line(1_000),
      displayName: Line(200),
    }),
    pubKeyCredParams: Type.Array(Type.Object({ type: OneOf(["public-key"]), alg: Type.Integer() })),
    timeout: Int32("Milliseconds."),
    excludeCredentials: Type.Array(Type.Object(Credential), {
      description: "The passkeys that the person has: an authenticator makes no second one.",
    }),
    authenticatorSelection: Type.Object({
      residentKey: OneOf(["required"]),
      requireResidentKey: Type.Boolean(),
      userVerification: OneOf(["required"]),
    }),
    attestation: OneOf(["none"]),
  },
  {
    description: "What a browser makes a passkey by.",
    examples: [
      {
        challenge: "3q2-7wAAAZpVn2kAb6pVb1z8T0m5uQ",
        rp: { id: "studio.example.com", name: "Rollbook" },
        user: {
          id: "AYEh8QpMd1CBBssmZpfsWgGBqfBBx3s2jlJtD5s8ehQ",
          name: "carla@example.com (Estúdio Aurora)",
          displayName: "Carla Dias",
        },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }],
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: {
          residentKey: "required",
          requireResidentKey: true,
          userVerification: "required",
        },
        attestation: "none",
      },
    ],
  },
);

/** As `PublicKeyCredential.parseRequestOptionsFromJSON` takes it. */
export const PasskeyRequest = Body(
  "PasskeyRequest",
  { challenge, rpId: Line(253), timeout: Int32("Milliseconds."), userVerification: OneOf(["required"]) },
  {
    description: "What a browser asks for a passkey by.",
    examples: [
      {
        challenge: "3q2-7wAAAZpVn2kAb6pVb1z8T0m5uQ",
        rpId: "studio.example.com",
        timeout: 300_000,
        userVerification: "required",
      },
    ],
  },
);

export const BeginPasskey = Type.Object({}, { additionalProperties: false });

/** Of what `PublicKeyCredential.toJSON()` gives, the members that count. */
export const AddPasskey = Type.Object(
  {
    name: Line(100, { minLength: 1, description: "By what you know it.", examples: [examplePasskey.name] }),
    credential: Type.Object(
      {
        id: credentialId,
        response: Type.Object(
          {
            clientDataJSON,
            authenticatorData,
            publicKey: Bytes("As SubjectPublicKeyInfo.", 1_100, "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false, description: "Of what the browser gives, these members." },
    ),
  },
  { additionalProperties: false },
);

export const NamePasskey = Type.Object(
  { passkeyId: Id("A passkey of yours.", EXAMPLE_IDS.passkey) },
  { additionalProperties: false },
);

export const SignInByPasskey = Type.Object(
  {
    id: credentialId,
    response: Type.Object(
      {
        clientDataJSON,
        authenticatorData,
        signature: Bytes("By the passkey.", 1_100, "MEUCIQDx8b0h4hFq0vJ3nS1o7uD"),
        userHandle: Bytes("Of the person.", 64, "AYEh8QpMd1CBBssmZpfsWgGBqfBBx3s2"),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);

export type Passkey = Static<typeof Passkey>;
export type PasskeyCreation = Static<typeof PasskeyCreation>;
export type PasskeyRequest = Static<typeof PasskeyRequest>;
