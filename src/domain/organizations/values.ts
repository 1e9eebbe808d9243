/** The tiers an organization can subscribe to, lowest first. On the wire the tier is called `plan`. */
export const TIERS = ["Free", "Starter", "Pro", "Enterprise"] as const;
export const ORGANIZATION_STATUSES = ["active", "suspended", "closed"] as const;

/** How many days an organization that is to be deleted can be kept yet. */
export const GRACE_DAYS = 30;

/** Which day a week begins with, where visits are counted by the week. */
export const WEEK_STARTS = ["monday", "sunday"] as const;

export type Tier = (typeof TIERS)[number];
export type OrganizationStatus = (typeof ORGANIZATION_STATUSES)[number];
