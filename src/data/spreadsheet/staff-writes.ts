import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { FindUndo } from "../../core/undo.ts";
import { staffWrite } from "../../domain/writes/staff-write.ts";
import { UndoImport, UndoneImport } from "./schema.ts";
import { undoImport } from "./undo-operations.ts";

export const importWrites = [
  staffWrite({
    name: "undoImport",
    role: "owner",
    tag: "Import",
    summary: "Take an import of clients back",
    description:
      "Within 30 days. Clients whom it added are removed, those whom it changed are as before. Whoever was changed since, or " +
      "has a contract, a booking or an entry in the history, stays as they are.",
    input: UndoImport,
    example: { importId: EXAMPLE_IDS.audit },
    result: UndoneImport,
    refusals: [refusal("no_import"), refusal("import_settled"), refusal("data_changed")],
    perform: undoImport,
  }),
];

/** How an import is taken back, if what it did was recorded. */
export const importUndo: FindUndo = ({ auditId, details }) =>
  details.isUndoable === true ? { operation: "undoImport", input: { importId: auditId } } : undefined;
