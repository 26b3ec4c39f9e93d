import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ContractOperation } from '../contract/contract';
import { resourceOf } from '../responses/envelope';
import type { Exchange } from '../responses/exchange';
import { acceptsJson } from '../requests/media-types';
import { catalogueError, violationsError } from '../responses/error-response';
import { unknownQueryViolations } from '../requests/read-request';
import { routePath } from '../contract/route-paths';
import { codeOfServerError } from '../../gateway/client/server-error';
import { type FileDependencies, errorResponse } from './file-response';
import type { ArchiveFault, ArchiveFinding, ArchiveWarning, PublishedVersion, UploadOutcome } from './file-store';
import { drainBody } from '../requests/drain-body';
import { limitUploadTime } from './upload-deadline';
import { preferenceViolations } from '../requests/preferences';
import { locationOf } from './archive-location';

/** `Retry-After` while other archives are being published. */
const RETRY_AFTER_SECONDS = 5;

/** Dependencies of uploads. */
interface UploadDependencies extends FileDependencies {
  /** Public origin of the register; its host names no licence area. */
  readonly origin: string;
}

/** Serves the upload addresses: streams archives to the file store as they arrive. PUT publishes, POST checks. */
export function serveUploads(
  app: FastifyInstance,
  services: UploadDependencies & { fail(exchange: Exchange, error: unknown): void },
  uploads: readonly ContractOperation[],
): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, archive, parsed) => parsed(null, archive));
    // Any Content-Type is accepted: the file store checks the bytes.
    scope.addHook('onRequest', ({ raw }, _reply, next) => {
      raw.headers['content-type'] = 'application/zip';
      next();
    });
    for (const { method, path, restInterface } of uploads) {
      const start = (request: FastifyRequest, reply: FastifyReply) =>
        services.start(request, reply, path, 'Bearer', restInterface);
      scope.route({
        method: method as 'PUT',
        url: routePath(path),
        handler: (request, reply) => {
          const exchange = start(request, reply);
          if (method === 'POST') allowOtherOrigins(request, reply);
          receive(services, exchange, method === 'POST' ? check : publish).catch((error: unknown) =>
            services.fail(exchange, error),
          );
        },
        errorHandler: (error, request, reply) => {
          services.sendError(start(request, reply), catalogueError(codeOfServerError(error)));
        },
      });
    }
    done();
  });
}

/**
 * Lets pages of any origin, such as the console, read the result of a check (Fetch standard, CORS protocol). The secret address is the only
 * credential; a check stores nothing.
 */
function allowOtherOrigins({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.origin !== undefined) reply.header('access-control-allow-origin', '*');
}

/** Sends the outcome of an archive that arrives. */
type Work = (services: UploadDependencies, exchange: Exchange, drain: () => Promise<void>) => Promise<void>;

async function receive(services: UploadDependencies, exchange: Exchange, work: Work): Promise<void> {
  const { raw, headers } = exchange.request;
  const drain = async () => void exchange.reply.headers(await drainBody(raw));
  if (!acceptsJson(headers.accept)) {
    await drain();
    services.sendError(exchange, catalogueError('ACC001'));
    return;
  }
  const violations = [
    ...unknownQueryViolations(Object.keys(exchange.request.query as object)),
    ...preferenceViolations(headers, work === publish ? 'write' : 'read'),
  ];
  if (violations.length > 0) {
    await drain();
    services.sendError(exchange, violationsError(violations));
    return;
  }
  limitUploadTime(raw);
  await work(services, exchange, drain);
}

const publish: Work = async (services, exchange, drain) => {
  const { raw } = exchange.request;
  const outcome = await services.files.publishAt(resourceOf(raw.url ?? ''), raw).finally(drain);
  if (outcome.outcome !== 'published') return sendRejection(services, exchange, outcome);
  services.send(exchange, outcome.isNew ? 201 : 200, locationOf(outcome.version, exchange.request, services.origin), {
    ...publicVersion(outcome.version),
    warnings: outcome.warnings.map(publicWarning),
  });
};

/** The last segment of the path of a check, after the upload address. */
const CHECK_SEGMENT = /\/check$/;

const check: Work = async (services, exchange, drain) => {
  const { raw } = exchange.request;
  const address = resourceOf(raw.url ?? '').replace(CHECK_SEGMENT, '');
  const outcome = await services.files.checkAt(address, raw).finally(drain);
  if (outcome.outcome !== 'checked') return sendRejection(services, exchange, outcome);
  const { base, isApplied = base !== null, warnings = [], findings, ...counts } = outcome;
  services.send(
    exchange,
    200,
    {},
    {
      baseModel: base,
      applied: isApplied,
      statementsBefore: counts.statementsBefore,
      statementsAfter: counts.statementsAfter,
      findingCount: counts.findingCount,
      findings: findings.map(publicFinding),
      warnings: warnings.map(publicWarning),
    },
  );
};

function publicFinding({ kind, file, mRID, statement: { name, value }, instead = [] }: ArchiveFinding) {
  return { kind, cimFile: `${file}.xml`, mRID, name, value, instead };
}

type Rejection = Exclude<UploadOutcome, { readonly outcome: 'published' }>;

function sendRejection(services: FileDependencies, exchange: Exchange, outcome: Rejection): void {
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

function publicVersion({
  area: licenceArea,
  publicationYear,
  period,
  projectId,
  version,
  publishedAt,
}: PublishedVersion) {
  return { licenceArea, publicationYear, period, projectId, version, publishedAt };
}

function publicWarning({ file, message }: ArchiveWarning) {
  return { cimFile: `${file}.xml`, message };
}
