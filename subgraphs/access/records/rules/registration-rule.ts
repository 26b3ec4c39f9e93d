import type { Violation } from '../../../../schema/register-error';
import type { AccessRecordInput } from '../access-record';

/** Context of the rules. */
export interface RegistrationContext {
  /** The Data User that registers or replaces. */
  readonly duid: string;
  /** Production accepts only https URLs. */
  readonly production: boolean;
  /** Instant of the call by the register's clock. */
  readonly now: Date;
  /** The replaced record (PUT); undefined for a new record (POST). */
  readonly replaces?: { readonly identityRecordRef: string | null };
}

/** A rule returns all its violations, with the path of each field. */
export type RegistrationRule = (input: AccessRecordInput, ruleContext: RegistrationContext) => Violation[];
