// Does with `@rollbook/client` what the scenarios ask for, one JSON line each: the same actions as driver.py. It is compiled in
// an empty project, against the package as it is published.
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import {
  type ClientInput,
  type ClientOptions,
  RollbookClient,
  RollbookError,
  verifyWebhook,
  WebhookError,
} from "@rollbook/client";
import { fileStore } from "@rollbook/client/file-store";

interface Ask {
  readonly id: number;
  readonly action: string;
  readonly client?: ClientOptions;
  // biome-ignore lint/suspicious/noExplicitAny: what it has depends on the action
  readonly given: any;
}

type Tell = (event: unknown) => void;
type Action = (client: () => RollbookClient, given: Ask["given"], tell: Tell) => Promise<unknown>;

const ACTIONS: Readonly<Record<string, Action>> = {
  async call(client, { name, args = [], options = {}, tagged = false }) {
    const method = client()[name as "getOrganization"] as (...given: unknown[]) => Promise<{ etag?: string }>;
    const result = await method(...args, options);
    return tagged ? { result, etag: result.etag } : result;
  },
  async all(client, { name, options = {} }) {
    const records: unknown[] = [];
    for await (const record of client()[name as "listClients"](options)) records.push(record);
    return records;
  },
  async twice(client, { name, args = [] }) {
    const one = client();
    const method = one[name as "getClient"] as (...given: unknown[]) => Promise<unknown>;
    return [await method(...args), await method(...args)];
  },
  async edit(client, { id, changes }) {
    const one = client();
    const edited = (changes as Partial<ClientInput>[]).map((change, index) =>
      one.editClient(id, (current) => {
        // Both ways of saying what it shall be.
        if (index % 2 === 0) return { ...current, ...change };
        Object.assign(current, change);
        return undefined;
      }),
    );
    return Promise.all(edited);
  },
  async download(client, { list, form, options = {} }) {
    const one = client();
    const file = await one.download(list as "clients", form, options);
    if (!file) return undefined;
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of file) text += decoder.decode(piece, { stream: true });
    const { etag, totalCount, changesCursor } = file;
    return { text, etag, totalCount, changesCursor };
  },
  async changes(client, { file, stopAfter, standStillAfter, options = {}, restart = false }, tell) {
    let seen = 0;
    const restarted = restart && { onGone: "restart" as const, onRestart: () => tell({ restarted: true }) };
    for await (const change of client().changes({ store: fileStore(file), ...options, ...restarted })) {
      tell(change);
      if (++seen === stopAfter) break;
      if (seen === standStillAfter) await new Promise(() => {});
    }
    return seen;
  },
  async cancelled(client) {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("enough")), 50);
    await client().getOrganization({ signal: controller.signal });
  },
  async verify(_, { secrets, headers, body, toleranceSeconds }) {
    const bytes = new TextEncoder().encode(body);
    const options = toleranceSeconds === undefined ? {} : { toleranceSeconds };
    const events = [
      await verifyWebhook(secrets, headers, body, options),
      await verifyWebhook(secrets, new Headers(headers), bytes, options),
    ];
    return events[1];
  },
  async texts(client) {
    return [inspect(client(), { depth: 9, showHidden: true }), String(client()), JSON.stringify(client())];
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, action, client = {}, given } = JSON.parse(line) as Ask;
  const say = (told: object) => process.stdout.write(`${JSON.stringify({ id, ...told })}\n`);
  const begin = performance.now();
  ACTIONS[action]?.(
    () => new RollbookClient(client),
    given,
    (event) => say({ event }),
  ).then(
    (result) => say({ result: result ?? null, seconds: (performance.now() - begin) / 1000 }),
    (error: unknown) => say({ error: describe(error), seconds: (performance.now() - begin) / 1000 }),
  );
}

/** What an error says, in all the ways in which it may be seen. */
function describe(error: unknown): object {
  const text = [String(error), inspect(error, { depth: 9, showHidden: true }), (error as Error).stack].join(
    "\n",
  );
  const kind = (error as Error).constructor.name;
  if (error instanceof WebhookError) return { kind, code: error.code, text };
  if (!(error instanceof RollbookError)) return { kind, text };
  const { status, code, title, detail, errors, requestId, clientId } = error;
  return { kind, status, code, title, detail, errors, requestId, clientId, text };
}
