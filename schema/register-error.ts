import { GraphQLError } from 'graphql';
import { type ErrorCode, errorCatalogue } from './error-catalogue';

/** A violated rule. `path` consists of GraphQL input names from the root. The message does not contain the value. */
export interface Violation {
  readonly code: ErrorCode;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Optional details of an error. */
interface RegisterErrorDetail {
  readonly violations?: readonly Violation[];
  /** Seconds until a rate-limited caller may try again (LIM002). */
  readonly retryAfter?: number;
}

/** An error of the catalogue. GraphQL returns its code in `extensions.code`, REST its status. */
export class RegisterError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = errorCatalogue[code].meaning, detail: RegisterErrorDetail = {}) {
    super(message, { extensions: { code, ...detail } });
    this.name = 'RegisterError';
    this.code = code;
  }
}

/** Maximum number of violations in an error (decisions A/B, 7): a tariff may have 17,568 prices, and each may break a rule. */
export const MAX_VIOLATIONS = 100;

/** Throws one error with the code of the first violation, and the first {@link MAX_VIOLATIONS}. Does nothing without violations. */
export function throwViolations(violations: readonly Violation[]): void {
  const [first] = violations;
  if (first) throw new RegisterError(first.code, first.message, { violations: violations.slice(0, MAX_VIOLATIONS) });
}
