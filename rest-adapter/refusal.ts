import { type ErrorCode, errorCatalogue } from '../schema/error-catalogue';
import type { GraphFailure } from '../gateway/client/graph-client';
import { type InputPlace, wirePlace } from './request-binding';
import { type Fault, MOST_FAULTS } from './validation';

/** One entry of `errors` in the error envelope. */
export interface ErrorDetail {
  readonly 'error-code': ErrorCode;
  readonly message: string;
}

/** Why a request is not answered as asked: one status, at least one entry. */
export interface Refusal {
  readonly status: number;
  /** The code of the first entry. */
  readonly code: ErrorCode;
  readonly errors: readonly ErrorDetail[];
  /** What is wrong with which parameter or field, one for each entry. */
  readonly faults?: readonly Fault[];
  /** Seconds until the request may be sent again. */
  readonly retryAfter?: number | undefined;
}

/** A refusal as it is told: of an interface whose errors have no codes, the status and the messages are all of it. */
export interface ToldRefusal extends Partial<Omit<Refusal, 'errors'>> {
  readonly status: number;
  readonly errors: readonly (Pick<ErrorDetail, 'message'> & Partial<ErrorDetail>)[];
}

/** A refusal for one reason. */
export function refusal(code: ErrorCode, message: string = errorCatalogue[code].meaning): Refusal {
  const { status } = errorCatalogue[code];
  return { status, code, errors: [{ 'error-code': code, message }], ...(code === 'SYS002' ? { retryAfter: 1 } : {}) };
}

/** A refusal for what is wrong with the request, one entry per field, at most 100. */
export function refusalOfFaults(faults: readonly Fault[]): Refusal {
  const byField = new Map<string, Fault>();
  for (const fault of faults) {
    const field = fault.pointer === '' ? fault.message : fault.pointer;
    if (!byField.has(field) && byField.size < MOST_FAULTS) byField.set(field, fault);
  }
  const told = [...byField.values()];
  const errors = told.map(({ code, pointer, message }) => ({
    'error-code': code,
    message: pointer === '' ? message : `${pointer}: ${message}`,
  }));
  const { 'error-code': code } = errors[0] as ErrorDetail;
  return { status: errorCatalogue[code].status, code, errors, faults: told };
}

/**
 * The order of checks (2-decisions-a-b.md, section 1). The rate is known together with the account; a dependency that is away comes
 * before everything that would have been read from it.
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

/** The refusal that failures of the graph amount to: the first by the order of checks, of several 400 all. */
export function refusalOfFailures(failures: readonly GraphFailure[], input: InputPlace | undefined): Refusal {
  const [first = { code: 'SYS001', message: '' } as const] = [...failures].toSorted(
    (one, other) => ORDER_OF_CHECKS.indexOf(one.code) - ORDER_OF_CHECKS.indexOf(other.code),
  );
  const { status } = errorCatalogue[first.code];
  if (status === 400) {
    const bad = failures.filter(({ code }) => errorCatalogue[code].status === 400);
    return refusalOfFaults(bad.flatMap((failure) => faultsOf(failure, input)));
  }
  const spoken =
    status < 500 && status !== 401 && first.message !== '' ? first.message : errorCatalogue[first.code].meaning;
  const { retryAfter } = first;
  return { ...refusal(first.code, spoken), ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function faultsOf({ code, message, violations }: GraphFailure, input: InputPlace | undefined): Fault[] {
  if (!violations || violations.length === 0) return [{ code, pointer: '', message }];
  return violations.map((violation) => ({
    code: violation.code,
    message: violation.message,
    ...wirePlace(input, violation.path),
  }));
}
