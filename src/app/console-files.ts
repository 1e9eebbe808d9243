import { readFile } from "node:fs/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isUuid } from "../core/patterns.ts";
import { prefersHtml } from "../http/accept.ts";
import { CONTENT_CODINGS, type ContentCoding, chooseAmong } from "../http/compression.ts";
import { DOCUMENT_METHODS, openDocument, sendDocument } from "../http/open-document.ts";
import { nothingHere } from "../http/operation.ts";
import { chooseLanguage } from "../languages/accept-language.ts";
import { DICTIONARIES } from "../languages/dictionaries.ts";
import type { Language } from "../languages/dictionary.ts";

/** What the build of the console says of its files, by their names in `assets/`. */
interface Manifest {
  readonly main: string;
  /** The main script and what it imports at once. */
  readonly scripts: readonly string[];
  readonly style: string;
  /** What each screen needs beside that. */
  readonly screens: Readonly<
    Record<string, { readonly scripts: readonly string[]; readonly style?: string }>
  >;
  readonly files: readonly string[];
}

const FOLDER = new URL("../../console/", import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};
const THEMES = ["system", "light", "dark"];
/** Whether a browser has a sign-in, which may have ended. */
const SIGN_IN = /(?:^|;\s*)(?:__Host-)?rollbook=/;

/** What stands for all locations. */
const EVERYWHERE = "all";

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the console: one page for all of its addresses, and the files it is made of, which never change. */
export function registerConsole(app: FastifyInstance): void {
  let reading: Promise<Manifest> | undefined;
  const readManifest = () => {
    reading ??= readFile(new URL("manifest.json", FOLDER), "utf8").then(
      (text) => JSON.parse(text) as Manifest,
      (error: unknown) => {
        reading = undefined;
        throw error;
      },
    );
    return reading;
  };

  const handlePage = async (request: FastifyRequest, reply: FastifyReply) => {
    const page = renderPage(await readManifest(), request);
    reply.headers({
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "same-origin",
      vary: "accept-language, cookie",
    });
    return sendDocument(request, reply, openDocument("text/html; charset=utf-8", page), "private, no-cache");
  };
  app.route({ method: DOCUMENT_METHODS, url: "/console/", handler: handlePage });
  app.route({ method: DOCUMENT_METHODS, url: "/console/*", handler: handlePage });
  app.route({
    method: DOCUMENT_METHODS,
    url: "/console",
    handler: (_request, reply) => reply.code(308).header("location", "/console/").send(),
  });

  const files = new Map<string, Promise<Buffer>>();
  app.route({
    method: DOCUMENT_METHODS,
    url: "/console/assets/:name",
    handler: async (request, reply) => {
      const { name } = request.params as { name: string };
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
      if (type === undefined || !(await readManifest()).files.includes(name)) throw nothingHere();
      const { encoding } = chooseAmong(String(request.headers["accept-encoding"] ?? ""), CONTENT_CODINGS);
      const path = `assets/${name}${encoding ? SUFFIXES[encoding] : ""}`;
      let content = files.get(path);
      if (!content) {
        content = readFile(new URL(path, FOLDER));
        files.set(path, content);
        content.catch(() => files.delete(path));
      }
      reply.headers({
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...(encoding && { "content-encoding": encoding }),
      });
      return reply.type(type).send(await content);
    },
  });
}

/** Whether a browser asks for a page of the console; for addresses that are so malformed that no route is found. */
export function asksForConsole({ method, url, headers }: FastifyRequest): boolean {
  return url.startsWith("/console/") && DOCUMENT_METHODS.includes(method) && prefersHtml(headers.accept);
}

/** Each file is there in these forms too, made once when the console was built. */
const SUFFIXES: Readonly<Record<ContentCoding, string>> = { br: ".br", gzip: ".gz" };

/** Language and theme stand in the page, so that it is right from its first frame on. */
function renderPage(manifest: Manifest, { headers, url }: FastifyRequest): string {
  const language = chosenLanguage(headers.cookie) ?? chooseLanguage(headers["accept-language"]);
  const theme = cookieValue(headers.cookie, "rollbook-theme") ?? "system";
  const screen = /^\/console\/([\w-]+)/.exec(url)?.[1] ?? "today";
  const isInside = SIGN_IN.test(headers.cookie ?? "");
  // A request of the console that has a header of its own is not the one that was made ahead.
  const ahead =
    isInside && chosenLanguage(headers.cookie) === undefined ? readsOf(screen, url, headers.cookie) : [];
  const opened = Object.hasOwn(manifest.screens, screen) ? manifest.screens[screen] : undefined;
  const address = (name: string) => `/console/assets/${name}`;
  const styles = Object.fromEntries(
    Object.entries(manifest.screens).flatMap(([name, { style }]) => (style ? [[name, address(style)]] : [])),
  );
  const scripts = [...manifest.scripts, ...(opened?.scripts ?? [])];
  const sheets = [manifest.style, ...(opened?.style ? [opened.style] : [])];
  return `<!doctype html>
<html lang="${language}" data-theme="${THEMES.includes(theme) ? theme : "system"}" data-styles='${JSON.stringify(styles)}'${isInside ? " data-inside" : ""}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Rollbook</title>
<link rel="icon" href="/docs/icon.svg">
${sheets.map((name) => `<link rel="stylesheet" href="${address(name)}">`).join("\n")}
${scripts.map((name) => `<link rel="modulepreload" href="${address(name)}">`).join("\n")}
${ahead.map((path) => `<link rel="preload" as="fetch" crossorigin href="${path}">`).join("\n")}
<script type="module" src="${address(manifest.main)}"></script>
</head>
<body><noscript>The console needs JavaScript.</noscript></body>
</html>
`;
}

/** What a screen reads first, asked for while its scripts are on their way: a slow phone waits once instead of twice. */
function readsOf(screen: string, url: string, cookies: string | undefined): string[] {
  if (screen !== "today") return ["/app/v1/me"];
  const named = new URLSearchParams(url.split("?")[1]).get("location");
  const location = named ?? cookieValue(cookies, "rollbook-location") ?? EVERYWHERE;
  const today = "/app/v1/today";
  return [
    ...(location === EVERYWHERE ? [today] : isUuid(location) ? [`${today}?locationId=${location}`] : []),
    "/app/v1/me",
    "/app/v1/locations",
  ];
}

function chosenLanguage(cookies: string | undefined): Language | undefined {
  const value = cookieValue(cookies, "rollbook-language");
  return (Object.keys(DICTIONARIES) as Language[]).find((language) => language === value);
}

function cookieValue(header: string | undefined, name: string): string | undefined {
  const pair = (header ?? "").split(";").find((part) => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}
