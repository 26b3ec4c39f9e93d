import { codeAndDetails } from '../../../rest-adapter/responses/error-forms';
import { type ErrorResponse, catalogueError, violationsError } from '../../../rest-adapter/responses/error-response';
import { type ErrorCode, errorCatalogue } from '../../../schema/error-catalogue';

const responseOf = (rejected: ErrorResponse) =>
  codeAndDetails(rejected, { resource: '/v1/consent', 'transaction-id': 'tid_5d3f9a1c7be2048643d1e0fa' });

/** Code of Interface D for every catalogue code (decisions D.2). */
const WORDS: Readonly<Record<ErrorCode, string>> = {
  VAL001: 'invalid_request',
  VAL002: 'invalid_request',
  VAL003: 'invalid_request',
  VAL004: 'invalid_request',
  VAL005: 'invalid_request',
  VAL006: 'invalid_request',
  VAL007: 'invalid_request',
  VAL008: 'invalid_request',
  VAL009: 'invalid_request',
  VAL010: 'invalid_request',
  VAL011: 'unsupported_media_type',
  AUT001: 'unauthorized',
  AUT002: 'token_expired',
  AUT003: 'invalid_api_key',
  PRM001: 'forbidden',
  PRM002: 'forbidden',
  PRM003: 'forbidden',
  RTI001: 'rti_user_not_active',
  RTI002: 'consent_required',
  NTF001: 'not_found',
  NTF002: 'supplier_not_found',
  NTF003: 'tariff_not_found',
  NTF004: 'user_not_found',
  NTF005: 'registration_not_found',
  NTF006: 'webhook_not_found',
  MET001: 'method_not_allowed',
  ACC001: 'not_acceptable',
  CNF001: 'conflict',
  CNF002: 'conflict',
  CNF003: 'conflict',
  CNF004: 'conflict',
  CNF005: 'price_change_needs_new_tariff',
  CND001: 'precondition_failed',
  LIM001: 'payload_too_large',
  LIM002: 'too_many_requests',
  REI001: 'unprocessable_request',
  SYS001: 'internal_error',
  SYS002: 'service_unavailable',
};

describe('the error code of Interface D', () => {
  it.each(Object.keys(errorCatalogue) as ErrorCode[])('for %s is derived from the code or its status', (code) => {
    expect(responseOf(catalogueError(code))).toEqual({ code: WORDS[code], message: errorCatalogue[code].meaning });
  });

  it('for a parameter is invalid_parameter, with the name of the parameter', () => {
    const fault = {
      code: 'VAL003' as const,
      pointer: 'query parameter limit',
      parameter: 'limit',
      message: 'must be at most 100',
    };
    expect(responseOf(violationsError([fault]))).toEqual({
      code: 'invalid_parameter',
      message: 'query parameter limit: must be at most 100',
      details: [{ path: 'limit', code: 'VAL003', message: 'must be at most 100' }],
    });
  });

  it.each([
    [400, 'invalid_request'],
    [408, 'request_timeout'],
    [431, 'headers_too_large'],
    [418, 'invalid_request'],
    [507, 'internal_error'],
  ])('for an error without a code and with the status %s is %s', (status, word) => {
    expect(responseOf({ status, errors: [{ message: 'No.' }] })).toEqual({ code: word, message: 'No.' });
  });
});
