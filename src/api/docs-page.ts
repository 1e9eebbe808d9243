import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { escapeHtml } from "../core/html.ts";
import { prefersHtml } from "../http/accept.ts";
import { DOCUMENT_METHODS, type OpenDocument, openDocument, sendDocument } from "../http/open-document.ts";
import { nothingHere } from "../http/operation.ts";

/** What the build of the documentation says of its files (`scripts/build-docs.mjs`). */
interface DocsManifest {
  /** Stands in the files for the public address of the server. */
  readonly placeholder: string;
  /** Of the style sheet that every page has in it, for its policy. */
  readonly styleHash: string;
  /** By their names below `/docs/`; that of `/docs` itself is empty. */
  readonly pages: Readonly<Record<string, { readonly file: string }>>;
  readonly assets: Readonly<Record<string, { readonly version: string }>>;
}

const FOLDER = new URL("../../docs/", import.meta.url);
const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const ASSET_TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
};
const COLLECTION = "rollbook.postman_collection.json";
const LASTING = "public, max-age=31536000, immutable";

/**
 * Serves the documentation: each page as HTML that reads without a script and as Markdown, what they share, and all of it for
 * programs at `/llms.txt` and `/llms-full.txt`. The pages' policy forbids the browser to call any other host.
 */
export function registerDocsPage(app: FastifyInstance, { publicUrl }: { readonly publicUrl: string }): void {
  let reading: Promise<DocsManifest> | undefined;
  const readManifest = () => {
    reading ??= readFile(new URL("manifest.json", FOLDER), "utf8").then(
      (text) => JSON.parse(text) as DocsManifest,
      (error: unknown) => {
        reading = undefined;
        throw error;
      },
    );
    return reading;
  };
  /** What was asked for once. There are no more of them than the manifest names. */
  const documents = new Map<string, OpenDocument>();
  const documentOf = async (file: string, type: string): Promise<OpenDocument> => {
    const known = documents.get(file);
    if (known) return known;
    const { placeholder } = await readManifest();
    const text = await readFile(new URL(file, FOLDER), "utf8");
    const address = type === HTML ? escapeHtml(publicUrl) : publicUrl;
    const document = openDocument(
      type,
      text.replaceAll(placeholder, () => address),
    );
    documents.set(file, document);
    return document;
  };

  const sendPage = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { pages, styleHash } = await readManifest();
    const isMarkdown = name.endsWith(".md");
    const bare = isMarkdown ? name.slice(0, -3).replace(/^index$/, "") : name;
    const page = Object.hasOwn(pages, bare) ? pages[bare] : undefined;
    // `/docs` is the address of the first page, and `/docs/index.md` that of its Markdown.
    if (!page || name === "index" || name === ".md") return sendMissing(request, reply);
    if (isMarkdown) return sendDocument(request, reply, await documentOf(`pages/${page.file}.md`, MARKDOWN));
    const markdown = `/docs/${bare === "" ? "index" : bare}.md`;
    reply.headers({
      "content-security-policy": contentSecurityPolicy(styleHash),
      link: `<${markdown}>; rel="alternate"; type="text/markdown"`,
    });
    return sendDocument(request, reply, await documentOf(`pages/${page.file}.html`, HTML));
  };

  /** Programs are told as everywhere; a person with a link that was cut off gets a page that leads on. */
  const sendMissing = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!prefersHtml(request.headers.accept)) throw nothingHere();
    const { bytes } = await documentOf("pages/missing.html", HTML);
    const { styleHash } = await readManifest();
    reply.headers({
      "content-security-policy": contentSecurityPolicy(styleHash),
      "cache-control": "no-store",
      vary: "accept",
    });
    return reply.code(404).type(HTML).send(bytes);
  };

  app.register(async (docs) => {
    docs.addHook("onRequest", async (_request, reply) => {
      reply.headers({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    });
    for (const url of ["/docs", "/docs/"])
      docs.route({
        method: DOCUMENT_METHODS,
        url,
        handler: (request, reply) => sendPage(request, reply, ""),
      });
    // No wildcard: of those nobody could say which methods an address has.
    for (const url of ["/docs/:name", "/docs/:folder/:name"])
      docs.route<{ Params: { folder?: string; name: string } }>({
        method: DOCUMENT_METHODS,
        url,
        handler: async (request, reply) => {
          const { folder, name: last } = request.params;
          const name = folder === undefined ? last : `${folder}/${last}`;
          if (name === COLLECTION)
            return sendDocument(request, reply, await documentOf(name, "application/json"));
          const { assets } = await readManifest();
          const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
          if (!asset) return sendPage(request, reply, name);
          // Only the address that names this very content may be cached forever: while a new release rolls out, a page of the
          // one can ask a server of the other.
          const isExact = (request.query as { v?: string }).v === asset.version;
          const type = ASSET_TYPES[name.split(".").at(-1) ?? ""] ?? "";
          return sendDocument(
            request,
            reply,
            await documentOf(`assets/${name}`, type),
            isExact ? LASTING : undefined,
          );
        },
      });
    for (const name of ["llms.txt", "llms-full.txt"])
      docs.route({
        method: DOCUMENT_METHODS,
        url: `/${name}`,
        handler: async (request, reply) => sendDocument(request, reply, await documentOf(name, MARKDOWN)),
      });
  });
}

function contentSecurityPolicy(styleHash: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${styleHash}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}
