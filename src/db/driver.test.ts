import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

test("the driver is loaded without Node's HTTP client, which takes longer to load than itself", async () => {
  const driver = new URL("driver.js", import.meta.url).href;
  const program = `await import("${driver}");
    console.log(process.moduleLoadList.filter((name) => name.includes("undici")).join());`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  assert.equal(stdout, "\n");
});
