import type { ErrorCode } from '../../schema/error-catalogue';

/** The register, or the portal itself, refuses: pages answer it where they can say more than the error page of its code. */
export class RegisterRefusal extends Error {
  constructor(
    readonly code: ErrorCode,
    /** Seconds after which it may be tried again. */
    readonly retryAfter?: number,
  ) {
    super(code);
    this.name = 'RegisterRefusal';
  }
}

/** Whether it was refused for one of these reasons. */
export function isRefusal(error: unknown, ...codes: readonly ErrorCode[]): error is RegisterRefusal {
  return error instanceof RegisterRefusal && codes.includes(error.code);
}
