import type { FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { type ContentCoding, chooseEncoding, compressOnce } from "./compression.ts";
import { findWeakly, parseTagList } from "./conditions.ts";
import { encodedTag, recordTag } from "./entity-tags.ts";

/** A document that anyone may read and any cache may keep. */
export interface OpenDocument {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** What it is compressed to, for those who ask for that. */
  readonly compressed: Map<ContentCoding, Promise<Buffer>>;
}

export function openDocument(type: string, content: string | Buffer): OpenDocument {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: recordTag(bytes), compressed: new Map() };
}

/**
 * The methods of a document's route. Both are named, because the HEAD that Fastify adds to a GET gives a 304 the length of
 * its own empty body, which would be that of the document (RFC 9110, 8.6).
 */
export const DOCUMENT_METHODS: HTTPMethods[] = ["GET", "HEAD"];

/** For so long a copy is used unasked: a new release is seen after five minutes at the latest. */
const CACHE_CONTROL = "public, max-age=300";

/** Sends a document, or 304 if the caller has it. */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag, compressed }: OpenDocument,
  cacheControl = CACHE_CONTROL,
): Promise<FastifyReply> {
  const varies = reply.getHeader("vary");
  reply.header("vary", `${varies === undefined ? "" : `${varies}, `}accept-encoding`);
  const encoding = chooseEncoding(request.headers["accept-encoding"] as string | undefined, bytes.length);
  if (isCurrent(request, reply, etag, encoding, cacheControl)) return reply.code(304).send();
  reply.type(type);
  if (!encoding) return reply.send(bytes);
  const known = compressed.get(encoding) ?? compressOnce(bytes, encoding);
  compressed.set(encoding, known);
  known.catch(() => compressed.delete(encoding));
  return reply.header("content-encoding", encoding).send(await known);
}

/** Says how the answer may be kept, and whether the caller has it already. */
export function isCurrent(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  encoding: ContentCoding | undefined,
  cacheControl = CACHE_CONTROL,
): boolean {
  const list = parseTagList(request.headers["if-none-match"] ?? "");
  const known = list && findWeakly(list, etag);
  reply.headers({
    "cache-control": cacheControl,
    etag: known ?? (encoding ? encodedTag(etag, encoding) : etag),
  });
  return known !== undefined;
}
