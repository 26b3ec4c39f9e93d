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
// E-mail addresses are compared trimmed; leap seconds are no instants of the register.
const EMAIL = /^\s*[^\s@]+@[^\s@]+\s*$/;
ajv.addFormat('email', EMAIL);

const compiled = new WeakMap<Schema, ValidateFunction>();

/** What ajv says against a value, judged by the document as it is served. */
export function misfits(schema: Schema, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema as object);
  compiled.set(schema, validate);
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** What may be answered before a request has come to an operation: wrong path, method, size of its head. */
export const UNSERVED: readonly number[] = [400, 404, 405, 406, 413, 415, 431];

/** The body of an answer, if it has one. */
export function bodyOf({ text }: WireAnswer): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

/** The errors that an answer tells. */
export function errorsOf(answer: WireAnswer): ToldError[] {
  const { errors = [] } = (bodyOf(answer) ?? {}) as Envelope;
  return errors.map(({ 'error-code': code, message }) => ({ code, message, field: /^(.*?): /s.exec(message)?.[1] }));
}

/** Everything in which an answer is not what the document says of its operation; empty when all is well. */
export function undocumented(operation: ServedOperation, request: WireRequest, answer: WireAnswer, isServed: boolean): string[] {
  const { status, headers } = answer;
  const found: string[] = [];
  if (status >= 500) return [`status ${status}: ${answer.text}`];
  const documented = operation.answers.get(status);
  if (!documented && (isServed || !UNSERVED.includes(status))) found.push(`status ${status} is not documented`);
  if (headers['cache-control'] !== 'no-store') found.push(`cache-control ${String(headers['cache-control'])}`);
  if (!/^tid_[0-9a-f]{24}$/.test(String(headers['transaction-id']))) found.push('no transaction-id');
  for (const [name, { required, schema }] of Object.entries(documented?.headers ?? {})) {
    const value = headers[name.toLowerCase()];
    if (value === undefined ? required : misfits(schema, schema.type === 'integer' ? Number(value) : value).length > 0) {
      found.push(`header ${name}: ${String(value)}`);
    }
  }
  if (request.method === 'HEAD' && answer.text === '') return found;
  if (!String(headers['content-type']).startsWith('application/json')) return [...found, `content-type ${String(headers['content-type'])}`];
  return [...found, ...undocumentedBody(operation, request, answer)];
}

function undocumentedBody(operation: ServedOperation, request: WireRequest, answer: WireAnswer): string[] {
  const body = bodyOf(answer) as Envelope;
  const errorSchema = operation.answers.get(500)?.schema as Schema;
  const found = misfits(operation.answers.get(answer.status)?.schema ?? errorSchema, body);
  const enveloped = answer.status >= 400 || operation.answers.get(answer.status)?.schema.properties?.['response'];
  if (enveloped) {
    if (body.response?.['transaction-id'] !== answer.headers['transaction-id']) found.push('another transaction-id in the body');
    if (body.response?.resource !== request.target.split('?')[0]) found.push(`resource ${String(body.response?.resource)}`);
  }
  for (const { code, message } of errorsOf(answer)) {
    if (errorCatalogue[code as ErrorCode].status !== answer.status) found.push(`${code} with status ${answer.status}`);
    if (message.includes(HOSTILE)) found.push(`a value is echoed: ${message}`);
    if (/\bat .*\.(ts|js):\d+|node_modules/.test(message)) found.push(`a stack: ${message}`);
  }
  return found;
}
