import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { flushDirectory } from "../../db/paths.ts";

/**
 * A map as HAProxy reads it: a line for each host name with the backend that answers it. Lines of other hosts and comments stay as
 * they are.
 *
 * @example routeHosts("a.example.com cell1\n", ["a.example.com"], "cell2") // "a.example.com cell2\n"
 */
export function routeHosts(map: string, hosts: readonly string[], backend: string): string {
  const left = new Set(hosts.map((host) => host.toLowerCase()));
  const lines = map.split("\n").map((line) => {
    const [host = ""] = line.trim().split(/\s+/);
    return left.delete(host.toLowerCase()) ? `${host} ${backend}` : line;
  });
  while (lines.at(-1) === "") lines.pop();
  return `${[...lines, ...[...left].map((host) => `${host} ${backend}`)].join("\n")}\n`;
}

/** The same in a file, whole or not at all: whoever reads it meanwhile sees the map before or the map after. */
export async function writeRoutes(path: string, hosts: readonly string[], backend: string): Promise<void> {
  const [text, { mode, uid, gid }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
  const draft = `${path}.${process.pid}`;
  try {
    const file = await open(draft, "wx", mode & 0o777);
    try {
      await file.writeFile(routeHosts(text, hosts, backend));
      if (process.getuid?.() === 0) await file.chown(uid, gid);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await flushDirectory(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}
