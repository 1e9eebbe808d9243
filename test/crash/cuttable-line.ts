import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * A line between two parts that can be cut as a network is: nothing comes through and nobody is told. What was on its way
 * arrives when it is whole again.
 */
export interface CuttableLine {
  readonly address: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function openLine(targetPort: number): Promise<CuttableLine> {
  let isCut = false;
  const flows = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (from) => {
    const to = connect({ port: targetPort, host: "127.0.0.1" });
    carry(from, to);
    carry(to, from);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = (server.address() as { port: number }).port;

  /** One direction. */
  function carry(from: Socket, to: Socket): void {
    let isFull = false;
    const flow = () => {
      if (isCut || isFull) from.pause();
      else from.resume();
    };
    from.on("data", (bytes) => {
      isFull = !to.write(bytes);
      flow();
    });
    to.on("drain", () => {
      isFull = false;
      flow();
    });
    from.on("end", () => to.end());
    from.on("error", () => to.destroy());
    from.on("close", () => {
      flows.delete(flow);
      sockets.delete(from);
      // The other end hears of it when the line is whole.
      if (isCut) flows.add(() => !isCut && to.destroy());
      else to.destroy();
    });
    sockets.add(from);
    flows.add(flow);
    flow();
  }

  const change = (next: boolean) => {
    isCut = next;
    for (const flow of flows) flow();
  };
  return {
    address: `127.0.0.1:${port}`,
    cut: () => change(true),
    mend: () => change(false),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
