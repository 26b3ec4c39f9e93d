import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, errorCatalogue, isErrorCode } from '../../schema/error-catalogue';
import type { Violation } from '../../schema/register-error';
import { OPERATION_LIMITS, excess } from './operation-limits';

/** An error as the gateway sends it: with a code of the catalogue, without values and stack. */
export interface FormattedError extends GraphQLFormattedError {
  readonly extensions: { code: ErrorCode; violations?: readonly Violation[]; retryAfter?: number };
}

/** Codes of Apollo Server and graphql-js, mapped to the catalogue. */
const FOREIGN_CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'VAL010',
  GRAPHQL_VALIDATION_FAILED: 'VAL003',
  BAD_USER_INPUT: 'VAL003',
  BAD_REQUEST: 'VAL003',
  OPERATION_RESOLUTION_FAILURE: 'VAL003',
};

/**
 * Codes of errors in the client's document. Locations of other errors may be those of a query that the gateway wrote.
 */
const DOCUMENT_ERRORS: ReadonlySet<unknown> = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);

/** graphql-js messages that quote values, with their replacements. */
const QUOTING_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Expected value of type "([^"]+)", found [^]*$/, 'Expected a value of type "$1"'],
  [/^Value [^]* does not exist in "([^"]+)" enum[^]*$/, 'The value does not exist in the enum "$1"'],
  [/^Enum "([^"]+)" cannot represent [^]*$/, 'The value does not exist in the enum "$1"'],
  [/^(\w+) cannot represent [^]*$/, 'The value is not of type $1'],
  [/^Expected type "([^"]+)"\. [^]*$/, 'Expected a value of type "$1"'],
  [/^Variable "(\$\w+)" got invalid value [^]*$/, 'Variable "$1" has an invalid value'],
  [/^Unknown operation named [^]*$/, 'The document has no operation of this name'],
];

/** Returns the message without the values that graphql-js quotes. */
export function withoutValues(message: string): string {
  for (const [pattern, replacement] of QUOTING_MESSAGES) {
    if (pattern.test(message)) return message.replace(pattern, replacement);
  }
  return message;
}

/** graphql-js's message at the token limit. It is a limit (VAL003), not a syntax error. */
const TOO_MANY_TOKENS = /^Syntax Error: Document contains more tha[nt] /;

/** graphql-js repeats names of a query, which may have any length, and an error has up to 100 violations. */
const MAX_MESSAGE_LENGTH = 1_000;

/** All validation errors of a client's document. */
export class InvalidDocument extends Error {
  constructor(readonly errors: readonly GraphQLError[]) {
    super('the document is invalid');
  }
}

/** Returns the errors that the gateway sends for a failure: those of an {@link InvalidDocument}, or the failure itself. */
export function errorsOf(failure: unknown): readonly unknown[] {
  return failure instanceof InvalidDocument ? failure.errors : [failure];
}

/** Formats every error that the gateway sends, of trusted and ad-hoc operations. */
export function formatError(error: unknown): FormattedError {
  const { message, path, locations, extensions } = rawError(error);
  const code = TOO_MANY_TOKENS.test(message) ? 'VAL003' : codeOf(extensions['code']);
  const { violations, retryAfter } = extensions as { violations?: readonly Violation[]; retryAfter?: number };
  const text = violations?.length
    ? violationText(violations)
    : messageFor(code, message, extensions['code'], locations);
  return {
    message: text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text,
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    extensions: { code, ...(violations ? { violations } : {}), ...(retryAfter === undefined ? {} : { retryAfter }) },
  };
}

/** Returns all violations as one text, each after its path: most clients show only the message of an error. */
function violationText(violations: readonly Violation[]): string {
  return violations
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}

interface RawError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  /** Locations in the client's document; undefined for an error of the execution. */
  readonly locations?: GraphQLFormattedError['locations'];
  readonly extensions: Record<string, unknown>;
}

/**
 * Returns the parts of an error to report. A scalar's own error is nested in the validation error and takes precedence.
 */
function rawError(error: unknown): RawError {
  const outer = error as Partial<GraphQLError> | undefined;
  const inner = outer?.originalError;
  const source = inner instanceof GraphQLError && isErrorCode(inner.extensions['code']) ? inner : outer;
  return {
    message: typeof source?.message === 'string' ? source.message : '',
    path: outer?.path,
    locations: DOCUMENT_ERRORS.has(outer?.extensions?.['code']) ? outer?.locations : undefined,
    extensions: { ...source?.extensions },
  };
}

function codeOf(code: unknown): ErrorCode {
  if (isErrorCode(code)) return code;
  return (typeof code === 'string' && Object.hasOwn(FOREIGN_CODES, code) && FOREIGN_CODES[code]) || 'SYS001';
}

function messageFor(code: ErrorCode, message: string, original: unknown, locations: RawError['locations']): string {
  if (code.startsWith('SYS')) return errorCatalogue[code].meaning;
  if (TOO_MANY_TOKENS.test(message)) return excess('tokens', OPERATION_LIMITS.tokens);
  if (original !== 'GRAPHQL_PARSE_FAILED') return withoutValues(message);
  const at = locations?.[0];
  return at ? `The query text is not GraphQL at line ${at.line}, column ${at.column}` : 'The query text is not GraphQL';
}

/** HTTP status and headers of a GraphQL response. */
interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns 200 if the operation ran at least in part. If it failed as a whole, its error codes select 401, 429, 503 or
 * the status of the VAL or PRM code. `tokenSent` selects the challenge (RFC 6750 section 3).
 */
export function responseHead(
  errors: readonly FormattedError[] | undefined,
  data: unknown,
  tokenSent: boolean,
): ResponseHead {
  const [first] = errors ?? [];
  if (!first || !errors || !isEmpty(data)) return { status: 200, headers: {} };
  const { code, retryAfter } = first.extensions;
  const all = (prefix: string) => errors.every((error) => error.extensions.code.startsWith(prefix));
  if (all('AUT'))
    return { status: 401, headers: { 'www-authenticate': tokenSent ? 'Bearer error="invalid_token"' : 'Bearer' } };
  if (all('LIM002')) {
    const seconds = String(Math.max(1, Math.ceil(retryAfter ?? 1)));
    return { status: 429, headers: { 'retry-after': seconds, ratelimit: `"requests";r=0;t=${seconds}` } };
  }
  if (all('SYS002')) return { status: 503, headers: { 'retry-after': '1' } };
  if (data === undefined && /^(VAL|PRM)/.test(code)) return { status: errorCatalogue[code].status, headers: {} };
  return { status: 200, headers: {} };
}

function isEmpty(data: unknown): boolean {
  return data === null || data === undefined || Object.values(data).every((value) => value === null);
}
