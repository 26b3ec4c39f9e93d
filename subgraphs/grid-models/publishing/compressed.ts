import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type StoredBytes, type TemporaryFile, temporaryFile } from './temporary-file';

const READ_AT_ONCE = 256 * 1024;

/** The same bytes as `Content-Encoding: gzip` serves them. */
export async function compressed(bytes: StoredBytes): Promise<TemporaryFile> {
  const file = await temporaryFile();
  try {
    await pipeline(bytes.chunks(READ_AT_ONCE), createGzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await file.write(chunk);
    });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
