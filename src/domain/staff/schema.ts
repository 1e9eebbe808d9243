import { ROLES } from "../../core/actor.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import {
  Body,
  Email,
  Id,
  Instant,
  Int32,
  Int64,
  Line,
  OneOf,
  type Static,
  whole,
} from "../../core/fields.ts";
import Type from "../../core/schema-type.ts";
import { DEFAULT_SETTINGS, OrganizationSettings } from "../organizations/schema.ts";
import { ResourceId } from "../resources/schema.ts";

const STAFF_STATUSES = ["invited", "active", "removed"] as const;

const email = Email({ examples: ["carla@example.com"] });
const Password = () =>
  Line(200, { minLength: 12, description: "12 to 200 characters.", examples: ["a long sentence of yours"] });

export const exampleStaff = {
  id: EXAMPLE_IDS.staff,
  name: "Carla Dias",
  email: "carla@example.com",
  role: "manager" as const,
  allLocations: true,
  locationIds: [],
  status: "active" as const,
};

const resourceId = ResourceId("Of a teacher, and of nobody else: the person of the timetable that they are.");
const places = {
  allLocations: Type.Boolean({ description: "Works at every location; `locationIds` is then empty." }),
  locationIds: Type.Array(Id(), { maxItems: 1_000 }),
};

export const Staff = Body(
  "Staff",
  {
    id: Id(),
    name: Line(200, { minLength: 1 }),
    email,
    role: OneOf(ROLES, {
      description:
        "Each role may do what the ones before it may; a `teacher`, in sessions of their own alone.",
    }),
    ...places,
    resourceId: Type.Optional(resourceId),
    status: OneOf(STAFF_STATUSES, {
      description: "`invited` until a link was used; `removed` stays for the audit trail.",
    }),
  },
  { description: "Somebody who works for the organization.", examples: [exampleStaff] },
);

export const StaffList = whole("StaffList", Staff, exampleStaff);

/** What the operations of the staff application take. */

const staffId = Id("Somebody on the staff.", EXAMPLE_IDS.staff);
const content = {
  name: Line(200, { minLength: 1 }),
  email,
  role: OneOf(ROLES),
  allLocations: places.allLocations,
  locationIds: Type.Optional(places.locationIds),
  resourceId: Type.Optional(resourceId),
};

export const AddStaff = Type.Object(content, { additionalProperties: false });
export const EditStaff = Type.Object(
  {
    staffId,
    changes: Type.Object(
      {
        name: Type.Optional(content.name),
        email: Type.Optional(content.email),
        role: Type.Optional(content.role),
        allLocations: Type.Optional(places.allLocations),
        locationIds: Type.Optional(places.locationIds),
        resourceId: Type.Optional(resourceId),
      },
      { additionalProperties: false, description: "Members that are not named stay." },
    ),
  },
  { additionalProperties: false },
);
export const NameStaff = Type.Object({ staffId }, { additionalProperties: false });

const exampleLink = {
  id: EXAMPLE_IDS.link,
  staffId: EXAMPLE_IDS.staff,
  staffName: "Carla Dias",
  madeBy: `staff:${EXAMPLE_IDS.owner}`,
  madeByName: "Rita Gomes",
  expiresAt: "2026-11-19T09:30:00.000Z",
};

export const StaffLink = Body(
  "StaffLink",
  {
    id: Id(),
    staffId: Id("Whom it lets in."),
    staffName: Line(200),
    madeBy: Type.Optional(Line(300, { description: "`staff:ID` or `operator:NAME`." })),
    madeByName: Type.Optional(Line(200, { description: "The name of the colleague who made it." })),
    expiresAt: Instant("When it ends."),
  },
  {
    description: "A link that was not used yet. What it consists of is shown to nobody.",
    examples: [exampleLink],
  },
);
export const StaffLinkList = whole("StaffLinkList", StaffLink, exampleLink);
export const NameLink = Type.Object(
  { linkId: Id("A link.", EXAMPLE_IDS.link) },
  { additionalProperties: false },
);

export const LinkedStaff = Body(
  "LinkedStaff",
  {
    staff: Staff,
    link: Type.Optional(
      Line(2_200, {
        description:
          "Lets its holder set a password and be signed in. Shown this once: absent when the request is repeated.",
        examples: ["https://studio.example.com/console/#link=Jx0…"],
      }),
    ),
    expiresAt: Type.Optional(Instant("When the link ends.")),
  },
  {
    examples: [
      {
        staff: { ...exampleStaff, status: "invited" },
        link: "https://studio.example.com/console/#link=2vYb0yXhYvO6yD3mK4u1Zf1d0nS8vJ5rQxTq7hWc9Lk",
        expiresAt: "2026-11-19T09:30:00.000Z",
      },
    ],
  },
);

export const SignIn = Type.Object(
  {
    // Any text: what is no address is as wrong as one that nobody has.
    email: Line(254, { examples: ["carla@example.com"] }),
    password: Line(200, { examples: ["a long sentence of yours"] }),
    organizationId: Type.Optional(Id("Which organization, for somebody on the staff of several.")),
  },
  { additionalProperties: false },
);
export const AcceptLink = Type.Object(
  {
    token: Line(100, { description: "What stands after `#link=` in the link.", examples: ["Jx0…"] }),
    name: Type.Optional(Line(200, { minLength: 1, description: "Your name, if it is another." })),
    password: Password(),
  },
  { additionalProperties: false },
);
export const ReadLink = Type.Object(
  { token: Line(100, { description: "What stands after `#link=` in the link.", examples: ["Jx0…"] }) },
  { additionalProperties: false },
);
export const LinkFor = Body(
  "LinkFor",
  {
    name: Line(200, { description: "Whose password it sets.", examples: ["Carla Dias"] }),
    email: Line(254, { description: "What they sign in with." }),
    organizationName: Line(200, {
      description: "Where the link lets somebody in.",
      examples: ["Estúdio Aurora"],
    }),
    expiresAt: Instant("Until when it can be used."),
  },
  {
    examples: [
      {
        name: "Carla Dias",
        email: "carla@example.com",
        organizationName: "Estúdio Aurora",
        expiresAt: "2026-11-23T12:00:00.000Z",
      },
    ],
  },
);
export const ConfirmPassword = Type.Object({ password: Line(200) }, { additionalProperties: false });
export const ChangePassword = Type.Object(
  { password: Line(200, { description: "The one until now." }), newPassword: Password() },
  { additionalProperties: false },
);
export const EndSignIn = Type.Object(
  { signInId: Type.Optional(Id("One of yours; if absent, all but the current one.", EXAMPLE_IDS.signIn)) },
  { additionalProperties: false },
);
export const EndedSignIns = Body(
  "EndedSignIns",
  { ended: Int32("How many sign-ins ended.") },
  { examples: [{ ended: 1 }] },
);

const exampleSignIn = {
  id: EXAMPLE_IDS.signIn,
  device: "Firefox, Windows",
  createdAt: "2026-11-12T07:58:00.000Z",
  lastUsedAt: "2026-11-16T09:30:00.000Z",
  isCurrent: false,
};
export const OwnSignIn = Body(
  "OwnSignIn",
  {
    id: Id(),
    device: Type.Optional(Line(100, { description: "The browser and the system, as far as they said so." })),
    createdAt: Instant("When it began."),
    lastUsedAt: Instant("When it was last used, to the minute."),
    isCurrent: Type.Boolean({ description: "Whether it is the one that asks." }),
  },
  { description: "A browser that you are signed in with.", examples: [exampleSignIn] },
);
export const OwnSignInList = whole("OwnSignInList", OwnSignIn, exampleSignIn);

export const SignOut = Type.Object({}, { additionalProperties: false });

const NamedOrganization = {
  id: Id(),
  name: Line(200, { examples: ["Estúdio Aurora"] }),
};

/** The settings as an answer of their own. */
export const StaffSettings = Body("StaffSettings", OrganizationSettings.properties, {
  examples: [DEFAULT_SETTINGS],
});

const exampleMe = {
  staff: exampleStaff,
  organization: {
    id: EXAMPLE_IDS.organization,
    name: "Estúdio Aurora",
    timezone: "America/Sao_Paulo",
    currency: "BRL",
  },
  confirmedUntil: "2026-11-16T12:15:00.000Z",
};

export const Me = Body(
  "Me",
  {
    staff: Staff,
    organization: Type.Object({
      ...NamedOrganization,
      timezone: Line(64),
      currency: Line(3),
    }),
    storage: Type.Optional(
      Type.Object(
        { records: Int64("How many it stores."), limit: Int64("How many it may store.") },
        {
          description:
            "Given once the organization stores nine tenths of the records that it may: what would add more is refused " +
            "as `storage_full` at the limit.",
        },
      ),
    ),
    confirmedUntil: Type.Optional(
      Instant("Until when operations that need the password can be used without `confirmPassword`."),
    ),
  },
  { description: "Who is signed in, and where.", examples: [exampleMe] },
);

export const SignedIn = Body(
  "SignedIn",
  {
    staff: Type.Optional(Staff),
    organizations: Type.Optional(
      Type.Array(Type.Object(NamedOrganization), {
        description:
          "Given instead of a sign-in to somebody on the staff of several: name one as `organizationId`.",
      }),
    ),
  },
  { examples: [{ staff: exampleStaff }] },
);

export const Confirmed = Body(
  "Confirmed",
  { confirmedUntil: Instant("Until when operations that need the password can be used.") },
  { examples: [{ confirmedUntil: "2026-11-16T12:15:00.000Z" }] },
);

export const SignedOut = Body(
  "SignedOut",
  { signedOut: Type.Boolean() },
  { examples: [{ signedOut: true }] },
);

export type Staff = Static<typeof Staff>;
export type StaffLink = Static<typeof StaffLink>;
export type OwnSignIn = Static<typeof OwnSignIn>;
export type EndedSignIns = Static<typeof EndedSignIns>;
export type Me = Static<typeof Me>;
export type LinkedStaff = Static<typeof LinkedStaff>;
export type LinkFor = Static<typeof LinkFor>;
