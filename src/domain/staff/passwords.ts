import { type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { refusal } from "../../core/errors.ts";

/** How much work a hash is. Stored with each, so that newer ones may cost more. */
export interface PasswordCost {
  /** The number of rounds, as a power of two. */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

export const PASSWORD_COST: PasswordCost = { logN: 15, r: 8, p: 3 };
const KEY_BYTES = 32;

interface StoredPassword extends PasswordCost {
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** A hash takes 32 MiB and, on the machine this was written on, 280 ms of a core. */
const AT_ONCE = 2;
/** More would wait for longer than their callers do. */
const MOST_WAITING = 40;

/** Hashes passwords with scrypt: two at a time, so that a flood of tries leaves cores and memory to everybody else. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #computed = 0;

  /** Another cost is for tests, which would take minutes. */
  constructor(cost = PASSWORD_COST) {
    this.#cost = cost;
  }

  /** How many hashes were computed: for tests, which show that every failure costs the same. */
  get computed(): number {
    return this.#computed;
  }

  /** A password as it is stored. */
  async hash(password: string, salt: Buffer): Promise<string> {
    const key = await this.#derive(password, { ...this.#cost, salt });
    const { logN, r, p } = this.#cost;
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString("base64url")}$${key.toString("base64url")}`;
  }

  /**
   * Which of the stored ones is the hash of this password. Hashes that share their salt cost one computation, and so
   * does none at all.
   */
  async findMatches(password: string, stored: readonly string[], salt: Buffer): Promise<boolean[]> {
    const parsed = stored.map(parse);
    const computed = new Map<string, Buffer>();
    for (const one of parsed.length > 0 ? parsed : [{ ...this.#cost, salt }]) {
      const name = nameOf(one);
      if (!computed.has(name)) computed.set(name, await this.#derive(password, one));
    }
    return parsed.map((one) =>
      timingSafeEqual(computed.get(nameOf(one)) ?? Buffer.alloc(KEY_BYTES), one.key),
    );
  }

  async #derive(password: string, { logN, r, p, salt }: PasswordCost & { salt: Buffer }): Promise<Buffer> {
    await this.#enter();
    try {
      this.#computed++;
      // 128 * N * r is what it takes; the limit of Node is just as much.
      const options: ScryptOptions = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
      return await new Promise((resolve, reject) => {
        // The same characters may be typed in several ways.
        scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) =>
          error ? reject(error) : resolve(key),
        );
      });
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
    if (this.#running < AT_ONCE) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= MOST_WAITING) throw refusal("server_busy");
    // Whoever leaves hands its place on.
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }
}

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w-]{1,200})\$([\w-]{43})$/;

function parse(text: string): StoredPassword {
  const [, logN, r, p, salt = "", key = ""] = STORED.exec(text) ?? [];
  if (logN === undefined) throw new Error("a stored password is not in the form that is known");
  return {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
}

function nameOf({ logN, r, p, salt }: PasswordCost & { readonly salt: Buffer }): string {
  return [logN, r, p, salt.toString("hex")].join();
}
