import { writeFile } from "node:fs/promises";
import { unavailable } from "../core/errors.ts";
import { publicUrl } from "../process/config.ts";
import { type CommandCall, textFlag, UsageError } from "./command.ts";
import { readOneOf } from "./flag-values.ts";

/** The kit, a package of its own that knows nothing of this program: it lies beside it in the build. */
const KIT = new URL("../../packages/conformance/src/index.js", import.meta.url);

export async function checkConformance(call: CommandCall): Promise<void> {
  const { config, flags, out } = call;
  const key = textFlag(call, "key") ?? config.apiKey;
  if (key === undefined) throw new UsageError("--key, or ROLLBOOK_KEY, must have a key of the organization.");
  const only = textFlag(call, "only");
  const check = textFlag(call, "check");
  const kit: typeof import("@rollbook/conformance") = await import(KIT.href);
  const report = await kit
    .runChecks({
      url: textFlag(call, "url") ?? publicUrl(config),
      key,
      writes: flags.write === true,
      only: only === undefined ? undefined : readOneOf(only, ["specification", "details"] as const, "only"),
      checks: check === undefined ? [] : [check],
    })
    .catch((error: unknown) => {
      if (error instanceof kit.NotBegun) throw new UsageError(error.message);
      throw error;
    });
  const junit = textFlag(call, "junit");
  if (junit !== undefined) await writeFile(junit, kit.reportJunit(report));
  const { failed } = kit.count(report);
  out.result(JSON.parse(kit.reportJson(report)), kit.reportText(report).trimEnd());
  await out.written();
  if (failed > 0) throw unavailable(`${failed} checks failed.`);
}
