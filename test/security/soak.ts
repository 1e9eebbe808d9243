import { setTimeout as delay } from "node:timers/promises";
import { Caller, quantile, requestText } from "../support/caller.ts";
import { metric, type Target } from "../support/target.ts";

export interface SoakReport {
  readonly requests: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers that none of the questions allows. */
  readonly unexpected: readonly string[];
  readonly samples: readonly SoakSample[];
  /** The bodies of refusals, each once. */
  readonly refusals: readonly string[];
}

export interface SoakSample {
  readonly atSeconds: number;
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly openFiles: number;
  readonly p99Ms: number;
}

/** Reads, searches, writes and mistakes of all kinds, for as long as wanted, with the server's state noted along. */
export async function soak(
  target: Target,
  options: {
    readonly seconds: number;
    readonly callers: number;
    readonly sampleSeconds: number;
    /** Requests a second of all callers together; without it, as many as go through. */
    readonly perSecond?: number;
    readonly onSample?: (sample: SoakSample) => unknown;
  },
): Promise<SoakReport> {
  const statuses = new Map<number, number>();
  const unexpected: string[] = [];
  const samples: SoakSample[] = [];
  const refusals = new Set<string>();
  let times: number[] = [];
  let requests = 0;
  // All of its clients are found by one search, so an organization that grew would be answered later and later. Another
  // one with each sample: what is left to grow is the server.
  let { key } = target;
  const begun = performance.now();
  const until = begun + options.seconds * 1000;
  const pauseMs = options.perSecond === undefined ? 0 : (options.callers * 1000) / options.perSecond;

  const work = async (number: number) => {
    let caller = await Caller.open(target.url);
    const mix = new Mix(() => key, number);
    while (performance.now() < until) {
      const { text, allowed } = mix.next();
      if (caller.isClosed) caller = await Caller.open(target.url);
      const reply = await caller.ask(text);
      requests++;
      times.push(reply.milliseconds);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      if (!allowed.includes(reply.status) && unexpected.length < 20) {
        unexpected.push(`${text.slice(0, 200)} -> ${reply.status} ${reply.content.subarray(0, 200)}`);
      }
      if (reply.status >= 400 && refusals.size < 1_000) refusals.add(reply.content.toString("utf8"));
      mix.learn(reply.status, reply.content);
      if (pauseMs > 0) await delay(Math.max(0, pauseMs - reply.milliseconds));
    }
    caller.close();
  };
  const watch = async () => {
    while (performance.now() < until) {
      await delay(Math.min(options.sampleSeconds * 1000, Math.max(0, until - performance.now())));
      const sample: SoakSample = {
        atSeconds: Math.round((performance.now() - begun) / 1000),
        residentMiB: (await target.residentBytes()) / 2 ** 20,
        heapMiB: metric(await target.metrics(), "rollbook_nodejs_heap_size_used_bytes") / 2 ** 20,
        openFiles: await target.openFiles(),
        p99Ms: quantile(times, 0.99),
      };
      times = [];
      samples.push(sample);
      await options.onSample?.(sample);
      ({ key } = await target.newStudio());
    }
  };
  await Promise.all([watch(), ...Array.from({ length: options.callers }, (_, i) => work(i))]);
  return { requests, statuses, unexpected, samples, refusals: [...refusals] };
}

/** How much a quantity rose from the first third of the samples to the last, as a share of the first. */
export function drift(samples: readonly SoakSample[], of: (sample: SoakSample) => number): number {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const median = (some: readonly SoakSample[]) => quantile(some.map(of), 0.5);
  const first = median(samples.slice(0, third));
  return (median(samples.slice(-third)) - first) / first;
}

interface Question {
  readonly text: string;
  readonly allowed: readonly number[];
}

/** Someone whose traces can be looked for afterwards: every value is unlike any other text. */
export const PERSON = {
  contactName: "Zuleide Quaresma Xavante",
  contactEmail: "zuleide.quaresma@secret.example",
  contactPhone: "+55 11 91234-8765",
  notes: "Allergic to xylophones",
  cpf: "529.982.247-25",
};

/** What one caller asks, in turn. */
class Mix {
  readonly #currentKey: () => string;
  readonly #number: number;
  #key = "";
  #count = 0;
  #clientId = "019a8f2e-7c3b-7d10-9f44-2b6a1c0e5d31";

  constructor(currentKey: () => string, number: number) {
    this.#currentKey = currentKey;
    this.#number = number;
  }

  learn(status: number, content: Buffer): void {
    if (status === 201) this.#clientId = (JSON.parse(content.toString("utf8")) as { id: string }).id;
  }

  next(): Question {
    if (this.#key !== this.#currentKey()) {
      this.#key = this.#currentKey();
      // From the beginning, with a client of its own.
      this.#count = 0;
    }
    const key = this.#key;
    const count = this.#count++;
    const get = (path: string, allowed = [200]): Question => ({ text: requestText({ path, key }), allowed });
    const person = {
      contactName: `${PERSON.contactName} ${this.#number}-${count}`,
      contactEmail: PERSON.contactEmail,
      contactPhone: PERSON.contactPhone,
      notes: PERSON.notes,
      idDocument: { type: "other", value: `PX-${this.#number}-${count}-${Date.now()}` },
    };
    const send = (method: string, path: string, body: unknown, allowed: number[]): Question => ({
      text: requestText({ method, path, key, body }),
      allowed,
    });
    const one = `/v1/clients/${this.#clientId}`;
    switch (count % 16) {
      case 0:
        return send("POST", "/v1/clients", person, [201]);
      case 1:
        return get(one);
      case 2:
        return send("PUT", one, { ...person, notes: `${PERSON.notes} ${count}` }, [200]);
      case 3:
        return get("/v1/clients?limit=20");
      case 4:
        return get("/v1/clients?query=zuleide&limit=5");
      case 5:
        return get(`/v1/clients?query=${encodeURIComponent(PERSON.contactEmail)}&status=active`);
      case 6:
        return get("/v1/organization");
      case 7:
        return get("/v1/calendar?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z");
      case 8:
        return send("POST", "/v1/clients", { ...person, idDocument: { type: "cpf", value: "1" } }, [422]);
      case 9:
        return send("POST", "/v1/clients", { ...person, birthdate: PERSON.contactName }, [422]);
      case 10:
        return { text: requestText({ path: "/v1/organization", key: `${key}x` }), allowed: [401] };
      case 11:
        return get(`/v1/plans/${encodeURIComponent(PERSON.contactName)}`, [422]);
      case 12:
        return get(`/v1/${encodeURIComponent(PERSON.contactEmail)}`, [404]);
      case 13:
        return send(
          "POST",
          "/v1/clients",
          { ...person, idDocument: { type: "cpf", value: PERSON.cpf } },
          [201, 409],
        );
      case 14:
        return get(`/v1/contracts?limit=${encodeURIComponent(PERSON.contactPhone)}`, [422]);
      default:
        return { text: requestText({ method: "DELETE", path: one, key }), allowed: [204] };
    }
  }
}
