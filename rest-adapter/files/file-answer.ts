import type { Answers, Exchange } from '../exchange';
import { type ToldRefusal, refusal } from '../refusal';
import { failsPrecondition, isFresh, rangeOf } from './conditions';
import type { ByteRange, FileStore } from './file-store';
import { type MediaType, representationOf } from './media-negotiation';
import type { FileRepresentation, PublishedFile } from './published-file';

/**
 * A published version never changes, so that caches need not ask again. They keep it for a day, not for ever: what was published by
 * mistake goes with time, and the licence area of an address without one is a setting.
 */
const CACHED = 'public, max-age=86400, immutable';

/** What answering a file takes beside the answers themselves. */
export interface FileSteps extends Answers {
  readonly files: FileStore;
}

/** Answers a published file in the media type that was agreed: 200, 206, 304, 412 or 416; the bytes come from the file store. */
export async function answerFile(
  steps: FileSteps,
  exchange: Exchange,
  file: PublishedFile,
  mediaType: MediaType,
): Promise<void> {
  const { headers, method } = exchange.request;
  const representation = representationOf(file, mediaType.view, headers);
  if (!representation) throw new Error(`${file.name} is not kept as ${mediaType.view}`);
  const validators = validatorsOf(file, representation);
  const kept = { ...validators, 'cache-control': CACHED, vary: 'Accept, Accept-Encoding' };
  if (failsPrecondition(headers, validators)) {
    steps.refuse(exchange, refused(412, 'The file is not the one that If-Match or If-Unmodified-Since asks for.'));
    return;
  }
  if (isFresh(headers, validators)) {
    steps.sendBytes(exchange, 304, kept);
    return;
  }
  const range = method === 'GET' ? rangeOf(headers, representation.size, validators) : 'whole';
  if (range === 'unsatisfiable') {
    const told = { 'content-range': `bytes */${representation.size}` };
    steps.refuse(exchange, refused(416, `The file has ${representation.size} bytes.`), told);
    return;
  }
  await sendRepresentation(steps, exchange, representation, range, {
    ...kept,
    ...described(file, representation, mediaType),
  });
}

async function sendRepresentation(
  { files, sendBytes, refuse }: FileSteps,
  exchange: Exchange,
  { address, size }: FileRepresentation,
  range: ByteRange | 'whole',
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const part = range === 'whole' ? undefined : range;
  const length = { 'content-length': String(part ? part.end - part.start + 1 : size) };
  if (exchange.request.method === 'HEAD') {
    sendBytes(exchange, 200, { ...headers, ...length });
    return;
  }
  const bytes = await files.open(address, part);
  if (bytes === undefined) refuse(exchange, refusal('SYS002'));
  else if (part === undefined) sendBytes(exchange, 200, { ...headers, ...length }, bytes);
  else {
    const place = { 'content-range': `bytes ${part.start}-${part.end}/${size}` };
    sendBytes(exchange, 206, { ...headers, ...length, ...place }, bytes);
  }
}

function validatorsOf({ publishedAt }: PublishedFile, { sha256 }: FileRepresentation) {
  return { etag: `"${sha256}"`, 'last-modified': new Date(publishedAt).toUTCString() };
}

function described({ name }: PublishedFile, { encoding }: FileRepresentation, { contentType, view }: MediaType) {
  const shown = view === 'JSON' ? name.replace(/\.xml$/, '.json') : name;
  return {
    'content-type': contentType,
    'content-disposition': `${view === 'ZIP' ? 'attachment' : 'inline'}; filename="${shown}"`,
    'accept-ranges': 'bytes',
    ...(encoding === 'GZIP' ? { 'content-encoding': 'gzip' } : {}),
  };
}

/** A refusal of a file or an archive, which the catalogue of errors does not have. */
export function refused(status: number, message: string): ToldRefusal {
  return { status, errors: [{ message }] };
}
