import type { Readable } from 'node:stream';

/** Bytes of a content, both ends included (RFC 9110, section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A version of a development project that an upload published, or had published before. */
export interface PublishedVersion {
  /** Code of the licence area. */
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
  /** From 1; grows by 1 with each correction within a cycle. */
  readonly version: number;
  readonly publishedAt: Date;
}

/** Why an archive is not published: the member it concerns and the line in it, where there is one. */
export interface ArchiveFault {
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
}

/** What became of an upload. */
export type UploadOutcome =
  | { readonly outcome: 'published'; readonly isNew: boolean; readonly version: PublishedVersion }
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] }
  /** The address is unknown, has expired or was used for another archive. */
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'too-large' }
  /** Others are being published: try again. */
  | { readonly outcome: 'busy' };

/** Where the bytes of published files are, and where archives go: GraphQL carries addresses, never the bytes. */
export interface FileStore {
  /** The bytes behind a content address that the graph gave; undefined when it has expired, or is none. */
  open(address: string, range?: ByteRange): Promise<Buffer | Readable | undefined>;
  /** Publishes an archive at an upload address (`/grid-modelling/uploads/{token}`). */
  publishAt(address: string, archive: Readable): Promise<UploadOutcome>;
}
