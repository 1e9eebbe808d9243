import type { TestContext } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** What a tool gave: `content` as a model reads it, `data` as a program does. */
export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly data: any;
}

export const MODERN = "2026-07-28";

/** An assistant without a model: the official client, of either era. */
export class Assistant {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(
    t: Pick<TestContext, "after">,
    address: string,
    key: string,
    era: "modern" | "legacy" = "modern",
  ): Promise<Assistant> {
    const client = new Client(
      { name: "test", version: "1.0.0" },
      era === "modern" ? { versionNegotiation: { mode: { pin: MODERN } } } : {},
    );
    const transport = new StreamableHTTPClientTransport(new URL(address), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    });
    await client.connect(transport);
    t.after(() => client.close());
    return new Assistant(client);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolResult> {
    // Checks what comes against the schema that the tool has told.
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: args });
    const [first] = content as { type: string; text: string }[];
    return { isError: isError === true, text: first?.text ?? "", data: structuredContent };
  }
}

/** One message as bytes on the wire, for what the official client would not send. */
export async function post(
  address: string,
  key: string | undefined,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** A request of the revision of 2026, with the headers that belong to it. */
export function modern(method: string, params: Readonly<Record<string, unknown>> = {}) {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    message: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } },
    headers: {
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
    },
  };
}
