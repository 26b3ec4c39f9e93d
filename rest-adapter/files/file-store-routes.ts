import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteRange, FileStore } from './file-store';

/** Path at which a process serves the contents of its file store to other services. */
export const CONTENTS_PATH = '/files/contents';
/** Path at which a process receives archives for its file store from other services: PUT publishes, POST checks. */
export const UPLOADS_PATH = '/files/uploads';

/**
 * Idle time after which TCP probes whether the host of the sender still exists. Without probes a lost host would occupy a place for uploads
 * until this process ends. A client may send nothing for longer: the REST adapter limits the time of an archive.
 */
const KEEP_ALIVE_DELAY_MS = 30_000;

type Addressed = FastifyRequest<{ Querystring: { address?: string; client?: string } }>;

/**
 * Serves a file store to the other services of the register. The addresses authorise: those of contents are signed and
 * valid for a minute, those of uploads are secret.
 */
export function serveFileStore(app: FastifyInstance, store: FileStore): void {
  app.get(CONTENTS_PATH, async (request: Addressed, reply) => {
    const bytes = await store.open(request.query.address ?? '', rangeOf(request.headers.range));
    return bytes === undefined ? reply.code(404).send() : reply.type('application/octet-stream').send(bytes);
  });
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, archive, parsed) => parsed(null, archive));
    const receive =
      (work: FileStore['publishAt'] | FileStore['checkAt']) =>
      ({ body, query: { address = '', client } }: Addressed) => {
        const archive = body as IncomingMessage;
        archive.socket.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
        // The sender receives an outcome before it has sent all, and drains its client.
        return work(address, archive, client);
      };
    scope.put(
      UPLOADS_PATH,
      receive((...archive) => store.publishAt(...archive)),
    );
    scope.post(
      UPLOADS_PATH,
      receive((...archive) => store.checkAt(...archive)),
    );
    done();
  });
}

function rangeOf(header: string | undefined): ByteRange | undefined {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}
