import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { RegisterError } from '../../schema/register-error';
import { isAway } from '../server/away';
import { failureFacts } from '../server/failures';
import { logFault } from '../server/fault-log';
import type { ContentRange, ContentStore } from './content-store';
import { TemporaryFolderError } from './publishing/temporary-file';
import type { UploadOutcome, Uploads } from './publishing/uploads';

/** The bytes of `grid-models`, in and out: what of it is not GraphQL. Both are unavailable (SYS002) without the database. */
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
export function gridFiles(contents: ContentStore, uploads: Uploads, logger: Logger): GridFiles {
  const told = (error: unknown): never => {
    if (!isAway(error) && !(error instanceof TemporaryFolderError)) throw error;
    logFault(logger, 'error', error, { failure: failureFacts(error) }, 'dependency unavailable');
    throw new RegisterError('SYS002');
  };
  return {
    open: (address, range) => contents.open(address, range).catch(told),
    publishAt: (address, archive) =>
      uploads.publishAt(address, archive).catch((error: unknown) => {
        if (error === archive.errored) throw error; // nobody is left to be answered
        return told(error);
      }),
  };
}
