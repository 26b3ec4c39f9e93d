import { RegisterError } from '../../schema/register-error';

/** An operation fails with SYS002 after this time, below the 10 s limit of every request. */
export const OPERATION_DEADLINE_MS = 8_000;

/**
 * Returns the result of `step`, or throws SYS002 at the deadline. Each database statement has its own time limit, but
 * an operation may run several in sequence. The step is not cancelled; its late result is dropped.
 */
export function withDeadline<Result>(step: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RegisterError('SYS002')), OPERATION_DEADLINE_MS);
    step.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
