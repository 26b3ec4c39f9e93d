import type { Pool } from 'pg';
import type { CimFile } from '../rdf/difference-model';

/** Bytes of a chunk; the last one of a content may have fewer. */
export const CHUNK_BYTES = 256 * 1024;

/** A chunk of a content, numbered from 0. */
interface ContentChunk {
  readonly number: number;
  readonly bytes: Buffer;
}

/** View of a published file: as published (`rdf`, or `zip` for the archive), or the JSON view of a difference model. */
export type FileView = 'rdf' | 'json' | 'zip';

/** Content coding of stored bytes (RFC 9110 section 8.4.1). */
export type ContentEncoding = 'identity' | 'gzip';

/** A file of a version, or the archive with all three. */
export type Member = CimFile | 'archive';

/** Identifies and describes a content of a version: a member or the archive, in one view and coding. */
export interface ContentKind {
  readonly member: Member;
  readonly view: FileView;
  readonly encoding: ContentEncoding;
  readonly size: number;
  readonly sha256: Buffer;
}

/** Size and digest of a content. */
interface ContentProperties {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Stores contents and reads them by number. */
export class ContentRepository {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /** Adds a content, still without chunks, to a staged version. Returns its number. */
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

  /** Returns the size of a content in bytes, and its digest in hexadecimal; undefined if the number does not exist. */
  async properties(content: number): Promise<ContentProperties | undefined> {
    const { rows } = await this.pool.query<ContentProperties>({
      name: 'content_properties',
      text: `select size, encode(sha256, 'hex') as sha256 from content where number = $1`,
      values: [content],
    });
    return rows[0];
  }

  /** Returns all bytes of a content. */
  async read(content: number): Promise<Buffer> {
    return Buffer.concat((await this.chunks(content, 0, MAX_CHUNK_NUMBER)).map(({ bytes }) => bytes));
  }

  /** Returns the chunks `first` to `last`, both inclusive, in order. */
  async chunks(content: number, first: number, last: number): Promise<ContentChunk[]> {
    const { rows } = await this.pool.query<ContentChunk>({
      name: 'content_chunks',
      text: 'select number, bytes from content_chunk where content = $1 and number between $2 and $3 order by number',
      values: [content, first, last],
    });
    return rows;
  }
}

/** Larger than the number of the last chunk of any content. */
const MAX_CHUNK_NUMBER = 1_000_000;
