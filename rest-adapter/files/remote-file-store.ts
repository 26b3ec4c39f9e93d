import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RegisterError } from '../../schema/register-error';
import {
  type CheckOutcome,
  type FileStore,
  IDLE_TIMEOUT_MS,
  type PublishedVersion,
  type UploadOutcome,
} from './file-store';
import { CONTENTS_PATH, UPLOADS_PATH } from './file-store-routes';

/** Maximum time until a content starts to arrive, below the 10 s limit of every request. */
const OPEN_TIMEOUT_MS = 8_500;
/**
 * Maximum time for publishing after the last byte is sent: up to five archives wait for each other. That of a project takes up to three
 * minutes, that of a base model eight times as long.
 */
const PUBLISH_TIMEOUT_MS = 7_200_000;

/** How the file store of another process is called. */
interface StoreRequests {
  /** Sends a GET request; resolves when the response starts. */
  readonly get: (target: URL, options: RequestOptions) => Promise<IncomingMessage>;
  /** Starts a request, as `request` of `node:http` does. */
  readonly request: (target: URL, options: RequestOptions) => ClientRequest;
}

/** The file store of another process. */
export function remoteFileStore(url: string, { get, request }: StoreRequests): FileStore {
  const targetOf = (path: string, address: string) => {
    const target = new URL(path, url);
    target.searchParams.set('address', address);
    return target;
  };
  const upload =
    <Outcome>(method: 'PUT' | 'POST', parse: (json: string) => Outcome | undefined) =>
    async (address: string, archive: Readable, clientAddress?: string): Promise<Outcome> => {
      const target = targetOf(UPLOADS_PATH, address);
      if (clientAddress !== undefined) target.searchParams.set('client', clientAddress);
      const outgoing = request(target, { method });
      const incoming = await responseTo(outgoing, archive);
      const json = await text(incoming).catch(() => undefined);
      // The outcome may be certain before the store has read the archive: the rest is not sent to it.
      archive.unpipe(outgoing);
      if (!outgoing.writableEnded) outgoing.destroy();
      const outcome = json === undefined || incoming.statusCode !== 200 ? undefined : parse(json);
      if (outcome === undefined) throw new RegisterError('SYS002');
      return outcome;
    };
  return {
    async open(address, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      const opening = new AbortController();
      const deadline = setTimeout(() => opening.abort(), OPEN_TIMEOUT_MS);
      const incoming = await get(targetOf(CONTENTS_PATH, address), { headers, signal: opening.signal })
        .catch(() => Promise.reject(new RegisterError('SYS002')))
        .finally(() => clearTimeout(deadline));
      incoming.setTimeout(IDLE_TIMEOUT_MS, () => incoming.destroy(new Error('no data in time')));
      if (incoming.statusCode === 200) return incoming;
      incoming.resume();
      if (incoming.statusCode === 404) return undefined;
      throw new RegisterError('SYS002');
    },
    publishAt: upload('PUT', parsePublication),
    checkAt: upload('POST', parseOutcome<CheckOutcome>),
  };
}

/** Sends an archive and resolves when the response starts; throws SYS002 if it does not. */
function responseTo(outgoing: ClientRequest, archive: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const abort = () => outgoing.destroy();
    outgoing.setTimeout(PUBLISH_TIMEOUT_MS, abort);
    outgoing.on('response', resolve);
    outgoing.on('error', () => undefined); // `close` follows
    outgoing.on('close', () => reject(new RegisterError('SYS002')));
    archive.on('error', abort);
    archive.on('close', () => (archive.readableEnded ? undefined : abort()));
    archive.pipe(outgoing);
  });
}

/** Parses an upload outcome; undefined if the text is none. */
function parsePublication(json: string): UploadOutcome | undefined {
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
