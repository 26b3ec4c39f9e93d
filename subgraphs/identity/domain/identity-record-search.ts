import type { Violation } from '../../../schema/register-error';
import { emailViolations } from './email-address';

/** By what a Data User looks for its Identity Records; both together narrow the search. */
export interface IdentityRecordSearch {
  readonly mpxn: string | null;
  readonly email: string | null;
}

/** A search needs the MPxN or the e-mail address, at least one of them. */
export function identityRecordSearchViolations({ mpxn, email }: IdentityRecordSearch): Violation[] {
  if (mpxn === null && email === null)
    return [{ code: 'VAL002', path: ['mpxn'], message: 'mpxn or email is required' }];
  return emailViolations(['email'], email);
}
