import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RegisterError } from '../../schema/register-error';
import type { FileStore, PublishedVersion, UploadOutcome } from './file-store';
import { CONTENTS_PATH, UPLOADS_PATH } from './file-store-routes';

/** Milliseconds in which a content must begin to come, below the ten in which every request is answered. */
const OPENED_WITHIN = 8_500;
/** Milliseconds in which an archive must be published, once its last bytes went: five may wait for each other, three minutes each. */
const PUBLISHED_WITHIN = 900_000;
/** Milliseconds for which bytes may fail to come before they are given up. */
const SILENCE = 60_000;

/** The file store of a process of its own, at its address. */
export function remoteFileStore(url: string): FileStore {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const targetOf = (path: string, address: string) => {
    const target = new URL(path, url);
    target.searchParams.set('address', address);
    return target;
  };
  return {
    async open(address, range) {
      const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` };
      const incoming = await answerTo(targetOf(CONTENTS_PATH, address), { agent, headers });
      if (incoming.statusCode === 200) return incoming;
      incoming.resume();
      if (incoming.statusCode === 404) return undefined;
      throw new RegisterError('SYS002');
    },
    async publishAt(address, archive) {
      const incoming = await answerTo(targetOf(UPLOADS_PATH, address), { agent, method: 'PUT' }, archive);
      const told = await text(incoming).catch(() => undefined);
      const outcome = told === undefined || incoming.statusCode !== 200 ? undefined : outcomeOf(told);
      if (outcome === undefined) throw new RegisterError('SYS002');
      return outcome;
    },
  };
}

/** Sends a request and waits for its answer to begin; SYS002 when it does not. */
function answerTo(target: URL, options: RequestOptions, body?: Readable): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(target, options);
    const giveUp = () => outgoing.destroy();
    const deadline = body === undefined ? setTimeout(giveUp, OPENED_WITHIN) : undefined;
    outgoing.setTimeout(body === undefined ? SILENCE : PUBLISHED_WITHIN, giveUp);
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
      body.on('error', giveUp);
      body.on('close', () => (body.readableEnded ? undefined : giveUp()));
      body.pipe(outgoing);
    }
  });
}

/** The outcome as it was told, with its instant; undefined when it is none. */
function outcomeOf(told: string): UploadOutcome | undefined {
  const outcome = parsed(told);
  if (outcome?.outcome !== 'published') return outcome;
  const version: PublishedVersion = { ...outcome.version, publishedAt: new Date(outcome.version.publishedAt) };
  return { ...outcome, version };
}

function parsed(told: string): UploadOutcome | undefined {
  try {
    const outcome = JSON.parse(told) as Partial<UploadOutcome> | null;
    return typeof outcome?.outcome === 'string' ? (outcome as UploadOutcome) : undefined;
  } catch {
    return undefined;
  }
}
