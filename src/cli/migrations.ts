import { migrate, pendingMigrations } from "../db/migrate.ts";
import type { Command } from "./command.ts";
import { showCommitted } from "./shown-once.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database to this version's schema",
  flags: { "dry-run": { help: "say what would be applied, and write nothing" } },
  run: async ({ store, out, flags }) => {
    const { connection } = await store({ schema: "any" });
    if (flags["dry-run"]) {
      const data = (await pendingMigrations(connection)).map(({ version, name }) => ({ version, name }));
      const lines = data.map(({ version, name }) => `Would apply ${version}: ${name}`);
      out.result({ data, total: data.length, dryRun: true }, lines.join("\n") || UP_TO_DATE);
      return;
    }
    const applied = await migrate(connection, { log: (sentence) => out.say(sentence) });
    const data = applied.map(({ version, name, seconds }) => ({ version, name, seconds }));
    const last = data.at(-1);
    await showCommitted(out, () =>
      out.result(
        { data, total: data.length },
        last ? `The database has schema version ${last.version} now.` : UP_TO_DATE,
      ),
    );
  },
};

const UP_TO_DATE = "The database is up to date.";
