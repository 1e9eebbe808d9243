import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { AppError } from "../core/errors.ts";
import { migrate, requireSchema } from "../db/migrate.ts";
import { absentOrganization } from "../db/statement-errors.ts";
import { findElsewhere } from "../domain/organizations/queries.ts";
import { operatorsElsewhere } from "../domain/organizations/rules.ts";
import { tzdataVersion } from "../domain/recurrence/zones.ts";
import { explainError, explainFaults } from "../languages/wording.ts";
import { WorkerFailed } from "../process/cluster.ts";
import { clockWarning, loadConfig, programVersion, SETTINGS, WrongFlag } from "../process/config.ts";
import { openStore, type Store } from "../process/store.ts";
import { auditCommand } from "./audit.ts";
import { backupCommands } from "./backup.ts";
import { backupKeyCommand } from "./backup-key.ts";
import { bundleCommands } from "./bundle.ts";
import { catalogCommands } from "./catalog-commands.ts";
import {
  type Command,
  type CommandCall,
  type Output,
  type StoreOptions,
  ToldFailure,
  UsageError,
} from "./command.ts";
import { conformanceCommand } from "./conformance.ts";
import { contractCommands } from "./contract-commands.ts";
import { demoCommand } from "./demo.ts";
import { doCommand } from "./do.ts";
import { doctorCommand } from "./doctor.ts";
import { icsCommands } from "./ics.ts";
import { keyCommands } from "./keys.ts";
import { locationCommands } from "./locations.ts";
import { mcpCommand } from "./mcp.ts";
import { migrateCommand } from "./migrations.ts";
import { organizationMoveCommand } from "./organization-move.ts";
import { organizationCommands } from "./organizations.ts";
import { explainOutputError } from "./output-errors.ts";
import { privacyCommands } from "./privacy.ts";
import { requestCommands } from "./requests.ts";
import { serveCommand } from "./serve.ts";
import { NotShown } from "./shown-once.ts";
import { Interrupted, listenForSignals, type SignalListener } from "./signals.ts";
import { staffCommands } from "./staff.ts";
import { listenCommand, webhookCommands } from "./webhooks.ts";
import { wholeOrganizationCommands } from "./whole-organizations.ts";

export const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  ...organizationCommands,
  ...wholeOrganizationCommands,
  organizationMoveCommand,
  ...locationCommands,
  ...catalogCommands,
  ...keyCommands,
  ...requestCommands,
  ...webhookCommands,
  listenCommand,
  mcpCommand,
  conformanceCommand,
  ...icsCommands,
  ...bundleCommands,
  ...staffCommands,
  doCommand,
  ...contractCommands,
  ...backupCommands,
  backupKeyCommand,
  ...privacyCommands,
  demoCommand,
  doctorCommand,
  auditCommand,
];

interface TextStream {
  write(text: string, written?: (error?: Error | null) => void): unknown;
}

/** Where a command line is typed, and under which environment. */
export interface Terminal {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** That of the process, unless given. */
  readonly environment?: NodeJS.ProcessEnv;
}

/**
 * Runs one command line and returns its exit code: 0 done, 1 failed for a reason it tells, 2 wrong usage, and
 * 128 + the number of the signal that ended it.
 */
export async function runCommand(argv: readonly string[], terminal: Terminal = process): Promise<number> {
  try {
    if (argv[0] === "--version" || argv[0] === "-v") {
      terminal.stdout.write(
        `rollbook ${programVersion()} (time-zone data ${tzdataVersion()}, Node ${process.version})\n`,
      );
      return 0;
    }
    if (argv.length === 0) {
      terminal.stderr.write(overview(COMMANDS));
      return 2;
    }
    if (argv[0] === "help" || argv[0] === "--help" || argv[0] === "-h") {
      terminal.stdout.write(overview(COMMANDS));
      return 0;
    }
    const group = COMMANDS.filter(({ name }) => name.startsWith(`${argv[0]} `));
    if (group.length > 0 && (argv[1] === "--help" || argv[1] === "-h")) {
      terminal.stdout.write(overview(group));
      return 0;
    }
    const command = findCommand(argv);
    const { flags, rest } = readFlags(command, argv.slice(command.name.split(" ").length));
    if (flags.help) {
      terminal.stdout.write(usage(command));
      return 0;
    }
    checkUsage(command, flags, rest);
    const config = loadConfig(flags, terminal.environment);
    const out = output(flags.json === true, terminal);
    const warning = clockWarning(config);
    // The server has a log to say it in.
    if (warning && command !== serveCommand) out.say(`rollbook: ${warning}`);
    const listener = listenForSignals();
    try {
      await runUntilInterrupted(command, listener, { config, arguments: rest, flags, out });
    } finally {
      listener.close();
    }
    return 0;
  } catch (error) {
    return explain(error, terminal, argv.includes("--json"));
  }
}

/** A command that must stop has this long to do so by itself. */
const GRACE_MS = 1_000;

/**
 * Runs the command and closes its store, whatever happens. When a signal comes, most work stops by itself and
 * cleans up. What waits for the database is cut off from it, which ends the wait.
 */
async function runUntilInterrupted(
  command: Command,
  { signal: stop, hurry }: SignalListener,
  call: Omit<CommandCall, "store" | "signal" | "hurry">,
): Promise<void> {
  let opened: Promise<Store> | undefined;
  let store: Promise<Store> | undefined;
  let closed: Promise<void> | undefined;
  const closeStore = () => {
    closed ??= (async () => (await opened?.catch(() => undefined))?.close())();
    return closed;
  };
  const interrupted = whenAborted(stop).then((): never => {
    throw stop.reason;
  });
  interrupted.catch(() => {});
  const work = command.run({
    ...call,
    signal: stop,
    hurry,
    store: (options = {}) => {
      opened ??= openStore(call.config, {
        create: command.createsDatabase === true,
        archive: options.archive,
        log: options.log ?? sayOnTerminal,
        signal: stop,
      });
      // Nothing more is done with a database that is still being opened when the signal comes.
      store ??= Promise.race([prepare(opened, command, options), interrupted]);
      return store;
    },
  });
  const cutOff = async () => {
    await atMost(work, GRACE_MS);
    await closeStore();
    await atMost(work, GRACE_MS);
    throw stop.reason;
  };
  const exitInHurry = () => process.exit((hurry.reason as Interrupted).exitCode);
  void whenAborted(hurry).then(async () => {
    // The workers of a server are killed now. While one is there, whoever leaves would leave PostgreSQL to it.
    await atMost(work, GRACE_MS);
    await closeStore();
    exitInHurry();
  });
  try {
    // Whichever is first: work that was done when the signal came is done.
    await Promise.race(command.endsBySignal ? [work] : [work, whenAborted(stop).then(cutOff)]);
  } catch (error) {
    if (!stop.aborted) throw await withPlace(error, store);
    if (!command.endsBySignal) throw new Interrupted(stop.reason.signal, sentenceOf(command, call));
    if (error !== stop.reason) throw error;
  } finally {
    await closeStore();
    if (hurry.aborted) exitInHurry();
  }
}

function sentenceOf({ ifInterrupted }: Command, { flags }: { flags: CommandCall["flags"] }) {
  return typeof ifInterrupted === "function" ? ifInterrupted(flags) : ifInterrupted;
}

/** Where an organization is that could not be written to here: who works for it must know. */
async function withPlace(error: unknown, store: Promise<Store> | undefined): Promise<unknown> {
  const id = absentOrganization(error);
  if (id === undefined || store === undefined) return error;
  const db = (await store).open({ applicationName: "rollbook", pipelines: 1, poolSize: 1 });
  const elsewhere = await findElsewhere(db, id).catch(() => undefined);
  return elsewhere === undefined ? error : operatorsElsewhere(id, elsewhere);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Waits until the work has ended, in whatever way, or the time is up. */
async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController();
  const ended = work.then(
    () => {},
    () => {},
  );
  await Promise.race([ended, delay(ms, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}

/** Only `serve` asks for a migrated store: whatever else a newer release does must not change what an older one uses. */
async function prepare(
  opened: Promise<Store>,
  command: Command,
  { schema = "current", confirm, log = sayOnTerminal }: StoreOptions,
): Promise<Store> {
  const store = await opened;
  await confirm?.(store);
  if (schema === "migrated") await migrate(store.connection, { log });
  if (schema === "current")
    await requireSchema(store.connection, {
      create: command.createsDatabase === true,
      dataDir: store.dataDir,
    });
  // A server says of each write whose it is.
  if (command === serveCommand) return store;
  return { ...store, open: (options) => store.open({ reason: { by: "operator" }, ...options }) };
}

function sayOnTerminal(message: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${message}\n`);
}

function findCommand(argv: readonly string[]): Command {
  const [first = "", second = ""] = argv;
  const command = COMMANDS.find(({ name }) => name === `${first} ${second}` || name === first);
  if (command) return command;
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  throw new UsageError(
    group.length > 0
      ? `There are: ${group.join(", ")}.`
      : `There is no command "${first.slice(0, 40)}". See: rollbook --help`,
  );
}

function readFlags(command: Command, argv: readonly string[]) {
  const own = Object.entries(command.flags ?? {}).map(
    ([name, flag]) => [name, flag.value !== undefined] as const,
  );
  const settings = Object.values(SETTINGS).flatMap(({ flag }) =>
    flag === "" ? [] : [[flag, true] as const],
  );
  const known = new Map([...settings, ...own, ["json", false] as const]);
  const help = { type: "boolean", short: "h" } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      strict: true,
      options: {
        ...Object.fromEntries(
          [...known].map(([name, takesValue]) => [
            name,
            { type: takesValue ? "string" : "boolean" } as const,
          ]),
        ),
        help,
      },
    });
    return { flags: values as Record<string, string | boolean | undefined>, rest: positionals };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? "") : "";
    throw new UsageError(`${message.replace(/\.$/, "")}. See: rollbook ${command.name} --help`);
  }
}

function checkUsage(
  command: Command,
  flags: Readonly<Record<string, string | boolean | undefined>>,
  rest: readonly string[],
): void {
  const missing = Object.entries(command.flags ?? {}).filter(([name, flag]) => flag.needed && !flags[name]);
  const wanted = command.noArgumentsWith?.some((name) => flags[name]) ? [] : (command.arguments ?? []);
  const instead = (command.noArgumentsWith ?? []).map((name) => ` or --${name}`).join("");
  const names = [
    ...missing.map(([name]) => `--${name}`),
    ...wanted.slice(rest.length).map((name) => `${name}${instead}`),
  ];
  if (names.length > 0)
    throw new UsageError(`${names.join(", ")} must be given. See: rollbook ${command.name} --help`);
  if (rest.length > wanted.length) {
    throw new UsageError(`Too many arguments. See: rollbook ${command.name} --help`);
  }
}

/** One sentence; then each fault on a line of its own, as JSON for whoever asked for that. */
function explain(error: unknown, { stderr }: Terminal, json: boolean): number {
  if (error instanceof UsageError || error instanceof WrongFlag) {
    stderr.write(`rollbook: ${error.message}\n`);
    return 2;
  }
  if (error instanceof Interrupted) {
    stderr.write(`rollbook: ${error.message}\n`);
    return error.exitCode;
  }
  // It has said why.
  if (error instanceof WorkerFailed) return error.exitCode;
  const outputError = explainOutputError();
  if (outputError !== undefined) {
    // Whatever failed then, failed because of it.
    stderr.write(outputError);
    if (error instanceof NotShown) stderr.write(`rollbook: ${error.message}\n`);
    return 1;
  }
  if (error instanceof AppError) {
    const faults = (error instanceof ToldFailure ? error.told : explainFaults(error)).map((fault) =>
      json ? JSON.stringify(fault) : `  ${fault.location}: ${fault.message}`,
    );
    stderr.write([`rollbook: ${explainError(error)}`, ...faults, ""].join("\n"));
    return 1;
  }
  stderr.write(`rollbook: ${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
}

function output(json: boolean, { stdout, stderr }: Terminal): Output {
  let written = Promise.resolve();
  const print = (stream: TextStream, value: object, text: string) => {
    const line = `${json ? JSON.stringify(value) : text}\n`;
    const own = new Promise<void>((resolve, reject) =>
      stream.write(line, (error) => (error ? reject(error) : resolve())),
    );
    written = Promise.all([written, own]).then(() => {});
    // Most commands do not wait for it: what cannot be written is told at their end.
    written.catch(() => {});
  };
  return {
    json,
    result: (value, text) => print(stdout, value, text),
    announce: (value, text) => print(stderr, value, text),
    written: () => written,
    say: (text) => {
      if (!json) stderr.write(`${text}\n`);
    },
  };
}

export function usageLine(command: Command): string {
  const flags = Object.entries(command.flags ?? {}).map(([name, { value, needed }]) => {
    const text = value ? `--${name} ${value}` : `--${name}`;
    return needed ? text : `[${text}]`;
  });
  const given = (command.arguments ?? []).map((name) => (command.noArgumentsWith ? `[${name}]` : name));
  return [`rollbook ${command.name}`, ...given, ...flags].join(" ");
}

function usage(command: Command): string {
  const own = Object.entries(command.flags ?? {}).map(([name, { value, help }]) =>
    row(`--${name} ${value ?? ""}`, help),
  );
  return [
    usageLine(command),
    `\n${command.summary}\n`,
    ...own,
    row("--json", "machine-readable output"),
    "\nSettings (flag, environment variable, default):",
    settingsHelp(),
    "",
  ].join("\n");
}

function overview(commands: readonly Command[]): string {
  return [
    "rollbook: membership and scheduling data behind the Organization Data REST API\n",
    ...commands.map((command) => row(usageLine(command).slice("rollbook ".length), command.summary, 62)),
    "\nEvery command takes --json and --help. Durations are 30s, 15m, 24h or 90d.",
    "\nSettings (flag, environment variable, default):",
    settingsHelp(),
    "",
  ].join("\n");
}

function settingsHelp(): string {
  return Object.values(SETTINGS)
    .map(({ flag, variable, fallback, help }) => {
      const left = `${(flag === "" ? "" : `--${flag}`).padEnd(15)} ${variable.padEnd(13)} ${fallback.padEnd(10)}`;
      return `  ${left} ${help}`;
    })
    .join("\n");
}

function row(left: string, right: string, width = 24): string {
  // What is too long for its column has a line of its own.
  const gap = left.length > width ? `\n${" ".repeat(width + 2)}` : "";
  return `  ${left.padEnd(width)}${gap} ${right}`;
}
