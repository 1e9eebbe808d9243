/** The words of webhooks that are stored and told. */

/** Whether events are sent. */
export const WEBHOOK_STATES = ["active", "disabled"] as const;

/** Who or what disabled an endpoint. */
export const DISABLED_REASONS = ["owner", "failing", "gone", "secret_lost"] as const;

/** Why an attempt failed that no status tells of. */
export const ATTEMPT_FAILURES = ["timeout", "refused", "dns", "tls", "blocked", "redirect"] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type AttemptFailure = (typeof ATTEMPT_FAILURES)[number];

/** What is sent once on demand, past the queue. */
export const TEST_EVENT = "webhook.test";
/** Sent instead of more events than a receiver wants to have one by one. */
export const BACKLOG_EVENT = "feed.backlog";

/** How many endpoints an organization may have. */
export const MAX_WEBHOOKS = 10;
/** How many events are sent one by one, unless the endpoint says otherwise. */
export const DEFAULT_FLOOD = 1_000;
/** How many secrets an endpoint can have at a time: older ones end when another is made. */
export const MAX_SECRETS = 4;
/** How long attempts are kept. */
export const ATTEMPT_DAYS = 30;
