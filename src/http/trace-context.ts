/** Which trace a request belongs to, as W3C Trace Context writes it in `traceparent`. */
export interface TraceContext {
  readonly traceId: string;
  /** The span of whoever called. */
  readonly parentId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Nothing if there is none that can be read: the request then begins a trace of its own. */
export function readTraceparent(header: unknown): TraceContext | undefined {
  const [, version, traceId = "", parentId = "", flags = "", more] =
    TRACEPARENT.exec(String(header ?? "").trim()) ?? [];
  // Later versions may have more to say behind what this one knows.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** Whether a trace is recorded. Whoever called decides for their traces, if the sampler asks them. */
export function isSampled(
  sampler: SamplerName,
  ratio: number,
  traceId: string,
  parent: TraceContext | undefined,
): boolean {
  if (parent && sampler.startsWith("parentbased")) return parent.isSampled;
  if (sampler.endsWith("always_on")) return true;
  if (sampler.endsWith("always_off")) return false;
  // By the last seven bytes of the id, so that all services decide alike.
  return Number.parseInt(traceId.slice(-14), 16) / 2 ** 56 >= 1 - ratio;
}
