import type { Command } from "./command.ts";

/** For assistants that start programs instead of calling addresses. */
export const mcpCommand: Command = {
  name: "mcp",
  summary:
    "speak the Model Context Protocol on standard input and output, for a server and the key in ROLLBOOK_KEY",
  flags: {
    url: { value: "URL", help: "of the server (default PUBLIC_URL)" },
    write: { help: "let the assistant also create, change and archive clients" },
  },
  endsBySignal: true,
  run: async (call) => (await import("./mcp-run.ts")).forwardStandardInput(call),
};
