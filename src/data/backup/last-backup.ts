import { openConnection } from "../../db/server-connection.ts";
import type { ConnectionSettings } from "../../db/servers.ts";
import { read } from "../../db/statements.ts";

/** When the last backup was taken that succeeded, as the server's metrics and the doctor show it. */
export const lastBackupStatement = read(
  "find_last_backup",
  `select value as "lastBackup" from facts where name = 'last backup'`,
);

/** To be called when a backup has been written. One of an older schema may find no place for it, and goes without. */
export async function recordBackup(settings: ConnectionSettings, createdAt: string): Promise<void> {
  const connection = await openConnection(settings, "rollbook backup");
  try {
    await connection.query(
      `insert into facts (name, value) values ('last backup', $1)
       on conflict (name) do update set value = excluded.value`,
      [createdAt],
    );
  } finally {
    await connection.end();
  }
}
