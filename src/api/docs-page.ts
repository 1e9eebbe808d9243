import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { constants, createGunzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from "fastify";
import { escapeHtml } from "../core/html.ts";
import { chooseAmong } from "../http/compression.ts";
import { recordTag } from "../http/entity-tags.ts";
import { DOCUMENT_METHODS, isCurrent, openDocument, sendDocument } from "../http/open-document.ts";

/**
 * Registers GET /docs, the interactive reference of the document at /openapi.json, and its assets.
 *
 * Everything comes from this server, and the page's policy forbids the browser to call any other.
 */
export function registerDocsPage(app: FastifyInstance, options: { title: string }): void {
  const assets = {
    "scalar.js": lazyAsset("text/javascript; charset=utf-8", readScalar),
    "start.js": lazyAsset("text/javascript; charset=utf-8", async () => START_SCRIPT),
    "docs.css": lazyAsset("text/css; charset=utf-8", async () => STYLE_SHEET),
    "icon.svg": lazyAsset("image/svg+xml", async () => ICON),
  };

  const routes = async (docs: FastifyInstance): Promise<void> => {
    docs.addHook("onRequest", async (_request, reply) => {
      reply.headers({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    });

    const handlePage: RouteHandlerMethod = async (request, reply) => {
      const [scalar, start, css, icon] = await Promise.all([
        addressOf("scalar.js", assets["scalar.js"]),
        addressOf("start.js", assets["start.js"]),
        addressOf("docs.css", assets["docs.css"]),
        addressOf("icon.svg", assets["icon.svg"]),
      ]);
      // The same for all who have the same page, so that they can keep it: no word on it comes from anyone but us.
      const nonce = createHash("sha256").update([scalar, start, css, icon].join()).digest("base64");
      const page = renderDocsPage({ title: options.title, nonce, scalar, start, css, icon });
      reply.header("content-security-policy", contentSecurityPolicy(nonce));
      return sendDocument(request, reply, openDocument("text/html; charset=utf-8", page));
    };
    docs.route({ method: DOCUMENT_METHODS, url: "/", prefixTrailingSlash: "both", handler: handlePage });

    for (const [name, load] of Object.entries(assets)) {
      const handleAsset = async (request: FastifyRequest, reply: FastifyReply) => {
        const asset = await load();
        // Only the address that names this very content may be cached forever: while a new release rolls
        // out, a page of the one can ask a server of the other.
        const isExact = (request.query as { v?: string }).v === asset.version;
        const { encoding } = chooseAmong(String(request.headers["accept-encoding"] ?? ""), ["gzip"]);
        const lasting = isExact ? "public, max-age=31536000, immutable" : undefined;
        reply.header("vary", "accept-encoding");
        if (isCurrent(request, reply, asset.etag, encoding, lasting)) return reply.code(304).send();

        reply.type(asset.type);
        if (encoding) return reply.header("content-encoding", encoding).send(asset.gzipped);
        return reply
          .header("content-length", asset.byteLength)
          .send(Readable.from([asset.gzipped]).pipe(createGunzip()));
      };
      docs.route({ method: DOCUMENT_METHODS, url: `/${name}`, handler: handleAsset });
    }
  };
  app.register(routes, { prefix: "/docs" });
}

/** A file of the page. Only its compressed form is held; a caller without gzip has it inflated on the way. */
interface Asset {
  type: string;
  version: string;
  byteLength: number;
  etag: string;
  gzipped: Buffer;
}

/** Reads and compresses once, at the first call; a failure is not remembered. */
function lazyAsset(type: string, read: () => Promise<Buffer | string>): () => Promise<Asset> {
  let loading: Promise<Asset> | undefined;
  const load = async (): Promise<Asset> => {
    const content = Buffer.from(await read());
    const gzipped = await compress(content, { level: constants.Z_BEST_COMPRESSION });
    return {
      type,
      version: createHash("sha256").update(content).digest("base64url").slice(0, 16),
      byteLength: content.byteLength,
      etag: recordTag(content),
      gzipped,
    };
  };
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

const compress = promisify<Buffer, { level: number }, Buffer>(gzip);

/** Scalar's browser bundle. Its package exports no path to it, but it lies beside the entry point. */
function readScalar(): Promise<Buffer> {
  return readFile(new URL("./js/standalone.js", import.meta.resolve("@scalar/fastify-api-reference")));
}

async function addressOf(name: string, load: () => Promise<Asset>): Promise<string> {
  return `/docs/${name}?v=${(await load()).version}`;
}

function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Scalar writes style attributes, which no nonce can cover.
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

interface DocsPage {
  title: string;
  nonce: string;
  scalar: string;
  start: string;
  css: string;
  icon: string;
}

function renderDocsPage({ title, nonce, scalar, start, css, icon }: DocsPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} API reference</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${css}">
<script defer nonce="${nonce}" src="${start}"></script>
<script defer src="${scalar}"></script>
</head>
<body>
<header class="masthead">
<a class="name" href="/docs"><img src="${icon}" alt="" width="22" height="22">${escapeHtml(title)}</a>
<nav aria-label="OpenAPI document"><a href="/openapi.json">openapi.json</a><a href="/openapi.yaml">openapi.yaml</a></nav>
</header>
<div id="reference"><p class="notice">Loading the reference…</p></div>
<noscript><p class="notice">The reference needs JavaScript. The same content is in
<a href="/openapi.json">openapi.json</a> and <a href="/openapi.yaml">openapi.yaml</a>.</p></noscript>
</body>
</html>
`;
}

// Runs before Scalar's bundle; DOMContentLoaded comes after both, as both are deferred.
const START_SCRIPT = `"use strict";
(() => {
  // Scalar adds its style sheets as <style> elements: the nonce is what lets them through.
  const nonce = document.currentScript.nonce;
  const createElement = Document.prototype.createElement;
  Document.prototype.createElement = function (...args) {
    const element = createElement.apply(this, args);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };

  // A library in the bundle tries "new Function" to learn whether it may compile code. The policy says no;
  // to say so here spares the console, and whoever collects reports, a violation on every visit.
  window.Function = new Proxy(Function, {
    construct() {
      throw new EvalError("Code from strings is not allowed on this page.");
    },
  });

  document.addEventListener("DOMContentLoaded", () => {
    Scalar.createApiReference("#reference", {
      url: "/openapi.json",
      // The policy lets the page call its own origin alone, under whatever name the reader reached it.
      servers: [{ url: location.origin }],
      withDefaultFonts: false,
      telemetry: false,
      persistAuth: false,
      agent: { disabled: true },
      showDeveloperTools: "never",
      hideClientButton: true,
      documentDownloadType: "none",
      defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    });
  });
})();
`;

const STYLE_SHEET = `:root {
  --scalar-custom-header-height: 48px;
  --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}

body {
  margin: 0;
  background: var(--scalar-background-1, Canvas);
  color: var(--scalar-color-1, CanvasText);
  font-family: var(--scalar-font);
}

.masthead {
  position: sticky;
  top: 0;
  z-index: 20;
  box-sizing: border-box;
  height: 48px;
  padding: 0 16px;
  display: flex;
  align-items: center;
  justify-content: space-between;
  border-bottom: 1px solid var(--scalar-border-color, #8884);
  background: var(--scalar-background-1, Canvas);
  font-size: 14px;
}

.masthead a {
  color: inherit;
  text-decoration: none;
}

.masthead .name {
  display: flex;
  align-items: center;
  gap: 8px;
  font-size: 16px;
  font-weight: 600;
}

.masthead nav {
  display: flex;
  gap: 16px;
  color: var(--scalar-color-2, GrayText);
}

.masthead a:hover {
  text-decoration: underline;
}

.notice {
  margin: 48px 16px;
  text-align: center;
}

/* Scalar's own link: nothing on the page leads away by itself. */
a[href^="https://www.scalar.com"] {
  display: none;
}
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#0f766e"/>
<path d="M8 10.5l2 2 3.5-4M8 20.5l2 2 3.5-4M17 11h7M17 21h7" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
