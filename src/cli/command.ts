import { AppError } from "../core/errors.ts";
import type { ArchiveRequest } from "../db/embedded/archiving.ts";
import type { Config } from "../process/config.ts";
import type { Store } from "../process/store.ts";

/** One command of the command line: how it is called, and what it does. */
export interface Command {
  /** `key mint` */
  readonly name: string;
  readonly summary: string;
  /** Names of the arguments without a flag, in order; all are needed. */
  readonly arguments?: readonly string[];
  /** Flags with which it takes none of its arguments. */
  readonly noArgumentsWith?: readonly string[];
  readonly flags?: Readonly<Record<string, Flag>>;
  /** It may set up a new database where there is none; the other commands say where they looked. */
  readonly createsDatabase?: true;
  /** A signal is its regular end, which it comes to by itself; the other commands are given up. */
  readonly endsBySignal?: true;
  /** What is said when a signal ended it: "Nothing was imported." */
  readonly ifInterrupted?: string | ((flags: CommandCall["flags"]) => string);
  readonly run: (call: CommandCall) => Promise<void>;
}

export interface Flag {
  readonly help: string;
  /** What stands for the value in the usage line; without it the flag takes no value. */
  readonly value?: string;
  readonly needed?: boolean;
}

export interface CommandCall {
  readonly config: Config;
  readonly arguments: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** Opened on first use, and closed when the command ends. */
  readonly store: (options?: StoreOptions) => Promise<Store>;
  /** Aborted when the command is to stop. */
  readonly signal: AbortSignal;
  /** Aborted when it is to be gone at once. */
  readonly hurry: AbortSignal;
  readonly out: Output;
}

export interface StoreOptions {
  /**
   * Which schema the command works with. `current`, unless given: that of this program, and a database that has another
   * is refused. `migrated`: the database is brought to it. `any`: as it is, for a backup before an upgrade.
   */
  readonly schema?: "current" | "migrated" | "any";
  /** Called before a schema is made or migrated, which cannot be taken back: throws if the command will be refused. */
  readonly confirm?: (store: Store) => Promise<void>;
  /** Whether the built-in PostgreSQL archives its log from now on; left as it is unless given. */
  readonly archive?: ArchiveRequest | "none";
  /** Takes what is said while the database starts; by default a terminal does. */
  readonly log?: (message: string) => void;
}

/** Standard output carries what a script wants to read; everything said to a person goes to standard error. */
export interface Output {
  readonly json: boolean;
  /** The result: one object as JSON with --json, else the given text. */
  result(value: object, text: string): void;
  /** As a result, on standard error: by a server, whose standard output is its log. */
  announce(value: object, text: string): void;
  /** Settled when the results so far have been written; rejected if one could not be. */
  written(): Promise<void>;
  /** Said beside the result; nothing with --json. */
  say(text: string): void;
}

/** What is wrong with an input: for programs by code, for people in words. */
export interface ToldFault {
  readonly location: string;
  readonly code: string;
  readonly params?: object;
  readonly message: string;
}

/** A failure whose faults have their words already, in the language of who is told. */
export class ToldFailure extends AppError {
  readonly told: readonly ToldFault[];

  constructor(sentence: string, told: readonly ToldFault[]) {
    super("invalid", sentence);
    this.told = told;
  }
}

/** Wrong usage: exit code 2. */
export class UsageError extends Error {}

export function textFlag(call: CommandCall, name: string): string | undefined {
  const value = call.flags[name];
  return typeof value === "string" ? value : undefined;
}

/** Shows one record. */
export function showRecord({ out }: CommandCall, record: object): void {
  out.result(record, describeRecord(record));
}

/** Shows a list: all of it as JSON, or a row of cells for each record. */
export function showRecords<Item extends object>(
  { out }: CommandCall,
  data: readonly Item[],
  {
    header,
    row,
    none,
  }: {
    readonly header: readonly string[];
    readonly row: (record: Item) => readonly string[];
    /** Said instead of a table without rows. */
    readonly none: string;
  },
): void {
  out.result({ data, total: data.length }, data.length === 0 ? none : table(header, data.map(row)));
}

/** One member a line. */
export function describeRecord(record: object): string {
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(10)} ${value}`)
    .join("\n");
}

/** Columns as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
