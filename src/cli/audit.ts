import { listAudit } from "../domain/audit/queries.ts";
import { AUDIT_ACTIONS } from "../domain/audit/values.ts";
import { type Command, table, textFlag, UsageError } from "./command.ts";
import { readId, readInstant, readOneOf } from "./flag-values.ts";

export const auditCommand: Command = {
  name: "audit",
  summary: "what operators, staff and API keys did, newest first",
  flags: {
    org: { value: "ID", help: "only this organization" },
    actor: { value: "TEXT", help: "only what this actor did: staff:ID, key:ID, operator:NAME" },
    subject: { value: "ID", help: "only what concerns this record" },
    action: { value: "NAME", help: "only this action" },
    from: { value: "TIME", help: "from this time on, such as 2026-11-15 or 2026-11-15T09:30:00Z" },
    to: { value: "TIME", help: "before this time" },
    limit: { value: "N", help: "how many entries at most (default 100)" },
  },
  run: async (call) => {
    const flag = <Value>(name: string, read: (text: string) => Value): Value | undefined => {
      const text = textFlag(call, name);
      return text === undefined ? undefined : read(text);
    };
    const limit = textFlag(call, "limit") ?? "100";
    if (!/^[1-9]\d{0,6}$/.test(limit)) throw new UsageError("--limit must be a whole number from 1.");
    const organizationId = flag("org", (text) => readId(text, "--org"));
    const filter = {
      actor: flag("actor", String),
      subject: flag("subject", String),
      action: flag("action", (text) => readOneOf(text, AUDIT_ACTIONS, "action")),
      from: flag("from", (text) => readInstant(text, "from")),
      to: flag("to", (text) => readInstant(text, "to")),
    };
    const db = (await call.store()).open({ applicationName: "rollbook audit" });
    const { data, total } = await listAudit(db, organizationId, Number(limit), filter);
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
