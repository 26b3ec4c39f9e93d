/** An interface of the register, as the specification calls it. */
export type InterfaceName = 'A' | 'B' | 'C' | 'D';

/** Where an interface is: its document, what comes before the paths in it, and how the paths begin that are its own. */
export interface InterfacePlace {
  readonly document: string;
  readonly before: string;
  readonly claims: readonly string[];
}

/** The places of all interfaces (1-specification.md, Interfaces); whatever none of the others claims is Interface A's. */
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

/** The interface in whose form a path is answered where nothing is served. */
export function interfaceOf(path: string): InterfaceName {
  const claimed = (Object.keys(INTERFACE_PLACES) as InterfaceName[]).find((name) =>
    INTERFACE_PLACES[name].claims.some((claim) => `${path}/`.startsWith(`${claim}/`)),
  );
  return claimed ?? 'A';
}

/** What an error says of one reason. */
export interface ToldError {
  /** Code of the catalogue, or Interface D's word where it tells no details; undefined: the interface has no codes. */
  readonly code: string | undefined;
  /** JSON pointer, or the spoken name of a parameter (of Interface D its plain name), that it is about. */
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

/** The errors that a body tells in the form of an interface; of a good answer none. */
export function errorsIn(of: InterfaceName, body: unknown): ToldError[] {
  if (of === 'A' || of === 'B') {
    const { errors = [] } = (body ?? {}) as Envelope;
    return errors.map(({ 'error-code': code, message }) => ({ code, message, field: fieldIn(message) }));
  }
  const { code, message = '', details } = (body ?? {}) as PlainError;
  if (code === undefined) return [];
  if (of === 'C') return message.split('\n').map((line) => ({ code: undefined, message: line, field: fieldIn(line) }));
  return (
    details?.map(({ path: field, ...told }) => ({ ...told, field })) ?? [
      { code: String(code), message, field: undefined },
    ]
  );
}

function fieldIn(message: string): string | undefined {
  return /^(.*?): /s.exec(message)?.[1];
}

/** Whether a body has the form in which an interface tells errors (2-decisions-a-b.md, sections 7 and 8; 3-decisions-c-d.md, C.1 and D.2). */
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

/** Headers that every answer of an interface has, beside those of its document: Interface B is deprecated (RFC 9745, RFC 8594). */
export const HEADERS_OF: Readonly<Partial<Record<InterfaceName, Readonly<Record<string, RegExp>>>>> = {
  B: { deprecation: /^@\d+$/, sunset: / GMT$/, link: /^<https?:.*>; rel="successor-version"$/ },
};

/** What is answered to whom is not let in, whatever else is wrong; of C nothing: it lets in everybody. */
export const NOT_LET_IN = /^(AUT\d+|PRM001|unauthorized|token_expired|invalid_api_key|forbidden|rti_user_not_active)$/;
