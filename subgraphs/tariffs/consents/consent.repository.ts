import { randomUUID } from 'node:crypto';
import { MAX_CLOCK_SKEW_MS } from '../../../schema/consumer-claims';
import { RegisterError } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import { isChecking } from '../../server/database/check-only';
import type { Database } from '../../server/database/database';
import { longReads } from '../../server/database/rows-by-key';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import { fairLimit } from '../../server/fair-limit';
import { appliedNow, lockMpxnsShared } from '../assignments/assignments.sql';
import type { MpxnCipher } from '../occupancies/mpxn-cipher.repository';
import { storeMpxns } from '../occupancies/mpxn-storage.repository';
import { correctTimesOf } from '../occupancies/times-ahead.repository';
import {
  type Parties,
  type PartyStatuses,
  lockActive,
  requireActive,
} from '../register-entries/active-parties.queries';
import type { ConsumerName, GrantedConsent, MpxnTariff, SubjectHash } from './consent';

/** The content of a token: the consumer, the RTI User, the supplier, the consumer's MPxNs, and the time of its issue. */
interface Consumer extends Parties, ConsumerName {
  readonly mpxns: readonly string[];
  readonly issuedAt: Date;
}

const ADD_METER_POINTS = {
  name: 'add_meter_points_of_consent',
  text: 'insert into meter_point (mpxn_hash) select * from unnest($1::bytea[]) order by 1 on conflict do nothing',
};

/** Locks a live consent of the consumer and leaves it unchanged; otherwise inserts one. */
const GRANT = {
  name: 'grant_tariff_consent',
  text: `insert into tariff_consent as live (id, mpid, user_id, subject_hash, issuer) values ($1, $2, $3, $4, $5)
    on conflict (mpid, user_id, subject_hash) where revoked_at is null do update set revoked_at = live.revoked_at
    returning id`,
};

/**
 * Adds MPxNs to a consent, and renews those that it no longer covers because their assignment ended. An MPxN whose assignment ended after
 * the token was issued (`$4`: at the earliest) may have another occupant, whom this token does not name. `iat` is whole seconds, rounded
 * down: a token of the second of the end counts as issued before it.
 */
const COVER = {
  name: 'cover_by_tariff_consent',
  text: `insert into consent_meter_point as existing (consent_id, mpxn_hash) select distinct $1::uuid, hash from unnest($2::bytea[]) hash
    where consent_covers(hash, $4, $3)
    on conflict (consent_id, mpxn_hash) do update
    set covered_at = excluded.covered_at, former_coverage = (existing.covered_at || existing.former_coverage)[1:20]
    where not consent_covers(existing.mpxn_hash, existing.covered_at, $3)`,
};

/** SQL: selects the MPxNs of a token that a consent covers. Neither the coverage nor the token is older than an end. */
const covered = (consentId: string, mpxnHashes: string, issuedAt: string): string => `
  select mpxn_hash from consent_meter_point
  where consent_id = ${consentId} and mpxn_hash = any(${mpxnHashes}::bytea[]) and consent_covers(mpxn_hash, least(covered_at, ${issuedAt}), $1)`;

const TARIFFS = {
  name: 'tariffs_of_consent',
  text: `with recursive ${appliedNow(covered('$4', '$2', '$3'), '$1')}
    select encode(mpxn_hash, 'hex') as "mpxnHash", tariff_id as "tariffId" from applied_now`,
};

const LIVE = 'mpid = $1 and user_id = $2 and subject_hash = $3 and revoked_at is null';

/** One statement, so that a concurrent revocation takes effect either before or after it. */
const SHARED = {
  name: 'shared_tariffs',
  text: `with recursive consent as (select id from tariff_consent where ${LIVE}),
    ${appliedNow(covered('(select id from consent)', '$4', '$5'), '$1')}
    select (select status from supplier where mpid = $1) as "supplierStatus",
      (select status from rti_user where user_id = $2) as "userStatus", exists (select from consent) as "isConsented",
      coalesce((select array_agg(distinct tariff_id) from applied_now), '{}') as "tariffIds"`,
};

interface SharedRow extends PartyStatuses {
  readonly isConsented: boolean;
  readonly tariffIds: readonly string[];
}

const REVOKE_OWN = {
  name: 'revoke_own_tariff_consent',
  text: `update tariff_consent set revoked_at = register_now(), revoked_by = 'consumer' where id = $4 and ${LIVE}`,
};

const REVOKE_ANY = {
  name: 'revoke_any_tariff_consent',
  text: `update tariff_consent set revoked_at = register_now(), revoked_by = 'admin' where id = $1 and revoked_at is null`,
};

/** MPxNs of a token above which it is large: the short reads do not read it, because other reads would wait. */
const LARGE = 100;
/** Grants by large tokens at once, because each MPxN takes a lock in a table of PostgreSQL that all sessions share. */
const LARGE_GRANTS = { max: 2, maxOfOwner: 1, maxWaitMs: 5_000 };

/** Grants, checks and revokes the consents of consumers (decisions C/D, D.1). */
export class ConsentRepository {
  private readonly limited = fairLimit(LARGE_GRANTS);

  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly mpxns: MpxnCipher,
    private readonly subjectHash: SubjectHash,
  ) {}

  /**
   * Grants a consent for the token's MPxNs, or adds them to the live one. AUT001 and RTI001 unless both parties are active, AUT001 for a
   * former issuer, SYS002 if too many other large tokens wait.
   */
  grant(consumer: Consumer): Promise<GrantedConsent> {
    const isLarge = consumer.mpxns.length > LARGE && !isChecking(); // few checks run at once
    return isLarge ? this.limited(consumer.mpid, () => this.grantNow(consumer)) : this.grantNow(consumer);
  }

  private grantNow(consumer: Consumer): Promise<GrantedConsent> {
    const { mpid } = consumer;
    const issuedAt = earliestIssue(consumer);
    const points = consumer.mpxns.map((mpxn) => ({ mpxn, hash: this.mpxns.hash(mpxn) }));
    const hashes = points.map(({ hash }) => hash);
    return inTransaction(this.database.pool, async (session) => {
      await lockMpxnsShared(session, hashes); // before all rows, as a change of an assignment does
      await correctTimesOf(session, hashes);
      const issuer = await lockActive(session, consumer);
      if (issuer !== consumer.issuer) throw new RegisterError('AUT001'); // changed or removed since the token was admitted
      await session.query({ ...ADD_METER_POINTS, values: [hashes] });
      const { registrationId, isNew } = await this.liveConsent(session, consumer);
      await session.query({ ...COVER, values: [registrationId, hashes, mpid, issuedAt] });
      await storeMpxns(session, this.mpxns, consumer.mpxns);
      const { rows } = await session.query<AppliedRow>({
        ...TARIFFS,
        values: [mpid, hashes, issuedAt, registrationId],
      });
      const tariffIds = new Map(rows.map(({ mpxnHash, tariffId }) => [mpxnHash, tariffId]));
      const tariffs = points.flatMap(({ mpxn, hash }): MpxnTariff[] => {
        const tariffId = tariffIds.get(hash.toString('hex'));
        return tariffId === undefined ? [] : [{ mpxn, tariffId }];
      });
      return { registrationId, tariffs, isNew };
    });
  }

  /**
   * Returns the ids of the tariffs that apply now to the token's MPxNs that the consent covers, in ascending order. AUT001 and RTI001
   * unless supplier and RTI User are active, RTI002 without a live consent.
   */
  async sharedTariffIds(consumer: Consumer): Promise<readonly string[]> {
    const hashes = consumer.mpxns.map((mpxn) => this.mpxns.hash(mpxn));
    const values = [...this.keyOf(consumer), hashes, earliestIssue(consumer)];
    const reads = hashes.length > LARGE ? longReads(this.database) : this.database.reads;
    const shared = onlyRow({ rows: await reads.rows<SharedRow>(SHARED, values) });
    requireActive(shared);
    if (!shared.isConsented) throw new RegisterError('RTI002');
    return shared.tariffIds;
  }

  /** Revokes a consent of the consumer. NTF005 if they have no live consent with this id. */
  revokeOwn(registrationId: string, consumer: Consumer): Promise<void> {
    return revoke(this.database.pool, REVOKE_OWN, [...this.keyOf(consumer), registrationId]);
  }

  /** Revokes any consent for an admin, whom the audit names. NTF005 if there is no live one with this id. */
  revokeAny(registrationId: string, actor: string): Promise<void> {
    return inTransaction(this.database.pool, async (session) => {
      await revoke(session, REVOKE_ANY, [registrationId]);
      const detail = { from: { revokedBy: null }, to: { revokedBy: 'admin' } };
      await addAuditEntry(session, { actor, action: 'revoke-tariff-consent', subject: registrationId, detail });
    });
  }

  private async liveConsent(session: Session, consumer: Consumer): Promise<Omit<GrantedConsent, 'tariffs'>> {
    const newId = randomUUID();
    const values = [newId, ...this.keyOf(consumer), consumer.issuer];
    const { id } = onlyRow(await session.query<{ id: string }>({ ...GRANT, values }));
    return { registrationId: id, isNew: id === newId };
  }

  private keyOf(consumer: Consumer): [mpid: string, userId: string, subjectHash: Buffer] {
    return [consumer.mpid, consumer.userId, this.subjectHash(consumer)];
  }
}

/** Returns the instant at which a token was issued at the earliest: the clock of its issuer may be ahead. */
function earliestIssue({ issuedAt }: Pick<Consumer, 'issuedAt'>): Date {
  return new Date(issuedAt.getTime() - MAX_CLOCK_SKEW_MS);
}

async function revoke(session: Session, statement: typeof REVOKE_ANY, values: unknown[]): Promise<void> {
  const { rowCount } = await session.query({ ...statement, values });
  if (rowCount !== 1) throw new RegisterError('NTF005');
}

/** The hash in hexadecimal digits. */
interface AppliedRow {
  readonly mpxnHash: string;
  readonly tariffId: string;
}
