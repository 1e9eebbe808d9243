import type prometheus from "prom-client";

/** Upper bounds of the buckets, in seconds; what lies above them all counts in `+Inf` alone. */
export const DURATION_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  /** How many durations fell into each bucket, not yet added up. */
  readonly counts: Float64Array;
  sum: number;
}

/**
 * The histogram of request durations. It is filled on every request, where looking labels up in a general
 * histogram cost as much as routing; adding the buckets up is left for when someone reads them.
 */
export class Durations {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Map<number, Map<string, Series>>>();

  /** The name of the operation that a method and an address belong to. */
  readonly #operationOf: (method: string, route: string) => string;

  constructor(name: string, help: string, operationOf: (method: string, route: string) => string) {
    this.#name = name;
    this.#help = help;
    this.#operationOf = operationOf;
  }

  observe(method: string, route: string, status: number, seconds: number): void {
    const series = this.#find(method, route, status);
    let bucket = 0;
    while (bucket < DURATION_BOUNDS.length && seconds > (DURATION_BOUNDS[bucket] as number)) bucket++;
    series.counts[bucket] = (series.counts[bucket] as number) + 1;
    series.sum += seconds;
  }

  /** For the registry: prom-client asks every metric in this way, and workers' answers are summed up. */
  async get(): Promise<object> {
    const all = [...this.#series.values()]
      .flatMap((byStatus) => [...byStatus.values()])
      .flatMap((byMethod) => [...byMethod.values()]);
    return {
      name: this.#name,
      help: this.#help,
      type: "histogram",
      aggregator: "sum",
      values: all.flatMap((series) => this.#values(series)),
    };
  }

  // Looked up label by label: a new string made of them would have to be hashed each time.
  #find(method: string, route: string, status: number): Series {
    const byMethod = entry(
      entry(this.#series, route, () => new Map<number, Map<string, Series>>()),
      status,
      () => new Map<string, Series>(),
    );
    return entry(byMethod, method, () => ({
      labels: { method, route, status },
      counts: new Float64Array(DURATION_BOUNDS.length + 1),
      sum: 0,
    }));
  }

  #values({ labels: found, counts, sum }: Series): prometheus.MetricValueWithName<string>[] {
    const labels = { ...found, operation: this.#operationOf(found.method, found.route) };
    let total = 0;
    const buckets = [...DURATION_BOUNDS.map(String), "+Inf"].map((bound, i) => {
      total += counts[i] as number;
      return { labels: { ...labels, le: bound }, value: total, metricName: `${this.#name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${this.#name}_sum` },
      { labels, value: total, metricName: `${this.#name}_count` },
    ];
  }
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
