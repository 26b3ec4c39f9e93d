import type { BaseModelKey } from '../publications/publication-key';
import type { CimFile, DifferenceModelHeader } from '../rdf/difference-model';

/** A published base model. It never changes: a correction is a new version. */
export interface StoredBaseModel extends BaseModelKey {
  readonly id: string;
  /** Short key of its rows. */
  readonly number: number;
  readonly version: number;
  readonly publishedAt: Date;
}

/** A file of a base model: its header, and how much it contains. */
export interface BaseFile {
  readonly file: CimFile;
  readonly header: DifferenceModelHeader;
  readonly items: number;
  readonly statements: number;
}

/** A file of a base model to publish, with the SHA-256 of its bytes. */
export interface DigestedBaseFile extends BaseFile {
  readonly sha256: Buffer;
}
