import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ContractOperation } from '../contract/contract';
import { resourceOf } from '../responses/envelope';
import type { Exchange } from '../responses/exchange';
import { acceptsJson } from '../requests/media-types';
import { catalogueError, violationsError } from '../responses/error-response';
import { unknownQueryViolations } from '../requests/read-request';
import { routePath } from '../contract/route-paths';
import { codeOfServerError } from '../../gateway/client/server-error';
import type { FileDependencies } from './file-response';
import type { ArchiveFinding, ArchiveWarning, PublishedVersion } from './file-store';
import { ARCHIVE, BRIEFLY, drainBody } from '../requests/drain-body';
import { limitUploadTime } from './upload-deadline';
import { sendRejection } from './upload-rejection';
import { preferenceViolations } from '../requests/preferences';
import { locationOf } from './archive-location';

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
type Work = (services: UploadDependencies, exchange: Exchange) => Promise<void>;

async function receive(services: UploadDependencies, exchange: Exchange, work: Work): Promise<void> {
  const { raw, headers } = exchange.request;
  const drain = async () => void exchange.reply.headers(await drainBody(raw, BRIEFLY));
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
  await work(services, exchange);
}

/** Resolves with the outcome of an archive once its rest is drained. */
async function drained<Outcome extends { readonly outcome: string }>(
  { request: { raw }, reply }: Exchange,
  outcome: Promise<Outcome>,
): Promise<Outcome> {
  const isLimited = await outcome.then((certain) => certain.outcome === 'limited').catch(() => false);
  reply.headers(await drainBody(raw, isLimited ? BRIEFLY : ARCHIVE));
  return outcome;
}

const publish: Work = async (services, exchange) => {
  const { raw } = exchange.request;
  const { clientAddress } = exchange.requestMetadata;
  const outcome = await drained(exchange, services.files.publishAt(resourceOf(raw.url ?? ''), raw, clientAddress));
  if (outcome.outcome !== 'published') return sendRejection(services, exchange, outcome);
  services.send(exchange, outcome.isNew ? 201 : 200, locationOf(outcome.version, exchange.request, services.origin), {
    ...publicVersion(outcome.version),
    warnings: outcome.warnings.map(publicWarning),
  });
};

/** The last segment of the path of a check, after the upload address. */
const CHECK_SEGMENT = /\/check$/;

const check: Work = async (services, exchange) => {
  const { raw } = exchange.request;
  const address = resourceOf(raw.url ?? '').replace(CHECK_SEGMENT, '');
  const { clientAddress } = exchange.requestMetadata;
  const outcome = await drained(exchange, services.files.checkAt(address, raw, clientAddress));
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
