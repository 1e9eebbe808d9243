import { crc32 } from "node:zlib";
import { identifiers, type TableColumns } from "./tables.ts";

// A backup is one gzip file of three members, described in docs/decisions/backup-format.md:
//
//   opening   empty, with a comment that says what the file is: the same bytes in every backup
//   text      a header, the rows of each table as PostgreSQL's COPY writes them, how many they were
//   closing   the SHA-256 of every byte before it

export const FORMAT_VERSION = 1;

/** What a backup says of itself, in its first line. */
export interface BackupHeader {
  readonly formatVersion: number;
  readonly schemaVersion: number;
  readonly programVersion: string;
  readonly createdAt: string;
  readonly tables: readonly TableColumns[];
  /** Whose rows they are; absent in a backup of a whole server. */
  readonly organization?: ExportedOrganization;
}

/** What is said of the organization that a file holds, and of the server that it comes from. */
export interface ExportedOrganization {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** By which another server knows whether it has the same key secret; absent if that one never used any. */
  readonly secretCheck?: string;
  /** Passkeys are bound to its host name. */
  readonly publicUrl?: string;
  /** By which time-zone data its instants were computed. */
  readonly tzdata: string;
}

export type RowCounts = Readonly<Record<string, number>>;

export const HEADER_MARK = "-- rollbook-backup ";
export const COUNTS_MARK = "-- rows ";
/** A line that rows never have: a backslash in them is doubled. */
export const ROWS_END = "\\.\n";

/** How many bytes of the compressed text may be looked at to find the header. */
export const HEADER_MAX_BYTES = 64 * 1024;

export const OPENING = gzipMember("", "rollbook-backup");
export const CLOSING_BYTES = closing("0".repeat(64)).length;

/** Whether a file that begins so is a backup, or one organization's. */
export function isBackup(beginning: Uint8Array): boolean {
  return OPENING.equals(beginning.subarray(0, OPENING.length));
}

export function closing(sha256: string): Buffer {
  return gzipMember(`-- sha256 ${sha256}\n`);
}

export function headerLine(header: BackupHeader): string {
  return `${HEADER_MARK}${JSON.stringify(header)}\n`;
}

export function tableLine({ name, columns }: TableColumns): string {
  return `copy ${identifiers([name])} (${identifiers(columns)}) from stdin;\n`;
}

export function countsLine(counts: RowCounts): string {
  return `${COUNTS_MARK}${JSON.stringify(counts)}\n`;
}

/** Made by hand, so that every byte is known: zlib writes the name of the operating system into it. */
function gzipMember(text: string, comment?: string): Buffer {
  const content = Buffer.from(text);
  const [fixed, block, check] = [Buffer.alloc(10), Buffer.alloc(5), Buffer.alloc(8)];
  fixed.set([0x1f, 0x8b, 8, comment === undefined ? 0 : 0x10]);
  fixed[9] = 0xff;
  // One stored block, and the last.
  block[0] = 1;
  block.writeUInt16LE(content.length, 1);
  block.writeUInt16LE(0xffff - content.length, 3);
  check.writeUInt32LE(crc32(content), 0);
  check.writeUInt32LE(content.length, 4);
  return Buffer.concat([
    fixed,
    Buffer.from(comment === undefined ? "" : `${comment}\0`),
    block,
    content,
    check,
  ]);
}
