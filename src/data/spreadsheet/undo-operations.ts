import { refusal } from "../../core/errors.ts";
import type { Static } from "../../core/fields.ts";
import { violatedConstraint } from "../../db/statement-errors.ts";
import { findRecordedWrite } from "../../domain/audit/list-audit-queries.ts";
import { anySlot } from "../../domain/organizations/queries.ts";
import { exclusiveWrite, type Outcome } from "../../domain/writes/recorded-write.ts";
import type { UndoImport, UndoneImport } from "./schema.ts";
import { lockImported, takeBack } from "./undo-queries.ts";

/**
 * Takes an import of clients back as a whole: whom it added is removed, whom it changed is as before. Whoever was written
 * since, or has a contract, a booking or a line in the history, stays as they are.
 */
export const undoImport = exclusiveWrite(
  "undoImport",
  async (
    { tx, now, organizationId },
    { importId }: Static<typeof UndoImport>,
  ): Promise<Outcome<Static<typeof UndoneImport>>> => {
    const id = importId.toLowerCase();
    const entry = await findRecordedWrite(tx, organizationId, id);
    if (entry?.action !== "import") throw refusal("no_import");
    const written = await lockImported(tx, organizationId, id, now);
    if (written === 0) throw refusal("import_settled");
    const { removed, setBack } = await takeBack(tx, organizationId, id, { now, slot: anySlot() }).catch(
      (error: unknown) => {
        // Another client has an id document that would come back.
        throw violatedConstraint(error) === undefined ? error : refusal("data_changed", { cause: error });
      },
    );
    const result = { importId: id, removed, setBack, kept: written - removed - setBack };
    const { importId: subject, ...details } = result;
    return {
      result,
      entry: {
        subject,
        details,
      },
    };
  },
);
