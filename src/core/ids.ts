import { randomFillSync } from "node:crypto";

const pool = Buffer.alloc(4096);
let used = pool.length;
let lastMs = 0;
let sequence = 0;

/**
 * A new UUID of version 7 (RFC 9562) for something that is made now, by the clock of the data: 48 bits of milliseconds,
 * then a counter that keeps the ids of one process in the order in which they were made even within one millisecond,
 * then 62 random bits.
 */
export function newId(now: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  if (now > lastMs) {
    lastMs = now;
    // Begins in the lower half, so that the counter has room to grow within the millisecond.
    sequence = pool.readUInt16BE(used) & 0x7ff;
  } else if (++sequence > 0xfff) {
    lastMs++;
    sequence = 0;
  }
  const time = lastMs.toString(16).padStart(12, "0");
  const counter = (0x7000 | sequence).toString(16);
  const variant = (0x8000 | (pool.readUInt16BE(used + 2) & 0x3fff)).toString(16);
  const random = pool.toString("hex", used + 4, used + 10);
  used += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-${counter}-${variant}-${random}`;
}
