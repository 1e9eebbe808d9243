import { open } from "node:fs/promises";
import { AppError } from "../core/errors.ts";
import { newAgePair } from "../db/archive/age.ts";
import type { Command } from "./command.ts";

export const backupKeyCommand: Command = {
  name: "backup-key",
  summary:
    "make a pair of keys for encrypted backups: the private one into FILE, the public one for BACKUP_RECIPIENT",
  arguments: ["FILE"],
  run: async ({ arguments: [path = ""], out }) => {
    const { recipient, identity } = newAgePair();
    try {
      const file = await open(path, "wx", 0o600);
      try {
        await file.writeFile(`# public key: ${recipient}\n${identity}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw new AppError("unavailable", `${path} cannot be made: name a file that is not there yet.`, {
        cause: error,
      });
    }
    out.result({ recipient, file: path }, recipient);
    out.say(
      `The private key is in ${path}. Keep it, with the key secret, apart from the machine and from the archive: without it nothing can be restored.`,
    );
  },
};
