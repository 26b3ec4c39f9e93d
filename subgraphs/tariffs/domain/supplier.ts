import type { Violation } from '../../../schema/register-error';
import { type Realm, addressFaults, lengthFaults, patternFault } from './entry-limits';
import { MPID_PATTERN } from '../../../schema/identifiers';
import type { RegisterEntryStatus } from './register-entry-status';

/** What an admin enters of a supplier (3-decisions-c-d.md, D.2). */
export interface SupplierInput {
  /** Market participant id, `^[A-Z0-9]{4}$`. */
  mpid: string;
  /** Legal name. */
  name: string;
  /** Short trading name. */
  displayName: string;
  /** Free-form: an address, a URL or a telephone number. */
  support: string;
  apiUrl: string;
  oauthUrl?: string | null;
  /** Issuer of the tokens of its consumers, and the audience that they are for; both or neither. */
  issuer?: string | null;
  audience?: string | null;
}

/** A supplier's register entry: what was not said is null. */
export type Supplier = { [Field in keyof SupplierInput]-?: Exclude<SupplierInput[Field], undefined> } & {
  status: RegisterEntryStatus;
  lastModified: Date;
};

/** Characters: shortest and longest. */
const LENGTHS = { name: [1, 200], displayName: [1, 100], support: [1, 200], audience: [1, 255] } as const;
const ADDRESSES = ['apiUrl', 'oauthUrl', 'issuer'] as const;

/** All that is wrong with a supplier's entry: VAL001 patterns, VAL002 what is missing, VAL003 lengths, VAL008 addresses. */
export function supplierViolations(input: SupplierInput, realm: Realm): Violation[] {
  return [
    ...patternFault('mpid', input.mpid, MPID_PATTERN),
    ...lengthFaults(input, LENGTHS),
    ...addressFaults(input, ADDRESSES, realm),
    ...issuerAndAudience(input),
  ];
}

function issuerAndAudience({ issuer, audience }: SupplierInput): Violation[] {
  if ((issuer == null) === (audience == null)) return [];
  const [missing, given] = issuer == null ? ['issuer', 'audience'] : ['audience', 'issuer'];
  return [{ code: 'VAL002', path: [missing as string], message: `is required with ${given}` }];
}
