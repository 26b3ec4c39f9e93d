import type { PublicationKey } from './publication-key';

/** The publication key of an archive, and the account that publishes it. */
export interface Publication extends PublicationKey {
  /** Account of the admin who uploads it; null for a command of the operator. */
  readonly accountId: string | null;
}

/** A published version. */
export interface PublishedVersion extends PublicationKey {
  /** Internal id of the version. */
  readonly id: string;
  readonly version: number;
  readonly publishedAt: Date;
  /** The published archive: size in bytes, SHA-256 in hexadecimal. */
  readonly archive: { readonly name: string; readonly size: number; readonly sha256: string };
}

/** A reason why an archive is not published. */
export interface ArchiveFault {
  /** Name of the member: `EQ.xml`; null if the fault concerns the whole archive. */
  readonly file: string | null;
  /** From 1; null if the fault concerns no line. */
  readonly line: number | null;
  readonly message: string;
}
