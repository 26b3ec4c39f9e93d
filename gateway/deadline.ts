import { RegisterError } from '../schema/register-error';

/** Milliseconds in which an operation is answered, below the ten of every request. */
const ANSWER_WITHIN = 8_000;

/**
 * The result of a step, or SYS002 when it takes too long: each statement to a database that hangs has a limit of its own, but an
 * operation may need several, one after the other. What was begun ends by itself.
 */
export function inTime<Result>(step: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RegisterError('SYS002')), ANSWER_WITHIN);
    step.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
