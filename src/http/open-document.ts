import type { FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { matchesWeakly, parseTagList } from "./conditions.ts";
import { recordTag } from "./entity-tags.ts";

/** A document that anyone may read and any cache may keep. */
export interface OpenDocument {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function openDocument(type: string, content: string | Buffer): OpenDocument {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: recordTag(bytes) };
}

/**
 * The methods of a document's route. Both are named, because the HEAD that Fastify adds to a GET gives a 304 the length of
 * its own empty body, which would be that of the document (RFC 9110, 8.6).
 */
export const DOCUMENT_METHODS: HTTPMethods[] = ["GET", "HEAD"];

/** For so long a copy is used unasked: a new release is seen after five minutes at the latest. */
const CACHE_CONTROL = "public, max-age=300";

/** Sends a document, or 304 if the caller has it. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag }: OpenDocument,
): FastifyReply {
  if (isCurrent(request, reply, etag, CACHE_CONTROL)) return reply.code(304).send();
  return reply.type(type).send(bytes);
}

/** Says how the answer may be kept, and whether the caller has it already. */
export function isCurrent(
  request: FastifyRequest,
  reply: FastifyReply,
  etag: string,
  cacheControl = CACHE_CONTROL,
): boolean {
  reply.headers({ "cache-control": cacheControl, etag });
  const known = parseTagList(request.headers["if-none-match"] ?? "");
  return known !== undefined && matchesWeakly(known, etag);
}
