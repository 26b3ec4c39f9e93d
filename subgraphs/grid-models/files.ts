import type { Readable } from 'node:stream';
import type { ContentRange, ContentStore } from './content-store';
import type { UploadOutcome, Uploads } from './publishing/uploads';

/** The bytes of `grid-models`, in and out: what of it is not GraphQL. */
export interface GridFiles {
  /**
   * What stands at an address that the graph gave (`FileRepresentation.address`): short contents whole, long ones as a stream;
   * undefined when the address is none or has expired. The range is within the content.
   */
  open(address: string, range?: ContentRange): Promise<Buffer | Readable | undefined>;
  /** Publishes an archive that is uploaded to an address of `prepareGridPublication`: its path, `/grid-modelling/uploads/<token>`. */
  publishAt(address: string, archive: Readable): Promise<UploadOutcome>;
}

/** The files over content store and uploads. */
export function gridFiles(contents: ContentStore, uploads: Uploads): GridFiles {
  return {
    open: (address, range) => contents.open(address, range),
    publishAt: (address, archive) => uploads.publishAt(address, archive),
  };
}
