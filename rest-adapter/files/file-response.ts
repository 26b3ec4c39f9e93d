import type { Responder, Exchange } from '../responses/exchange';
import { type ErrorResponse, catalogueError } from '../responses/error-response';
import { failsPrecondition, isFresh, rangeOf } from './conditions';
import type { ByteRange, FileStore } from './file-store';
import { type MediaType, representationOf } from './media-negotiation';
import type { FileRepresentation, PublishedFile } from './published-file';

/**
 * A published version never changes, so caches need not revalidate it. The lifetime is one day, so that a version
 * published by mistake disappears, and because a setting selects the licence area of a path without one.
 */
const CACHE_CONTROL = 'public, max-age=86400, immutable';

/** Dependencies of file responses. */
export interface FileDependencies extends Responder {
  readonly files: FileStore;
}

/**
 * Sends a published file in the negotiated media type: 200, 206, 304, 412 or 416. The bytes come from the file store.
 */
export async function sendFile(
  services: FileDependencies,
  exchange: Exchange,
  file: PublishedFile,
  mediaType: MediaType,
): Promise<void> {
  const { headers, method } = exchange.request;
  const representation = representationOf(file, mediaType.view, headers);
  if (!representation) throw new Error(`${file.name} has no ${mediaType.view} representation`);
  const validators = validatorsOf(file, representation);
  const cacheHeaders = { ...validators, 'cache-control': CACHE_CONTROL, vary: 'Accept, Accept-Encoding' };
  if (failsPrecondition(headers, validators)) {
    services.sendError(exchange, errorResponse(412, 'The file does not match If-Match or If-Unmodified-Since.'));
    return;
  }
  if (isFresh(headers, validators)) {
    services.sendBytes(exchange, 304, cacheHeaders);
    return;
  }
  const range = method === 'GET' ? rangeOf(headers, representation.size, validators) : 'whole';
  if (range === 'unsatisfiable') {
    const rangeHeader = { 'content-range': `bytes */${representation.size}` };
    services.sendError(exchange, errorResponse(416, `The file has ${representation.size} bytes.`), rangeHeader);
    return;
  }
  await sendRepresentation(services, exchange, representation, range, {
    ...cacheHeaders,
    ...contentHeaders(file, representation, mediaType),
  });
}

async function sendRepresentation(
  { files, sendBytes, sendError }: FileDependencies,
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
  if (bytes === undefined) sendError(exchange, catalogueError('SYS002'));
  else if (part === undefined) sendBytes(exchange, 200, { ...headers, ...length }, bytes);
  else {
    const contentRange = { 'content-range': `bytes ${part.start}-${part.end}/${size}` };
    sendBytes(exchange, 206, { ...headers, ...length, ...contentRange }, bytes);
  }
}

function validatorsOf({ publishedAt }: PublishedFile, { sha256 }: FileRepresentation) {
  return { etag: `"${sha256}"`, 'last-modified': new Date(publishedAt).toUTCString() };
}

function contentHeaders({ name }: PublishedFile, { encoding }: FileRepresentation, { contentType, view }: MediaType) {
  const fileName = view === 'JSON' ? name.replace(/\.xml$/, '.json') : name;
  return {
    'content-type': contentType,
    'content-disposition': `${view === 'ZIP' ? 'attachment' : 'inline'}; filename="${fileName}"`,
    'accept-ranges': 'bytes',
    ...(encoding === 'GZIP' ? { 'content-encoding': 'gzip' } : {}),
  };
}

/** Returns an error about a file or an archive, which has no code in the catalogue. */
export function errorResponse(status: number, message: string): ErrorResponse {
  return { status, errors: [{ message }] };
}
