import type { Readable } from 'node:stream';

/** A transfer of a content without data for this time is aborted. */
export const IDLE_TIMEOUT_MS = 60_000;

/** A byte range, both ends included (RFC 9110 section 14.1.2). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A version of a development project, or a base model, that this upload or an earlier one published. */
export interface PublishedVersion {
  /** Code of the licence area. */
  readonly area: string;
  readonly publicationYear: number;
  readonly period: string;
  /** Null for a base model. */
  readonly projectId: string | null;
  /** Starts at 1; increases by 1 with each correction within a cycle. */
  readonly version: number;
  readonly publishedAt: Date;
}

/** Why an archive is rejected: its member and line, if known. */
export interface ArchiveFault {
  readonly file: string | null;
  readonly line: number | null;
  readonly message: string;
}

/** A property of a published file that its publisher should check. */
export interface ArchiveWarning {
  /** `EQ`, `SC` or `GL`. */
  readonly file: string;
  readonly message: string;
}

/** Result of an upload. */
export type UploadOutcome =
  | {
      readonly outcome: 'published';
      readonly isNew: boolean;
      readonly version: PublishedVersion;
      readonly warnings: readonly ArchiveWarning[];
    }
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] }
  /** The address is unknown, has expired or was used for another archive, or the credentials of its admin have ended. */
  | { readonly outcome: 'gone' }
  /** Would be `gone`, but the network of the client has sent too many such requests. It may retry after some seconds. */
  | { readonly outcome: 'limited'; readonly retryAfter: number }
  /** `maxBytes` is the limit of the address; absent from a replica of the previous release. */
  | { readonly outcome: 'too-large'; readonly maxBytes?: number }
  /** Too many archives are being published; the client may retry. */
  | { readonly outcome: 'busy' };

/** A statement of an archive that does not fit the base model. */
export interface ArchiveFinding {
  readonly kind: 'missing-statement' | 'dangling-association' | 'added-twice';
  /** `EQ`, `SC` or `GL`. */
  readonly file: string;
  readonly mRID: string;
  readonly statement: { readonly name: string; readonly value: string };
  /** Values that the base model has instead of a missing one. Absent for other kinds, and from a replica of the previous release. */
  readonly instead?: readonly string[];
}

/** Result of a check of an archive. */
export type CheckOutcome =
  | {
      readonly outcome: 'checked';
      readonly base: { readonly publicationYear: number; readonly period: string; readonly version: number } | null;
      /** Whether the archive was applied to the base model; absent from a replica of the previous release, which applies it or rejects it. */
      readonly isApplied?: boolean;
      /** Warnings that the publication would have now; absent from a replica of the previous release. */
      readonly warnings?: readonly ArchiveWarning[];
      readonly statementsBefore: number;
      readonly statementsAfter: number;
      readonly findingCount: number;
      readonly findings: readonly ArchiveFinding[];
    }
  | Exclude<UploadOutcome, { readonly outcome: 'published' }>;

/** Stores the bytes of published files and receives archives: GraphQL carries only addresses. */
export interface FileStore {
  /** Opens the content at an address from the graph; undefined if the address is invalid or has expired. */
  open(address: string, range?: ByteRange): Promise<Buffer | Readable | undefined>;
  /**
   * Publishes an archive at an upload address (`/grid-modelling/uploads/{token}`). Requests to addresses that are `gone` are limited by
   * `clientAddress`; without it nothing is counted.
   */
  publishAt(address: string, archive: Readable, clientAddress?: string): Promise<UploadOutcome>;
  /** Checks an archive at an upload address against the base model, with the same limit. Publishes nothing. */
  checkAt(address: string, archive: Readable, clientAddress?: string): Promise<CheckOutcome>;
}
