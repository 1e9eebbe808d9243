import { channel } from "node:diagnostics_channel";

/** A statement is named once, where it is written; every connection prepares it on first use. */
export interface Statement {
  /** Empty: not prepared, but planned for its values each time. */
  readonly name: string;
  readonly text: string;
  /**
   * `pipelined`: short reads. Many share one connection and are answered in order, so none may take long: each finds rows by
   * their keys or has a limit. A list that is read whole is pooled, however short it usually is.
   * `pooled`: may hold its connection, as a commit that waits for the disk does.
   * `expensive`: a read whose cost grows with what an organization has stored. It has few connections, as each keeps a
   * core of PostgreSQL busy, and less time than the others.
   */
  readonly lane: "pipelined" | "pooled" | "expensive";
}

/** A statement that needs no share: it is over at once. */
export type ShortRead = Statement & { readonly lane: "pipelined" };

/** Told of each statement where it is made, so that a test can read all there are. Nobody else subscribes. */
const made = channel("rollbook:statement");

function make<Made extends Statement>(statement: Made): Made {
  if (made.hasSubscribers) made.publish(statement);
  return statement;
}

export function read(name: string, text: string): ShortRead {
  return make({ name, text, lane: "pipelined" });
}

export function pooled(name: string, text: string): Statement {
  return make({ name, text, lane: "pooled" });
}

export function expensive(name: string, text: string): Statement {
  return make({ name, text, lane: "expensive" });
}

/**
 * For a statement that one plan cannot serve: a plan that knows nothing of the values can be ten times slower for a text
 * search. It must then look records of one kind up by the ids of another as `isRecord` has it.
 */
export function replanned(text: string): Statement {
  return make({ name: "", text, lane: "expensive" });
}

/**
 * The condition of a join that looks records of the organization, `$1`, up by their ids in a statement that is planned for
 * its values. PostgreSQL takes an organization that its statistics do not know for empty, and so may read all of its
 * records for each id; of a value that it cannot see it expects the average.
 */
export function isRecord(alias: string, id: string): string {
  return `${alias}.organization_id = (select $1::uuid) and ${alias}.id = ${id}`;
}
