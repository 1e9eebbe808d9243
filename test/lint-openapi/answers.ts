import { EXAMPLE_IDS } from "../../src/core/example-ids.ts";
import { createDemo } from "../../src/data/demo/operations.ts";
import type { TestApi } from "../support/api.ts";
import { newId } from "../support/ids.ts";
import { writtenOut } from "../support/openapi-document.ts";
import { newStaff } from "../support/staff.ts";

/** An answer of the demo server with the place in the document that describes it. */
export interface DemoAnswer {
  /** For people: `GET /v1/clients?limit=200`. */
  readonly name: string;
  readonly operationId: string;
  readonly path: string;
  readonly method: string;
  readonly status: number;
  /** The component that describes the body; absent if there is no body. */
  readonly schema?: string;
  readonly contentType: string;
  readonly body: unknown;
}

interface Document {
  readonly paths: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly { readonly required: boolean }[];
  readonly responses: Record<string, { readonly content?: Record<string, { schema: { $ref: string } }> }>;
}

/** Every record of a demo server by every operation that shows it, every write, and the usual failures. */
export async function gatherAnswers(api: TestApi): Promise<{
  key: string;
  answers: DemoAnswer[];
  staffAnswers: DemoAnswer[];
}> {
  const { key, organization } = await createDemo(api.db, api.keySecret, "lint");
  const staffAnswers = await gatherStaffAnswers(api, organization.id);
  const { paths } = api.document as Document;
  const answers: DemoAnswer[] = [];

  const ask = async (method: string, path: string, address: string, body?: unknown, secret = key.key) => {
    const headers = { authorization: `Bearer ${secret}` };
    const answer = await api.call(method, address, { headers, ...(body !== undefined && { body }) });
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`the document has no ${method} ${path}`);
    const [contentType = "", content] =
      Object.entries(operation.responses[answer.status]?.content ?? {})[0] ?? [];
    answers.push({
      name: `${method} ${address} ${answer.status}`,
      operationId: operation.operationId,
      path,
      method: method.toLowerCase(),
      status: answer.status,
      ...(content && { schema: content.schema.$ref.split("/").at(-1) ?? "" }),
      contentType,
      body: answer.body,
    });
    return answer.body;
  };

  for (const path of ["/v1/organization", "/v1/locations"]) await ask("GET", path, path);
  const now = Date.now();
  const [from, to] = [now - 30 * 86_400_000, now + 60 * 86_400_000].map((ms) => new Date(ms).toISOString());
  await ask("GET", "/v1/calendar", `/v1/calendar?from=${from}&to=${to}`);
  for (const list of ["/v1/plans", "/v1/service-types", "/v1/clients", "/v1/contracts"]) {
    const ids: string[] = [];
    for (let total = 1; ids.length < total; ) {
      const page = await ask("GET", list, `${list}?limit=200&offset=${ids.length}`);
      ids.push(...page.data.map(({ id }: { id: string }) => id));
      total = page.total;
    }
    for (const id of ids) await ask("GET", `${list}/{id}`, `${list}/${id}`);
  }

  const one = "/v1/clients/{id}";
  const example = `/v1/clients/${EXAMPLE_IDS.client}`;
  const client = await ask("GET", one, example);
  const { idDocument } = client;
  const newcomer = { contactName: "Ana Souza", locationIds: [EXAMPLE_IDS.location] };
  await ask("POST", "/v1/clients", "/v1/clients", newcomer);
  await ask("PUT", one, example, client);
  await ask("DELETE", one, example);

  await ask("POST", "/v1/clients", "/v1/clients", { ...newcomer, idDocument });
  await ask("POST", "/v1/clients", "/v1/clients", { contactName: "", contactEmail: "x" });
  await ask("GET", one, `/v1/clients/${newId()}`);
  await ask("GET", one, "/v1/clients/x");
  await ask("GET", "/v1/plans", "/v1/plans?limit=0");
  await ask("GET", "/v1/organization", "/v1/organization", undefined, "rbk_none");
  return { key: key.key, answers, staffAnswers };
}

/** What every read of the staff application answers that needs nothing but a sign-in. */
async function gatherStaffAnswers(api: TestApi, organizationId: string): Promise<DemoAnswer[]> {
  const owner = await newStaff(api, organizationId);
  const { paths } = writtenOut((await api.call("GET", "/app/openapi.json")).body) as Document;
  const answers: DemoAnswer[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    const needsMore = path.includes("{") || get?.parameters?.some(({ required }) => required);
    if (!get || needsMore) continue;
    const { status, body } = await owner.read(path.replace("/app/v1/", ""));
    if (status !== 200) continue;
    const schema = get.responses[status]?.content?.["application/json"]?.schema.$ref.split("/").at(-1);
    if (schema === undefined) throw new Error(`${path} has no schema`);
    const { operationId } = get;
    answers.push({
      ...{ name: `GET ${path}`, operationId, path, method: "get", status },
      ...{ schema, contentType: "application/json", body },
    });
  }
  return answers;
}
