import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, test } from "node:test";
import { type AnswerParts, TestPasskey } from "../../../test/support/authenticator.ts";
import {
  CHALLENGE_MS,
  type ChallengeUse,
  checkNewPasskey,
  checkSignature,
  type Expected,
  issueChallenge,
  readUserHandle,
  relyingParty,
  userHandle,
} from "./rules.ts";

const NOW = Date.parse("2026-11-16T09:30:00.000Z");
const SECRET = "a secret of the tests";
const party = relyingParty("https://studio.example.com/rollbook");
const [STUDIO, CARLA] = ["018121f1-0a4c-7750-8106-cb266697ec5a", "0181a9f0-41c7-7b36-8e52-6d0f9b3c7a14"];
const ADD: ChallengeUse = `add:${CARLA}`;

const issue = (use: ChallengeUse, at = NOW - 1_000, secret = SECRET) =>
  issueChallenge(use, Buffer.alloc(16, 7), at, secret);
const expecting = (use: ChallengeUse): Expected => ({ party, use, now: NOW, secret: SECRET });
const rightParts = (use: ChallengeUse): AnswerParts => ({
  challenge: issue(use),
  origin: "https://studio.example.com",
  rpId: "studio.example.com",
});

/** What is wrong with an answer in either case: each is refused though all else is right. */
const WRONG: readonly (readonly [cause: string, parts: (use: ChallengeUse) => Partial<AnswerParts>])[] = [
  ["no challenge of ours", () => ({ challenge: Buffer.alloc(54).toString("base64url") })],
  ["a challenge of no length", () => ({ challenge: "" })],
  ["a challenge that is cut off", (use) => ({ challenge: issue(use).slice(0, -4) })],
  ["a challenge of another server", (use) => ({ challenge: issue(use, NOW, "another secret") })],
  ["a challenge that has expired", (use) => ({ challenge: issue(use, NOW - CHALLENGE_MS) })],
  ["a challenge of the future", (use) => ({ challenge: issue(use, NOW + 1) })],
  [
    "a challenge that was issued for the other purpose",
    (use) => ({ challenge: issue(use === "sign-in" ? ADD : "sign-in") }),
  ],
  ["a challenge that was issued to add for somebody else", () => ({ challenge: issue(`add:${STUDIO}`) })],
  ["a challenge whose time was changed", (use) => ({ challenge: changed(issue(use, NOW - CHALLENGE_MS)) })],
  ["another origin", () => ({ origin: "https://evil.example.com" })],
  ["the host as part of another", () => ({ origin: "https://studio.example.com.evil.example" })],
  ["another port", () => ({ origin: "https://studio.example.com:8443" })],
  ["plain http", () => ({ origin: "http://studio.example.com" })],
  ["inside a page of another origin", () => ({ crossOrigin: true })],
  ["a passkey of another host", () => ({ rpId: "example.com" })],
  ["nobody present", () => ({ flags: 0x04 })],
  ["nobody verified", () => ({ flags: 0x01 })],
  ["another type", () => ({ type: "payment.get" })],
  [
    "the type of the other purpose",
    (use) => ({ type: use === "sign-in" ? "webauthn.create" : "webauthn.get" }),
  ],
  ["data that is cut off", () => ({ dataLength: 36 })],
  ["no data", () => ({ dataLength: 0 })],
  ["no JSON", () => ({ clientData: "{" })],
  ["JSON that is no object", () => ({ clientData: "null" })],
];

/** With another time in it, and the seal that it had. */
function changed(challenge: string): string {
  const bytes = Buffer.from(challenge, "base64url");
  bytes.writeUIntBE(NOW - 1_000, 16, 6);
  return bytes.toString("base64url");
}

const KEYS = {
  ES256: new TestPasskey(),
  RS256: new TestPasskey(generateKeyPairSync("rsa", { modulusLength: 2_048 })),
  EdDSA: new TestPasskey(generateKeyPairSync("ed25519")),
};

describe("a new passkey", () => {
  test("is accepted with a key of each algorithm", () => {
    for (const [name, passkey] of Object.entries(KEYS)) {
      const checked = checkNewPasskey(passkey.register({ ...rightParts(ADD), signCount: 3 }), expecting(ADD));
      assert.deepEqual(
        checked,
        {
          credentialId: Buffer.from(passkey.id, "base64url"),
          publicKey: passkey.spki,
          signCount: 3,
          isSynced: false,
          challengedAt: NOW - 1_000,
        },
        name,
      );
    }
  });

  for (const [cause, parts] of WRONG)
    test(`is refused: ${cause}`, () => {
      const credential = KEYS.ES256.register({ ...rightParts(ADD), ...parts(ADD) });
      assert.equal(checkNewPasskey(credential, expecting(ADD)), undefined);
    });

  /** A key that nobody has the private part of: making a real one takes long. */
  const rsa = (bits: number, e: string) =>
    createPublicKey({
      format: "jwk",
      key: { kty: "RSA", n: Buffer.alloc(bits / 8, 0xff).toString("base64url"), e },
    });
  const spkiOf = (key: KeyObject) => key.export({ format: "der", type: "spki" });
  const withKey = (publicKey: Buffer) => {
    const { id, response } = KEYS.ES256.register(rightParts(ADD));
    return { id, response: { ...response, publicKey: publicKey.toString("base64url") } };
  };

  for (const [cause, publicKey] of [
    ["another curve", spkiOf(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey)],
    ["another Edwards curve", spkiOf(generateKeyPairSync("ed448").publicKey)],
    ["a key that cannot sign", spkiOf(generateKeyPairSync("x25519").publicKey)],
    ["a short RSA key", spkiOf(rsa(1_024, "AQAB"))],
    ["an RSA key that takes long to check", spkiOf(rsa(8_192, "AQAB"))],
    ["an RSA key with an exponent of its own", spkiOf(rsa(2_048, "Aw"))],
    ["no key", Buffer.from("no key")],
    ["a key that is cut off", KEYS.ES256.spki.subarray(0, -1)],
  ] as const)
    test(`is refused: ${cause}`, () => {
      assert.equal(checkNewPasskey(withKey(publicKey), expecting(ADD)), undefined);
    });

  test("is accepted with the longest RSA key", () => {
    assert.ok(checkNewPasskey(withKey(spkiOf(rsa(4_096, "AQAB"))), expecting(ADD)));
  });
});

describe("signing in", () => {
  const handle = userHandle(STUDIO, CARLA);
  const stored = (passkey: TestPasskey, signCount = 0, isSynced?: boolean) => ({
    publicKey: passkey.spki,
    signCount,
    isSynced,
  });
  const answer = (passkey: TestPasskey, parts: Partial<AnswerParts> = {}) =>
    passkey.answer({ ...rightParts("sign-in"), userHandle: handle, ...parts });
  const check = (parts: Partial<AnswerParts>, signCount = 0, isSynced?: boolean) =>
    checkSignature(answer(KEYS.ES256, parts), stored(KEYS.ES256, signCount, isSynced), expecting("sign-in"));

  test("is granted to a signature of each algorithm", () => {
    for (const [name, passkey] of Object.entries(KEYS))
      assert.deepEqual(
        checkSignature(answer(passkey), stored(passkey), expecting("sign-in")),
        { signCount: 0, isSynced: false, challengedAt: NOW - 1_000 },
        name,
      );
  });

  for (const [cause, parts] of WRONG)
    test(`is refused: ${cause}`, () => assert.equal(check(parts("sign-in")), undefined));

  test("is refused: the signature of another key, also of another algorithm, or of something else", () => {
    for (const other of [new TestPasskey(), KEYS.RS256, KEYS.EdDSA])
      assert.equal(
        checkSignature(answer(other), stored(KEYS.ES256), expecting("sign-in")),
        undefined,
        other.publicKey.asymmetricKeyType,
      );
    const right = answer(KEYS.ES256);
    const { clientDataJSON, authenticatorData } = answer(KEYS.ES256, {
      challenge: issue("sign-in", NOW - 2_000),
      signCount: 9,
    }).response;
    for (const changes of [{ clientDataJSON }, { authenticatorData }, { signature: "AAAA" }])
      assert.equal(
        checkSignature(
          { response: { ...right.response, ...changes } },
          stored(KEYS.ES256),
          expecting("sign-in"),
        ),
        undefined,
      );
  });

  test("a counter must grow, unless the authenticator does not count", () => {
    for (const [before, after, isRight] of [
      [0, 0, true],
      [0, 1, true],
      [7, 8, true],
      [7, 7, false],
      [7, 6, false],
      [7, 0, false],
    ] as const)
      assert.equal(check({ signCount: after }, before) !== undefined, isRight, `${before} to ${after}`);
  });

  test("a counter of a synced passkey is not compared; one that is not synced does not become so", () => {
    const SYNCED = 0x05 | 0x08;
    for (const [isSynced, flags, after, isRight] of [
      [true, SYNCED, 6, true],
      [true, SYNCED, 0, true],
      [true, 0x05, 8, false],
      [false, SYNCED, 6, false],
      [false, SYNCED, 8, false],
      [undefined, SYNCED, 6, true],
      [undefined, 0x05, 6, false],
      [undefined, 0x05, 8, true],
    ] as const)
      assert.equal(
        check({ signCount: after, flags }, 7, isSynced) !== undefined,
        isRight,
        `${isSynced} ${flags} ${after}`,
      );
  });
});

test("a user handle names the organization and the person, and nothing else is one", () => {
  assert.deepEqual(readUserHandle(userHandle(STUDIO, CARLA)), { organizationId: STUDIO, staffId: CARLA });
  for (const handle of [
    "",
    "AAAA",
    userHandle(STUDIO, CARLA).slice(0, -2),
    userHandle(STUDIO, STUDIO + CARLA),
  ])
    assert.equal(readUserHandle(handle), undefined);
});

test("a passkey is bound to the host of the public address, and its pages have the origin", () => {
  for (const [publicUrl, id, origin] of [
    ["https://studio.example.com", "studio.example.com", "https://studio.example.com"],
    ["https://studio.example.com:8443/rollbook", "studio.example.com", "https://studio.example.com:8443"],
    ["http://localhost:8080", "localhost", "http://localhost:8080"],
  ] as const)
    assert.deepEqual(relyingParty(publicUrl), { id, origin });
});
