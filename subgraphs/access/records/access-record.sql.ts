import { CLAIM_IDEMPOTENCY_KEY } from '../../server/idempotency';
import { REFERENCE_COLUMNS, storedReferenceKey } from './controller-references.queries';
import { activeAccount } from '../accounts/active-account.queries';
import { isActive } from './record-state.sql';
import { firstTransition, newVersion, replacement, stateChange, stateWithExpiry } from './transitions';
import { ACCESS_RECORD_COLUMNS } from './stored-access-record.queries';

/** Interface through which a record is registered; records of B are marked permanently. */
export type RegisteringInterface = 'A' | 'B';

/** Access records with their references, by the keyed hashes of their keys. */
export const BY_KEY = {
  name: 'access_record_by_key',
  text: `select ${ACCESS_RECORD_COLUMNS}, ${REFERENCE_COLUMNS} from access_record where key_hash = any($1::bytea[])`,
};

/** Access records by internal id. */
export const BY_ID = {
  name: 'access_record_by_id',
  text: `select ${ACCESS_RECORD_COLUMNS} from access_record where id = any($1::uuid[])`,
};

/** Further columns of a version: for a consent of Interface B, its Identity Record, to which the link may change. */
const VERSION_COLUMNS: Readonly<Record<RegisteringInterface, readonly string[]>> = { A: [], B: ['identity_record_id'] };

/**
 * The DUID `$9` if its account is still active; else an unknown one, which the foreign key rejects, so that nothing of the statement remains.
 * A suspension or termination waits for the lock, or the registration for it.
 */
const ACTIVE_DUID = `coalesce((select duid from account where duid = $9 and status = 'active' for key share), '')`;

const registration = (
  redemption: string,
  through: RegisteringInterface = 'A',
): string => `with ${CLAIM_IDEMPOTENCY_KEY},${redemption}
    record as (
      insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
        legal_basis, registered_at, expiry, document, reference_sealed${through === 'B' ? ', is_legacy' : ''})
      select $6, $7, $8, ${ACTIVE_DUID}, $10, $11, $12, ${stateWithExpiry('$15')},
        $13, $14, $15, $16, $17${through === 'B' ? ', true' : ''}
      where $3::bytea is null or exists (select from claim)
      returning *),
    ${newVersion('$1', VERSION_COLUMNS[through])},
    ${storedReferenceKey('$18')},
    ${firstTransition('registered', '$1')}
    select id from record`;

const REGISTER = { name: 'register_access_record', text: registration('') };

const REGISTER_LEGACY = { name: 'register_legacy_consent', text: registration('', 'B') };

/** Redeems the token if the idempotency key is new. A rejected token rolls back the registration. */
const REGISTER_WITH_TOKEN = {
  name: 'register_access_record_with_token',
  text: registration(`
    redemption as (
      insert into consumed_token (token_hash, expires_at)
      select $19::bytea, $20::timestamptz where $3::bytea is null or exists (select from claim)),`),
};

/** Conditions of a change; the conditional update decides between concurrent callers. */
const CHANGEABLE = `key_hash = $1 and duid = $2 and ${isActive()}
  and ($4::int[] is null or version = any($4))`;

/** Replaces the content of an ACTIVE record for an active account if the new legal basis may follow the stored one. */
export const REPLACE = {
  name: 'replace_access_record',
  text: `with ${replacement({
    set: 'legal_basis = $5, registered_at = $6, expiry = $7, document = $8, reference_sealed = $9',
    expiry: '$7',
    where: `${CHANGEABLE} and legal_basis = any($11::text[])`,
    account: activeAccount('$3'),
  })},
    ${storedReferenceKey('$10')}
    select version, expiry from record`,
};

/** Revokes an ACTIVE record for an active account. */
export const REVOKE = {
  name: 'revoke_access_record',
  text: `with ${stateChange({ cause: 'revoked', where: CHANGEABLE, reason: '$5', account: activeAccount('$3') })}
    select revoked_at from record`,
};

/** Returns the statement of a registration that redeems a token, or has none. */
export function registrationStatement(hasToken: boolean, through: RegisteringInterface) {
  if (through === 'B') return REGISTER_LEGACY;
  return hasToken ? REGISTER_WITH_TOKEN : REGISTER;
}
