/**
 * Counts what a backtracking engine does for a regular expression, and makes the texts that are worst for it.
 *
 * Steps are counted by an engine of ours, not timed: the figures are the same on every machine, and an expression
 * whose steps double with each character is found out after a limit instead of hanging the tests.
 */

/** How the cost of the worst text grows when it becomes twice as long: 2 is linear, 4 quadratic. */
export interface Growth {
  readonly ratio: number;
  readonly attack: Attack;
}

/** A text that is made longer by repeating its middle. */
export interface Attack {
  readonly prefix: string;
  readonly repeated: string;
  readonly suffix: string;
}

export function attackText({ prefix, repeated, suffix }: Attack, times: number): string {
  return prefix + repeated.repeat(times) + suffix;
}

/** A little more than 2, as a text has a beginning and an end that are not doubled. */
export const LINEAR = 2.3;

/** Lengths in characters. */
const SHORT = 48;
/** Beyond the bounds that our expressions write, such as {1,128}: a bounded repeat looks quadratic below them. */
const LONG = 300;
const MOST_STEPS = 1_000_000;

/** The fastest growth that any generated text causes, and the most expensive attacks, in order. */
export function measureGrowth({ source, flags }: RegExp): Growth & { readonly costly: readonly Attack[] } {
  const isUnicode = /[uv]/.test(flags);
  const root = parse(source, flags);
  const program = compile(root);
  const cost = (attack: Attack, length: number) => {
    const text = attackText(attack, Math.ceil(length / attack.repeated.length));
    return countSteps(program, isUnicode ? [...text] : text.split(""));
  };
  let worst: Growth = { ratio: 0, attack: { prefix: "", repeated: "", suffix: "" } };
  const costs: { attack: Attack; steps: number }[] = [];
  for (const attack of attacksOn(root, isUnicode)) {
    const steps = cost(attack, 2 * SHORT);
    costs.push({ attack, steps });
    let ratio = steps / cost(attack, SHORT);
    if (ratio > LINEAR || steps >= MOST_STEPS) {
      const most = steps < MOST_STEPS ? cost(attack, 2 * LONG) : steps;
      ratio = most < MOST_STEPS ? most / cost(attack, LONG) : Number.POSITIVE_INFINITY;
    }
    if (ratio > worst.ratio) worst = { ratio, attack };
    if (ratio > LINEAR) break;
  }
  costs.sort((a, b) => b.steps - a.steps);
  return { ...worst, costly: costs.slice(0, 3).map(({ attack }) => attack) };
}

type Node =
  | { kind: "character"; matches: (character: string) => boolean }
  | { kind: "edge"; holds: (text: readonly string[], at: number) => boolean }
  | { kind: "sequence"; items: Node[] }
  | { kind: "choice"; branches: Node[] }
  | { kind: "repeat"; body: Node; min: number; max: number; isLazy: boolean }
  | { kind: "group"; index: number; body: Node }
  | { kind: "look"; isNegated: boolean; body: Node }
  | { kind: "back"; index: number };

// ---- The engine ----

/** The expression as a program for a machine with a stack of places to come back to. */
type Instruction =
  | { op: "character"; matches: (character: string) => boolean }
  | { op: "edge"; holds: (text: readonly string[], at: number) => boolean }
  /** Tries the first, and the second if that fails. */
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { op: "save"; slot: number }
  /** Fails if nothing was taken since the slot was saved: such a repetition is not tried again. */
  | { op: "progress"; slot: number }
  | { op: "look"; program: readonly Instruction[]; isNegated: boolean }
  | { op: "back"; index: number }
  | { op: "match" };

function compile(root: Node): Instruction[] {
  const program: Instruction[] = [];
  let marks = 1_000;
  const emit = (node: Node): void => {
    switch (node.kind) {
      case "character":
        program.push({ op: "character", matches: node.matches });
        break;
      case "edge":
        program.push({ op: "edge", holds: node.holds });
        break;
      case "sequence":
        node.items.forEach(emit);
        break;
      case "choice":
        emitChoice(node.branches);
        break;
      case "repeat":
        emitRepeat(node);
        break;
      case "group":
        program.push({ op: "save", slot: 2 * node.index });
        emit(node.body);
        program.push({ op: "save", slot: 2 * node.index + 1 });
        break;
      case "look":
        program.push({ op: "look", program: compile(node.body), isNegated: node.isNegated });
        break;
      case "back":
        program.push({ op: "back", index: node.index });
        break;
    }
  };
  const emitChoice = (branches: readonly Node[]): void => {
    const jumps: { op: "jump"; to: number }[] = [];
    for (const branch of branches.slice(0, -1)) {
      const split = { op: "split" as const, first: program.length + 1, second: 0 };
      const jump = { op: "jump" as const, to: 0 };
      program.push(split);
      emit(branch);
      program.push(jump);
      jumps.push(jump);
      split.second = program.length;
    }
    branches.slice(-1).forEach(emit);
    for (const jump of jumps) jump.to = program.length;
  };
  const emitRepeat = ({ body, min, max, isLazy }: Node & { kind: "repeat" }): void => {
    for (let count = 0; count < min; count++) emit(body);
    const splits: { first: number; second: number }[] = [];
    const emitOptional = (): void => {
      const split = { op: "split" as const, first: 0, second: 0 };
      program.push(split);
      splits.push(split);
      split[isLazy ? "second" : "first"] = program.length;
      const slot = canBeEmpty(body) ? marks++ : undefined;
      if (slot !== undefined) program.push({ op: "save", slot });
      emit(body);
      if (slot !== undefined) program.push({ op: "progress", slot });
    };
    const begin = program.length;
    if (max === Number.POSITIVE_INFINITY) {
      emitOptional();
      program.push({ op: "jump", to: begin });
    } else {
      for (let count = min; count < max; count++) emitOptional();
    }
    for (const split of splits) split[isLazy ? "first" : "second"] = program.length;
  };
  emit(root);
  program.push({ op: "match" });
  return program;
}

function canBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case "character":
      return false;
    case "sequence":
      return node.items.every(canBeEmpty);
    case "choice":
      return node.branches.some(canBeEmpty);
    case "repeat":
      return node.min === 0 || canBeEmpty(node.body);
    case "group":
      return canBeEmpty(node.body);
    default:
      return true;
  }
}

interface Meter {
  steps: number;
}

/** Steps to look for every match in the text, up to a limit. */
function countSteps(program: readonly Instruction[], text: readonly string[]): number {
  const meter = { steps: 0 };
  for (let at = 0; at <= text.length && meter.steps < MOST_STEPS; ) {
    const end = runFrom(program, text, at, meter);
    at = end !== undefined && end > at ? end : at + 1;
  }
  return meter.steps;
}

type Slots = ReadonlyMap<number, number>;

/** Where the first match that begins here ends. */
function runFrom(
  program: readonly Instruction[],
  text: readonly string[],
  start: number,
  meter: Meter,
): number | undefined {
  const stack: { pc: number; at: number; slots: Slots }[] = [{ pc: 0, at: start, slots: new Map() }];
  for (let thread = stack.pop(); thread; thread = stack.pop()) {
    let { pc, at, slots } = thread;
    for (let isAlive = true; isAlive; pc++) {
      if (++meter.steps >= MOST_STEPS) return undefined;
      const instruction = program[pc] as Instruction;
      switch (instruction.op) {
        case "character": {
          const character = text[at++];
          isAlive = character !== undefined && instruction.matches(character);
          break;
        }
        case "edge":
          isAlive = instruction.holds(text, at);
          break;
        case "split":
          stack.push({ pc: instruction.second, at, slots });
          pc = instruction.first - 1;
          break;
        case "jump":
          pc = instruction.to - 1;
          break;
        case "save":
          slots = new Map(slots).set(instruction.slot, at);
          break;
        case "progress":
          isAlive = at > (slots.get(instruction.slot) ?? 0);
          break;
        case "look":
          isAlive = (runFrom(instruction.program, text, at, meter) !== undefined) !== instruction.isNegated;
          break;
        case "back": {
          const begin = slots.get(2 * instruction.index) ?? 0;
          const end = slots.get(2 * instruction.index + 1) ?? begin;
          for (let i = begin; i < end && isAlive; i++) isAlive = text[at++] === text[i];
          meter.steps += end - begin;
          break;
        }
        case "match":
          return at;
      }
    }
  }
  return undefined;
}

// ---- The parser ----

function parse(source: string, flags: string): Node {
  const mode = flags.replace(/[gyd]/g, "");
  const isMultiline = flags.includes("m");
  const isUnicode = /[uv]/.test(flags);
  const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
  const isBoundary = (text: readonly string[], at: number) => isWord(text[at - 1]) !== isWord(text[at]);
  const refersBack = /\\[1-9]/.test(source);
  let i = 0;
  let groups = 0;

  const readChoice = (): Node => {
    const branches = [readSequence()];
    while (source[i] === "|") {
      i++;
      branches.push(readSequence());
    }
    return branches.length === 1 && branches[0] ? branches[0] : { kind: "choice", branches };
  };

  const readSequence = (): Node => {
    const items: Node[] = [];
    while (i < source.length && source[i] !== "|" && source[i] !== ")") items.push(readRepeat(readItem()));
    return items.length === 1 && items[0] ? items[0] : { kind: "sequence", items };
  };

  const readRepeat = (body: Node): Node => {
    const written = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(source.slice(i))?.[0];
    if (written === undefined) return body;
    i += written.length;
    const isLazy = source[i] === "?";
    if (isLazy) i++;
    const [low = "", high = low] = written.slice(1, -1).split(",");
    const bounds: Record<string, readonly [number, number]> = {
      "*": [0, Number.POSITIVE_INFINITY],
      "+": [1, Number.POSITIVE_INFINITY],
      "?": [0, 1],
    };
    const [min, max] = bounds[written] ?? [
      Number(low),
      high === "" ? Number.POSITIVE_INFINITY : Number(high),
    ];
    return { kind: "repeat", body, min, max, isLazy };
  };

  const readItem = (): Node => {
    const rest = source.slice(i);
    const open = /^\((?:\?(?::|=|!|<=|<!|<\w+>))?/.exec(rest)?.[0];
    if (open !== undefined) return readGroup(open);
    if (rest.startsWith("^")) {
      i++;
      return { kind: "edge", holds: (text, at) => at === 0 || (isMultiline && text[at - 1] === "\n") };
    }
    if (rest.startsWith("$")) {
      i++;
      return { kind: "edge", holds: (text, at) => at === text.length || (isMultiline && text[at] === "\n") };
    }
    if (/^\\[bB]/.test(rest)) {
      i += 2;
      const wanted = rest[1] === "b";
      return { kind: "edge", holds: (text, at) => isBoundary(text, at) === wanted };
    }
    const back = /^\\([1-9]\d*)/.exec(rest);
    if (back) {
      i += back[0].length;
      return { kind: "back", index: Number(back[1]) };
    }
    return readCharacter(rest);
  };

  const readGroup = (open: string): Node => {
    if (open.startsWith("(?<=") || open.startsWith("(?<!")) throw new Error(`lookbehind in /${source}/`);
    const index = open === "(" || open.startsWith("(?<") ? ++groups : 0;
    i += open.length;
    const body = readChoice();
    if (source[i++] !== ")") throw new Error(`a group without an end in /${source}/`);
    if (open === "(?=" || open === "(?!") return { kind: "look", isNegated: open === "(?!", body };
    // What a group took matters only if something refers back to it.
    return index > 0 && refersBack ? { kind: "group", index, body } : body;
  };

  // A class or an escape is asked of the real engine, one character at a time.
  const readCharacter = (rest: string): Node => {
    const written =
      /^\[(?:[^\\\]]|\\[\s\S])*\]/.exec(rest)?.[0] ??
      /^\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[\s\S])/.exec(rest)?.[0] ??
      (isUnicode ? String.fromCodePoint(rest.codePointAt(0) ?? 0) : rest.slice(0, 1));
    i += written.length;
    const expression = new RegExp(`^(?:${written})$`, mode.replace("m", ""));
    const known = new Map<string, boolean>();
    return {
      kind: "character",
      matches: (character) => {
        const answer = known.get(character) ?? expression.test(character);
        known.set(character, answer);
        return answer;
      },
    };
  };

  const root = readChoice();
  if (i < source.length) throw new Error(`/${source}/ was not understood from ${i} on`);
  return root;
}

// ---- The attacks ----

const FEW = 4;
/** More kinds of character than this give too many pairs. */
const PAIRED_KINDS = 8;

/** Every repeat of the expression filled up, by what it repeats and by everything else, with every kind of end. */
function* attacksOn(root: Node, isUnicode: boolean): Generator<Attack> {
  const kinds = kindsOfCharacters(root, isUnicode);
  const prefixes = new Set([""]);
  const words = new Set(kinds);
  if (kinds.length <= PAIRED_KINDS) for (const a of kinds) for (const b of kinds) words.add(a + b);

  const explore = (node: Node, before: readonly string[]): void => {
    if (node.kind === "sequence") {
      let behind = before;
      let run = [""];
      for (const item of node.items) {
        explore(item, behind);
        behind = joined(behind, samples(item, kinds));
        // What stands between two repeats: `", "` in /.*, .*,/.
        if (item.kind === "repeat" && item.max > 1) run = [""];
        else run = joined(run, samples(item, kinds));
        for (const text of run) words.add(text);
      }
      for (const text of samples(node, kinds)) words.add(text);
    } else if (node.kind === "choice") {
      for (const branch of node.branches) explore(branch, before);
    } else if (node.kind === "repeat") {
      for (const text of before) prefixes.add(text);
      for (const text of samples(node.body, kinds)) words.add(text);
      explore(node.body, before);
    } else if (node.kind === "group" || node.kind === "look") {
      explore(node.body, before);
    }
  };
  explore(root, [""]);
  words.delete("");
  for (const prefix of prefixes) {
    for (const repeated of words) for (const suffix of ["", ...kinds]) yield { prefix, repeated, suffix };
  }
}

/** One character of each kind that the expression distinguishes; those that it accepts nowhere are a kind too. */
function kindsOfCharacters(root: Node, isUnicode: boolean): string[] {
  const characters: ((character: string) => boolean)[] = [];
  const collect = (node: Node): void => {
    if (node.kind === "character") characters.push(node.matches);
    else if (node.kind === "sequence") node.items.forEach(collect);
    else if (node.kind === "choice") node.branches.forEach(collect);
    else if ("body" in node) collect(node.body);
  };
  collect(root);
  const candidates = [
    ...Array.from({ length: 128 }, (_, code) => String.fromCharCode((code + 33) % 128)),
    ..."éß\u0085\u00a0\u0301ıK\u2028\u3000\ufeff",
    "\ud800",
    "\udc00",
    ...(isUnicode ? ["😀"] : []),
  ];
  const byKind = new Map<string, string>();
  for (const character of candidates) {
    const kind = characters.map((matches) => (matches(character) ? 1 : 0)).join("");
    if (!byKind.has(kind)) byKind.set(kind, character);
  }
  return [...byKind.values()];
}

/** A few texts that the node matches. */
function samples(node: Node, kinds: readonly string[]): string[] {
  switch (node.kind) {
    case "character":
      return kinds.filter((character) => node.matches(character)).slice(0, FEW);
    case "sequence":
      return node.items.reduce<string[]>((texts, item) => joined(texts, samples(item, kinds)), [""]);
    case "choice":
      return [...new Set(node.branches.flatMap((branch) => samples(branch, kinds)))].slice(0, 2 * FEW);
    case "repeat":
      return samples(node.body, kinds).map((text) => text.repeat(Math.max(node.min, 1)));
    case "group":
      return samples(node.body, kinds);
    default:
      return [""];
  }
}

/** Each beginning with an end: as many as there are of the more numerous, not all pairs. */
function joined(beginnings: readonly string[], ends: readonly string[]): string[] {
  if (ends.length === 0) return [...beginnings];
  const length = Math.min(Math.max(beginnings.length, ends.length), FEW);
  return Array.from(
    { length },
    (_, i) => `${beginnings[i % beginnings.length] ?? ""}${ends[i % ends.length] ?? ""}`,
  );
}
