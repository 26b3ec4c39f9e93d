import { read } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';
import { bytesAt } from './temporary-file';

/** Bytes that a stream reads at a time. */
const CHUNK_SIZE = 65_536;

/**
 * Reads the file of an archive for yauzl. Reports positions beyond the end of the file as errors. The reader of yauzl passes them to
 * `fs.read`, which throws above 2^53 in a callback, so that the process ends or later reads wait forever.
 */
export class ArchiveReader extends RandomAccessReader {
  constructor(
    private readonly handle: FileHandle,
    private readonly size: number,
  ) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (position + length > this.size) setImmediate(callback, new Error('an offset is beyond the end of the file'));
    else read(this.handle.fd, buffer, offset, length, position, callback);
  }

  override createReadStream({ start, end }: { readonly start: number; readonly end: number }): Readable {
    return Readable.from(this.chunks(start, end));
  }

  /** Yields the bytes of a range that yauzl has compared with the size of the file. */
  private async *chunks(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end; position += CHUNK_SIZE)
      yield await bytesAt(this.handle, position, Math.min(CHUNK_SIZE, end - position));
  }
}
