import type { Violation } from '../../../schema/register-error';
import type { WebUrlPolicy } from '../../server/web-address';
import { addressViolations, lengthViolations, patternViolations } from './entry-limits';
import { MPID_PATTERN } from '../../../schema/identifiers';
import type { RegisterEntryStatus } from './register-entry-status';

/** A supplier's entry as an admin enters it (decisions C/D, D.2). */
export interface SupplierInput {
  /** Market participant id, `^[A-Z0-9]{4}$`. */
  mpid: string;
  /** Legal name. */
  name: string;
  /** Short trading name. */
  displayName: string;
  /** Free text: an e-mail address, a URL or a telephone number. */
  support: string;
  apiUrl: string;
  oauthUrl?: string | null;
  /** Issuer and audience of the tokens of the supplier's consumers; both or neither. Absent: as stored. Null: none. */
  issuer?: string | null;
  audience?: string | null;
}

/** A supplier's entry in the register; an absent field is null. */
export type Supplier = { [Field in keyof SupplierInput]-?: Exclude<SupplierInput[Field], undefined> } & {
  status: RegisterEntryStatus;
  lastModified: Date;
};

const LENGTHS = { name: [1, 200], displayName: [1, 100], support: [1, 200], audience: [1, 255] } as const;
const ADDRESSES = ['apiUrl', 'oauthUrl', 'issuer'] as const;

/**
 * Returns all violations of a supplier's entry: VAL001 patterns, VAL002 missing fields, VAL003 lengths, VAL008 addresses.
 *
 * @param stored null for a new entry
 */
export function supplierViolations(
  input: SupplierInput,
  policy: WebUrlPolicy,
  stored: Pick<Supplier, 'issuer' | 'audience'> | null,
): Violation[] {
  return [
    ...patternViolations('mpid', input.mpid, MPID_PATTERN),
    ...lengthViolations(input, LENGTHS),
    ...addressViolations(input, ADDRESSES, policy),
    ...issuerAndAudienceViolations(input, stored),
  ];
}

/** Returns the violation of the values that the entry has once the input is saved. */
function issuerAndAudienceViolations(
  input: SupplierInput,
  stored: Pick<Supplier, 'issuer' | 'audience'> | null,
): Violation[] {
  const { issuer = stored?.issuer ?? null, audience = stored?.audience ?? null } = input;
  if ((issuer === null) === (audience === null)) return [];
  const [missing, present] = issuer === null ? ['issuer', 'audience'] : ['audience', 'issuer'];
  return [{ code: 'VAL002', path: [missing as string], message: `is required with ${present}` }];
}
