import type { Exchange } from '../responses/exchange';
import { catalogueError } from '../responses/error-response';
import { type FileDependencies, errorResponse } from './file-response';
import type { ArchiveFault, UploadOutcome } from './file-store';

/** `Retry-After` while other archives are being published. */
const RETRY_AFTER_SECONDS = 5;

type Rejection = Exclude<UploadOutcome, { readonly outcome: 'published' }>;

/** Sends the error of an archive that is not published. */
export function sendRejection(services: FileDependencies, exchange: Exchange, outcome: Rejection): void {
  switch (outcome.outcome) {
    case 'refused':
      services.sendError(exchange, archiveError(outcome.faults));
      return;
    case 'gone':
      services.sendError(
        exchange,
        errorResponse(
          410,
          'The upload address is unknown, has expired, or was used for another archive, or the credentials of its admin have ended.',
        ),
      );
      return;
    case 'limited':
      services.sendError(exchange, { ...catalogueError('LIM002', TOO_MANY_GONE), retryAfter: outcome.retryAfter });
      return;
    case 'too-large':
      services.sendError(exchange, errorResponse(413, tooLargeMessage(outcome.maxBytes)));
      return;
    case 'busy':
      services.sendError(exchange, {
        ...errorResponse(503, 'The register is busy with other archives.'),
        retryAfter: RETRY_AFTER_SECONDS,
      });
  }
}

const TOO_MANY_GONE = 'Too many requests to invalid upload addresses from this network.';

const MIB = 1024 * 1024;

/** Limit of the archive of a project, for a replica of the previous release, which does not return it. */
const DEFAULT_MAX_BYTES = 192 * MIB;

const tooLargeMessage = (maxBytes = DEFAULT_MAX_BYTES): string => `The archive is larger than ${maxBytes / MIB} MiB.`;

/** Returns the error of a rejected archive, one line per fault: `EQ.xml, line 12: …`. */
function archiveError(faults: readonly ArchiveFault[]) {
  const errors = faults.map(({ file, line, message }) => {
    const place = [file, line === null ? null : `line ${line}`].filter((part) => part !== null).join(', ');
    return { message: place === '' ? message : `${place}: ${message}` };
  });
  return { status: 422, errors };
}
