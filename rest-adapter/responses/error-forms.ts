import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import type { ResponseMetadata } from './envelope';
import type { ErrorResponse } from './error-response';

/** Builds the error body of an interface. */
export type ErrorForm = (error: ErrorResponse, response: ResponseMetadata) => unknown;

/**
 * Interfaces A and B: the error envelope (specification, Errors). Their contracts lack RTI001 of Interface D: the caller is not a Data User,
 * so that the code is PRM001.
 */
export const errorEnvelope: ErrorForm = ({ errors }, response) => ({
  response,
  errors: errors.map((error) => (error['error-code'] === 'RTI001' ? { ...error, 'error-code': 'PRM001' } : error)),
});

/** Interface C: `{code, message}` with the status and one line per error. */
export const statusAndMessage: ErrorForm = ({ status, errors }) => ({ code: status, message: messageLines(errors) });

/**
 * Interface D: `{code, message, details?}` with an error code, one line per error, and the violation of each parameter
 * or field.
 */
export const codeAndDetails: ErrorForm = (error) => {
  const { errors, violations = [] } = error;
  const details = violations.map(({ parameter, pointer, code, message }) => ({
    path: parameter ?? pointer,
    code,
    message,
  }));
  return { code: codeOf(error), message: messageLines(errors), ...(details.length > 0 ? { details } : {}) };
};

function messageLines(errors: ErrorResponse['errors']): string {
  return errors.map(({ message }) => message).join('\n');
}

/** Codes of Interface D (decisions D.2) for catalogue codes that share a status with others. */
const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
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

/** Statuses that the web server sends without a catalogue code. */
type StatusOfServer = 408 | 431;

/** Codes of Interface D for everything else, by status. Covers every status of the catalogue. */
const CODES_BY_STATUS: Readonly<Record<(typeof errorCatalogue)[ErrorCode]['status'] | StatusOfServer, string>> = {
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

function codeOf({ status, code, violations = [] }: ErrorResponse): string {
  if (violations.some(({ parameter }) => parameter !== undefined)) return 'invalid_parameter';
  if (code !== undefined) return CODES[code] ?? CODES_BY_STATUS[errorCatalogue[code].status];
  return hasOwnCode(status) ? CODES_BY_STATUS[status] : CODES_BY_STATUS[status < 500 ? 400 : 500];
}

function hasOwnCode(status: number): status is keyof typeof CODES_BY_STATUS {
  return Object.hasOwn(CODES_BY_STATUS, status);
}

/** Every error code of Interface D. */
export const INTERFACE_D_ERROR_CODES: readonly string[] = [
  'invalid_parameter',
  ...Object.values(CODES),
  ...Object.values(CODES_BY_STATUS),
];
