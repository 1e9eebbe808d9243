import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/**
 * A cursor says up to where a reader has read: the number of an entry, in which past of which organization, and on which
 * timeline of PostgreSQL it was given. It is signed, so that a number which was never given is not taken for one.
 */
export interface ChangeCursor {
  /** Names organization and past. */
  readonly lineage: Buffer;
  /** The name of the timeline, as base64. */
  readonly mark: string;
  readonly sequence: number;
}

export interface CursorPlace {
  readonly organizationId: string;
  readonly restoreId: string;
  /** Base64. */
  readonly mark: string;
}

const LINEAGE = 8;
const MARK = 8;
const SEQUENCE = 6;
const SIGNATURE = 8;
const CONTENT = LINEAGE + MARK + SEQUENCE;

/** The key that cursors are signed with, made of the secret of the server. */
export function cursorKey(keySecret: string): Buffer {
  return createHmac("sha256", keySecret).update("cursors of the change feed").digest();
}

export function lineageOf({ organizationId, restoreId }: Omit<CursorPlace, "mark">): Buffer {
  return createHash("sha256").update(`${restoreId} ${organizationId}`).digest().subarray(0, LINEAGE);
}

/** Writes cursors of one place, for any number of entries. */
export function cursorWriter(key: Buffer, place: CursorPlace): (sequence: number) => string {
  const bytes = Buffer.alloc(CONTENT + SIGNATURE);
  lineageOf(place).copy(bytes);
  Buffer.from(place.mark, "base64").copy(bytes, LINEAGE);
  return (sequence) => {
    bytes.writeUIntBE(sequence, LINEAGE + MARK, SEQUENCE);
    signatureOf(key, bytes).copy(bytes, CONTENT);
    return bytes.toString("base64url");
  };
}

/** What a cursor says; nothing if it is not one of ours. */
export function readCursor(key: Buffer, text: string): ChangeCursor | undefined {
  const bytes = Buffer.from(text, "base64url");
  // Other texts may stand for the same bytes.
  if (bytes.length !== CONTENT + SIGNATURE || bytes.toString("base64url") !== text) return undefined;
  if (!timingSafeEqual(signatureOf(key, bytes), bytes.subarray(CONTENT))) return undefined;
  return {
    lineage: bytes.subarray(0, LINEAGE),
    mark: bytes.subarray(LINEAGE, LINEAGE + MARK).toString("base64"),
    sequence: bytes.readUIntBE(LINEAGE + MARK, SEQUENCE),
  };
}

function signatureOf(key: Buffer, bytes: Buffer): Buffer {
  return createHmac("sha256", key).update(bytes.subarray(0, CONTENT)).digest().subarray(0, SIGNATURE);
}
