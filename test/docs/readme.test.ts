import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newDirectory, serve } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const runFile = promisify(execFile);

test("the README's commands run as printed: from a new organization to its clients by HTTP", async (t) => {
  // A checkout of its own, so that nothing of the test lands in this one.
  const folder = await newDirectory(t);
  await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
  await symlink(join(ROOT, "scripts"), join(folder, "scripts"));
  await writeFile(
    join(folder, "clients.csv"),
    "Nome,E-mail,CPF\nAna Souza,ana@example.com,52998224725\nBia,,\n",
  );
  const environment = { DATA_DIR: join(folder, "data") };
  const { url } = await serve(t, environment);

  const text = await readFile(join(ROOT, "README.md"), "utf8");
  const block = /## The commands[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
  const lines = block.split("\n").filter((line) => line !== "" && !line.startsWith("npm test"));
  assert.equal(lines.length, 8);
  let [id, key] = ["", ""];
  for (const line of lines) {
    const command = line
      .replace("--org ID", `--org ${id}`)
      .replace("Bearer KEY", `Bearer ${key}`)
      .replace("http://127.0.0.1:8080", url)
      .replace(/^curl/, "curl -sf");
    const { stdout } = await runFile("sh", ["-c", command], {
      cwd: folder,
      env: { ...process.env, ...environment },
    });
    if (line.includes("org create")) id = /^id +(\S+)$/m.exec(stdout)?.[1] ?? "";
    if (line.includes("key mint")) key = stdout.trim();
    if (line.includes("--dry-run")) assert.match(stdout, /nothing was written/);
    if (line.startsWith("curl")) {
      const { data, total } = JSON.parse(stdout);
      assert.equal(total, 2);
      assert.deepEqual(
        data.map(({ contactName }: { contactName: string }) => contactName),
        ["Bia", "Ana Souza"],
      );
    }
    if (line.includes(" do ")) assert.match(stdout, /"name": ?"Yoga"/);
    if (line.includes("--help")) assert.match(stdout, /location create/);
  }
});
