import { lazyDialog } from "./lazy-dialog.tsx";

/**
 * A date and a time as people write them: see `typed-date-field` and `typed-time-field`. Screens are drawn without them, and the
 * shell has them fetched as soon as the first one is there.
 */
export const [DateField] = lazyDialog(async () => (await import("./typed-fields.ts")).DateField);
export const [TimeField] = lazyDialog(async () => (await import("./typed-fields.ts")).TimeField);
