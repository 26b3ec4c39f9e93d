import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** The contents of a file. */
export interface StoredBytes {
  readonly size: number;
  sha256(): Buffer;
  /** Yields all bytes, in chunks of `length`. */
  chunks(length: number): AsyncGenerator<Buffer>;
}

/** A file for data too large for memory. It is unlinked while open, so that the operating system removes it when the process ends. */
export interface TemporaryFile extends StoredBytes {
  readonly handle: FileHandle;
  write(bytes: Uint8Array): Promise<void>;
  /** Digest of everything written. Must be called after the last write. */
  sha256(): Buffer;
  close(): Promise<void>;
}

/** Thrown when the folder for temporary files (TMPDIR) cannot be used. */
export class TemporaryFolderError extends Error {
  override readonly name = 'TemporaryFolderError';
  /** Replaces the code of the cause, which `process/startup-error.ts` would report as an error of DATA_DIR. */
  readonly code = 'ERR_TEMPORARY_FOLDER';
}

/** Creates an empty temporary file in the folder that TMPDIR names. */
export async function temporaryFile(): Promise<TemporaryFile> {
  const handle = await openUnlinked().catch(throwFolderError);
  const hash = createHash('sha256');
  let digest: Buffer | undefined;
  let size = 0;
  return {
    handle,
    get size() {
      return size;
    },
    async write(bytes) {
      hash.update(bytes);
      await handle.writeFile(bytes).catch(throwFolderError);
      size += bytes.length;
    },
    sha256: () => (digest ??= hash.digest()),
    chunks: (length) => chunksOf(handle, length),
    close: () => handle.close(),
  };
}

async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `grid-models-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

function throwFolderError(cause: Error): never {
  const message = `the folder for temporary files ${tmpdir()} (TMPDIR) cannot be used: ${cause.message}`;
  throw new TemporaryFolderError(message, { cause });
}

const COPY_SIZE = 1024 * 1024;

/** Copies a file, up to just above `maxSize` bytes: publishing reads it several times, while another process may write to it. */
export async function copyOf(path: string, maxSize: number): Promise<TemporaryFile> {
  const copy = await temporaryFile();
  let original: FileHandle | undefined;
  try {
    original = await open(path, 'r');
    for await (const bytes of chunksOf(original, COPY_SIZE)) {
      await copy.write(bytes);
      if (copy.size > maxSize) break;
    }
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  } finally {
    await original?.close();
  }
}

/** Yields the bytes of a file from its start, in chunks of `length`. */
async function* chunksOf(handle: FileHandle, length: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(length);
    const filled = await fill(handle, buffer, position);
    if (filled > 0) yield buffer.subarray(0, filled);
    if (filled < length) return;
    position += filled;
  }
}

/** Reads `length` bytes from a position, or fewer at the end of the file. */
export async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, await fill(handle, buffer, position));
}

/** Repeats the read until the buffer is full or the file ends, because one read may return fewer bytes. */
async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

const READ_SIZE = 256 * 1024;

/** Compresses bytes as `Content-Encoding: gzip` into a temporary file, which the caller closes. */
export async function gzipped(bytes: StoredBytes): Promise<TemporaryFile> {
  const file = await temporaryFile();
  try {
    await pipeline(bytes.chunks(READ_SIZE), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.write(chunk);
    });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
