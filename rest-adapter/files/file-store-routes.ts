import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ByteRange, FileStore } from './file-store';
import { readLeftover } from './leftover';

/** Where a process serves the contents of its file store to the others. */
export const CONTENTS_PATH = '/files/contents';
/** Where a process takes archives for its file store from the others. */
export const UPLOADS_PATH = '/files/uploads';

type Addressed = FastifyRequest<{ Querystring: { address?: string } }>;

/**
 * Serves a file store to the other services of the register. The addresses are its locks: those of contents are signed and last a
 * minute, those of uploads are secrets.
 */
export function serveFileStore(app: FastifyInstance, store: FileStore): void {
  app.get(CONTENTS_PATH, async (request: Addressed, reply) => {
    const bytes = await store.open(request.query.address ?? '', rangeOf(request.headers.range));
    return bytes === undefined ? reply.code(404).send() : reply.type('application/octet-stream').send(bytes);
  });
  app.register((room, _options, done) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', (_request, archive, parsed) => parsed(null, archive));
    room.put(UPLOADS_PATH, async (request: Addressed, reply) => {
      const archive = request.body as IncomingMessage;
      const hearOut = async () => void reply.headers(await readLeftover(archive));
      return store.publishAt(request.query.address ?? '', archive).finally(hearOut);
    });
    done();
  });
}

function rangeOf(header: string | undefined): ByteRange | undefined {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(header ?? '') ?? [];
  return start === undefined ? undefined : { start: Number(start), end: Number(end) };
}
