import type { Writes } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { request } from "../api/request.ts";
import { send } from "../api/writes.ts";
import { words } from "./words.ts";

type Credential = Writes["addPasskey"]["input"]["credential"];
type Answer = Writes["signInByPasskey"]["input"];

/** Signs in by a passkey of whoever sits here, or says why nobody was: it was left, or is none of this server any more. */
export async function signInByPasskey(): Promise<string | undefined> {
  const t = words();
  const options = await request<Writes["beginPasskeySignIn"]["result"]>("/app/v1/beginPasskeySignIn", {
    method: "POST",
    body: {},
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const given = await unlessLeft(navigator.credentials.get({ publicKey }));
  if (!given) return t.notUsed;
  const { id, response } = given.toJSON() as Answer;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const body = { id, response: { clientDataJSON, authenticatorData, signature, userHandle } };
  try {
    await request("/app/v1/signInByPasskey", { method: "POST", body });
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.reason === "wrong_sign_in") return t.unknown;
    throw error;
  }
}

/** Has the browser make a passkey, which is then to be added. `known`: the authenticator has one of this person already. */
export async function makePasskey(): Promise<Credential | "not_made" | "known"> {
  const options = await send<Writes["beginPasskey"]["result"]>("beginPasskey", {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...options,
    pubKeyCredParams: [...options.pubKeyCredParams],
    excludeCredentials: [...options.excludeCredentials],
  });
  try {
    const given = await unlessLeft(navigator.credentials.create({ publicKey }));
    if (!given) return "not_made";
    const { id, response } = given.toJSON() as Credential;
    const { clientDataJSON, authenticatorData, publicKey: key } = response;
    return { id, response: { clientDataJSON, authenticatorData, publicKey: key } };
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError") return "known";
    throw error;
  }
}

/** Browsers do not say whether somebody pressed "Cancel", has no passkey or waited too long. */
async function unlessLeft(asked: Promise<unknown>): Promise<PublicKeyCredential | undefined> {
  try {
    return ((await asked) as PublicKeyCredential | null) ?? undefined;
  } catch (error) {
    if (error instanceof DOMException && error.name !== "InvalidStateError") return undefined;
    throw error;
  }
}
