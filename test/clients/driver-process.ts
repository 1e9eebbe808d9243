import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What a driver says of a failure. */
export interface DriverFailure {
  readonly kind: string;
  readonly status?: number;
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly location: string; readonly code: string }[];
  readonly requestId?: string;
  readonly clientId?: string;
  /** All that can be seen of the error. */
  readonly text: string;
}

export interface DriverAnswer {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly result?: any;
  readonly error?: DriverFailure;
  readonly seconds: number;
}

interface Asked {
  readonly answer: (told: DriverAnswer) => void;
  readonly fail: (error: Error) => void;
  // biome-ignore lint/suspicious/noExplicitAny: as it was told
  readonly onEvent: (event: any) => void;
}

/** A process that does what scenarios ask for with one of the clients. */
export class Driver {
  readonly #child: ChildProcess;
  readonly #asked = new Map<number, Asked>();
  readonly #ended: Promise<unknown>;
  #output = "";
  #next = 0;

  constructor(command: readonly string[], environment: Readonly<Record<string, string>>) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    // A killed driver takes nothing more.
    this.#child.stdin?.on("error", () => {});
    if (this.#child.stdout)
      createInterface({ input: this.#child.stdout }).on("line", (line) => {
        const { id, event, ...told } = JSON.parse(line);
        const asked = this.#asked.get(id);
        if (event === undefined) asked?.answer(told);
        else asked?.onEvent(event);
      });
    this.#ended = once(this.#child, "close").then(() => {
      for (const { fail } of this.#asked.values()) fail(new Error(`the driver ended: ${this.#output}`));
    });
  }

  /** Carries an action out. `client` is what the client is made with. */
  ask(
    client: object,
    action: string,
    given: object = {},
    onEvent: Asked["onEvent"] = () => {},
  ): Promise<DriverAnswer> {
    const id = this.#next++;
    return new Promise((answer, fail) => {
      this.#asked.set(id, { answer, fail, onEvent });
      this.#child.stdin?.write(`${JSON.stringify({ id, client, action, given })}\n`);
    });
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}
