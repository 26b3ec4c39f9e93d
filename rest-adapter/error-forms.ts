import { type ErrorCode, errorCatalogue } from '../schema/error-catalogue';
import type { ResponseMetadata } from './envelope';
import type { ToldRefusal } from './refusal';

/** The body in which an interface tells of an error. */
export type ErrorForm = (refusal: ToldRefusal, response: ResponseMetadata) => unknown;

/** Interfaces A and B: the error envelope (1-specification.md, Errors). */
export const errorEnvelope: ErrorForm = ({ errors }, response) => ({ response, errors });

/** Interface C: `{code, message}`, the status and a line for each reason. */
export const statusAndMessage: ErrorForm = ({ status, errors }) => ({ code: status, message: linesOf(errors) });

/** Interface D: `{code, message, details?}`, a word, a line for each reason, and what is wrong with which parameter or field. */
export const wordAndDetails: ErrorForm = (refusal) => {
  const { errors, faults = [] } = refusal;
  const details = faults.map(({ parameter, pointer, code, message }) => ({
    path: parameter ?? pointer,
    code,
    message,
  }));
  return { code: wordOf(refusal), message: linesOf(errors), ...(details.length > 0 ? { details } : {}) };
};

function linesOf(errors: ToldRefusal['errors']): string {
  return errors.map(({ message }) => message).join('\n');
}

/** Words of Interface D (3-decisions-c-d.md, D.2) for codes that share a status with others. */
const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  AUT002: 'token_expired',
  AUT003: 'invalid_api_key',
  RTI001: 'rti_user_not_active',
  RTI002: 'consent_required',
  NTF002: 'supplier_not_found',
  NTF003: 'tariff_not_found',
  NTF004: 'user_not_found',
  NTF005: 'registration_not_found',
  NTF006: 'webhook_not_found',
  CNF005: 'price_change_needs_new_tariff',
};

/** Statuses that the web server answers by itself, without a code of the catalogue. */
type StatusOfServer = 408 | 431;

/** Words of Interface D for everything else, by status: none of the catalogue is without one. */
const WORDS_OF_STATUS: Readonly<Record<(typeof errorCatalogue)[ErrorCode]['status'] | StatusOfServer, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable_request',
  429: 'too_many_requests',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'service_unavailable',
};

function wordOf({ status, code, faults = [] }: ToldRefusal): string {
  if (faults.some(({ parameter }) => parameter !== undefined)) return 'invalid_parameter';
  if (code !== undefined) return WORDS[code] ?? WORDS_OF_STATUS[errorCatalogue[code].status];
  return isWorded(status) ? WORDS_OF_STATUS[status] : WORDS_OF_STATUS[status < 500 ? 400 : 500];
}

function isWorded(status: number): status is keyof typeof WORDS_OF_STATUS {
  return Object.hasOwn(WORDS_OF_STATUS, status);
}

/** Every word that Interface D may tell. */
export const ERROR_WORDS: readonly string[] = [
  'invalid_parameter',
  ...Object.values(WORDS),
  ...Object.values(WORDS_OF_STATUS),
];
