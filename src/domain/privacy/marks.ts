import { createHmac } from "node:crypto";
import { readCpf } from "../clients/cpf.ts";
import { idDocumentKey } from "../clients/rules.ts";
import type { Client } from "../clients/schema.ts";

/**
 * What is kept of an erased person's document and e-mail address: keyed hashes. Whoever has the secret and is given the
 * document again can tell that its holder was erased; nobody can read the document from its mark. The organization goes
 * in, so that one person's marks in two organizations have nothing in common.
 */
export interface PersonMarks {
  readonly documentMark?: Buffer;
  readonly emailMark?: Buffer;
}

export function marksOf(
  { idDocument, contactEmail }: Pick<Client, "idDocument" | "contactEmail">,
  organizationId: string,
  secret: string,
): PersonMarks {
  return {
    ...(idDocument && { documentMark: documentMark(idDocument, organizationId, secret) }),
    ...(contactEmail !== undefined && { emailMark: emailMark(contactEmail, organizationId, secret) }),
  };
}

export function emailMark(email: string, organizationId: string, secret: string): Buffer {
  return mark(secret, ["erased e-mail", organizationId, email.trim().toLowerCase()]);
}

/** The marks that a document may have, if its type is not known. */
export function documentMarks(value: string, organizationId: string, secret: string): Buffer[] {
  const cpf = readCpf(value.trim());
  return [
    documentMark({ type: "other", value: value.trim() }, organizationId, secret),
    ...(cpf === undefined ? [] : [documentMark({ type: "cpf", value: cpf }, organizationId, secret)]),
  ];
}

function documentMark(
  { type, value }: NonNullable<Client["idDocument"]>,
  organizationId: string,
  secret: string,
): Buffer {
  return mark(secret, ["erased document", organizationId, type, idDocumentKey(value)]);
}

function mark(secret: string, parts: readonly string[]): Buffer {
  return createHmac("sha256", secret).update(JSON.stringify(parts), "utf8").digest();
}
