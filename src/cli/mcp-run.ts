import { publicUrl, withoutSlashes } from "../process/config.ts";
import { forwardMessages } from "../sync/mcp/forwarding.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";

/** Forwards what an assistant writes to standard input. Standard output is for the protocol alone. */
export async function forwardStandardInput(call: CommandCall): Promise<void> {
  const { config, flags, signal } = call;
  const key = config.apiKey;
  if (key === undefined) throw new UsageError("ROLLBOOK_KEY must have a key of the organization.");
  const server = withoutSlashes(textFlag(call, "url") ?? publicUrl(config));
  if (!URL.canParse(server) || !/^https?:/.test(server))
    throw new UsageError("--url must be an http or https address.");
  await forwardMessages({
    address: `${server}${flags.write === true ? "/mcp/write" : "/mcp"}`,
    key,
    signal,
    input: process.stdin,
    output: process.stdout,
  });
}
