import type { Input } from "../../api/writes.ts";
import type { Client } from "./records.ts";

/** In the order in which they are filled in. */
export const ADDRESS_MEMBERS = ["line1", "line2", "postalCode", "city", "state", "country"] as const;
const TEXT_MEMBERS = ["contactEmail", "contactPhone", "birthdate", "notes"] as const;

type AddressMember = (typeof ADDRESS_MEMBERS)[number];
type TextMember = (typeof TEXT_MEMBERS)[number];

/** A client as the form has it: an empty text is a member that is not there. */
export interface ClientFields extends Readonly<Record<AddressMember | TextMember, string>> {
  readonly contactName: string;
  readonly documentType: "none" | "cpf" | "other";
  readonly documentValue: string;
  readonly locationIds: readonly string[];
}

export const NO_FIELDS: ClientFields = {
  contactName: "",
  contactEmail: "",
  contactPhone: "",
  birthdate: "",
  notes: "",
  documentType: "none",
  documentValue: "",
  line1: "",
  line2: "",
  postalCode: "",
  city: "",
  state: "",
  country: "",
  locationIds: [],
};

export function fieldsOf(client: Client): ClientFields {
  const { address, idDocument, locationIds = [] } = client;
  const texts = Object.fromEntries(TEXT_MEMBERS.map((member) => [member, client[member] ?? ""]));
  const lines = Object.fromEntries(ADDRESS_MEMBERS.map((member) => [member, address[member] ?? ""]));
  return {
    ...NO_FIELDS,
    ...texts,
    ...lines,
    contactName: client.contactName,
    documentType: idDocument?.type ?? "none",
    documentValue: idDocument?.value ?? "",
    locationIds,
  };
}

/** What two people can write at the same time, each a thing of its own: type and number of a document are one. */
export type ClientPart = Exclude<keyof ClientFields, "documentType" | "documentValue"> | "document";

const PARTS = [
  ...(Object.keys(NO_FIELDS) as (keyof ClientFields)[]).filter(
    (member): member is Exclude<ClientPart, "document"> => !member.startsWith("document"),
  ),
  "document",
] as const satisfies readonly ClientPart[];

export function membersOf(part: ClientPart): readonly (keyof ClientFields)[] {
  return part === "document" ? ["documentType", "documentValue"] : [part];
}

export function isSamePart(part: ClientPart, one: ClientFields, other: ClientFields): boolean {
  if (part === "document" && one.documentType === "none" && other.documentType === "none") return true;
  return membersOf(part).every((member) => isSame(one[member], other[member]));
}

/** The fields with a part as another one has it. */
export function withPart(part: ClientPart, fields: ClientFields, other: ClientFields): ClientFields {
  return { ...fields, ...Object.fromEntries(membersOf(part).map((member) => [member, other[member]])) };
}

/**
 * The form of somebody who was typing when another person saved. Where nothing was typed it shows what is stored now. Where
 * both wrote, and not the same, what was typed stays: those parts are `contested`.
 */
export function takeStored(
  before: ClientFields,
  typed: ClientFields,
  stored: ClientFields,
): { readonly fields: ClientFields; readonly contested: readonly ClientPart[] } {
  const changed = PARTS.filter(
    (part) => !isSamePart(part, before, stored) && !isSamePart(part, typed, stored),
  );
  const contested = changed.filter((part) => !isSamePart(part, before, typed));
  const taken = changed.filter((part) => !contested.includes(part));
  return { fields: taken.reduce((fields, part) => withPart(part, fields, stored), typed), contested };
}

/** Whether something was typed since fields were sent; what came from the server meanwhile was not. */
export function isTypedSince(sent: ClientFields, stored: ClientFields, fields: ClientFields): boolean {
  return PARTS.some((part) => !isSamePart(part, fields, sent) && !isSamePart(part, fields, stored));
}

function isSame(one: string | readonly string[], other: string | readonly string[]): boolean {
  return [one].flat().sort().join() === [other].flat().sort().join();
}

/** What `addClient` takes: the members that are filled in. */
export function inputOf(fields: ClientFields): Input<"addClient"> {
  const given = (members: readonly (AddressMember | TextMember)[]) =>
    Object.fromEntries(
      members.flatMap((member) => (fields[member].trim() === "" ? [] : [[member, fields[member].trim()]])),
    );
  const address = given(ADDRESS_MEMBERS);
  const { documentType: type, documentValue: value, locationIds } = fields;
  return {
    contactName: fields.contactName.trim(),
    ...given(TEXT_MEMBERS),
    ...(Object.keys(address).length > 0 && { address }),
    ...(type !== "none" && { idDocument: { type, value: value.trim() } }),
    ...(locationIds.length > 0 && { locationIds }),
  };
}

/** What `editClient` takes to make the one out of the other. The other way round it is the undo. */
export function changesBetween(before: ClientFields, after: ClientFields): Input<"editClient">["changes"] {
  const changed = (members: readonly (AddressMember | TextMember)[]) =>
    Object.fromEntries(
      members.flatMap((member) => {
        const text = after[member].trim();
        return text === before[member].trim() ? [] : [[member, text === "" ? null : text]];
      }),
    );
  const address = changed(ADDRESS_MEMBERS);
  const { documentType: type, documentValue } = after;
  const value = documentValue.trim();
  const isDocumentChanged =
    type !== before.documentType || (type !== "none" && value !== before.documentValue.trim());
  return {
    ...(after.contactName.trim() !== before.contactName.trim() && { contactName: after.contactName.trim() }),
    ...changed(TEXT_MEMBERS),
    ...(Object.keys(address).length > 0 && { address }),
    ...(isDocumentChanged && { idDocument: type === "none" ? null : { type, value } }),
    ...(!isSame(before.locationIds, after.locationIds) && { locationIds: after.locationIds }),
  };
}
