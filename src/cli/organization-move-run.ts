import { AppError, conflict, unavailable } from "../core/errors.ts";
import { databaseOf } from "../data/backup/snapshot.ts";
import { holdMove } from "../data/move/moves.ts";
import { backOut, type MoveServers, moveOrganization, removeCopy } from "../data/move/operations.ts";
import { writeRoutes } from "../data/move/proxy-map.ts";
import { DATABASE_HEADER, nameDatabase } from "../db/history.ts";
import { requireSchema } from "../db/migrate.ts";
import { openConnection } from "../db/server-connection.ts";
import { operator, recordAudit } from "../domain/audit/queries.ts";
import { openStore } from "../process/store.ts";
import { type CommandCall, showRecord, textFlag, UsageError } from "./command.ts";

const NAME = "rollbook org move";
const ANSWER_MS = 5_000;

export async function runMove(call: CommandCall, organizationId: string): Promise<void> {
  const flags = readMoveFlags(call);
  const { databaseUrl } = call.config;
  const store = await call.store();
  if (databaseUrl === undefined)
    throw new AppError(
      "invalid",
      'The built-in PostgreSQL lets no other server in: move from a server with DATABASE_URL, or use "rollbook org export --complete".',
    );
  const source = await openConnection(store.connection, NAME);
  try {
    await holdMove(source, organizationId);
    if (flags.kind === "remove-copy") {
      await removeCopy(source, organizationId);
      call.out.result({ organizationId, removed: true }, "The old copy is removed.");
      return;
    }
    // Its own secret must be the same: keys, sign-ins and cursors go along as they are.
    const targetStore = await openStore({ ...call.config, databaseUrl: flags.to });
    try {
      await requireSchema(targetStore.connection);
      await checkSecret(targetStore.checkKeySecret());
      const target = await openConnection(targetStore.connection, NAME);
      try {
        await withServers(call, organizationId, flags, { source, target }, databaseUrl);
      } finally {
        await target.end();
      }
    } finally {
      await targetStore.close();
    }
  } finally {
    await source.end();
  }
}

async function checkSecret(checked: Promise<void>): Promise<void> {
  await checked.catch((cause: unknown) => {
    if (!(cause instanceof AppError) || cause.kind !== "invalid") throw cause;
    throw new AppError(
      "invalid",
      "The target has another KEY_SECRET than the source: API keys and sign-ins of the organization would not be known there. Both must have the same one.",
      { cause },
    );
  });
}

async function withServers(
  call: CommandCall,
  organizationId: string,
  flags: Exclude<MoveFlags, { kind: "remove-copy" }>,
  servers: MoveServers,
  databaseUrl: string,
): Promise<void> {
  if (flags.kind === "back-out") {
    await backOut(servers, organizationId);
    call.out.result(
      { organizationId, backedOut: true },
      "The move is taken back: the organization is where it was.",
    );
    return;
  }
  const { url, from, routes } = flags;
  const db = (await call.store()).open({ applicationName: NAME });
  const moved = await moveOrganization(servers, {
    organizationId,
    url,
    sourceUrl: from ?? databaseUrl,
    checkAddress: async () => requireAnswer(url, await nameDatabase(databaseOf(servers.target, {}))),
    now: () => db.now(),
    record: async (connection) => {
      await recordAudit(
        databaseOf(connection, { clockOffsetMs: call.config.clockOffsetMs }),
        operator().name,
        {
          action: "organization.move",
          subject: organizationId,
          details: { to: url },
        },
      );
    },
    say: (step, sentence) => call.out.say(`${step}: ${sentence}`),
    ...(routes && { onArrived: () => writeRoutes(routes.map, routes.hosts, routes.backend) }),
  });
  showRecord(call, moved);
  call.out.say(
    `The source still has a copy, which leads callers to the target: remove it with "rollbook org move ${organizationId} --remove-copy" when none uses the old address any more.`,
  );
}

async function requireAnswer(url: string, database: string): Promise<void> {
  const answer = await fetch(`${url}/readyz`, {
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined);
  await answer?.body?.cancel();
  if (answer?.status !== 200)
    throw unavailable(
      `No Rollbook that is ready answers at ${url}/readyz${answer ? ` (${answer.status})` : ""}: start the target's nodes first, and name their public address in --url.`,
    );
  if (answer.headers.get(DATABASE_HEADER) !== database)
    throw conflict(
      `The Rollbook at ${url} does not serve the database of --to: name the public address of the nodes that do in --url.`,
    );
}

type MoveFlags =
  | { readonly kind: "remove-copy" }
  | { readonly kind: "back-out"; readonly to: string }
  | {
      readonly kind: "move";
      readonly to: string;
      readonly url: string;
      readonly from: string | undefined;
      readonly routes:
        | { readonly map: string; readonly hosts: readonly string[]; readonly backend: string }
        | undefined;
    };

function readMoveFlags(call: CommandCall): MoveFlags {
  if (call.flags["remove-copy"]) {
    const other = ["back-out", "to", "url"].find((name) => call.flags[name]);
    if (other) throw new UsageError(`--remove-copy and --${other} do not go together.`);
    return { kind: "remove-copy" };
  }
  const to = textFlag(call, "to");
  if (to === undefined) throw new UsageError("--to is missing: the database of the target.");
  if (call.flags["back-out"]) return { kind: "back-out", to };
  const [map, host, backend] = [textFlag(call, "map"), textFlag(call, "host"), textFlag(call, "backend")];
  const given = [map, host, backend].filter((value) => value !== undefined).length;
  if (given !== 0 && given !== 3) throw new UsageError("--map, --host and --backend belong together.");
  return {
    kind: "move",
    to,
    url: readPublicUrl(textFlag(call, "url")),
    from: textFlag(call, "from"),
    routes:
      map === undefined || host === undefined || backend === undefined
        ? undefined
        : { map, hosts: host.split(",").map((name) => name.trim()), backend },
  };
}

/** Without a slash at its end: the path of a request follows. */
function readPublicUrl(text: string | undefined): string {
  if (text === undefined) throw new UsageError("--url is missing: the public address of the target.");
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError("--url must be an address such as https://cell2.example.com.");
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/$/, "");
}
