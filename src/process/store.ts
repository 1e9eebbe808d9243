import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import { parseDatabaseUrl } from "../db/address.ts";
import type { OpenDatabase } from "../db/database.ts";
import type { ArchiveRequest } from "../db/embedded/archiving.ts";
import { type EmbeddedPostgres, openEmbedded } from "../db/embedded/supervisor.ts";
import { findSchemaVersion } from "../db/migrate.ts";
import { type DatabaseOptions, openDatabase } from "../db/open-database.ts";
import type { ConnectionSettings } from "../db/servers.ts";
import { connectionTo } from "../db/servers.ts";
import { acceptSecret, acceptSecretWithoutKeys, wouldAcceptSecret } from "../domain/keys/operations.ts";
import { hasKeys } from "../domain/keys/queries.ts";
import type { Config } from "./config.ts";
import { makeSecretFile, readSecretFile } from "./key-secret.ts";

/** Where the data is: the built-in PostgreSQL, or the one of `DATABASE_URL`. Shared by server and command line. */
export interface Store {
  readonly connection: ConnectionSettings;
  /** Where the built-in PostgreSQL has its data; absent with `DATABASE_URL`. */
  readonly dataDir?: string | undefined;
  /** The built-in PostgreSQL; absent with `DATABASE_URL`. */
  readonly embedded?: Pick<EmbeddedPostgres, "archiving" | "copyBase"> | undefined;
  /**
   * What key hashes are made with. It is kept outside the database, which knows whether it is the right one: with
   * another every key would be refused. The database must have been migrated.
   */
  keySecret(): Promise<string>;
  /**
   * Throws what `keySecret` would throw, of a database with any schema or none. Nothing is written: for before a
   * migration, which cannot be taken back.
   */
  checkKeySecret(): Promise<void>;
  /** The secret that is set, or a new one if its file is gone, right or not. */
  anyKeySecret(): Promise<string>;
  open(options: Omit<DatabaseOptions, "connection">): OpenDatabase;
  close(): Promise<void>;
}

const CLOSE_MS = 1_000;
/** 0003-calendar made `facts`. */
const FIRST_SCHEMA_WITH_SECRET = 3;

export async function openStore(
  config: Pick<Config, "dataDir" | "databaseUrl" | "keySecret"> &
    Partial<Pick<Config, "pooler" | "clockOffsetMs">>,
  options: {
    create?: boolean;
    archive?: ArchiveRequest | "none" | undefined;
    log?: (message: string) => void;
    signal?: AbortSignal;
  } = {},
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
  const readSecret = async () => config.keySecret ?? (secretFile && (await readSecretFile(secretFile)));
  const withDatabase = async <Result>(work: (db: OpenDatabase) => Promise<Result>): Promise<Result> => {
    const db = openDatabase({ connection, applicationName: "rollbook start", pipelines: 1, poolSize: 1 });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  };

  return {
    connection,
    dataDir: embedded && resolve(config.dataDir),
    embedded,
    keySecret: () =>
      withDatabase(async (db) => {
        let secret = await readSecret();
        if (secret === undefined) {
          if (secretFile === undefined) throw missingSecret(secretFile);
          const made = await acceptSecretWithoutKeys(db, () => makeSecretFile(secretFile));
          if (made !== undefined) return made;
          // There are keys, so the secret is lost, unless another process has just made it, and a key with it.
          secret = await readSecret();
          if (secret === undefined) throw missingSecret(secretFile);
        }
        if (!(await acceptSecret(db, secret))) throw wrongSecret(config.keySecret ? undefined : secretFile);
        return secret;
      }),
    async checkKeySecret() {
      const secret = await readSecret();
      if (secret === undefined && secretFile === undefined) throw missingSecret(secretFile);
      // Another node may be making the database at this moment: then it has no keys yet, nor a place for them.
      if ((await findSchemaVersion(connection)) < FIRST_SCHEMA_WITH_SECRET) return;
      await withDatabase(async (db) => {
        if (secret === undefined) {
          // It may have been made a moment ago, with the first key.
          if ((await hasKeys(db)) && (await readSecret()) === undefined) throw missingSecret(secretFile);
        } else if (!(await wouldAcceptSecret(db, secret)))
          throw wrongSecret(config.keySecret ? undefined : secretFile);
      });
    },
    async anyKeySecret() {
      if (config.keySecret) return config.keySecret;
      if (secretFile === undefined) throw missingSecret(secretFile);
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

function missingSecret(file: string | undefined): AppError {
  return new AppError(
    "invalid",
    file === undefined
      ? "KEY_SECRET must be set together with DATABASE_URL, to the same long random value on every node."
      : `There is no file ${file}, the secret that the keys in this database were made with: put the file key-secret of the old DATA_DIR there, or set KEY_SECRET to the old value. ${IF_LOST}`,
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
