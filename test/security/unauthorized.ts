import { mintKey, revokeKey } from "../../src/domain/keys/operations.ts";
import { checkDigits } from "../../src/domain/keys/rules.ts";
import { Caller, quantile } from "../support/caller.ts";
import type { Target } from "../support/target.ts";

const WARM_UP = 10;

export interface FormFigures {
  readonly form: string;
  readonly medianMs: number;
  /** How far the median is from that of all forms together, as a share of it. */
  readonly medianShift: number;
  /** That this form and all others together are one distribution (two-sample Kolmogorov-Smirnov). */
  readonly p: number;
}

export interface UnauthorizedReport {
  readonly samples: number;
  readonly figures: readonly FormFigures[];
  /** Answers that differ from the first in more than their time and their request id. */
  readonly different: readonly string[];
}

/** Asks with seven kinds of wrong credentials in random order and compares the answers and their times. */
export async function measureUnauthorized(
  target: Target,
  samples: number,
  callers: number,
): Promise<UnauthorizedReport> {
  const forms = await wrongCredentials(target);
  const times = new Map(forms.map(([form]) => [form, [] as number[]]));
  const different = new Set<string>();
  let first: string | undefined;
  const ask = async (rounds: number) => {
    const caller = await Caller.open(target.url);
    const order = [...forms];
    for (let round = -WARM_UP; round < rounds; round++) {
      shuffle(order);
      for (const [form, header] of order) {
        const reply = await caller.ask(`GET /v1/organization HTTP/1.1\r\nHost: a\r\n${header}\r\n`);
        if (round >= 0) times.get(form)?.push(reply.milliseconds);
        const text = essence(`${reply.head}\r\n\r\n${reply.content}`);
        first ??= text;
        if (text !== first) different.add(`${form}: ${text}`);
      }
    }
    caller.close();
  };
  await Promise.all(Array.from({ length: callers }, () => ask(Math.ceil(samples / callers))));
  const together = quantile([...times.values()].flat(), 0.5);
  const figures = [...times].map(([form, own]) => {
    const others = [...times].filter(([other]) => other !== form).flatMap(([, values]) => values);
    const medianMs = quantile(own, 0.5);
    return {
      form,
      medianMs,
      medianShift: Math.abs(medianMs - together) / together,
      p: sameness(own, others),
    };
  });
  return { samples, figures, different: [...different] };
}

/** Seven reasons for a 401, as header lines. */
async function wrongCredentials(target: Target): Promise<[string, string][]> {
  const db = target.store.open({ applicationName: "rollbook test" });
  const { organizationId, keySecret, key } = target;
  const revoked = await mintKey(db, keySecret, "test", { organizationId });
  await revokeKey(db, "test", revoked.id);
  const expired = await mintKey(db, keySecret, "test", { organizationId, lifetimeSeconds: 0 });
  const unknown = `rbk_${"a".repeat(32)}`;
  const bearer = (text: string) => `Authorization: Bearer ${text}\r\n`;
  return [
    ["no header", ""],
    ["another scheme", "Authorization: Basic dXNlcjpwYXNz\r\n"],
    ["not a key", bearer("x")],
    ["a wrong checksum", bearer(`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`)],
    ["unknown", bearer(unknown + checkDigits(unknown))],
    ["revoked", bearer(revoked.key)],
    ["expired", bearer(expired.key)],
  ];
}

function essence(answer: string): string {
  return answer.replace(/\r\nDate: [^\r]+/i, "").replace(/\r\nx-request-id: [^\r]+/i, "");
}

function shuffle(items: unknown[]): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j], items[i]];
  }
}

/** The probability of samples as different as these if both come from one distribution. */
export function sameness(one: readonly number[], two: readonly number[]): number {
  const a = Float64Array.from(one).sort();
  const b = Float64Array.from(two).sort();
  let distance = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const value = Math.min(a[i] as number, b[j] as number);
    while (i < a.length && (a[i] as number) <= value) i++;
    while (j < b.length && (b[j] as number) <= value) j++;
    distance = Math.max(distance, Math.abs(i / a.length - j / b.length));
  }
  const n = Math.sqrt((a.length * b.length) / (a.length + b.length));
  const lambda = (n + 0.12 + 0.11 / n) * distance;
  if (lambda < 0.2) return 1;
  let sum = 0;
  for (let k = 1; k <= 100; k++) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * lambda * lambda);
  return Math.min(1, Math.max(0, sum));
}
