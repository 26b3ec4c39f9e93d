import { errorCatalogue, isErrorCode } from '../../schema/error-catalogue';
import { INTERFACE_D_ERROR_CODES } from '../../rest-adapter/responses/error-forms';
import { INTERFACE_C, INTERFACE_D, interfaceAt } from '../../rest-adapter/contract/interfaces';
import type { ContractResponses } from './contract-responses';

/** A response, as received. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A request with its variables filled in. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer | undefined;
}

/** Checks what is true of every response of the register; `transactions` collects the ids of earlier responses. */
export function breaches(
  request: SentRequest,
  { headers, body, status }: ReceivedResponse,
  transactions: Set<string>,
): string[] {
  const transactionId = headers.get('transaction-id') ?? '';
  const of = interfaceAt(request.url.pathname);
  const isOfGrid = of === INTERFACE_C;
  const isOfTariffs = of === INTERFACE_D;
  const { response, errors = errorWithoutEnvelope(body) } = (body ?? {}) as Body;
  const isFile = isOfGrid && [200, 206, 304].includes(status) && headers.has('etag');
  const isAnothers = response?.resource !== request.url.pathname || response['transaction-id'] !== transactionId;
  const rules: readonly (readonly [breach: string, isBroken: boolean])[] = [
    ['has no transaction-id', !/^tid_[0-9a-f]{24}$/.test(transactionId)],
    ['has the transaction-id of an earlier response', transactions.has(transactionId)],
    ['has the wrong Cache-Control', headers.get('cache-control') !== (isFile ? KEPT : 'no-store')],
    [
      'is not JSON in UTF-8',
      !isFile && headers.get('content-type') !== (status === 204 ? null : 'application/json; charset=utf-8'),
    ],
    ['has WWW-Authenticate without 401, or 401 without it', (status === 401) !== headers.has('www-authenticate')],
    ['has an ETag on an error or a redirect', !isFile && status >= 300 && headers.has('etag')],
    ['has the metadata of another response', response !== undefined && isAnothers],
    ['is an error without the envelope', response === undefined && errors.some((error) => 'error-code' in error)],
    ['is an error of Interface C in another form', isOfGrid && status >= 400 && !isCodeAndMessage(body, status)],
    ['is an error of Interface D in another form', isOfTariffs && status >= 400 && !isWordAndDetails(body, status)],
  ];
  transactions.add(transactionId);
  return [
    ...rules.filter(([, isBroken]) => isBroken).map(([breach]) => breach),
    ...errors.flatMap((error) => breachesOfError(error, status, request)),
  ];
}

/** `Cache-Control` of files: a published version never changes. */
const KEPT = 'public, max-age=86400, immutable';

interface Body {
  readonly response?: Metadata;
  readonly errors?: readonly ErrorDetail[];
}

function errorWithoutEnvelope(body: unknown): readonly ErrorDetail[] {
  const { message } = (typeof body === 'object' && body !== null ? body : {}) as ErrorDetail;
  return message === undefined ? [] : [{ message }];
}

function isCodeAndMessage(body: unknown, status: number): boolean {
  const { code, message, ...others } = (body ?? {}) as { code?: unknown; message?: unknown };
  return code === status && typeof message === 'string' && Object.keys(others).length === 0;
}

/** An error with status 400 names the invalid parameters or fields, unless the request cannot be parsed. */
function isWordAndDetails(body: unknown, status: number): boolean {
  const { code, message, details, ...others } = (body ?? {}) as Record<string, unknown>;
  const hasRightForm = details === undefined ? status !== 400 : status === 400 && Array.isArray(details);
  return (
    INTERFACE_D_ERROR_CODES.includes(code as string) &&
    typeof message === 'string' &&
    hasRightForm &&
    Object.keys(others).length === 0
  );
}

interface Metadata {
  readonly resource?: unknown;
  readonly 'transaction-id'?: unknown;
}

interface ErrorDetail {
  readonly 'error-code'?: string;
  readonly message?: string;
}

function breachesOfError(
  { 'error-code': code, message = '' }: ErrorDetail,
  status: number,
  request: SentRequest,
): string[] {
  const misplaced = isErrorCode(code) && errorCatalogue[code].status !== status ? [`says ${code} with ${status}`] : [];
  const echoed = [...sentValues(request)].filter((value) => message.includes(value));
  return [...misplaced, ...echoed.map((value) => `echoes what was sent: ${value}`)];
}

/** Yields the values that the client invented: texts of some length that are not words of the contract. */
function* sentValues({ body, url }: SentRequest): Generator<string> {
  for (const [, value] of url.searchParams) if (isMadeUp(value)) yield value;
  for (const step of url.pathname.split('/').slice(3)) if (/\d/.test(step) && isMadeUp(step)) yield step;
  const text = typeof body === 'string' ? body : '';
  for (const [, value] of text.matchAll(/: ?"((?:[^"\\]|\\.)*)"/g))
    if (value !== undefined && isMadeUp(value)) yield value;
}

const WORDS =
  /^(?:uk-|ACTIVE|REVOKED|EXPIRED|DISCOVERED|[A-Z]+-[A-Z]+$|access-records$|exists$|sole$|lead$|joint$|group$|member$|magic-link$|passkey-)/;

function isMadeUp(value: string): boolean {
  return value.length > 4 && !WORDS.test(value);
}

/** Reports whether the OpenAPI document describes this response. */
export function contractBreaches(
  { method, url }: SentRequest,
  response: ReceivedResponse,
  contract: ContractResponses,
  had: Set<string>,
): string[] {
  const request = { method, path: url.pathname };
  had.add(`${contract.operationOf(request)} ${response.status}`);
  return contract.breaches(request, response);
}
