import { randomBytes } from "node:crypto";
import { chown, link, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError } from "../core/errors.ts";
import { flushDirectory } from "../db/paths.ts";

/** The secret in the file, or undefined if there is no such file. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(path, "utf8")).trim();
    if (secret.length < 16) throw new AppError("invalid", `The file ${path} holds no key secret.`);
    return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    throw new AppError("unavailable", `This user may not read the key secret ${path}: its owner may.`, {
      cause: error,
    });
  }
}

/** Makes the file and returns the secret in it: of several calls that make it at once, one wins. */
export async function makeSecretFile(path: string): Promise<string> {
  // A draft for each call: a second one in this process would write over what the first has just put in place.
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
    await giveToOwner(draft, dirname(path));
    await link(draft, path);
    // Keys outlive a power failure only if the secret they are hashed with does.
    await flushDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const secret = await readSecretFile(path);
  if (secret === undefined) throw new Error("the key secret has gone while it was made");
  return secret;
}

/** A file that root makes in somebody's directory belongs to that owner, who could not read it otherwise. */
async function giveToOwner(path: string, directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  await chown(path, uid, gid);
}
