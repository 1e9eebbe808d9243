import { wholeList } from "../db/whole-lists.ts";
import type { ServiceGroup } from "./schema.ts";

export const serviceGroupColumns = `
  r.id, r.name,
  array(
    select m.service_type_id from service_group_members m
    where m.organization_id = r.organization_id and m.service_group_id = r.id order by m.service_type_id
  ) as "serviceTypeIds"`;

/** Every service group with its members. */
export const listServiceGroups = wholeList<ServiceGroup>({
  name: "list_service_groups",
  reads: ["catalog"],
  table: "service_groups",
  columns: serviceGroupColumns,
  order: "r.id",
});
