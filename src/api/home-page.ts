import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { refusal } from "../core/errors.ts";
import { escapeHtml } from "../core/html.ts";
import { prefersHtml } from "../http/accept.ts";
import { openDocument, sendDocument } from "../http/open-document.ts";

/**
 * Registers GET /: a page that leads people to the reference. Programs, which do not ask for HTML, get the
 * 404 of any unknown address.
 */
export function registerHomePage(app: FastifyInstance, options: HomePage): void {
  const page = openDocument("text/html; charset=utf-8", renderHomePage(options));
  app.get("/", async (request, reply) => {
    // Caches must not give the one's answer to the other.
    reply.header("vary", "accept");
    if (!prefersHtml(request.headers.accept)) {
      throw refusal("nothing_at_root");
    }
    reply.headers({
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "referrer-policy": "no-referrer",
    });
    return sendDocument(request, reply, page, "no-cache");
  });
}

interface HomePage {
  readonly title: string;
  readonly publicUrl: string;
  readonly hasConsole: boolean;
}

function renderHomePage({ title, publicUrl, hasConsole }: HomePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/docs/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1><img src="/docs/icon.svg" alt="" width="40" height="40">${escapeHtml(title)}</h1>
<p>This server holds an organization's clients, contracts, plans and calendar. Programs read and write them with an
API key.</p>
<ul>
${hasConsole ? CONSOLE_LINK : ""}<li><a href="/docs"><strong>Documentation</strong> Guides, and every operation with examples to send</a></li>
<li><a href="/openapi.json"><strong>openapi.json</strong> The same for code generators and other tools</a></li>
<li><a href="/openapi.yaml"><strong>openapi.yaml</strong> The same as YAML</a></li>
</ul>
<h2>First request</h2>
<pre tabindex="0"><code>curl ${escapeHtml(publicUrl)}/v1/organization \\
  -H "Authorization: Bearer $KEY"</code></pre>
<p class="hint">No key yet? Whoever runs this server makes one with <code>rollbook key mint</code>.</p>
</main>
</body>
</html>
`;
}

const CONSOLE_LINK = `<li><a href="/console/"><strong>Console</strong> For the owner and the front desk</a></li>
`;

const STYLE = `
:root {
  color-scheme: light dark;
  --text: #17211f;
  --soft: #56635f;
  --line: #d9e0de;
  --ground: #f6f8f7;
  --card: #fff;
  --accent: #0f766e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8eeec;
    --soft: #a3b1ad;
    --line: #2f3a37;
    --ground: #101615;
    --card: #18201e;
    --accent: #5eead4;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  padding: clamp(24px, 8vh, 96px) 20px;
  background: var(--ground);
  color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 560px; margin: 0 auto; }
h1 { display: flex; align-items: center; gap: 12px; margin: 0 0 16px; font-size: 32px; line-height: 1.2; }
h2 { margin: 32px 0 8px; font-size: 16px; }
p { margin: 0 0 24px; }
ul { display: grid; gap: 12px; margin: 0; padding: 0; list-style: none; }
a {
  display: block;
  padding: 14px 16px;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--card);
  color: var(--soft);
  text-decoration: none;
}
a strong { display: block; color: var(--accent); }
a:hover, a:focus-visible { border-color: var(--accent); }
a:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
pre {
  margin: 0 0 12px;
  padding: 14px 16px;
  overflow-x: auto;
  border: 1px solid var(--line);
  border-radius: 10px;
  background: var(--card);
}
code { font: 14px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.hint { margin: 0; color: var(--soft); }
.hint code { white-space: nowrap; }
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
