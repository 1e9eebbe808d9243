import { refusal } from "../../core/errors.ts";
import { EXAMPLE_IDS } from "../../core/example-ids.ts";
import type { Static } from "../../core/fields.ts";
import { operation } from "../../http/operation.ts";
import type { StaffScope } from "../../http/staff-scope.ts";
import type { UploadedFile } from "../../http/uploads.ts";
import { ImportClients, ImportedClients, ReadSheet, SheetAnswer } from "./schema.ts";

const TAG = "Import";
const FILE = {
  description:
    "The spreadsheet as it is: .xlsx, or text divided by commas, semicolons, tabs or bars. At most 20 MiB.",
};

/**
 * A spreadsheet of clients, read and imported by the rules of `rollbook import`. Nothing is kept between requests: each
 * brings the file along with what was answered and corrected so far, so that any node can answer it.
 */
export function sheetStaffRoutes(scope: StaffScope): void {
  // For owners: it writes many people at once, and nothing undoes it.
  const owners = scope.forRole("owner");

  operation(owners, {
    operationId: "readSheet",
    method: "POST",
    path: "/app/v1/readSheet",
    tag: TAG,
    summary: "Read a spreadsheet of clients",
    description:
      "Says how the file is understood: its columns, what is not certain, and every row that has a fault. Nothing is " +
      "written or kept: send the file again with the answers and the corrected cells. For owners.",
    takesKey: false,
    body: {
      schema: ReadSheet,
      description: "The file, and what was answered and corrected so far.",
      example: { fixes: [{ row: 2, column: 1, value: "529.982.247-25" }] },
      file: FILE,
    },
    answer: { status: 200, description: "How the sheet is understood.", schema: SheetAnswer },
    errors: [refusal("uploads_taken"), uploadsUsedUp()],
    handle: async ({ caller, db, body, file, language }) => {
      // Loaded at first use: a start should not wait for the readers of files.
      const { readSheetForStaff } = await import("./staff-import.ts");
      return readSheetForStaff(db, caller.organizationId, given(file), body, language());
    },
  });

  operation(owners, {
    operationId: "importClients",
    method: "POST",
    path: "/app/v1/importClients",
    tag: TAG,
    summary: "Import a spreadsheet of clients",
    description:
      "Adds the clients of a sheet, all of them or none. People who are there already are known by the id document (in a " +
      "download of clients by the id) and stay as they are unless `update` is true. What `readSheet` asks must be " +
      "answered; faulty rows are corrected or left out. For owners.",
    takesKey: (input) => !(isObject(input) && input.dryRun === true),
    body: {
      schema: ImportClients,
      description: "The file, and what was answered and corrected.",
      example: { locationId: EXAMPLE_IDS.location, leaveOut: [7] },
      file: FILE,
    },
    answer: {
      status: 200,
      description: "What was written; with `dryRun`, what would be.",
      schema: ImportedClients,
    },
    errors: [
      refusal("key_reused"),
      refusal("sheet_unclear"),
      refusal("sheet_faulty", { params: { count: 3 } }),
      refusal("import_too_large", { params: { added: 12_000, records: 9_000, limit: 20_000 } }),
      refusal("uploads_taken"),
      uploadsUsedUp(),
    ],
    repeat: {
      sourceOf: ({ auditId = "", result }) => ({ auditId, result }),
      answer: async ({ auditId, result }) => ({ auditId, result: result as Counts }),
    },
    handle: async ({ caller, db, body, file }) => {
      const { importSheetByStaff } = await import("./staff-import.ts");
      const { organizationId, storage } = caller;
      const destination = { organizationId, maxRecords: storage?.limit };
      return importSheetByStaff(db, caller.actor, destination, given(file), body);
    },
  });
}

function uploadsUsedUp() {
  return refusal("uploads_used_up", { params: { megabytes: 500 }, retryAfterSeconds: 3_600 });
}

type Counts = Static<typeof ImportedClients>["result"];

function given(file: UploadedFile | undefined): UploadedFile["handle"] {
  if (!file) throw new Error("a form without its file was let through");
  return file.handle;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
