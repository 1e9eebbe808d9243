import { type DestinationStream, type Logger, pino } from "pino";
import { describeState } from "../db/statement-errors.ts";
import type { Config } from "./config.ts";

/** What may be logged of an error. Values of a failed statement are personal data, so its detail is left out. */
function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint } = error as Error & { code?: unknown; constraint?: unknown };
  const fromDatabase = "severity" in error;
  return {
    type: error.name,
    // PostgreSQL quotes rejected values in its messages; its code and the constraint say enough.
    message: fromDatabase ? `the database says that ${describeState(String(code))}` : error.message,
    ...(typeof code === "string" && { code }),
    ...(typeof constraint === "string" && { constraint }),
    ...(!fromDatabase && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: errorFields(error.cause) }),
  };
}

/** The only fields a line may carry, beside those that pino itself writes. */
const ALLOWED = new Set([
  "reqId",
  "method",
  "route",
  "operation",
  "underWay",
  "status",
  "ms",
  "queueMs",
  "postgresMs",
  "loopMs",
  "organizations",
  "organizationId",
  "keyId",
  "staffId",
  "faults",
  "err",
  "worker",
  "pid",
  "address",
  "signal",
  "version",
]);

/** Lines of JSON. Fields that are not on the list are dropped, not logged. */
export function createLogger(config: Pick<Config, "logLevel">, destination: DestinationStream): Logger {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorFields },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) =>
        Object.fromEntries(Object.entries(fields).filter(([name]) => ALLOWED.has(name))),
    },
  };
  return pino(options, destination);
}

/** Where the server logs to: standard output, readable if that is a terminal. What cannot be written is lost. */
export function standardOutput(): DestinationStream {
  if (process.stdout.isTTY) return readable(process.stdout);
  const output = pino.destination({ dest: 1, sync: true });
  output.on("error", () => {});
  return {
    write(line) {
      try {
        output.write(line);
      } catch {
        // A full disk or a reader that has left is no reason to serve nobody.
      }
    },
  };
}

function readable(output: NodeJS.WritableStream): DestinationStream {
  return {
    write(line: string) {
      const { level, time, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const fields = Object.entries(rest).map(([name, value]) => ` ${name}=${String(value)}`);
      const cause = err ? `\n${JSON.stringify(err, null, 2)}` : "";
      output.write(
        `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg}${fields.join("")}${cause}\n`,
      );
    },
  };
}
