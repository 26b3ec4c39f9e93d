import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes in a file, from its start to its end. */
export interface StoredBytes {
  readonly size: number;
  sha256(): Buffer;
  /** All of them, in chunks of this length. */
  chunks(length: number): AsyncGenerator<Buffer>;
}

/** Bytes that are kept outside of memory for a while. The file has no name any more: it ends with the process, however that ends. */
export interface TemporaryFile extends StoredBytes {
  readonly handle: FileHandle;
  write(bytes: Uint8Array): Promise<void>;
  /** Of all that was written; nothing is written afterwards. */
  sha256(): Buffer;
  close(): Promise<void>;
}

/** The folder for temporary files, which TMPDIR names, cannot be used. */
export class TemporaryFolderError extends Error {
  override readonly name = 'TemporaryFolderError';
  /** Its own: the code of the cause would be taken for that of another folder. */
  readonly code = 'ERR_TEMPORARY_FOLDER';
}

/** An empty file in the system's folder for such. */
export async function temporaryFile(): Promise<TemporaryFile> {
  const handle = await nameless().catch(toldOfFolder);
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
      await handle.writeFile(bytes).catch(toldOfFolder);
      size += bytes.length;
    },
    sha256: () => (digest ??= hash.digest()),
    chunks: (length) => chunksOf(handle, length),
    close: () => handle.close(),
  };
}

async function nameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `grid-models-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

function toldOfFolder(cause: Error): never {
  const message = `the folder for temporary files ${tmpdir()} (TMPDIR) cannot be used: ${cause.message}`;
  throw new TemporaryFolderError(message, { cause });
}

/** The bytes of a file from its start, in chunks of this length. */
export async function* chunksOf(handle: FileHandle, length: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(length);
    const filled = await fill(handle, buffer, position);
    if (filled > 0) yield buffer.subarray(0, filled);
    if (filled < length) return;
    position += filled;
  }
}

/** So many bytes of a file from a position, or those that there are. */
export async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, await fill(handle, buffer, position));
}

/** A read may answer less than was asked for. */
async function fill(handle: FileHandle, buffer: Buffer, position: number): Promise<number> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
