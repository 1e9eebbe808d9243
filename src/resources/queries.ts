import { wholeList } from "../db/whole-lists.ts";
import type { Resource } from "./schema.ts";

/** Every resource that was ever named. The ids are texts of others: no locale of a database decides their order. */
export const listResources = wholeList<Resource>({
  name: "list_resources",
  reads: ["catalog", "sessions"],
  table: "resources",
  columns: "r.id, r.name, r.kind, r.status",
  order: 'r.id collate "C"',
});
