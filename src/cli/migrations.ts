import { migrate } from "../db/migrate.ts";
import type { Command } from "./command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database to this version's schema",
  run: async ({ store, out }) => {
    const { connection } = await store({ migrated: false });
    const applied = await migrate(connection);
    const data = applied.map(({ version, name }) => ({ version, name }));
    out.result(
      { data, total: data.length },
      data.length === 0
        ? "The database is up to date."
        : data.map(({ version, name }) => `Applied ${version}: ${name}`).join("\n"),
    );
  },
};
