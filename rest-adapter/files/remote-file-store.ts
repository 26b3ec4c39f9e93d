import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RegisterError } from '../../schema/register-error';
import type { CheckOutcome, FileStore, PublishedVersion, UploadOutcome } from './file-store';
import { CONTENTS_PATH, UPLOADS_PATH } from './file-store-routes';

/** Maximum time until a content starts to arrive, below the 10 s limit of every request. */
const OPEN_TIMEOUT_MS = 8_500;
/**
 * Maximum time for publishing after the last byte is sent: up to five archives wait for each other. That of a project takes up to three
 * minutes, that of a base model eight times as long.
 */
const PUBLISH_TIMEOUT_MS = 7_200_000;
/** A transfer without data for this time is aborted. */
const IDLE_TIMEOUT_MS = 60_000;

/** Starts a request, as `request` of `node:http` does. */
type Request = (target: URL, options: RequestOptions) => ClientRequest;

/** The file store of another process. */
export function remoteFileStore(url: string, request: Request): FileStore {
  const targetOf = (path: string, address: string) => {
    const target = new URL(path, url);
    target.searchParams.set('address', address);
    return target;
  };
  return {
    async open(address, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      const incoming = await responseTo(request(targetOf(CONTENTS_PATH, address), { headers }));
      if (incoming.statusCode === 200) return incoming;
      incoming.resume();
      if (incoming.statusCode === 404) return undefined;
      throw new RegisterError('SYS002');
    },
    async publishAt(address, archive) {
      const incoming = await responseTo(request(targetOf(UPLOADS_PATH, address), { method: 'PUT' }), archive);
      const json = await text(incoming).catch(() => undefined);
      const outcome = json === undefined || incoming.statusCode !== 200 ? undefined : outcomeOf(json);
      if (outcome === undefined) throw new RegisterError('SYS002');
      return outcome;
    },
    async checkAt(address, archive) {
      const incoming = await responseTo(request(targetOf(UPLOADS_PATH, address), { method: 'POST' }), archive);
      const json = await text(incoming).catch(() => undefined);
      const outcome = json === undefined || incoming.statusCode !== 200 ? undefined : parseOutcome<CheckOutcome>(json);
      if (outcome === undefined) throw new RegisterError('SYS002');
      return outcome;
    },
  };
}

/** Sends a request and resolves when the response starts; throws SYS002 if it does not. */
function responseTo(outgoing: ClientRequest, body?: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const abort = () => outgoing.destroy();
    const deadline = body === undefined ? setTimeout(abort, OPEN_TIMEOUT_MS) : undefined;
    outgoing.setTimeout(body === undefined ? IDLE_TIMEOUT_MS : PUBLISH_TIMEOUT_MS, abort);
    outgoing.on('response', (incoming) => {
      clearTimeout(deadline);
      resolve(incoming);
    });
    outgoing.on('error', () => undefined); // `close` follows
    outgoing.on('close', () => {
      clearTimeout(deadline);
      reject(new RegisterError('SYS002'));
    });
    if (body === undefined) outgoing.end();
    else {
      body.on('error', abort);
      body.on('close', () => (body.readableEnded ? undefined : abort()));
      body.pipe(outgoing);
    }
  });
}

/** Parses an upload outcome; undefined if the text is none. */
function outcomeOf(json: string): UploadOutcome | undefined {
  const outcome = parseOutcome<UploadOutcome>(json);
  if (outcome?.outcome !== 'published') return outcome;
  const version: PublishedVersion = { ...outcome.version, publishedAt: new Date(outcome.version.publishedAt) };
  // A replica of the previous release sends no warnings.
  return { ...outcome, version, warnings: (outcome as Partial<typeof outcome>).warnings ?? [] };
}

function parseOutcome<Outcome extends { readonly outcome: string }>(json: string): Outcome | undefined {
  try {
    const outcome = JSON.parse(json) as Partial<Outcome> | null;
    return typeof outcome?.outcome === 'string' ? (outcome as Outcome) : undefined;
  } catch {
    return undefined;
  }
}
