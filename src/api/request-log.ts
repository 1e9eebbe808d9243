import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { AppError, type Fault } from "../core/errors.ts";
import type { Caller } from "../http/caller.ts";
import type { StaffMember } from "../http/staff-scope.ts";
import type { ApiCaller } from "./gate.ts";
import { OrganizationCosts } from "./organization-costs.ts";
import { Outage } from "./outage.ts";

/** How many faults of a refused request are logged at most. */
const MAX_LOGGED_FAULTS = 10;

/** What the log says of requests: who asked, how it ended, what was wrong. Never a value that a caller sent. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #level: "info" | "debug";
  readonly #outage: Outage;
  readonly #slowMs: number;
  readonly #costs: OrganizationCosts;

  constructor(options: {
    readonly logger: Logger;
    readonly slowMs?: number;
    /** Answered requests are logged as refused ones are. */
    readonly logsSuccesses?: boolean;
    readonly isReady: () => Promise<boolean>;
  }) {
    this.#logger = options.logger;
    // Refusals are worth a line each; successes only when someone is looking.
    this.#level = options.logsSuccesses ? "info" : "debug";
    this.#outage = new Outage(options.logger, options.isReady);
    this.#slowMs = options.slowMs || Number.POSITIVE_INFINITY;
    this.#costs = new OrganizationCosts(options.logger);
  }

  recordResponse(request: FastifyRequest, route: string, status: number, milliseconds: number): void {
    if (!request.isLong) {
      if (request.identity) this.#costs.add(request.identity.organizationId, milliseconds);
      if (milliseconds >= this.#slowMs) this.#recordSlow(request, route, status, milliseconds);
    }
    const level = status >= 400 ? "info" : this.#level;
    if (!this.#logger.isLevelEnabled(level)) return;
    const { id: reqId, method, faults } = request;
    const fields = { reqId, method, route, status, ms: Math.round(milliseconds), ...identity(request) };
    if (!faults || faults.length === 0)
      this.#logger[level](fields, status >= 400 ? "request refused" : "request");
    else
      this.#logger[level](
        { ...fields, faults: faults.slice(0, MAX_LOGGED_FAULTS).map(describeFault) },
        "request refused",
      );
  }

  /** Where the time went. What is left was spent with others: a batch, a body that was still to come. */
  #recordSlow(request: FastifyRequest, route: string, status: number, milliseconds: number): void {
    const { id: reqId, method, times, loopBefore } = request;
    const loopMs = loopBefore ? performance.eventLoopUtilization(loopBefore).active : 0;
    this.#logger.warn(
      {
        ...{ reqId, method, route, status, ms: Math.round(milliseconds), ...identity(request) },
        queueMs: Math.round(times?.queueMs ?? 0),
        postgresMs: Math.round(times?.postgresMs ?? 0),
        loopMs: Math.round(Math.min(loopMs, milliseconds)),
      },
      "slow request",
    );
  }

  /** Why a request is refused, as far as its own line will not say it. */
  recordRefusal(request: FastifyRequest, error: Error & { readonly kind: string }): void {
    if (error instanceof AppError) request.faults = error.faults;
    const fields = { reqId: request.id, ...identity(request) };
    if (error.kind === "internal")
      this.#logger.error({ ...fields, err: error.cause ?? error }, "request failed");
    if (error.kind === "unavailable" && !this.#outage.covers(error))
      this.#logger.warn({ ...fields, err: error }, "request not served in time");
  }

  /** A failure that came too late to be answered: the answer was cut off in its middle. */
  recordCutOff(request: FastifyRequest, err: unknown): void {
    this.#outage.covers(err);
    const fields = { reqId: request.id, ...identity(request), err };
    this.#logger.error(fields, "request failed while it was answered");
  }

  /** A failure that no request waits for. */
  recordBackgroundFailure(err: unknown, message: string): void {
    if (!this.#outage.covers(err)) this.#logger.warn({ err }, message);
  }

  close(): void {
    this.#outage.close();
    this.#costs.close();
  }
}

function identity({ identity: who }: FastifyRequest): Record<string, string> {
  // Whoever is about to sign in is of no organization yet.
  if (!who || who.organizationId === "") return {};
  const { organizationId, keyId, staffId } = who as Partial<ApiCaller & StaffMember> & Caller;
  return { organizationId, ...(keyId !== undefined && { keyId }), ...(staffId !== undefined && { staffId }) };
}

/** `body.contactEmail email_invalid` */
function describeFault({ location, code }: Fault): string {
  // Members and parameters that we do not know, or that are there twice, may have any name: that is the caller's text.
  const isForeign = code === "unknown_member" || code === "unknown_parameter" || code === "given_twice";
  return `${isForeign ? location.replace(/[.[].*$/s, "") : location} ${code}`;
}
