import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  CalendarDate,
  clearables,
  Email,
  Id,
  Instant,
  Line,
  Named,
  OneOf,
  PageQuery,
  page,
  SearchQuery,
  type Static,
  Text,
  whole,
} from "../../core/fields.ts";
import { MAX_TERMS } from "../../core/limits.ts";
import { QUERY_PATTERN } from "../../core/patterns.ts";
import Type from "../../core/schema-type.ts";

export const CLIENT_STATUSES = ["active", "archived"] as const;
/** What goes with the refusal of a write to a client: who holds the id document, or why it is refused. */
export const ClientConflictFacts = {
  clientId: Type.Optional(Id("With `conflict`: the client that holds the id document.")),
  clientStatus: Type.Optional(
    OneOf(CLIENT_STATUSES, { description: "With `conflict`: the status of that client." }),
  ),
  reason: Type.Optional(
    OneOf(["erased_client", "organization_limit"], {
      description:
        "With `conflict`: why, if it is not the id document. `erased_client`: the person was erased, and the record " +
        "takes no data any more. With `rate_limited`, `organization_limit`: the limit is that of all keys together. New " +
        "reasons may come.",
    }),
  ),
};

const ID_DOCUMENT_TYPES = ["cpf", "other"] as const;

const MAX_LOCATIONS = 200;

const addressPart = Type.Optional(Line(200));

export const Address = Type.Object(
  {
    city: Type.Optional(Line(200, { examples: ["São Paulo"] })),
    country: Type.Optional(Line(200, { examples: ["BR"] })),
    line1: Type.Optional(Line(200, { examples: ["Rua Harmonia 100"] })),
    line2: addressPart,
    postalCode: Type.Optional(Line(200, { examples: ["05435-000"] })),
    state: Type.Optional(Line(200, { examples: ["SP"] })),
  },
  { $id: "Address", description: "Postal address; every part is optional." },
);

export const IdDocument = Type.Object(
  {
    type: Named(
      "IDDocumentType",
      OneOf(ID_DOCUMENT_TYPES, {
        description: "`cpf` is the Brazilian id, checksum-validated; `other` is any foreign id or passport.",
      }),
    ),
    value: Named(
      "IDDocumentValue",
      Line(64, {
        minLength: 1,
        description: "For `cpf` punctuation is optional on input; 11 digits are stored and returned.",
        examples: ["52998224725"],
      }),
    ),
  },
  { $id: "IDDocument" },
);

// As input they are closed: a misspelt member would otherwise be lost without a word.
const AddressInput = Type.Object(Address.properties, { $id: "AddressInput", additionalProperties: false });
const IdDocumentInput = Type.Object(IdDocument.properties, {
  $id: "IDDocumentInput",
  additionalProperties: false,
});

const contact = {
  contactName: Line(200, { minLength: 1, examples: ["Ana Souza"] }),
  contactPhone: Type.Optional(Line(40, { examples: ["+55 11 98765-4321"] })),
  birthdate: Type.Optional(CalendarDate("From 1900-01-01 to today in the organization's timezone.")),
  idDocument: Type.Optional(IdDocument),
};

/** What else is known of a client: a new member goes here, and into the columns and `toClient`. */
const details = {
  notes: Type.Optional(Text(10_000, { examples: ["Prefers mornings"] })),
};

const emailDescription = "The address on file; not necessarily a portal login.";

/** A record of the demo studio. */
export const exampleClient = {
  id: EXAMPLE_IDS.client,
  contactName: "Beatriz Nogueira",
  contactEmail: "beatriz.nogueira@example.com",
  contactPhone: "+55 11 90210-4471",
  birthdate: "1990-04-23",
  address: {
    city: "São Paulo",
    country: "BR",
    line1: "Rua das Palmeiras 100",
    line2: "Apto 32",
    postalCode: "05435-000",
    state: "SP",
  },
  idDocument: { type: "cpf" as const, value: "11144477735" },
  locationIds: [EXAMPLE_IDS.location],
  notes: "Prefere turmas da manhã.",
  status: "active" as const,
  createdAt: "2023-11-13T13:20:00.000Z",
  updatedAt: "2023-11-13T13:20:00.000Z",
};

export const Client = Body(
  "Client",
  {
    id: Id(),
    contactName: contact.contactName,
    contactEmail: Type.Optional(Line(254, { description: emailDescription, examples: ["ana@example.com"] })),
    contactPhone: contact.contactPhone,
    birthdate: contact.birthdate,
    address: Address,
    idDocument: contact.idDocument,
    locationIds: Type.Optional(
      Type.Array(Id(), { description: "The locations the client belongs to. Left out in lists." }),
    ),
    ...details,
    status: OneOf(CLIENT_STATUSES),
    createdAt: Instant(),
    updatedAt: Instant(),
  },
  { examples: [exampleClient] },
);

const { locationIds: _, ...listedClient } = exampleClient;

/** How a download of clients names its columns; a file that begins with them is known when it comes back. */
export const CLIENT_CSV_COLUMNS = [
  "id",
  "status",
  "contactName",
  "contactEmail",
  "contactPhone",
  "birthdate",
  "idDocument.type",
  "idDocument.value",
  "address.line1",
  "address.line2",
  "address.city",
  "address.state",
  "address.postalCode",
  "address.country",
  "locationIds",
  "notes",
  "createdAt",
  "updatedAt",
] as const;

export const ClientPage = page("ClientPage", Client, listedClient);

const runningContracts = Type.Array(
  Type.Object(
    {
      id: Id(),
      planName: Line(200),
      status: OneOf(["active", "paused"]),
      endDate: Type.Optional(CalendarDate()),
      accessBlocked: Type.Boolean(),
    },
    { $id: "RunningContract" },
  ),
  { description: "Those that are not over, the newest first." },
);
const exampleContracts = [
  {
    id: EXAMPLE_IDS.contract,
    planName: "Mensal 2x por semana",
    status: "active" as const,
    accessBlocked: false,
  },
];

/** A client in the list of the staff: also what they have at the moment. */
export const StaffClient = Type.Object(
  { ...Client.properties, contracts: runningContracts },
  { $id: "StaffClient" },
);
export const StaffClientPage = page("StaffClientPage", StaffClient, {
  ...listedClient,
  contracts: exampleContracts,
});

const ignored = Type.Optional(
  Named(
    "Ignored",
    Type.Unknown({ description: "Accepted, so that a record can be sent back, and ignored." }),
  ),
);
const ignoredMembers = { $schema: ignored, id: ignored, createdAt: ignored, updatedAt: ignored };

const inputMembers = {
  contactName: contact.contactName,
  contactEmail: Type.Optional(Email({ description: emailDescription, examples: ["ana@example.com"] })),
  contactPhone: contact.contactPhone,
  birthdate: contact.birthdate,
  address: Type.Optional(AddressInput),
  idDocument: Type.Optional(IdDocumentInput),
  locationIds: Type.Optional(
    Type.Array(Id(), {
      maxItems: MAX_LOCATIONS,
      description: "Needed unless the organization has exactly one location.",
    }),
  ),
  ...details,
  status: Type.Optional(
    OneOf(CLIENT_STATUSES, { description: "If absent: `active` on create, unchanged on replace." }),
  ),
};

export const ClientInput = Type.Object(
  { ...inputMembers, ...ignoredMembers },
  { $id: "ClientInput", additionalProperties: false },
);

// Without one of its parts a document is none, so they can be changed but not cleared.
const IdDocumentPatch = Type.Object(
  {
    type: Type.Optional(IdDocument.properties.type),
    value: Type.Optional(IdDocument.properties.value),
  },
  { $id: "IDDocumentPatch", additionalProperties: false },
);

const AddressPatch = Type.Object(clearables(Address.properties), {
  $id: "AddressPatch",
  additionalProperties: false,
});

const patchMembers = {
  contactName: Type.Optional(inputMembers.contactName),
  ...clearables({
    contactEmail: inputMembers.contactEmail,
    contactPhone: contact.contactPhone,
    birthdate: contact.birthdate,
    address: AddressPatch,
    idDocument: IdDocumentPatch,
    locationIds: inputMembers.locationIds,
    ...details,
  }),
  status: Type.Optional(OneOf(CLIENT_STATUSES)),
};

/** Some members of a client: those named are set, `null` clears one, the others stay. */
export const ClientPatch = Type.Object(
  { ...patchMembers, ...ignoredMembers },
  { $id: "ClientPatch", additionalProperties: false },
);

export const ClientQuery = Type.Object({
  query: SearchQuery(
    "Terms to find in name, e-mail, phone and id document, whatever their case, accents and, in phones and documents, punctuation.",
    "nogueira",
  ),
  status: Type.Optional(
    OneOf(CLIENT_STATUSES, { description: "Every status if absent, archived included." }),
  ),
  locationId: Type.Optional(Id("Members of one location.", EXAMPLE_IDS.location)),
  ...PageQuery,
});

/** What somebody who types a name is shown. */
const foundPerson = {
  id: Id(),
  contactName: contact.contactName,
  contactEmail: Type.Optional(Line(254)),
  contactPhone: Type.Optional(Line(64)),
  status: OneOf(CLIENT_STATUSES),
  contracts: runningContracts,
};
const FoundPerson = Type.Object(foundPerson, { $id: "FoundPerson" });

export const People = whole("People", FoundPerson, {
  id: EXAMPLE_IDS.client,
  contactName: "Beatriz Nogueira",
  contactEmail: "beatriz.nogueira@example.com",
  status: "active",
  contracts: exampleContracts,
});

export const PeopleQuery = Type.Object({
  query: Type.String({
    maxLength: 200,
    pattern: QUERY_PATTERN,
    description: `What was typed: pieces of name, e-mail, phone and id document. At most ${MAX_TERMS} different terms.`,
    examples: ["be"],
  }),
  status: Type.Optional(OneOf(CLIENT_STATUSES, { description: "Every status if absent, archived last." })),
  limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: "How many at the most." }),
});

/** What the operations of the staff application take: the members of the API's, without those that it ignores. */

const clientId = Id("The client.", EXAMPLE_IDS.client);

export const AddClient = Type.Object(inputMembers, { additionalProperties: false });
export const EditClient = Type.Object(
  {
    clientId,
    changes: Type.Object(patchMembers, {
      additionalProperties: false,
      description: "Members that are not named stay; null clears.",
    }),
  },
  { additionalProperties: false },
);
export const NameClient = Type.Object({ clientId }, { additionalProperties: false });

export type Client = Static<typeof Client>;
export type FoundPerson = Static<typeof FoundPerson>;
export type StaffClient = Static<typeof StaffClient>;
export type ClientInput = Static<typeof ClientInput>;
export type ClientPatch = Static<typeof ClientPatch>;
export type ClientQuery = Static<typeof ClientQuery>;
export type ClientStatus = (typeof CLIENT_STATUSES)[number];
