/** What an `Accept` or `Accept-Encoding` header names, in lower case, each with its weight. */
export function acceptWeights(header: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of String(header ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice("q=".length)));
  }
  return weights;
}

/** Browsers name `text/html`; programs name JSON, nothing, or anything at all (as `*` for both parts). */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = acceptWeights(accept);
  const html = weights.get("text/html") ?? 0;
  return html > 0 && html >= (weights.get("application/json") ?? 0);
}
