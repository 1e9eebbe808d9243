/** What records the feed tells of, in the order in which it begins with them. */
export const CHANGE_KINDS = [
  "organization",
  "location",
  "resource",
  "serviceGroup",
  "serviceType",
  "plan",
  "client",
  "contract",
  "schedule",
  "session",
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export const CHANGE_TYPES = ["created", "updated", "deleted"] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

/** As a cursor: after everything there is. */
export const FROM_NOW = "now";
