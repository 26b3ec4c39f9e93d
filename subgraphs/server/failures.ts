import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { isErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import { isAway } from './away';
import { logFault } from './fault-log';

/** PostgreSQL codes of text or times that it cannot store: characters such as NUL, lone surrogates. */
const UNSTORABLE = /^(22021|22P05|22007|22008)/;

/**
 * The error of the catalogue that a failure is told as. What is not in the catalogue becomes SYS001 or SYS002 and goes to
 * the log by its code, place and constraint only: the messages of PostgreSQL quote values.
 */
export function presentable(error: unknown, logger: Logger, transactionId: string): GraphQLError {
  const original = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const at = error instanceof GraphQLError ? error.path : undefined;
  if (original instanceof GraphQLError && !isFaultOfOurs(original, at)) return withCode(original, at);
  const { code } = original as { code?: unknown };
  if (typeof code === 'string' && UNSTORABLE.test(code)) {
    return withCode(new RegisterError('VAL003', 'A text or time has a value that cannot be stored'), at);
  }
  const place = placeOf(at);
  if (isAway(original)) {
    const facts = { 'transaction-id': transactionId, place, failure: failureFacts(original) };
    logFault(logger, 'error', original, facts, 'dependency unavailable');
    return withCode(new RegisterError('SYS002'), at);
  }
  logOnce(logger, { transactionId, place, said: 'internal error' }, original);
  return withCode(new RegisterError('SYS001'), at);
}

/** What one line of the log is about. */
interface Fault {
  readonly transactionId: string;
  /** Where in the answer, whichever entry of a list it is. */
  readonly place: string | undefined;
  readonly said: string;
}

interface CountedFault {
  readonly first: Record<string, unknown>;
  count: number;
}

const faults = new WeakMap<Logger, Map<string, CountedFault>>();

/** Logs a fault once with its count: the entries of a list that fail together are told of in one go. */
function logOnce(logger: Logger, { transactionId, place, said }: Fault, error: unknown): void {
  const pending = faults.get(logger) ?? new Map<string, CountedFault>();
  faults.set(logger, pending);
  const key = [transactionId, place, said].join(' ');
  const known = pending.get(key);
  if (known) return void (known.count += 1);
  const fault = { first: failureFacts(error), count: 1 };
  pending.set(key, fault);
  queueMicrotask(() => {
    pending.delete(key);
    logger.error({ 'transaction-id': transactionId, place, count: fault.count, failure: fault.first }, said);
  });
}

function placeOf(at: GraphQLError['path']): string | undefined {
  return at?.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
}

/** An error without a code at a place of the answer: a resolver gave what its type does not allow. Faults of a request have no place. */
function isFaultOfOurs(error: GraphQLError, at: GraphQLError['path']): boolean {
  const code = (error.extensions as GraphQLError['extensions'] | undefined)?.['code'];
  return !isErrorCode(code) && (at ?? error.path) !== undefined;
}

/** Errors of graphql-jit have no `extensions` unless they wrap an error that has. */
function withCode(error: GraphQLError, path: GraphQLError['path']): GraphQLError {
  const extensions = error.extensions as GraphQLError['extensions'] | undefined;
  if (isErrorCode(extensions?.['code']))
    return new GraphQLError(error.message, { extensions, path: path ?? error.path });
  return new GraphQLError(unquoted(error.message), { extensions: { code: 'VAL003' }, path: path ?? error.path });
}

/** graphql-js and graphql-jit quote values, personal ones too, behind these words; what comes before names variable or type. */
const QUOTING = / (got invalid value|cannot represent|found) [\s\S]*$/;

function unquoted(message: string): string {
  if (message.startsWith('Value "')) return 'A value is not one of its enum';
  return message.replace(QUOTING, ' $1');
}

/** What of a failure may be logged: no message of a database error, since it may quote personal data. */
export function failureFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { kind: typeof error };
  const { code, table, constraint, routine } = error as Error & Record<string, unknown>;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { kind: error.name, code, table, constraint, routine, at: frames.slice(0, 6).map((line) => line.trim()) };
}
