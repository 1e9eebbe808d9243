import { renewHistory } from "../../db/history.ts";
import { migrateWithin } from "../../db/migrate.ts";
import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import { recordAudit } from "../../domain/audit/queries.ts";
import { databaseOf } from "./snapshot.ts";

/**
 * What makes a copy of the past a server's data: the schema of this program, a history of its own, so that nothing which was
 * numbered after that moment is taken for what comes now, and a trace of the restore.
 */
export async function finishRecovery(
  connection: ConnectionSettings,
  { actor, details }: { actor: string; details: Record<string, unknown> },
): Promise<void> {
  const tx = await openConnection(connection, "rollbook restore");
  try {
    await tx.query("begin isolation level read committed read write");
    await migrateWithin(tx);
    const database = databaseOf(tx, connection);
    await renewHistory(database);
    await recordAudit(database, actor, { action: "restore", details });
    const { command } = await tx.query("commit");
    if (command !== "COMMIT") throw new Error("the transaction had failed before its commit");
  } finally {
    await tx.end().catch(() => {});
  }
}
