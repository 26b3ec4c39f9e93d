import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import { MAX_VIOLATIONS } from '../../schema/register-error';
import type { GraphFailure } from '../../gateway/client/graph-client';
import { type InputNames, wireLocation } from '../requests/request-binding';
import type { RequestViolation } from '../requests/validation';

/** One entry of `errors` in the error envelope. */
interface ErrorDetail {
  readonly 'error-code': ErrorCode;
  readonly message: string;
}

/** An error with catalogue codes: one status and at least one entry. */
export interface CatalogueError {
  readonly status: number;
  /** The code of the first entry. */
  readonly code: ErrorCode;
  readonly errors: readonly ErrorDetail[];
  /** Violations of parameters and fields, one per entry. */
  readonly violations?: readonly RequestViolation[];
  /** Seconds until the client may retry. */
  readonly retryAfter?: number | undefined;
}

/** An error as sent. For interfaces without error codes it has only status and messages. */
export interface ErrorResponse extends Partial<Omit<CatalogueError, 'errors'>> {
  readonly status: number;
  readonly errors: readonly (Pick<ErrorDetail, 'message'> & Partial<ErrorDetail>)[];
}

/** Returns the error for one code. */
export function catalogueError(code: ErrorCode, message: string = errorCatalogue[code].meaning): CatalogueError {
  const { status } = errorCatalogue[code];
  return { status, code, errors: [{ 'error-code': code, message }], ...(code === 'SYS002' ? { retryAfter: 1 } : {}) };
}

/** Returns the error for violations of the request: one entry per field, at most 100. */
export function violationsError(violations: readonly RequestViolation[]): CatalogueError {
  const byField = new Map<string, RequestViolation>();
  for (const violation of violations) {
    const field = violation.pointer === '' ? violation.message : violation.pointer;
    if (!byField.has(field) && byField.size < MAX_VIOLATIONS) byField.set(field, violation);
  }
  const shown = [...byField.values()];
  const errors = shown.map(({ code, pointer, message }) => ({
    'error-code': code,
    message: pointer === '' ? message : `${pointer}: ${message}`,
  }));
  const { 'error-code': code } = errors[0] as ErrorDetail;
  return { status: errorCatalogue[code].status, code, errors, violations: shown };
}

/**
 * Order of checks (decisions A/B, 1). The rate is known together with the account. An unavailable dependency precedes
 * everything that would be read from it.
 */
export const ORDER_OF_CHECKS: readonly ErrorCode[] = [
  'AUT001',
  'AUT002',
  'AUT003',
  'LIM002',
  'RTI001',
  'PRM001',
  'ACC001',
  'VAL011',
  'LIM001',
  'VAL010',
  ...(['VAL001', 'VAL002', 'VAL003', 'VAL004', 'VAL005', 'VAL006', 'VAL007', 'VAL008', 'VAL009'] as const),
  'SYS002',
  'SYS001',
  ...(['NTF001', 'NTF002', 'NTF003', 'NTF004', 'NTF005', 'NTF006'] as const),
  'MET001',
  'PRM002',
  'PRM003',
  'RTI002',
  'CNF001',
  'CNF002',
  'CNF003',
  'CNF004',
  'CNF005',
  'CND001',
  'REI001',
];

/**
 * Returns the error for failures of the graph: the first by the order of checks; if that is a 400, all with status 400.
 */
export function failuresError(failures: readonly GraphFailure[], input: InputNames | undefined): CatalogueError {
  const [first = { code: 'SYS001', message: '' } as const] = [...failures].toSorted(
    (one, other) => ORDER_OF_CHECKS.indexOf(one.code) - ORDER_OF_CHECKS.indexOf(other.code),
  );
  const { status } = errorCatalogue[first.code];
  if (status === 400) {
    const invalid = failures.filter(({ code }) => errorCatalogue[code].status === 400);
    return violationsError(invalid.flatMap((failure) => violationsOf(failure, input)));
  }
  const text =
    status < 500 && status !== 401 && first.message !== '' ? first.message : errorCatalogue[first.code].meaning;
  const { retryAfter } = first;
  return { ...catalogueError(first.code, text), ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function violationsOf({ code, message, violations }: GraphFailure, input: InputNames | undefined): RequestViolation[] {
  if (!violations || violations.length === 0) return [{ code, pointer: '', message }];
  return violations.map((violation) => ({
    code: violation.code,
    message: violation.message,
    ...wireLocation(input, violation.path),
  }));
}
