export type { Check, Source } from "./check.ts";
export type { Exchange } from "./exchange.ts";
export { reportJson, reportJunit, reportText } from "./report.ts";
export {
  CHECKS,
  count,
  NotBegun,
  type Outcome,
  type Report,
  type Result,
  type RunOptions,
  runChecks,
} from "./run.ts";
