import { isToken } from "../domain/staff/rules.ts";

/** Where the application is reached, as far as signing in depends on it. */
export interface SignInAddress {
  /** What `Origin` says of requests that come from the application's own pages. */
  readonly origin: string;
  /** Where the console is. */
  readonly console: string;
  /** Absent if nobody can be signed in: the way to the server is open to listeners. */
  readonly cookie: SignInCookie | undefined;
}

export function signInAddress(publicUrl: string): SignInAddress {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const address = { origin, console: `${publicUrl}/console/` };
  if (protocol === "https:") return { ...address, cookie: new SignInCookie("__Host-rollbook", true) };
  return { ...address, cookie: isLoopback(hostname) ? new SignInCookie("rollbook", false) : undefined };
}

/** As long as a sign-in can last; that it has ended is for the server to say. */
const MAX_AGE_SECONDS = 14 * 86_400;

/** The cookie that holds the token of a sign-in. Scripts cannot read it, and no other site can have it sent. */
export class SignInCookie {
  readonly name: string;
  readonly #attributes: string;

  constructor(name: string, isSecure: boolean) {
    this.name = name;
    this.#attributes = `Path=/; ${isSecure ? "Secure; " : ""}HttpOnly; SameSite=Strict`;
  }

  /** The token in a `Cookie` header; undefined if there is none that could be one. */
  read(header: string | undefined): string | undefined {
    for (const pair of (header ?? "").split(";")) {
      const at = pair.indexOf("=");
      if (pair.slice(0, at).trim() !== this.name) continue;
      const token = pair.slice(at + 1).trim();
      if (isToken(token)) return token;
    }
    return undefined;
  }

  /** The value of `Set-Cookie` that lets a browser keep the token. */
  set(token: string): string {
    return `${this.name}=${token}; ${this.#attributes}; Max-Age=${MAX_AGE_SECONDS}`;
  }

  /** The value of `Set-Cookie` that lets a browser forget it. */
  clear(): string {
    return `${this.name}=; ${this.#attributes}; Max-Age=0`;
  }
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
