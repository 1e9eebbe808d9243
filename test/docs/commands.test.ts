import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { COMMANDS } from "../../src/cli/run.ts";
import { SETTINGS } from "../../src/process/config.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`),
];

/** In a checkout `npm run -s rollbook -- …`, where it is installed `rollbook …`: no third way. */
const CALL = /^\s*(?:npm run -s rollbook -- |rollbook )(.*)$/;

test("every command in a code block of the guides exists, with every flag that it is given, and is spelled one way", () => {
  const settings = Object.values(SETTINGS).map(({ flag }) => flag);
  let found = 0;
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), "utf8");
    assert.doesNotMatch(text, /npx rollbook|npm run rollbook/, page);
    for (const [, block = ""] of text.matchAll(/^ *```sh\n(.*?)^ *```/gms))
      for (const line of block.replaceAll(/\\\n/g, " ").split("\n")) {
        const [, call] = CALL.exec(line) ?? [];
        if (call === undefined || call.startsWith("--help")) continue;
        const command = COMMANDS.find(({ name }) => call === name || call.startsWith(`${name} `));
        assert.ok(command, `${page}: ${line}`);
        const known = [...Object.keys(command.flags ?? {}), ...settings, "json", "help"];
        for (const [, flag = ""] of call.split(/ [>|] /)[0]?.matchAll(/ --([a-z-]+)/g) ?? [])
          assert.ok(known.includes(flag), `${page}: --${flag} of ${line}`);
        found++;
      }
  }
  assert.ok(found > 20);
});
