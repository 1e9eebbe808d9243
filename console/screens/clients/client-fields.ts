import type { Input } from "../../api/writes.ts";
import { isSame } from "../../parts/record-fields.ts";
import type { Client } from "./records.ts";

/** In the order in which they are filled in. */
export const ADDRESS_MEMBERS = ["line1", "line2", "postalCode", "city", "state", "country"] as const;
const TEXT_MEMBERS = ["contactEmail", "contactPhone", "birthdate", "notes"] as const;

type AddressMember = (typeof ADDRESS_MEMBERS)[number];
type TextMember = (typeof TEXT_MEMBERS)[number];

/** A client as the form has it: an empty text is a member that is not there. */
export interface ClientFields extends Readonly<Record<AddressMember | TextMember, string>> {
  readonly contactName: string;
  /** Type and number are one thing: of two people who change it, one wins. */
  readonly document: { readonly type: "none" | "cpf" | "other"; readonly value: string };
  readonly locationIds: readonly string[];
}

export const NO_FIELDS: ClientFields = {
  contactName: "",
  contactEmail: "",
  contactPhone: "",
  birthdate: "",
  notes: "",
  document: { type: "none", value: "" },
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
    document: { type: idDocument?.type ?? "none", value: idDocument?.value ?? "" },
    locationIds,
  };
}

/** What `addClient` takes: the members that are filled in. */
export function inputOf(fields: ClientFields): Input<"addClient"> {
  const given = (members: readonly (AddressMember | TextMember)[]) =>
    Object.fromEntries(
      members.flatMap((member) => (fields[member].trim() === "" ? [] : [[member, fields[member].trim()]])),
    );
  const address = given(ADDRESS_MEMBERS);
  const { document, locationIds } = fields;
  return {
    contactName: fields.contactName.trim(),
    ...given(TEXT_MEMBERS),
    ...(Object.keys(address).length > 0 && { address }),
    ...(document.type !== "none" && { idDocument: { type: document.type, value: document.value.trim() } }),
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
  const { type } = after.document;
  const value = after.document.value.trim();
  const isDocumentChanged =
    type !== before.document.type || (type !== "none" && value !== before.document.value.trim());
  return {
    ...(after.contactName.trim() !== before.contactName.trim() && { contactName: after.contactName.trim() }),
    ...changed(TEXT_MEMBERS),
    ...(Object.keys(address).length > 0 && { address }),
    ...(isDocumentChanged && { idDocument: type === "none" ? null : { type, value } }),
    ...(!isSame(before.locationIds, after.locationIds) && { locationIds: after.locationIds }),
  };
}
