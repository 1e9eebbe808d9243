import { lookup as askSystem, Resolver } from "node:dns/promises";

/** How long a name is asked for in all, and how long one server of names is waited for. */
const PATIENCE_MS = 5_000;
const SERVER_MS = 1_500;
const TRIES = 2;

export interface NameSettings {
  /** Whether the operator has opened networks of their own, where names may be known that no server of names has. */
  readonly hasOwnNets: boolean;
  /** Servers of names, as addresses with ports; those of the system unless given. */
  readonly servers?: readonly string[];
}

/**
 * All addresses of a name, none if nobody knows it in time. The servers of names are asked by packets of our own: when the
 * system is asked (`getaddrinfo`), a thread waits for the answer, of which the program has two. Whoever owns a name decides how
 * long its answer takes, so a few of them would keep everything else waiting that looks a name up, the database included.
 */
export async function resolveName(
  name: string,
  { hasOwnNets, servers }: NameSettings,
): Promise<readonly string[]> {
  const isLocal = !name.includes(".");
  const found = isLocal ? [] : await askServers(name, servers);
  return found.length === 0 && hasOwnNets ? askSystemInTurn(name) : found;
}

async function askServers(name: string, servers?: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: SERVER_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const patience = setTimeout(() => resolver.cancel(), PATIENCE_MS);
  const asked = [resolver.resolve4(name), resolver.resolve6(name)];
  const answers = await Promise.all(asked.map((answer) => answer.catch(() => [])));
  clearTimeout(patience);
  return answers.flat();
}

let turn: Promise<unknown> = Promise.resolve();

/** What the system knows beside: its own file of names, and names that it completes. One at a time, so that one thread is left. */
async function askSystemInTurn(name: string): Promise<readonly string[]> {
  const before = turn;
  let isLate = false;
  const answer = before.then(() =>
    isLate ? [] : askSystem(name, { all: true, verbatim: true }).catch(() => []),
  );
  turn = answer;
  let patience: NodeJS.Timeout | undefined;
  const late = new Promise<readonly []>((resolve) => {
    patience = setTimeout(() => {
      isLate = true;
      resolve([]);
    }, PATIENCE_MS);
  });
  const found = await Promise.race([answer, late]);
  clearTimeout(patience);
  return found.map(({ address }) => address);
}
