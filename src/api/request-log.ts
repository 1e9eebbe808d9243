import type { FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { AppError, type Fault } from "../core/errors.ts";
import type { RequestRecorder } from "../domain/keys/request-recorder.ts";
import type { PackedRequest } from "../domain/keys/request-rows.ts";
import type { Caller } from "../http/caller.ts";
import type { RecordedRefusal } from "../http/declaration.ts";
import type { HttpError } from "../http/http-error.ts";
import type { AnsweredCall } from "../http/inner-calls.ts";
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
  recordRefusal(request: FastifyRequest, error: AppError | HttpError): void {
    if (error instanceof AppError) request.faults = error.faults;
    request.refusal = error;
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
function describeFault(fault: Fault): string {
  return `${placeOf(fault)} ${fault.code}`;
}

function placeOf({ location, code }: Fault): string {
  // Members and parameters that we do not know, or that are there twice, may have any name: that is the caller's text.
  const isForeign = code === "unknown_member" || code === "unknown_parameter" || code === "given_twice";
  return isForeign ? location.replace(/[.[].*$/s, "") : location;
}

/** Records a request for those who build on the API. Without a known key there is nobody to show it to. */
export function recordKeyRequest(
  recorder: RequestRecorder,
  request: FastifyRequest,
  status: number,
  milliseconds: number,
): void {
  const caller = request.identity as ApiCaller | null;
  if (caller?.keyId === undefined) return;
  recorder.add(caller, status >= 400, () => {
    const { operationId, id: requestId, refusal, faults } = request;
    return packRequest(
      caller,
      { operationId: operationId ?? "none", requestId, status, milliseconds },
      refusal,
      faults,
    );
  });
}

/** The same for an operation that a tool has called. */
export function recordInnerCall(recorder: RequestRecorder, caller: ApiCaller, answered: AnsweredCall): void {
  const { refusal } = answered;
  recorder.add(caller, answered.status >= 400, () =>
    packRequest(caller, answered, refusal ?? null, refusal instanceof AppError ? refusal.faults : null),
  );
}

function packRequest(
  { clock }: Caller,
  { operationId, requestId, status, milliseconds }: AnsweredCall,
  refusal: RecordedRefusal | null,
  faults: readonly Fault[] | null,
): PackedRequest {
  const ms = Math.round(milliseconds);
  const answered = [clock.now() - ms, operationId, status, ms, requestId] as const;
  if (!refusal || status < 400) return answered;
  const places = (faults ?? [])
    .slice(0, MAX_LOGGED_FAULTS)
    .map((fault) => [placeOf(fault), fault.code] as const);
  return [...answered, refusal.kind, refusal.detail?.code ?? null, places, faults?.length ?? 0];
}
