/** Which methods each address has, so that 405 and 404 can be distinguished. */
export class Addresses {
  readonly #methods = new Map<string, Set<string>>();
  #patterns: { readonly pattern: RegExp; readonly allow: string }[] | undefined;

  /** Adds a route as the router knows it: `/v1/clients/:id`. */
  add(template: string, methods: string | readonly string[]): void {
    const known = this.#methods.get(template) ?? new Set<string>();
    for (const method of [methods].flat()) known.add(method);
    this.#methods.set(template, known);
    this.#patterns = undefined;
  }

  /** The value of `Allow` at this address, or undefined if there is nothing. */
  allowedAt(url: string): string | undefined {
    this.#patterns ??= [...this.#methods].map(([template, methods]) => ({
      pattern: patternOf(template),
      allow: [...methods].sort().join(", "),
    }));
    const path = decodedPath(url);
    return this.#patterns.find(({ pattern }) => pattern.test(path))?.allow;
  }
}

function patternOf(template: string): RegExp {
  const pattern = template.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "[^/]+");
  return new RegExp(`^${pattern}$`);
}

// As the router reads it: `/v1/%70lans` is `/v1/plans`, but an encoded slash is part of a segment.
function decodedPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
