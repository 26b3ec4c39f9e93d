import { GraphQLError } from 'graphql';
import { type ErrorCode, errorCatalogue } from './error-catalogue';

/** One broken rule: where (names of the GraphQL input, from its root) and why. The message never echoes the value. */
export interface Violation {
  readonly code: ErrorCode;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a coded error may carry beside its code. */
export interface RegisterErrorDetail {
  readonly violations?: readonly Violation[];
  /** Seconds until a limited caller may try again (LIM002). */
  readonly retryAfter?: number;
}

/** An error of the catalogue: thrown by resolvers and rules' callers, answered as `extensions.code` and as a REST status. */
export class RegisterError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = errorCatalogue[code].meaning, detail: RegisterErrorDetail = {}) {
    super(message, { extensions: { code, ...detail } });
    this.name = 'RegisterError';
    this.code = code;
  }
}

/** Throws all violations as one error; its code is that of the first. At most 100 are told (section 7). */
export function refuse(violations: readonly Violation[]): void {
  const [first] = violations;
  if (first) throw new RegisterError(first.code, first.message, { violations: violations.slice(0, 100) });
}
