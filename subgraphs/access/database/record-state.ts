import { LEGAL_BASES, isConsentBasis } from '../domain/access-record';

/**
 * The state of an access record at the instant of a statement, as SQL. What a sweep writes down later counts already: a passed expiry
 * (decisions A/B, section 1), and the termination of the Data User (section 2). `of` is the name of the table in the statement.
 */

/** Whether the Data User of an ACTIVE record was terminated before the record expired. */
export const endedWithDataUser = (of = 'access_record'): string => `${of}.state = 'ACTIVE' and exists (
    select from account where account.duid = ${of}.duid and terminated_at < coalesce(${of}.expiry, 'infinity'))`;

/** The state that everyone reads. */
export const stateNow = (of = 'access_record'): string => `case when ${endedWithDataUser(of)} then 'REVOKED'
    when ${of}.state in ('ACTIVE', 'DISCOVERED') and ${of}.expiry <= register_now() then 'EXPIRED' else ${of}.state end`;

/** When it was revoked: by a termination, at that instant. */
export const revokedAtNow = (of = 'access_record'): string => `case when ${of}.state = 'ACTIVE' then (
    select terminated_at from account where account.duid = ${of}.duid and terminated_at < coalesce(${of}.expiry, 'infinity'))
    else ${of}.revoked_at end`;

/** What is ACTIVE. */
export const isActive = (of = 'access_record'): string => `${of}.state = 'ACTIVE'
  and (${of}.expiry is null or ${of}.expiry > register_now())
  and not exists (select from account where account.duid = ${of}.duid and terminated_at is not null)`;

/** The records whose legal basis is consent: only these can be withdrawn. */
export const ON_CONSENT = `legal_basis in (${LEGAL_BASES.filter(isConsentBasis)
  .map((basis) => `'${basis}'`)
  .join(', ')})`;
