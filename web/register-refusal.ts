import { type ErrorCode, errorCatalogue } from '../schema/error-catalogue';

/** The register, or a web service itself, refuses: pages answer it where they can say more than the error page of its code. */
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

/** The refusal that an error of the web server amounts to. */
export function refusalOf(error: unknown): RegisterRefusal {
  if (error instanceof RegisterRefusal) return error;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (status === errorCatalogue.LIM001.status) return new RegisterRefusal('LIM001');
  if (status === errorCatalogue.VAL011.status) return new RegisterRefusal('VAL011');
  const isRequestFault = typeof status === 'number' && status >= 400 && status < 500;
  return new RegisterRefusal(isRequestFault ? 'VAL003' : 'SYS001');
}
