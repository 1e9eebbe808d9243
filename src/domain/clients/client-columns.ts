import { type ClientContent, clientSearchText, idDocumentKey } from "./rules.ts";

/** A column that a client's content fills. */
export interface ClientColumn {
  readonly name: string;
  readonly type: "text" | "date";
  /** What a read calls it. A column without a name is only looked up. */
  readonly member?: string;
  readonly value: (content: ClientContent) => string | undefined;
}

/** The one list from which clients are read, written, imported and exported. */
export const CLIENT_COLUMNS: readonly ClientColumn[] = [
  { name: "contact_name", type: "text", member: "contactName", value: (c) => c.contactName },
  { name: "contact_email", type: "text", member: "contactEmail", value: (c) => c.contactEmail },
  { name: "contact_phone", type: "text", member: "contactPhone", value: (c) => c.contactPhone },
  { name: "birthdate", type: "date", member: "birthdate", value: (c) => c.birthdate },
  { name: "city", type: "text", member: "city", value: (c) => c.address.city },
  { name: "country", type: "text", member: "country", value: (c) => c.address.country },
  { name: "line1", type: "text", member: "line1", value: (c) => c.address.line1 },
  { name: "line2", type: "text", member: "line2", value: (c) => c.address.line2 },
  { name: "postal_code", type: "text", member: "postalCode", value: (c) => c.address.postalCode },
  { name: "state", type: "text", member: "state", value: (c) => c.address.state },
  { name: "id_document_type", type: "text", member: "idDocumentType", value: (c) => c.idDocument?.type },
  { name: "id_document_value", type: "text", member: "idDocumentValue", value: (c) => c.idDocument?.value },
  {
    name: "id_document_key",
    type: "text",
    value: (c) => c.idDocument && idDocumentKey(c.idDocument.value),
  },
  { name: "notes", type: "text", member: "notes", value: (c) => c.notes },
  { name: "search", type: "text", value: clientSearchText },
];
