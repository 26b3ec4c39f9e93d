import type { Pool } from 'pg';
import type { CimFile } from '../domain/difference-model';

/** Bytes of a chunk; the last one of a content has fewer. */
export const CHUNK_BYTES = 256 * 1024;

/** A chunk of a content, numbered from 0. */
export interface ContentChunk {
  readonly number: number;
  readonly bytes: Buffer;
}

/** What a content is: a member of an archive or all of it, in one of its views and codings. */
export interface ContentKind {
  readonly member: CimFile | 'archive';
  readonly view: 'rdf' | 'json' | 'zip';
  readonly encoding: 'identity' | 'gzip';
  readonly size: number;
  readonly sha256: Buffer;
}

/** Stored contents by their numbers. */
export class ContentRepository {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Adds a content to a staged version, without its bytes; answers its number. */
  async add(version: string, { member, view, encoding, size, sha256 }: ContentKind): Promise<number> {
    const { rows } = await this.pool.query<{ number: number }>(
      'insert into content (project_version, member, view, encoding, size, sha256) values ($1, $2, $3, $4, $5, $6) returning number',
      [version, member, view, encoding, size, sha256],
    );
    return (rows[0] as { number: number }).number;
  }

  async addChunk(content: number, { number, bytes }: ContentChunk): Promise<void> {
    await this.pool.query({
      name: 'add_content_chunk',
      text: 'insert into content_chunk (content, number, bytes) values ($1, $2, $3)',
      values: [content, number, bytes],
    });
  }

  /** Its bytes in all; undefined when there is none. */
  async size(content: number): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ size: number }>({
      name: 'content_size',
      text: 'select size from content where number = $1',
      values: [content],
    });
    return rows[0]?.size;
  }

  /** All of its bytes. */
  async read(content: number): Promise<Buffer> {
    return Buffer.concat((await this.chunks(content, 0, BEYOND_ALL)).map(({ bytes }) => bytes));
  }

  /** Its chunks from one to another, in order. */
  async chunks(content: number, first: number, last: number): Promise<ContentChunk[]> {
    const { rows } = await this.pool.query<ContentChunk>({
      name: 'content_chunks',
      text: 'select number, bytes from content_chunk where content = $1 and number between $2 and $3 order by number',
      values: [content, first, last],
    });
    return rows;
  }
}

/** Beyond the last chunk of any content. */
const BEYOND_ALL = 1_000_000;
