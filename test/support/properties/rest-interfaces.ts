/** An interface of the register, as in the specification. */
export type InterfaceName = 'A' | 'B' | 'C' | 'D';

/** An interface: its document, the prefix of the paths in the document, and the prefixes of its own paths. */
export interface InterfacePlace {
  readonly document: string;
  readonly before: string;
  readonly claims: readonly string[];
}

/** All interfaces (specification, Interfaces); a path that belongs to no other interface belongs to Interface A. */
export const INTERFACE_PLACES: Readonly<Record<InterfaceName, InterfacePlace>> = {
  A: { document: '/openapi.json', before: '/v1', claims: [] },
  B: { document: '/openapi/b.json', before: '', claims: ['/login', '/register-consent', '/show-consents'] },
  C: { document: '/openapi/c.json', before: '', claims: ['/grid-modelling'] },
  D: {
    document: '/openapi/d.json',
    before: '',
    claims: ['/v1/suppliers', '/v1/users', '/v1/tariff', '/v1/consent', '/v1/webhook', '/v1/report'],
  },
};

/** Returns the interface that determines the form of the response to a path without an operation. */
export function interfaceOf(path: string): InterfaceName {
  const claimed = (Object.keys(INTERFACE_PLACES) as InterfaceName[]).find((name) =>
    INTERFACE_PLACES[name].claims.some((claim) => `${path}/`.startsWith(`${claim}/`)),
  );
  return claimed ?? 'A';
}

/** One reported error. */
export interface ReportedError {
  /** Code of the catalogue, or Interface D's word if it has no details; undefined if the interface has no codes. */
  readonly code: string | undefined;
  /** JSON pointer, or the name of a parameter as messages have it (in Interface D its plain name). */
  readonly field: string | undefined;
  readonly message: string;
}

interface Envelope {
  readonly errors?: readonly { readonly 'error-code': string; readonly message: string }[];
}

interface PlainError {
  readonly code?: string | number;
  readonly message?: string;
  readonly details?: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** Returns the errors in a body of an interface; none for a success. */
export function errorsIn(of: InterfaceName, body: unknown): ReportedError[] {
  if (of === 'A' || of === 'B') {
    const { errors = [] } = (body ?? {}) as Envelope;
    return errors.map(({ 'error-code': code, message }) => ({ code, message, field: fieldIn(message) }));
  }
  const { code, message = '', details } = (body ?? {}) as PlainError;
  if (code === undefined) return [];
  if (of === 'C') return message.split('\n').map((line) => ({ code: undefined, message: line, field: fieldIn(line) }));
  return (
    details?.map(({ path: field, ...other }) => ({ ...other, field })) ?? [
      { code: String(code), message, field: undefined },
    ]
  );
}

function fieldIn(message: string): string | undefined {
  return /^(.*?): /s.exec(message)?.[1];
}

/** Reports whether a body has the error form of an interface (decisions A/B, 7 and 8; decisions C.1 and D.2). */
export function isErrorOf(of: InterfaceName, body: unknown, status: number): boolean {
  const { response, errors, code, message, details, ...others } = (body ?? {}) as Record<string, unknown>;
  if (of === 'A' || of === 'B') {
    const { resource, [of === 'A' ? 'timestamp' : 'response-time-stamp']: time } = (response ?? {}) as Record<
      string,
      unknown
    >;
    return typeof resource === 'string' && typeof time === 'string' && Array.isArray(errors) && errors.length > 0;
  }
  if (response !== undefined || errors !== undefined || Object.keys(others).length > 0) return false;
  if (typeof message !== 'string' || message === '') return false;
  if (of === 'C') return code === status && details === undefined;
  return typeof code === 'string' && /^[a-z_]+$/.test(code) && (details === undefined || status === 400);
}

/**
 * Headers that every response of an interface has in addition to those of its document: Interface B is deprecated (RFC
 * 9745, RFC 8594).
 */
export const HEADERS_OF: Readonly<Partial<Record<InterfaceName, Readonly<Record<string, RegExp>>>>> = {
  B: { deprecation: /^@\d+$/, sunset: / GMT$/, link: /^<https?:.*>; rel="successor-version"$/ },
};

/** Codes of the responses to a caller without permission, whatever else is wrong; none for C, which is public. */
export const NOT_LET_IN = /^(AUT\d+|PRM001|unauthorized|token_expired|invalid_api_key|forbidden|rti_user_not_active)$/;
