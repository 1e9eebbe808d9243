import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 64 * 1024;

/** The bytes of a file from the beginning, as often as they are needed. `onRead` gets how many have been read. */
export async function* readChunks(
  file: FileHandle,
  onRead: (bytes: number) => void = () => {},
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read({
      buffer: Buffer.allocUnsafe(chunkBytes),
      position,
    });
    if (bytesRead === 0) return;
    position += bytesRead;
    onRead(position);
    yield buffer.subarray(0, bytesRead);
  }
}

export async function readHead(file: FileHandle, bytes: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(bytes), position: 0 });
  return buffer.subarray(0, bytesRead);
}
