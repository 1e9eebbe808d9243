/**
 * Ids of the records that the examples of the published document show. The demo studio has the same records under
 * the same ids, so whatever the document shows can be tried there.
 *
 * They are older than every id that the demo draws: ids sort by creation, and these records are the first of their kind.
 */
export const EXAMPLE_IDS = {
  organization: "018121f1-0a4c-7750-8106-cb266697ec5a",
  location: "018121f1-2e57-73dd-88d5-b5cd7404a37c",
  serviceType: "01813a85-10ce-7f81-8212-cd4d190ac2fa",
  serviceGroup: "01814eeb-1c99-7746-803f-f9ea62169295",
  /** Of a group that has the service type above alone. */
  beginnersGroup: "01814f02-6b3d-7a15-9c62-4d80e7b1a35e",
  plan: "01815af0-310c-74bc-908a-7de8c1c5f68e",
  client: "01815b36-dfde-70d8-ae2e-cc685502cd9c",
  contract: "01815b3a-f94a-76ed-b3f0-d89209c174fe",
  entitlement: "01815b3a-f94a-7e81-9904-ffc60e765ac0",
  instructor: "018160fd-d778-79b2-afe8-f3b32c10fa92",
  room: "018182ec-77d5-7a54-8b2c-29cfbd830a24",
  schedule: "01819534-0ac6-7798-9109-c388d9279ed0",
  session: "0181a8d4-d000-7680-9dbe-90c1088fe4dc",
  booking: "019a86f2-c1d4-7e0b-a5f3-6b1f0c9d2e47",
  waiting: "019a86f2-c8a9-7b32-9d14-03c7e5f8a16b",
  /** Of a key; what it opens is nowhere. */
  key: "0181ab1c-5d20-7c33-9a4e-1f7b6c02d9e8",
  calendarLink: "019a86e4-17c2-7b5d-8e30-a4d96f21b8c7",
  staff: "0181a9f0-41c7-7b36-8e52-6d0f9b3c7a14",
  /** Of whoever made the colleague above a link. */
  owner: "0181a9ee-2f10-7c58-9b1d-3e6a84f0c25b",
  link: "019a86d0-4b7e-7a09-8f24-c15d3be7906a",
  signIn: "019a86d1-90c3-7d64-b2e8-7f40a9165cd3",
  passkey: "019a4521-6c60-7f1e-8a3b-90d2c47be518",
  audit: "0193342d-8c11-7d20-9f6e-52b08c4d1e73",
  webhook: "01933430-1f5a-7c42-8d1b-6e07a9b3f254",
  invoice: "0193342d-9a40-7c11-8e35-6f1d0b72c8a4",
  payment: "0193342e-10b7-7d52-9c08-a4e83f60b1d9",
  /** Of a client that is only about to be created. */
  newClient: "019a86f2-f5e8-74c5-bf65-6465903b951f",
} as const;
