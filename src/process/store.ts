import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import { parseDatabaseUrl } from "../db/address.ts";
import type { OpenDatabase } from "../db/database.ts";
import { openEmbedded } from "../db/embedded/supervisor.ts";
import { type DatabaseOptions, openDatabase } from "../db/open-database.ts";
import type { ConnectionSettings } from "../db/servers.ts";
import { connectionTo } from "../db/servers.ts";
import { acceptSecret, acceptSecretWithoutKeys } from "../keys/operations.ts";
import type { Config } from "./config.ts";
import { makeSecretFile, readSecretFile } from "./key-secret.ts";

/** Where the data is: the built-in PostgreSQL, or the one of `DATABASE_URL`. Shared by server and command line. */
export interface Store {
  readonly connection: ConnectionSettings;
  readonly isEmbedded: boolean;
  /**
   * What key hashes are made with. It is kept outside the database, which knows whether it is the right one: with
   * another every key would be refused. The database must have been migrated.
   */
  keySecret(): Promise<string>;
  /** The secret that is set, or a new one if its file is gone, right or not. */
  anyKeySecret(): Promise<string>;
  open(options: Omit<DatabaseOptions, "connection">): OpenDatabase;
  close(): Promise<void>;
}

const CLOSE_MS = 1_000;

export async function openStore(
  config: Pick<Config, "dataDir" | "databaseUrl" | "keySecret"> &
    Partial<Pick<Config, "pooler" | "clockOffsetMs">>,
  options: { create?: boolean; log?: (message: string) => void } = {},
): Promise<Store> {
  const databases: OpenDatabase[] = [];
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbedded({ dataDir: config.dataDir, ...options });
  const connection: ConnectionSettings = {
    ...(embedded
      ? embedded.connection
      : connectionTo(parseDatabaseUrl(config.databaseUrl as string), config.pooler)),
    clockOffsetMs: config.clockOffsetMs ?? 0,
  };

  const secretFile = embedded && join(resolve(config.dataDir), "key-secret");

  return {
    connection,
    isEmbedded: embedded !== undefined,
    async keySecret() {
      const db = openDatabase({ connection, applicationName: "rollbook start", pipelines: 1, poolSize: 1 });
      try {
        const readSecret = async () => config.keySecret ?? (secretFile && (await readSecretFile(secretFile)));
        let secret = await readSecret();
        if (secret === undefined) {
          if (secretFile === undefined) throw noSecretSet();
          const made = await acceptSecretWithoutKeys(db, () => makeSecretFile(secretFile));
          if (made !== undefined) return made;
          // There are keys, so the secret is lost, unless another process has just made it, and a key with it.
          secret = await readSecret();
          if (secret === undefined) throw lostSecret(secretFile);
        }
        if (!(await acceptSecret(db, secret))) throw wrongSecret(config.keySecret ? undefined : secretFile);
        return secret;
      } finally {
        await db.close();
      }
    },
    async anyKeySecret() {
      if (config.keySecret) return config.keySecret;
      if (secretFile === undefined) throw noSecretSet();
      return (await readSecretFile(secretFile)) ?? makeSecretFile(secretFile);
    },
    open(options) {
      const database = openDatabase({ connection, ...options });
      databases.push(database);
      return database;
    },
    async close() {
      // A statement that still runs is not waited for: PostgreSQL ends it when it stops or the process goes.
      await Promise.race([
        Promise.all(databases.map((database) => database.close())),
        delay(CLOSE_MS, undefined, { ref: false }),
      ]);
      await embedded?.close();
    },
  };
}

const IF_LOST =
  'If it is lost, "rollbook key replace-secret --revoke-all" ends all keys, and new ones can be minted.';

function noSecretSet(): AppError {
  return new AppError(
    "invalid",
    "KEY_SECRET must be set together with DATABASE_URL, to the same long random value on every node.",
  );
}

function wrongSecret(file: string | undefined): AppError {
  return new AppError(
    "invalid",
    file === undefined
      ? `KEY_SECRET is not the secret that the keys in this database were made with: set it to the value that it had there (with the built-in database, the content of the file key-secret in its DATA_DIR). ${IF_LOST}`
      : `The file ${file} is not the secret that the keys in this database were made with: put the file key-secret of the old DATA_DIR there, or set KEY_SECRET to the old value. ${IF_LOST}`,
  );
}

function lostSecret(file: string): AppError {
  return new AppError(
    "invalid",
    `There is no file ${file}, the secret that the keys in this database were made with: put the file key-secret of the old DATA_DIR there, or set KEY_SECRET to the old value. ${IF_LOST}`,
  );
}
