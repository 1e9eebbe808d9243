/** A member of an entitlement on the wire, and the column that it is stored in. */
export interface EntitlementColumn {
  readonly member: string;
  readonly column: string;
  readonly type: "text" | "integer" | "uuid" | "timestamptz";
}

/** Where the entitlements of a plan or contract are stored. Reading and importing them are made from this. */
export interface EntitlementTable {
  readonly name: string;
  readonly owner: string;
  /** In the order of the wire. */
  readonly columns: readonly EntitlementColumn[];
}

const grant: readonly EntitlementColumn[] = [
  { member: "type", column: "type", type: "text" },
  { member: "period", column: "period", type: "text" },
  { member: "maxVisitsPerPeriod", column: "max_visits_per_period", type: "integer" },
];

const scope: readonly EntitlementColumn[] = [
  { member: "serviceTypeId", column: "service_type_id", type: "uuid" },
  { member: "serviceGroupId", column: "service_group_id", type: "uuid" },
];

export const planEntitlementTable: EntitlementTable = {
  name: "plan_entitlements",
  owner: "plan_id",
  columns: [...grant, { member: "creditQuantity", column: "credit_quantity", type: "integer" }, ...scope],
};

export const contractEntitlementTable: EntitlementTable = {
  name: "contract_entitlements",
  owner: "contract_id",
  columns: [
    { member: "id", column: "id", type: "uuid" },
    ...grant,
    { member: "remainingCredits", column: "remaining_credits", type: "integer" },
    ...scope,
    { member: "revokedAt", column: "revoked_at", type: "timestamptz" },
  ],
};

/**
 * SQL for the entitlements of the plan or contract with the alias `record`, as the JSON that the wire has. `more` are
 * further members by name: expressions of an entitlement called `e`.
 */
export function entitlementsJson(
  { name, owner, columns }: EntitlementTable,
  record: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const members = [
    ...columns.map(({ member, column, type }) => `'${member}', ${jsonValue(column, type)}`),
    ...Object.entries(more).map(([member, expression]) => `'${member}', ${expression}`),
  ];
  return `(
    select coalesce(json_agg(json_strip_nulls(json_build_object(${members.join(", ")})) order by e.position), '[]')
    from ${name} e where e.organization_id = ${record}.organization_id and e.${owner} = ${record}.id
  )`;
}

/** JSON made by PostgreSQL would write an instant in a form of its own. */
function jsonValue(column: string, type: EntitlementColumn["type"]): string {
  return type === "timestamptz"
    ? `to_char(e.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `e.${column}`;
}
