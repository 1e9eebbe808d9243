import { listAudit } from "../audit/queries.ts";
import { type Command, table, textFlag, UsageError } from "./command.ts";
import { readId } from "./flag-values.ts";

export const auditCommand: Command = {
  name: "audit",
  summary: "what operators and staff did, newest first",
  flags: {
    org: { value: "ID", help: "only this organization" },
    limit: { value: "N", help: "how many entries at most (default 100)" },
  },
  run: async (call) => {
    const org = textFlag(call, "org");
    const limit = textFlag(call, "limit") ?? "100";
    if (!/^[1-9]\d{0,6}$/.test(limit)) throw new UsageError("--limit must be a whole number from 1.");
    const organizationId = org === undefined ? undefined : readId(org, "--org");
    const db = (await call.store()).open({ applicationName: "rollbook audit" });
    const { data, total } = await listAudit(db, organizationId, Number(limit));
    const rows = data.map((entry) => [
      entry.at,
      entry.actor,
      entry.action,
      entry.subject ?? "",
      JSON.stringify(entry.details),
    ]);
    call.out.result(
      { data, total },
      data.length === 0 ? "Nothing yet." : table(["AT", "ACTOR", "ACTION", "SUBJECT", "DETAILS"], rows),
    );
  },
};
