/** A form in which a published file is served: as published (`rdf`, and `zip` for the archive), or the JSON view of a difference model. */
export type FileView = 'rdf' | 'json' | 'zip';

/** How stored bytes are coded. */
export type ContentEncoding = 'identity' | 'gzip';
