/** One form in which a published file can be had, and where its bytes are. */
export interface FileRepresentation {
  readonly view: FileView;
  readonly encoding: 'IDENTITY' | 'GZIP';
  /** In bytes. */
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Content address, valid for at most a minute. */
  readonly address: string;
}

/** What is written: the stored RDF/XML, its JSON view, or the archive. */
export type FileView = 'RDF' | 'JSON' | 'ZIP';

/** A published file, as the graph tells of it. */
export interface PublishedFile {
  readonly name: string;
  readonly publishedAt: string | Date;
  readonly representations: readonly FileRepresentation[];
}
