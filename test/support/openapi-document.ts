const script: { writtenOut: (document: object) => object } = await import(
  new URL("../../../scripts/openapi-document.mjs", import.meta.url).href
);

/** A document as it reads without components: what operations share stands in each of them, examples included. */
// biome-ignore lint/suspicious/noExplicitAny: the document is walked as the JSON that it is
export function writtenOut(document: object): any {
  return script.writtenOut(document);
}
