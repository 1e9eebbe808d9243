/** Which tables of a plan are not bound to one organization by equality, as PostgreSQL itself has understood the statement. */

/** A node of `explain (generic_plan, verbose, format json)`. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Alias?: string;
  readonly Operation?: string;
  readonly "Join Type"?: string;
  readonly "Parent Relationship"?: string;
  readonly "Subplan Name"?: string;
  readonly "CTE Name"?: string;
  readonly Output?: readonly string[];
  readonly Plans?: readonly PlanNode[];
  readonly [condition: string]: unknown;
}

/** The column that says whose a row is, and its place among the columns. */
export interface TenantColumn {
  readonly column: string;
  readonly place: number;
}

/** `into` is known to be of one organization if `from` is. */
interface Equality {
  readonly into: string;
  readonly from: string;
}

const SCAN_CONDITIONS = ["Index Cond", "Recheck Cond", "Filter", "TID Cond"];
const JOIN_CONDITIONS = ["Hash Cond", "Merge Cond", "Join Filter"];
/** `$1`, a constant, or one of them with a type. */
const VALUE = /^\(?(?:\$[1-9]\d*|'[0-9a-f-]{36}')\)?(?:::uuid)?$/;
const INIT_PLAN = /^\((InitPlan \d+)\)\.col(\d+)$/;

/** The tables of organizations that the plan reads or writes without being bound, each once, as `table alias`. */
export function unboundTables(
  plan: PlanNode,
  tenantColumns: ReadonlyMap<string, TenantColumn>,
): readonly string[] {
  const nodes = [...walk(plan)];
  const equalities = nodes.flatMap(equalitiesOf);
  const bound = new Set<string>();
  const named = new Map(nodes.map((node) => [node["Subplan Name"], node]));
  const derived = nodes.filter((node) => node.Alias !== undefined && node["Relation Name"] === undefined);

  const isBound = (expression: string): boolean => {
    if (VALUE.test(expression) || bound.has(expression)) return true;
    const [, name, place] = INIT_PLAN.exec(expression) ?? [];
    const output = name === undefined ? undefined : named.get(name)?.Output?.[Number(place) - 1];
    return output !== undefined && isBound(output);
  };
  /** Whether the rows that a subquery gives are of one organization by one of its columns. */
  const givesBound = (node: PlanNode): boolean =>
    /Append|SetOp/.test(node["Node Type"]) && node.Plans
      ? node.Plans.every(givesBound)
      : (node.Output ?? []).some(isBound);
  const sourceOf = (node: PlanNode): PlanNode | undefined =>
    node["CTE Name"] === undefined
      ? node["Node Type"] === "Subquery Scan"
        ? node.Plans?.[0]
        : undefined
      : named.get(`CTE ${node["CTE Name"]}`);

  const tenantOf = (node: PlanNode): TenantColumn | undefined =>
    tenantColumns.get(node["Relation Name"] ?? "");
  const insertsBound = (node: PlanNode): boolean => {
    const place = tenantOf(node)?.place;
    const written = node.Plans?.find((child) => child["Parent Relationship"] === "Outer");
    const rows = written && /Append/.test(written["Node Type"]) ? written.Plans : [written];
    return place !== undefined && rows?.every((each) => isBound(each?.Output?.[place] ?? "")) === true;
  };

  for (let size = -1; size !== bound.size; ) {
    size = bound.size;
    for (const { into, from } of equalities) if (isBound(from)) bound.add(into);
    // What an insert returns is of the organization that it was written for.
    for (const node of nodes)
      if (isInsert(node) && insertsBound(node)) bound.add(`${node.Alias}.${tenantOf(node)?.column}`);
    for (const node of derived) {
      const source = sourceOf(node);
      if (source === undefined) continue;
      if (givesBound(source)) bound.add(`${node.Alias}.organization_id`);
      // One that takes all columns gives them in the same order; what rows are sorted by comes last.
      const [taken = [], given = []] = [node.Output, source.Output];
      if (taken.length === given.length || node.Alias?.startsWith("*SELECT*"))
        for (const [place, column] of taken.entries()) if (isBound(given[place] ?? "")) bound.add(column);
    }
  }

  const unbound = new Set<string>();
  for (const node of nodes) {
    const tenant = tenantOf(node);
    // What is updated or deleted is scanned too.
    if (tenant === undefined || (node["Node Type"] === "ModifyTable" && !isInsert(node))) continue;
    if (!bound.has(`${node.Alias}.${tenant.column}`)) unbound.add(`${node["Relation Name"]} ${node.Alias}`);
  }
  return [...unbound].sort();
}

function isInsert(node: PlanNode): boolean {
  return node["Node Type"] === "ModifyTable" && node.Operation === "Insert";
}

function* walk(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const child of node.Plans ?? []) yield* walk(child);
}

function equalitiesOf(node: PlanNode): Equality[] {
  const type = node["Join Type"];
  if (type === undefined) {
    const alias = node.Alias;
    if (alias === undefined) return [];
    return conditions(node, SCAN_CONDITIONS)
      .flatMap(equalitiesIn)
      .filter(({ into }) => into.startsWith(`${alias}.`));
  }
  const found = conditions(node, JOIN_CONDITIONS).flatMap(equalitiesIn);
  if (type === "Inner" || type === "Semi" || type === "Right Semi") return found;
  // An outer join narrows only the side that may be missing.
  const side = { Left: "Inner", Anti: "Inner", Right: "Outer", "Right Anti": "Outer" }[type];
  const narrowed = (node.Plans ?? []).filter((child) => child["Parent Relationship"] === side);
  const aliases = new Set(narrowed.flatMap((child) => [...walk(child)].map((each) => each.Alias)));
  return found.filter(({ into }) => aliases.has(into.slice(0, into.lastIndexOf("."))));
}

function conditions(node: PlanNode, names: readonly string[]): string[] {
  return names.map((name) => node[name]).filter((text) => typeof text === "string");
}

/** What a condition says is equal, both ways: all parts of an `and`, and what every part of an `or` says. */
function equalitiesIn(condition: string): Equality[] {
  const text = withoutParentheses(condition);
  const all = splitAt(text, " AND ");
  if (all.length > 1) return all.flatMap(equalitiesIn);
  const any = splitAt(text, " OR ");
  if (any.length > 1) {
    const [first = [], ...others] = any.map(equalitiesIn);
    return first.filter((each) =>
      others.every((other) => other.some(({ into, from }) => into === each.into && from === each.from)),
    );
  }
  const [left, right, more] = splitAt(text, " = ");
  if (left === undefined || right === undefined || more !== undefined) return [];
  const [one, other] = [withoutParentheses(left), withoutParentheses(right)];
  return [
    { into: one, from: other },
    { into: other, from: one },
  ];
}

function withoutParentheses(text: string): string {
  const isWrapped = text.startsWith("(") && endOf(text, 0) === text.length - 1;
  return isWrapped ? withoutParentheses(text.slice(1, -1)) : text;
}

/** The place of the parenthesis that closes the one at `start`. */
function endOf(text: string, start: number): number {
  for (let i = start, open = 0; i < text.length; i++) {
    if (text[i] === "'" || text[i] === '"') i = text.indexOf(text[i] as string, i + 1);
    else if (text[i] === "(") open++;
    else if (text[i] === ")" && --open === 0) return i;
  }
  return -1;
}

/** Splits where the separator stands outside of parentheses and quotes. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "'" || text[i] === '"') i = text.indexOf(text[i] as string, i + 1);
    else if (text[i] === "(") i = endOf(text, i);
    else if (text.startsWith(separator, i)) {
      parts.push(text.slice(begin, i));
      begin = i + separator.length;
    }
    if (i < 0) break;
  }
  return [...parts, text.slice(begin)];
}
