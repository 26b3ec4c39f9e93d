import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import { isDatabaseUnavailable } from '../../server/unavailable';
import { errorFields } from '../../server/observability/failures';
import { logError } from '../../server/observability/error-log';
import type { ContentRange, ContentStore } from './content-store.flow';
import { TemporaryFolderError } from '../archives/temporary-file';
import type { LimitedUploads } from '../publications/upload-limit.flow';

/**
 * Downloads and uploads, which do not pass through GraphQL. Both throw SYS002 while the database or the temporary folder is unavailable.
 */
export interface GridFiles extends LimitedUploads {
  /**
   * Returns the content at an address from GraphQL (`FileRepresentation.address`): up to 8 MiB as a buffer, longer as a stream; undefined
   * if the address is invalid or expired. The range must be within the content.
   */
  open(address: string, range?: ContentRange): Promise<Buffer | Readable | undefined>;
}

/** Combines content store and uploads, and maps unavailable dependencies to SYS002. */
export function gridFiles(contents: ContentStore, uploads: LimitedUploads, logger: Logger): GridFiles {
  const rethrow = (error: unknown): never => {
    if (!isDatabaseUnavailable(error) && !(error instanceof TemporaryFolderError)) throw error;
    logError(logger, 'error', error, { failure: errorFields(error) }, 'dependency unavailable');
    throw new RegisterError('SYS002');
  };
  const rethrowOf = (archive: Readable) => (error: unknown) => {
    if (error === archive.errored) throw error; // the client has closed the connection
    return rethrow(error);
  };
  return {
    open: (address, range) => contents.open(address, range).catch(rethrow),
    publishAt: (address, archive, client) => uploads.publishAt(address, archive, client).catch(rethrowOf(archive)),
    checkAt: (address, archive, client) => uploads.checkAt(address, archive, client).catch(rethrowOf(archive)),
  };
}
