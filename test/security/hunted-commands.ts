import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { COMMANDS, runCommand } from "../../src/cli/run.ts";
import { ownPart, processorTime } from "../support/target.ts";
import { type CrowdedIds, type CrowdedSize, crowdedStudio } from "./crowded-studio.ts";
import { leastHold, type Measured } from "./loop-holds.ts";

/** How long a command held its event loop: a signal, or what it has to say meanwhile, waits for as long. */
export interface CommandHold extends Measured {
  readonly command: string;
  readonly input: string;
  readonly code: number;
  readonly said: string;
}

export interface CommandPlace {
  readonly environment: NodeJS.ProcessEnv;
  readonly organizationId: string;
  readonly ids: CrowdedIds;
  readonly size: CrowdedSize;
  readonly folder: string;
}

/** A command has its process to itself: nobody but a signal waits for it. A part of the demo is made in one turn, a line is read in one. */
export const MOST_COMMAND_HOLD_MS = 250;

/** Those that serve, that need a database without anything in it, or that ask for a secret which was lost. */
const LEFT_OUT = new Set(["serve", "restore", "key replace-secret"]);

/**
 * Runs every command in this process with the largest input it takes, against an organization at the limits of what can be
 * stored, and tells how long each held the event loop.
 */
export async function huntCommands(
  place: CommandPlace,
  onHold: (hold: CommandHold) => void = () => {},
): Promise<CommandHold[]> {
  const holds: CommandHold[] = [];
  for (const [input, args] of await commandLines(place)) {
    const command = args[0] === undefined ? "" : nameOf(args);
    const hold = await leastHold(async () => ({
      command,
      input,
      ...(await measure(args, place.environment)),
    }));
    holds.push(hold);
    onHold(hold);
  }
  return holds;
}

async function measure(args: readonly string[], environment: NodeJS.ProcessEnv) {
  let said = "";
  const stream = {
    write(text: string, written?: () => void) {
      if (said.length < 1_000) said += text.slice(0, 1_000);
      if (written) setImmediate(written);
      return true;
    },
  };
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const begun = performance.now();
  const before = await processorTime();
  delay.enable();
  const code = await runCommand(args, { stdout: stream, stderr: stream, environment });
  // The last turn counts as well.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  const holdMs = ownPart(delay.max / 1e6, before, await processorTime());
  return { code, said, holdMs, tookMs: performance.now() - begun };
}

/** A line for every command, and for the files that make most work. */
async function commandLines({ organizationId, ids, size, folder }: CommandPlace) {
  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };
  const today = new Date().toISOString().slice(0, 10);
  const bundle = await write(
    "crowd.ndjson",
    [...crowdedStudio(size, today)].map((record) => `${JSON.stringify(record)}\n`).join(""),
  );
  const wide = { kind: "serviceGroup", name: "Wide", serviceTypeIds: Array(100_000).fill(ids.serviceTypeId) };
  const line = await write("wide.ndjson", `${JSON.stringify(wide)}\n`);
  const people = Array.from(
    { length: 20_000 },
    (_, n) => `Ana Maria ${n},${n}@example.com,${"n".repeat(900)}`,
  );
  const sheet = await write("people.csv", `Nome,E-mail,Notas\n${people.join("\n")}\n`);
  const plan = {
    billingKind: "recurring",
    billingInterval: "month",
    priceCents: 100,
    terms: "中".repeat(100_000),
    allLocations: true,
  };
  const data = await write(
    "plan.json",
    JSON.stringify({ name: "A plan", ...plan, entitlements: [{ type: "access" }] }),
  );
  const schedule = {
    serviceTypeId: ids.serviceTypeId,
    locationId: ids.quietLocationId,
    start: "2031-12-29T07:00",
    rrule: "FREQ=DAILY;COUNT=999999999;BYDAY=MO",
    durationMinutes: 60,
    capacity: 9,
  };
  const erasures = await write("erasures.ndjson", "");
  const org = ["--org", organizationId];
  const idOf: Readonly<Record<string, string>> = {
    org: organizationId,
    location: ids.quietLocationId,
    "service-type": ids.serviceTypeId,
    "service-group": ids.serviceGroupId,
    resource: ids.resourceId,
    plan: ids.planId,
  };
  /** The longest value of each flag that is needed. */
  const values: Readonly<Record<string, string>> = {
    name: "n".repeat(200),
    timezone: "America/Sao_Paulo",
    currency: "BRL",
    kind: "person",
    email: "somebody@example.com",
    data: `@${data}`,
    org: organizationId,
  };
  const plain = COMMANDS.filter(
    ({ name }) =>
      !LEFT_OUT.has(name) && !["import", "export", "backup", "do", "privacy reapply"].includes(name),
  ).map(({ name, arguments: named = [], flags = {} }): Line => {
    const needed = Object.entries(flags).flatMap(([flag, { needed, value }]) =>
      needed || flag === "name" || flag === "org"
        ? [`--${flag}`, ...(value ? [values[flag] ?? "1"] : [])]
        : [],
    );
    return [
      "what is needed",
      [...name.split(" "), ...named.map(() => idOf[name.split(" ")[0] ?? ""] ?? ids.clientId), ...needed],
    ];
  });
  const lines: Line[] = [
    ["everything", ["export", ...org, "--out", join(folder, "studio.ndjson")]],
    ["everything", ["backup", join(folder, "server.backup")]],
    ["a studio at its limits", ["import", bundle, ...org, "--dry-run"]],
    ["a line of 4 MB", ["import", line, ...org, "--dry-run"]],
    ["20,000 people", ["import", sheet, ...org, "--dry-run", "--location", "Location 0"]],
    [
      "a rule that is too far",
      ["do", "addSchedule", ...org, "--data", JSON.stringify(schedule), "--dry-run"],
    ],
    [
      "a client with everything",
      ["do", "exportClient", ...org, "--data", JSON.stringify({ clientId: ids.clientId })],
    ],
    ["nobody", ["privacy", "reapply", erasures]],
    // Reading comes first: some of these close what others read.
    ...plain.sort(([, one], [, other]) => Number(isRead(other)) - Number(isRead(one))),
  ];
  return lines;
}

type Line = readonly [input: string, args: readonly string[]];

function isRead(args: readonly string[]): boolean {
  return args.includes("list") || args.includes("show") || args[0] === "doctor" || args[0] === "audit";
}

function nameOf(args: readonly string[]): string {
  const found = COMMANDS.filter(({ name }) => `${args.join(" ")} `.startsWith(`${name} `));
  return found.map(({ name }) => name).sort((a, b) => b.length - a.length)[0] ?? "";
}
