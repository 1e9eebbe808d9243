#!/usr/bin/env node
// The rollbook command in a checkout: builds when a source changed, then runs the command in this very
// process, so that signals reach it without a shell between.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";

if (existsSync(fileURLToPath(new URL("../tsconfig.json", import.meta.url))) && !buildIfStale())
  process.exit(1);
await import("../dist/src/main.js");
