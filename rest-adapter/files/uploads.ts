import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ContractOperation } from '../contract';
import { resourceOf } from '../envelope';
import type { Exchange } from '../exchange';
import { acceptsJson } from '../media-types';
import { refusal } from '../refusal';
import { routePath } from '../route-paths';
import { codeOfServerError } from '../unserved-requests';
import { type FileSteps, refused } from './file-answer';
import type { ArchiveFault, PublishedVersion, UploadOutcome } from './file-store';
import { readLeftover } from './leftover';
import { limitArrival } from './uploading';

/** Seconds after which to try again while others are being published. */
const TRY_AGAIN = 5;

/** Serves the upload addresses: archives go to the file store as they arrive. */
export function serveUploads(
  app: FastifyInstance,
  steps: FileSteps & { fail(exchange: Exchange, error: unknown): void },
  uploads: readonly ContractOperation[],
): void {
  app.register((room, _options, done) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, archive, parsed) => parsed(null, archive));
    // Whatever it is called, or not called at all: the bytes decide.
    room.addHook('onRequest', ({ raw }, _reply, next) => {
      raw.headers['content-type'] = 'application/zip';
      next();
    });
    for (const { method, path, restInterface } of uploads) {
      const begin = (request: FastifyRequest, reply: FastifyReply) =>
        steps.begin(request, reply, path, 'Bearer', restInterface);
      room.route({
        method: method as 'PUT',
        url: routePath(path),
        handler: (request, reply) => {
          const exchange = begin(request, reply);
          upload(steps, exchange).catch((error: unknown) => steps.fail(exchange, error));
        },
        errorHandler: (error, request, reply) => {
          steps.refuse(begin(request, reply), refusal(codeOfServerError(error)));
        },
      });
    }
    done();
  });
}

async function upload(steps: FileSteps, exchange: Exchange): Promise<void> {
  const { raw, headers } = exchange.request;
  const hearOut = async () => void exchange.reply.headers(await readLeftover(raw));
  if (!acceptsJson(headers.accept)) {
    await hearOut();
    steps.refuse(exchange, refusal('ACC001'));
    return;
  }
  limitArrival(raw);
  const outcome = await steps.files.publishAt(resourceOf(raw.url ?? ''), raw).finally(hearOut);
  answer(steps, exchange, outcome);
}

function answer(steps: FileSteps, exchange: Exchange, outcome: UploadOutcome): void {
  switch (outcome.outcome) {
    case 'published':
      steps.send(
        exchange,
        outcome.isNew ? 201 : 200,
        { location: archivePath(outcome.version) },
        told(outcome.version),
      );
      return;
    case 'refused':
      steps.refuse(exchange, refusedFor(outcome.faults));
      return;
    case 'gone':
      steps.refuse(
        exchange,
        refused(410, 'The upload address is unknown, has expired, or was used for another archive.'),
      );
      return;
    case 'too-large':
      steps.refuse(exchange, refused(413, 'The archive is larger than 192 MiB.'));
      return;
    case 'busy':
      steps.refuse(exchange, { ...refused(503, 'Other archives are being published.'), retryAfter: TRY_AGAIN });
  }
}

/** Every fault on a line of its own: `EQ.xml, line 12: …`. */
function refusedFor(faults: readonly ArchiveFault[]) {
  const errors = faults.map(({ file, line, message }) => {
    const place = [file, line === null ? null : `line ${line}`].filter((part) => part !== null).join(', ');
    return { message: place === '' ? message : `${place}: ${message}` };
  });
  return { status: 422, errors };
}

function told({ area: licenceArea, publicationYear, period, projectId, version, publishedAt }: PublishedVersion) {
  return { licenceArea, publicationYear, period, projectId, version, publishedAt };
}

function archivePath({ area, publicationYear, period, projectId, version }: PublishedVersion): string {
  const query = new URLSearchParams({
    licenceArea: area,
    publicationYear: String(publicationYear),
    period,
    version: String(version),
  });
  return `/grid-modelling/stage3/development-projects/${projectId}?${query}`;
}
