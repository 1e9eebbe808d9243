import { migrate } from "../db/migrate.ts";
import { openStore } from "../process/store.ts";
import type { Command } from "./command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "bring the database to this version's schema",
  run: async ({ config, out }) => {
    const store = await openStore(config);
    try {
      const applied = await migrate(store.connection);
      const data = applied.map(({ version, name }) => ({ version, name }));
      out.result(
        { data, total: data.length },
        data.length === 0
          ? "The database is up to date."
          : data.map(({ version, name }) => `Applied ${version}: ${name}`).join("\n"),
      );
    } finally {
      await store.close();
    }
  },
};
