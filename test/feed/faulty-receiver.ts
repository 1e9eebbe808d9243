import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { RecordCopy } from "./mirror.ts";

/** How often it fails in each of its ways. Each failure holds its endpoint up for seconds. */
const FAILS = 0.003;

/**
 * A receiver that verifies what comes by the reference library, keeps a copy by the first receipts, and fails now and then:
 * it refuses, hangs up before it has looked, or loses its answer after it has taken the event.
 */
export class FaultyReceiver {
  readonly copy = new RecordCopy();
  readonly #draw: () => number;
  readonly #seen = new Set<string>();
  readonly #server = createServer((request, response) => this.#receive(request, response));
  #secret: Webhook | undefined;
  repeated = 0;
  failures = 0;

  constructor(draw: () => number) {
    this.#draw = draw;
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks`;
  }

  /** Until it is told the secret, it refuses everything. */
  trust(secret: string): void {
    this.#secret = new Webhook(secret);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const chance = this.#draw();
    const secret = this.#secret;
    if (!secret || chance < 2 * FAILS) {
      this.failures++;
      if (chance < FAILS) request.socket.destroy();
      else response.writeHead(500).end();
      return;
    }
    try {
      this.#take(secret, Buffer.concat(pieces).toString(), request.headers as Record<string, string>);
    } catch (error) {
      this.copy.faults.push(`not verified: ${error}`);
    }
    if (chance < 3 * FAILS) {
      this.failures++;
      request.socket.destroy();
    } else response.writeHead(204).end();
  }

  #take(secret: Webhook, text: string, headers: Record<string, string>): void {
    const { type, data } = secret.verify(text, headers) as {
      type: string;
      data: Parameters<RecordCopy["apply"]>[0];
    };
    const id = headers["webhook-id"] ?? "";
    if (this.#seen.has(id)) {
      this.repeated++;
      return;
    }
    this.#seen.add(id);
    if (type === "feed.backlog") this.copy.faults.push("told of a flood");
    else this.copy.apply(data);
  }
}
