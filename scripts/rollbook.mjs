#!/usr/bin/env node
// The rollbook command in a checkout: builds when a source of the program changed, then runs the command in this
// very process, so that signals reach it without a shell between.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

const main = new URL("../dist/src/main.js", import.meta.url);
const isCheckout = existsSync(fileURLToPath(new URL("../tsconfig.json", import.meta.url)));
if (isCheckout && !(await buildIfStale(["src", "console", "tsconfig.json"]))) process.exit(1);
// The processes that the server starts are of the program as it is now built.
process.argv[1] = fileURLToPath(main);
await import(main.href);
