import prometheus from "prom-client";

let aggregator: { clusterMetrics(): Promise<string> } | undefined;

/** The primary's side: the metrics of all workers together. */
export function renderClusterMetrics(): Promise<string> {
  aggregator ??= new prometheus.AggregatorRegistry();
  return aggregator.clusterMetrics();
}

/** The worker's side: answers the primary's requests for metrics. */
export function shareMetrics(registry: prometheus.Registry): void {
  // Made for its listener.
  new prometheus.AggregatorRegistry();
  prometheus.AggregatorRegistry.setRegistries(registry);
}
