import { randomBytes } from "node:crypto";
import { link, open, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import { parseDatabaseUrl } from "../db/address.ts";
import { type Connection, type DatabaseOptions, type OpenDatabase, openDatabase } from "../db/database.ts";
import { openEmbedded } from "../db/embedded/supervisor.ts";
import { connectionTo } from "../db/servers.ts";
import type { Config } from "./config.ts";

/** Where the data is: the built-in PostgreSQL, or the one of `DATABASE_URL`. Shared by server and command line. */
export interface Store {
  readonly connection: Connection;
  readonly isEmbedded: boolean;
  /** What key hashes are made with. It is kept outside the database. */
  keySecret(): Promise<string>;
  open(options: Omit<DatabaseOptions, "connection">): OpenDatabase;
  close(): Promise<void>;
}

const CLOSE_MS = 1_000;

export async function openStore(
  config: Pick<Config, "dataDir" | "databaseUrl" | "keySecret"> & Partial<Pick<Config, "pooler">>,
  log?: (message: string) => void,
): Promise<Store> {
  const databases: OpenDatabase[] = [];
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbedded({ dataDir: config.dataDir, ...(log && { log }) });
  const connection: Connection = embedded
    ? { ...embedded.connection }
    : connectionTo(parseDatabaseUrl(config.databaseUrl as string), config.pooler);

  return {
    connection,
    isEmbedded: embedded !== undefined,
    async keySecret() {
      if (config.keySecret) return config.keySecret;
      if (embedded) return readOrMakeSecret(join(config.dataDir, "key-secret"));
      throw new AppError(
        "invalid",
        "KEY_SECRET must be set together with DATABASE_URL, to the same long random value on every node.",
      );
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

/** The secret in the file, which is made on first use: of two processes that make it at once, one wins. */
async function readOrMakeSecret(path: string): Promise<string> {
  const draft = `${path}.${process.pid}`;
  try {
    return await readSecret(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
    await link(draft, path);
    await flushDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readSecret(path);
}

/** Keys outlive a power failure only if the secret they are hashed with does. */
async function flushDirectory(path: string): Promise<void> {
  // Windows has no handles of directories, and flushes their entries by itself.
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function readSecret(path: string): Promise<string> {
  const secret = (await readFile(path, "utf8")).trim();
  if (secret.length < 16) throw new AppError("invalid", `The file ${path} holds no key secret.`);
  return secret;
}
