import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** What an answer is made of, where a test wants another than a browser and an authenticator would give. */
export interface AnswerParts {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  /** In place of what the browser would have written. */
  readonly clientData?: string;
  /** Present and verified unless given. */
  readonly flags?: number;
  readonly signCount?: number;
  /** How many bytes of the authenticator's data are sent. */
  readonly dataLength?: number;
}

const PRESENT_AND_VERIFIED = 0x05;

/** A passkey as an authenticator holds it, with the answers that it and a browser give. */
export class TestPasskey {
  readonly id = randomBytes(20).toString("base64url");
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;

  constructor({ publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })) {
    this.publicKey = publicKey;
    this.#privateKey = privateKey;
  }

  get spki(): Buffer {
    return this.publicKey.export({ format: "der", type: "spki" });
  }

  /** The `credential` of `addPasskey`. */
  register(parts: AnswerParts) {
    const { clientDataJSON, authenticatorData } = answerOf("webauthn.create", parts);
    return {
      id: this.id,
      response: {
        clientDataJSON: clientDataJSON.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        publicKey: this.spki.toString("base64url"),
      },
    };
  }

  /** The body of `signInByPasskey`. */
  answer({ userHandle, ...parts }: AnswerParts & { readonly userHandle: string }) {
    const { clientDataJSON, authenticatorData } = answerOf("webauthn.get", parts);
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const digest = this.#privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
    return {
      id: this.id,
      response: {
        clientDataJSON: clientDataJSON.toString("base64url"),
        authenticatorData: authenticatorData.toString("base64url"),
        signature: sign(digest, signed, this.#privateKey).toString("base64url"),
        userHandle,
      },
    };
  }
}

function answerOf(type: string, parts: AnswerParts) {
  const { challenge, origin, rpId, crossOrigin = false, flags = PRESENT_AND_VERIFIED, signCount = 0 } = parts;
  const data = Buffer.alloc(37);
  sha256(rpId).copy(data);
  data.writeUInt8(flags, 32);
  data.writeUInt32BE(signCount, 33);
  const client =
    parts.clientData ?? JSON.stringify({ type: parts.type ?? type, challenge, origin, crossOrigin });
  return { clientDataJSON: Buffer.from(client), authenticatorData: data.subarray(0, parts.dataLength ?? 37) };
}

function sha256(content: Buffer | string): Buffer {
  return createHash("sha256").update(content).digest();
}
