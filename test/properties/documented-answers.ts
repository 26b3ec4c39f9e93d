import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import { HOSTILE } from './contract-violations';
import type { WireAnswer, WireRequest } from './http-exchange';
import type { Schema, ServedOperation } from './served-contract';

/** One entry of the error envelope. */
export interface ToldError {
  readonly code: string;
  /** JSON pointer, or name of the parameter, that the message begins with. */
  readonly field: string | undefined;
  readonly message: string;
}

interface Envelope {
  readonly response?: { readonly resource: string; readonly 'transaction-id': string };
  readonly errors?: readonly { readonly 'error-code': string; readonly message: string }[];
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addFormat('mpxn', true);
// E-mail addresses are compared trimmed.
ajv.addFormat('email', /^\s*[^\s@]+@[^\s@]+\s*$/);

const compiled = new WeakMap<Schema, ValidateFunction>();

/** What ajv says against a value, judged by the document as it is served. */
export function misfits(schema: Schema, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema as object);
  compiled.set(schema, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What is answered when a request comes to no operation: wrong path or method, or a head that cannot be read. */
const UNSERVED: readonly number[] = [400, 404, 405, 431];
/** What the web server says of a head that it cannot read; the catalogue has no code for it. */
const UNREADABLE = [408, 431];

/** The body of an answer, if it has one. */
export function bodyOf({ text }: WireAnswer): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

/** The errors that an answer tells. */
export function errorsOf(answer: WireAnswer): ToldError[] {
  const { errors = [] } = (bodyOf(answer) ?? {}) as Envelope;
  return errors.map(({ 'error-code': code, message }) => ({ code, message, field: /^(.*?): /s.exec(message)?.[1] }));
}

/**
 * Everything in which an answer is not what the document says of its operation; empty when all is well. Undefined stands for a
 * request that comes to no operation.
 */
export function undocumented(
  operation: ServedOperation | undefined,
  request: WireRequest,
  answer: WireAnswer,
): string[] {
  const { status, headers, text } = answer;
  if (status >= 500) return [`status ${status}: ${text}`];
  const found: string[] = [];
  const documented = operation?.answers.get(status);
  if (operation ? !documented && status !== 431 : !UNSERVED.includes(status))
    found.push(`status ${status} is not documented`);
  if (headers['cache-control'] !== 'no-store') found.push(`cache-control ${String(headers['cache-control'])}`);
  if (!/^tid_[0-9a-f]{24}$/.test(String(headers['transaction-id']))) found.push('no transaction-id');
  if (status === 405 && !headers['allow']) found.push('no allow');
  for (const [name, { required, schema }] of Object.entries(documented?.headers ?? {})) {
    const value = headers[name.toLowerCase()];
    if (
      value === undefined ? required : misfits(schema, schema.type === 'integer' ? Number(value) : value).length > 0
    ) {
      found.push(`header ${name}: ${String(value)}`);
    }
  }
  if (request.method === 'HEAD' && text === '') return found;
  if (documented && !documented.schema) return text === '' ? found : [...found, 'a body where none is promised'];
  if (!String(headers['content-type']).startsWith('application/json'))
    return [...found, `content-type ${String(headers['content-type'])}`];
  return [...found, ...undocumentedBody(documented?.schema, request, answer)];
}

function undocumentedBody(schema: Schema | undefined, request: WireRequest, answer: WireAnswer): string[] {
  const body = bodyOf(answer) as Envelope;
  const { status, headers } = answer;
  const found = schema ? misfits(schema, body) : unlikeAnError(body);
  const enveloped = status >= 400 || schema?.properties?.['response'];
  if (enveloped && !UNREADABLE.includes(status)) {
    if (body.response?.resource !== pathOf(request.target)) found.push(`resource ${String(body.response?.resource)}`);
  }
  if (enveloped && body.response?.['transaction-id'] !== headers['transaction-id'])
    found.push('another transaction-id in the body');
  for (const { code, message } of errorsOf(answer)) {
    if (errorCatalogue[code as ErrorCode].status !== status && !UNREADABLE.includes(status))
      found.push(`${code} with status ${status}`);
    if (message.includes(HOSTILE)) found.push(`a value is echoed: ${message}`);
    if (/\bat .*\.(ts|js):\d+|node_modules/.test(message)) found.push(`a stack: ${message}`);
  }
  return found;
}

/** An answer without an operation is an error in the envelope. */
function unlikeAnError({ response, errors }: Envelope): string[] {
  return typeof response?.resource === 'string' && Array.isArray(errors) && errors.length > 0
    ? []
    : ['no error envelope'];
}

/** The path of a request line, which may name the whole address. */
function pathOf(target: string): string {
  return target.replace(/^[a-z]+:\/\/[^/?#]*/, '').split('?')[0] as string;
}

/** The operation that a request comes to, as the document has it: a path is looked up before its method; HEAD is GET without a body. */
export function operationAt(
  contract: Iterable<ServedOperation>,
  { method, target }: WireRequest,
): ServedOperation | undefined {
  const path = decoded(pathOf(target).split('#')[0] as string);
  const asked = method === 'HEAD' ? 'GET' : method;
  const operations = [...contract];
  if (operations.some(({ template }) => template === path))
    return operations.find((operation) => operation.template === path && operation.method === asked);
  return operations.find((operation) => {
    const pattern = operation.template.replace(/\{[^}]+\}/g, '[^/]*');
    return operation.method === asked && new RegExp(`^${pattern}$`, 's').test(path);
  });
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return '';
  }
}
