/** One representation of a published file, with the address of its bytes. */
export interface FileRepresentation {
  readonly view: FileView;
  readonly encoding: 'IDENTITY' | 'GZIP';
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Content address, valid for at most a minute. */
  readonly address: string;
}

/** Form of the file: stored RDF/XML, its JSON view, or the archive. */
export type FileView = 'RDF' | 'JSON' | 'ZIP';

/** A published file, as the graph returns it. */
export interface PublishedFile {
  readonly name: string;
  readonly publishedAt: string | Date;
  readonly representations: readonly FileRepresentation[];
}
