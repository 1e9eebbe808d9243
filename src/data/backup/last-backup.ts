import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import { read } from "../../db/statements.ts";

/** When the last backup was taken that succeeded, as the server's metrics and the doctor show it. */
export const lastBackupStatement = read(
  "find_last_backup",
  `select value as "lastBackup" from facts where name = 'last backup'`,
);

/** When the archive was last restored to try it. */
export const lastDrillStatement = read(
  "find_last_drill",
  `select value as "lastDrill" from facts where name = 'last drill'`,
);

/** To be called when a backup has been written. One of an older schema may find no place for it, and goes without. */
export function recordBackup(settings: ConnectionSettings, createdAt: string): Promise<void> {
  return recordFact(settings, "last backup", createdAt);
}

export function recordDrill(settings: ConnectionSettings, at: string): Promise<void> {
  return recordFact(settings, "last drill", at);
}

async function recordFact(settings: ConnectionSettings, name: string, value: string): Promise<void> {
  const connection = await openConnection(settings, "rollbook backup");
  try {
    await connection.query(
      `insert into facts (name, value) values ($1, $2)
       on conflict (name) do update set value = excluded.value`,
      [name, value],
    );
  } finally {
    await connection.end();
  }
}
