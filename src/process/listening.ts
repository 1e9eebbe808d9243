import { createServer, type Server } from "node:http";
import { createServer as createListener, type Server as NetServer } from "node:net";
import { AppError } from "../core/errors.ts";
import type { Config } from "./config.ts";

/** The port to listen on, known to be free: the configured one, or with port 0 any that is. */
export async function choosePort({ host, port }: Pick<Config, "host" | "port">): Promise<number> {
  const listener = await listenOn(host, port, "--port");
  const address = listener.address();
  await close(listener);
  return typeof address === "object" && address ? address.port : port;
}

/** Refuses a configuration whose ports cannot be listened on, both at the same time. */
export async function requirePorts({
  host,
  port,
  adminHost,
  adminPort,
}: Pick<Config, "host" | "port" | "adminHost" | "adminPort">): Promise<void> {
  const listener = await listenOn(host, port, "--port");
  try {
    if (adminPort !== undefined) await close(await listenOn(adminHost, adminPort, ADMIN_FLAG));
  } finally {
    await close(listener);
  }
}

const ADMIN_FLAG = "--admin-port";

async function listenOn(host: string, port: number, flag: string): Promise<NetServer> {
  const listener = createListener();
  await listen(listener, host, port, flag);
  return listener;
}

function close(listener: NetServer): Promise<unknown> {
  return new Promise((resolve) => listener.close(resolve));
}

/** Serves `/metrics` to the operator. */
export async function startAdmin(
  { adminHost, adminPort = 0 }: Pick<Config, "adminHost" | "adminPort">,
  render: () => Promise<string>,
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    render().then(
      (text) =>
        response
          .writeHead(200, {
            "content-type": "text/plain; version=0.0.4; charset=utf-8",
            "x-content-type-options": "nosniff",
          })
          .end(text),
      () => response.writeHead(500).end(),
    );
  });
  await listen(server, adminHost, adminPort, ADMIN_FLAG);
  return server;
}

async function listen(server: NetServer, host: string, port: number, flag: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const sentence =
      cause.code === "EADDRINUSE"
        ? `Port ${port} is in use already: choose another with ${flag}.`
        : cause.code === "EACCES"
          ? `This user may not listen on port ${port}: choose another with ${flag}.`
          : `Cannot listen on ${host}, port ${port}: ${cause.code ?? cause.message}.`;
    throw new AppError("unavailable", sentence, { cause });
  });
}
