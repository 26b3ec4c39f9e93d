import { LEGAL_BASES, isConsentBasis } from './access-record';
import { hasPassed, hasPassedRecently, isAhead } from './transitions';

/**
 * SQL for the state of an access record at the instant of a statement. A passed expiry and the termination of the Data User count from
 * their instant, before a sweep stores them (decisions A/B, 1 and 2). `of` is the name of the table in the statement.
 */

/** The expiry has passed and no sweep has stored it. */
export const hasExpired = (of = 'access_record'): string =>
  `${of}.state in ('ACTIVE', 'DISCOVERED') and ${hasPassed(`${of}.expiry`)}`;

/** As {@link hasExpired}, in a statement that searches for such records ({@link hasPassedRecently}). */
export const hasRecentlyExpired = (of = 'access_record'): string =>
  `${of}.state in ('ACTIVE', 'DISCOVERED') and ${hasPassedRecently(`${of}.expiry`)}`;

/** The expiry has not passed. */
export const isUnexpired = (of = 'access_record'): string => `(${of}.expiry is null or ${isAhead(`${of}.expiry`)})`;

/**
 * The instant at which the Data User was terminated; null if it was not. PostgreSQL inlines the list of terminations as a constant of the
 * statement, so that a read opens no table of accounts. A transaction that has used the same tables before may read an older list;
 * statements that write therefore read `account` ({@link isActive}).
 */
const terminatedAt = (of: string): string => `(data_user_terminations() ->> ${of}.duid)::timestamptz`;

/**
 * SQL: the instant of a termination, or just before now if that is ahead: one that is recorded while the clock is ahead counts after the clock is
 * set back, too. A revocation at `register_now()` would be one that the Data User requests, which a terminated one may not (migration 0022).
 */
export const terminationBeforeNow = (termination: string): string =>
  `case when ${termination} > register_now() then register_now() - interval '1 ms' else ${termination} end`;

/** Whether the Data User of an ACTIVE record was terminated before the record expired. */
export const endedWithDataUser = (of = 'access_record'): string =>
  `coalesce(${of}.state = 'ACTIVE' and ${terminationBeforeNow(terminatedAt(of))} < coalesce(${of}.expiry, 'infinity'), false)`;

/** The state that callers read. */
export const stateNow = (of = 'access_record'): string => `case when ${endedWithDataUser(of)} then 'REVOKED'
    when ${hasExpired(of)} then 'EXPIRED' else ${of}.state end`;

/** When a record was revoked; for a termination, the instant of the termination. */
export const revokedAtNow = (of = 'access_record'): string =>
  `case when ${endedWithDataUser(of)} then ${terminationBeforeNow(terminatedAt(of))} else ${of}.revoked_at end`;

/** Access in force. A claimed record is history from its claim: a registered record replaces it. */
export const IN_FORCE = `state in ('ACTIVE', 'DISCOVERED') and ${isUnexpired()} and claimed_at is null
  and not (${endedWithDataUser()})`;

/** When a registered access ended: by a replacement with a past expiry at the replacement, not at that expiry. */
export const endedAt = (of = 'access_record'): string => `coalesce(${revokedAtNow(of)},
    (select at from access_record_transition where record_id = ${of}.id and cause = 'replaced'), ${of}.expiry)`;

/** When an access ended that is not in force. */
export const ENDED_AT = `coalesce(claimed_at, ${endedAt()})`;

/** Parameters of a statement about the person who occupies a home. */
interface OccupantParameters {
  /** Condition for records that are linked to the person's own Identity Records. */
  readonly isOwn: string;
  /** Day on which the person moved in, in Great Britain. */
  readonly since: string;
  /** Instant at which the occupancy started; null without a Change of Tenancy. */
  readonly beganAt: string;
}

/** When the history of a record starts for an occupant: what ended before belongs to the previous one (decisions A/B, 9). */
export const historyStart = ({ isOwn, since, beganAt }: OccupantParameters): string => {
  const movedIn = `${since}::date::timestamp at time zone 'Europe/London'`;
  return `case when ${isOwn} then ${movedIn} else greatest(${movedIn}, ${beganAt}::timestamptz) end`;
};

/** Condition for an ACTIVE record. */
export const isActive = (of = 'access_record'): string => `${of}.state = 'ACTIVE'
  and ${isUnexpired(of)}
  and not exists (select from account where account.duid = ${of}.duid and terminated_at is not null)`;

/** Records whose legal basis is consent; only these can be withdrawn. */
export const ON_CONSENT = `legal_basis in (${LEGAL_BASES.filter(isConsentBasis)
  .map((basis) => `'${basis}'`)
  .join(', ')})`;
