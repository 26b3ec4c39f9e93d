import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isErrorCode } from '../../../schema/error-catalogue';
import { RegisterError } from '../../../schema/register-error';
import { isDatabaseUnavailable } from '../unavailable';
import { logError } from './error-log';

/** PostgreSQL error codes of texts and times that it cannot store, such as NUL characters and lone surrogates. */
const UNSTORABLE = /^(22021|22P05|22007|22008)/;

/**
 * Returns the error of the catalogue for any error. An error without a catalogue code becomes SYS001, SYS002 or VAL003.
 * SYS001 and SYS002 are logged without the message, because messages of PostgreSQL quote values.
 */
export function formatError(error: unknown, logger: Logger, transactionId: string): GraphQLError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const at = error instanceof GraphQLError ? error.path : undefined;
  if (original instanceof GraphQLError && !isInternal(original, at)) return withCode(original, at);
  const { code } = original as { code?: unknown };
  if (typeof code === 'string' && UNSTORABLE.test(code)) {
    return withCode(new RegisterError('VAL003', 'A text or time has a value that cannot be stored'), at);
  }
  const place = fieldPath(at);
  if (isDatabaseUnavailable(original)) {
    const fields = { 'transaction-id': transactionId, place, failure: errorFields(original) };
    logError(logger, 'error', original, fields, 'dependency unavailable');
    return withCode(new RegisterError('SYS002'), at);
  }
  logOnce(logger, { transactionId, place, message: 'internal error' }, original);
  return withCode(new RegisterError('SYS001'), at);
}

/** Errors that share a log line. */
interface LoggedError {
  readonly transactionId: string;
  /** Path in the result, with `*` for the index of a list, and `?` for an alias that may not be logged. */
  readonly place: string | undefined;
  readonly message: string;
}

interface CountedError {
  readonly first: Record<string, unknown>;
  count: number;
}

const pendingErrors = new WeakMap<Logger, Map<string, CountedError>>();

/** Logs equal errors of one event-loop tick in one line with their count: entries of a list often fail together. */
function logOnce(logger: Logger, { transactionId, place, message }: LoggedError, error: unknown): void {
  const pending = pendingErrors.get(logger) ?? new Map<string, CountedError>();
  pendingErrors.set(logger, pending);
  const key = [transactionId, place, message].join(' ');
  const present = pending.get(key);
  if (present) return void (present.count += 1);
  const counted = { first: errorFields(error), count: 1 };
  pending.set(key, counted);
  queueMicrotask(() => {
    pending.delete(key);
    logger.error({ 'transaction-id': transactionId, place, count: counted.count, failure: counted.first }, message);
  });
}

function fieldPath(at: GraphQLError['path']): string | undefined {
  return at?.map((step) => (typeof step === 'number' ? '*' : (loggedName(step) ?? '?'))).join('.');
}

const HARMLESS_NAME = /^[A-Za-z][A-Za-z_]{0,63}$/;

/**
 * Returns a name that a client has chosen, of an operation or an alias, as it may be logged: undefined with a digit, because it may be a key or
 * the number of an account or person.
 */
export function loggedName(name: string): string | undefined {
  return HARMLESS_NAME.test(name) ? name : undefined;
}

/**
 * Returns true for an error without a code at a field: a resolver returned a value that its type forbids. Errors of a
 * request have no path.
 */
function isInternal(error: GraphQLError, at: GraphQLError['path']): boolean {
  const code = (error.extensions as GraphQLError['extensions'] | undefined)?.['code'];
  return !isErrorCode(code) && (at ?? error.path) !== undefined;
}

/**
 * Returns the error with its catalogue code, or with VAL003 if it has none. Errors of graphql-jit have no `extensions`
 * unless they wrap an error with `extensions`.
 */
function withCode(error: GraphQLError, path: GraphQLError['path']): GraphQLError {
  const extensions = error.extensions as GraphQLError['extensions'] | undefined;
  if (isErrorCode(extensions?.['code']))
    return new GraphQLError(error.message, { extensions, path: path ?? error.path });
  return new GraphQLError(unquoted(error.message), { extensions: { code: 'VAL003' }, path: path ?? error.path });
}

/**
 * Words after which messages of graphql-js and graphql-jit quote a value, which may be personal data. The text before
 * them is safe to log.
 */
const QUOTED_VALUE = / (got invalid value|cannot represent|found) [\s\S]*$/;

/** Returns a message of graphql-js or graphql-jit without the value that it quotes. */
export function unquoted(message: string): string {
  if (message.startsWith('Value "')) return 'A value is not one of its enum';
  return message.replace(QUOTED_VALUE, ' $1');
}

/** Returns the fields of an error that may be logged: not its message, which may quote personal data. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { code, table, constraint, routine } = error as Error & Record<string, unknown>;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { kind: error.name, code, table, constraint, routine, at: frames.slice(0, 6).map((line) => line.trim()) };
}

/**
 * Logs what libraries print to the standard error, such as `console.trace` of Graphile Worker: one line for each call, without the
 * messages of errors, which may quote values.
 */
export function logConsole(logger: Logger): void {
  for (const [method, level] of [
    ['trace', 'error'],
    ['error', 'error'],
    ['warn', 'warn'],
  ] as const)
    console[method] = (...printed: unknown[]) => {
      const error = printed.find((value) => value instanceof Error);
      const report = printed.filter((value) => typeof value === 'string').join(' ');
      const fields = { ...(report && { report }), ...(error && { failure: errorFields(error) }) };
      logError(logger, level, error, fields, 'printed by a library');
    };
}
