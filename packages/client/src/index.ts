export type * from "./api-types.ts";
export type { ChangesOptions, CursorStore, TypedChange } from "./changes.ts";
export { RollbookClient } from "./client.ts";
export type { Download, DownloadOptions } from "./download.ts";
export {
  ConflictError,
  GoneError,
  InvalidError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  RollbookError,
  UnauthorizedError,
  UnreachableError,
} from "./errors.ts";
export type { CallOptions, Pages, Tagged } from "./results.ts";
export type { ClientOptions } from "./transport.ts";
export { verifyWebhook, WebhookError, type WebhookHeaders } from "./webhook.ts";
