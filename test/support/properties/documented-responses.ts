import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type ErrorCode, errorCatalogue } from '../../../schema/error-catalogue';
import { HOSTILE } from './contract-violations';
import type { WireResponse, WireRequest } from './http-exchange';
import {
  HEADERS_OF,
  type InterfaceName,
  type ReportedError,
  errorsIn,
  interfaceOf,
  isErrorOf,
} from './rest-interfaces';
import type { DocumentedResponse, Schema, ServedOperation } from './served-contract';

interface Enveloped {
  readonly response?: { readonly resource: string; readonly 'transaction-id': string };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addFormat('mpxn', true);
ajv.addFormat('decimal', true);
// Email addresses are compared trimmed.
ajv.addFormat('email', /^\s*[^\s@]+@[^\s@]+\s*$/);

const compiled = new WeakMap<Schema, ValidateFunction>();

/** Returns ajv's violations of a value by the served document. */
export function misfits(schema: Schema, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema as object);
  compiled.set(schema, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Statuses for requests that match no operation: wrong path or method, or malformed headers. */
const UNSERVED: readonly number[] = [400, 404, 405, 431];
/** Statuses of the web server for malformed headers; the catalogue has no code for them. */
const UNREADABLE = [408, 431];
/** Cache lifetime of files; no other response may be cached. */
const KEPT = 'public, max-age=86400, immutable';

/** The JSON body of a response, if it has one. */
export function bodyOf({ text }: WireResponse): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

/** The errors in a response of an interface. */
export function errorsOf(of: InterfaceName, response: WireResponse): ReportedError[] {
  return response.status < 400 ? [] : errorsIn(of, bodyOf(response));
}

/** The codes of these errors. */
export function codesOf(of: InterfaceName, response: WireResponse): (string | undefined)[] {
  return errorsOf(of, response).map(({ code }) => code);
}

/**
 * Returns all differences between a response and the document of its operation. Undefined means a request without an
 * operation: its response has the form of the interface of its path.
 */
export function undocumented(
  operation: ServedOperation | undefined,
  request: WireRequest,
  response: WireResponse,
): string[] {
  const { status, headers, text } = response;
  if (status >= 500) return [`status ${status}: ${text}`];
  const path = pathOf(request.target);
  const of = operation?.of ?? interfaceOf(decoded(path) || path);
  const documented = operation?.responses.get(status);
  const isHeadRejected = request.method === 'HEAD' && status === 405; // where GET has an effect
  const found = isHeadRejected || isPromised(operation, status) ? [] : [`status ${status} is not documented`];
  const isFile = isFileResponse(documented, status);
  if (headers['cache-control'] !== (isFile ? KEPT : 'no-store'))
    found.push(`cache-control ${String(headers['cache-control'])}`);
  if (!/^tid_[0-9a-f]{24}$/.test(String(headers['transaction-id']))) found.push('no transaction-id');
  if (status === 405 && !headers['allow']) found.push('no allow');
  found.push(...undocumentedHeaders(of, documented, response));
  if (request.method === 'HEAD' && text === '') return found;
  if (documented && documented.mediaTypes.length === 0)
    return text === '' ? found : [...found, 'a body where none is promised'];
  const [mediaType = ''] = String(headers['content-type']).split(';');
  if (!(documented?.mediaTypes ?? ['application/json']).includes(mediaType))
    return [...found, `content-type ${String(headers['content-type'])}`];
  return isFile && !isWholeJson(response)
    ? found
    : [...found, ...undocumentedBody(of, documented?.schema, request, response)];
}

function isPromised(operation: ServedOperation | undefined, status: number): boolean {
  return operation ? operation.responses.has(status) || status === 431 : UNSERVED.includes(status);
}

/** True for a file of Interface C, a part of it, or 304. */
function isFileResponse(documented: DocumentedResponse | undefined, status: number): boolean {
  return status < 400 && documented?.headers['ETag']?.required === true && 'Last-Modified' in documented.headers;
}

function isWholeJson({ status, headers }: WireResponse): boolean {
  const isJson = String(headers['content-type']).startsWith('application/json');
  return status === 200 && isJson && headers['content-encoding'] === undefined;
}

function undocumentedHeaders(
  of: InterfaceName,
  documented: DocumentedResponse | undefined,
  { status, headers }: WireResponse,
): string[] {
  const promised = Object.entries(documented?.headers ?? {}).filter(([name, { required, schema }]) => {
    const value = headers[name.toLowerCase()];
    return value === undefined
      ? required === true
      : misfits(schema, schema.type === 'integer' ? Number(value) : value).length > 0;
  });
  const ofAll = UNREADABLE.includes(status) ? [] : Object.entries(HEADERS_OF[of] ?? {});
  const lacking = ofAll.filter(([name, form]) => !form.test(String(headers[name])));
  return [...promised, ...lacking].map(([name]) => `header ${name}: ${String(headers[name.toLowerCase()])}`);
}

function undocumentedBody(
  of: InterfaceName,
  schema: Schema | undefined,
  { target }: WireRequest,
  response: WireResponse,
): string[] {
  const body = bodyOf(response) as Enveloped;
  const { status, headers } = response;
  const found = schema ? misfits(schema, body) : [];
  // With malformed headers, the path is unknown too.
  if (UNREADABLE.includes(status)) return found;
  if (status >= 400 && !isErrorOf(of, body, status)) found.push(`no error of Interface ${of}: ${response.text}`);
  if (body.response && body.response.resource !== pathOf(target)) found.push(`resource ${body.response.resource}`);
  if (body.response && body.response['transaction-id'] !== headers['transaction-id'])
    found.push('another transaction-id in the body');
  for (const { code, message } of errorsOf(of, response)) {
    const statusOfCode = errorCatalogue[code as ErrorCode]?.status as number | undefined;
    if (statusOfCode !== undefined && statusOfCode !== status) found.push(`${code} with status ${status}`);
    if (statusOfCode === undefined && (of === 'A' || of === 'B')) found.push(`${code} is no code`);
    if (message.includes(HOSTILE)) found.push(`a value is echoed: ${message}`);
    if (/\bat .*\.(ts|js):\d+|node_modules/.test(message)) found.push(`a stack: ${message}`);
  }
  return found;
}

/** The path of a request target, which may be an absolute URL. */
function pathOf(target: string): string {
  return target.replace(/^[a-z]+:\/\/[^/?#]*/, '').split('?')[0] as string;
}

/**
 * Returns the operation of a request by the documents: the path is matched before the method; HEAD is GET without a
 * body.
 */
export function operationAt(
  contract: Iterable<ServedOperation>,
  { method, target }: WireRequest,
): ServedOperation | undefined {
  const path = decoded(pathOf(target).split('#')[0] as string);
  const requestedMethod = method === 'HEAD' ? 'GET' : method;
  const operations = [...contract];
  if (operations.some(({ template }) => template === path))
    return operations.find((operation) => operation.template === path && operation.method === requestedMethod);
  return operations.find((operation) => {
    const pattern = operation.template.replace(/\{[^}]+\}/g, '[^/]+');
    return operation.method === requestedMethod && new RegExp(`^${pattern}$`, 's').test(path);
  });
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
