import { type Command, type CommandCall, type Flag, textFlag, UsageError } from "./command.ts";
import { ORGANIZATION, readOrganization } from "./flag-values.ts";

/** Commands that carry out an operation of the application by its declaration: their flags only become its input. */

type Flags = Readonly<Record<string, Flag>>;
type ReadInput = (call: CommandCall) => object | Promise<object>;

interface InputFlags {
  readonly flags: Flags;
  readonly input: ReadInput;
}

export function write(
  name: string,
  summary: string,
  operation: string,
  { flags, input }: InputFlags,
): Command {
  return {
    name,
    summary,
    flags: { org: ORGANIZATION, ...flags },
    run: async (call) => {
      const organizationId = readOrganization(call);
      const given = await input(call);
      await (await import("./catalog-run.ts")).writeCatalog(call, operation, organizationId, given);
    },
  };
}

interface NamedWrite extends Partial<InputFlags> {
  readonly operation: string;
  /** The member of the input that names the record. */
  readonly id: string;
}

/** A write to one record, which is the command's argument. */
export function one(
  name: string,
  summary: string,
  { operation, id, flags = {}, input = () => ({}) }: NamedWrite,
): Command {
  const named: ReadInput = async (call) => ({ [id]: call.arguments[0] ?? "", ...(await input(call)) });
  return { ...write(name, summary, operation, { flags, input: named }), arguments: ["ID"] };
}

/** A write of the members that have a flag; one at least. */
export function edit(
  name: string,
  summary: string,
  operation: string,
  id: string,
  { flags, input }: InputFlags,
): Command {
  const changes: ReadInput = async (call) => {
    const given = await input(call);
    if (Object.keys(given).length > 0) return { changes: given };
    const names = Object.keys(flags).map((flag) => `--${flag}`);
    throw new UsageError(`Give at least one of ${names.join(", ")}.`);
  };
  return one(name, summary, { operation, id, flags, input: changes });
}

export function texts(call: CommandCall, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((flag) => {
      const value = textFlag(call, flag)?.trim();
      return value === undefined ? [] : [[flag, value]];
    }),
  );
}
