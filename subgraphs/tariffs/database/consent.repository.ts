import { randomUUID } from 'node:crypto';
import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database';
import { type Session, inTransaction } from '../../server/transaction';
import { type Parties, type PartyStatuses, lockActive, requireActive } from './active-parties';
import { appliedNow } from './applied-now';
import type { MpxnVault } from './mpxn-vault';
import type { ConsumerName, SubjectHash } from './subject-hash';

/** For whom an RTI User asks at which supplier: what a token says. */
export interface Consumer extends Parties, ConsumerName {
  readonly mpxns: readonly string[];
}

/** A tariff that applies to an MPxN. */
export interface MpxnTariff {
  readonly mpxn: string;
  readonly tariffId: string;
}

/** A consent that was given, now or before. */
export interface GivenConsent {
  readonly registrationId: string;
  /** Of the token's MPxNs those at this supplier to which a tariff applies now. */
  readonly tariffs: readonly MpxnTariff[];
  readonly isNew: boolean;
}

const KEEP_MPXNS = {
  name: 'keep_mpxns_of_consent',
  text: `insert into meter_point (mpxn_hash, mpxn_sealed) select * from unnest($1::bytea[], $2::bytea[]) order by 1
    on conflict do nothing`,
};

/** The row that is live already is locked and stays as it is. */
const GIVE = {
  name: 'give_tariff_consent',
  text: `insert into tariff_consent as live (id, mpid, user_id, subject_hash) values ($1, $2, $3, $4)
    on conflict (mpid, user_id, subject_hash) where revoked_at is null do update set revoked_at = live.revoked_at
    returning id`,
};

/** What it covers no more, since the assignment was ended, it covers anew. */
const COVER = {
  name: 'cover_by_tariff_consent',
  text: `insert into consent_meter_point as known (consent_id, mpxn_hash) select distinct $1::uuid, hash from unnest($2::bytea[]) hash
    on conflict (consent_id, mpxn_hash) do update set covered_at = excluded.covered_at
    where not consent_covers(known.mpxn_hash, known.covered_at)`,
};

const TARIFFS = {
  name: 'tariffs_of_consent',
  text: `with recursive ${appliedNow('select distinct mpxn_hash from unnest($2::bytea[]) mpxn_hash', '$1')}
    select encode(mpxn_hash, 'hex') as mpxn, tariff_id as "tariffId" from applied_now`,
};

const LIVE = 'mpid = $1 and user_id = $2 and subject_hash = $3 and revoked_at is null';

/** One statement: whoever revokes at this instant comes before it or after it, never in between. */
const SHARED = {
  name: 'shared_tariffs',
  text: `with recursive consent as (select id from tariff_consent where ${LIVE}),
    ${appliedNow(
      `select mpxn_hash from consent_meter_point join consent on consent.id = consent_id
       where mpxn_hash = any($4::bytea[]) and consent_covers(mpxn_hash, covered_at)`,
      '$1',
    )}
    select (select status from supplier where mpid = $1) as "supplierStatus",
      (select status from rti_user where user_id = $2) as "userStatus", exists (select from consent) as "isConsented",
      coalesce((select array_agg(distinct tariff_id) from applied_now), '{}') as "tariffIds"`,
};

interface Shared extends PartyStatuses {
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

/** Consents of consumers (3-decisions-c-d.md, D.1): what is shared with an RTI User, and until when. */
export class ConsentRepository {
  constructor(
    private readonly database: Pick<Database, 'pool' | 'reads'>,
    private readonly mpxns: MpxnVault,
    private readonly subjectHash: SubjectHash,
  ) {}

  /** Gives a consent for the token's MPxNs, or adds them to the one that is live. AUT001 and RTI001 as for what is read. */
  give(consumer: Consumer): Promise<GivenConsent> {
    const stored = consumer.mpxns.map((mpxn) => ({ ...this.mpxns.seal(mpxn), mpxn }));
    const hashes = stored.map(({ hash }) => hash);
    return inTransaction(this.database.pool, async (session) => {
      await lockActive(session, consumer);
      await session.query({ ...KEEP_MPXNS, values: [hashes, stored.map(({ sealed }) => sealed)] });
      const given = randomUUID();
      const registrationId = await this.live(session, given, consumer);
      await session.query({ ...COVER, values: [registrationId, hashes] });
      const { rows } = await session.query<MpxnTariff>({ ...TARIFFS, values: [consumer.mpid, hashes] });
      const tariffOf = new Map(rows.map(({ mpxn, tariffId }) => [mpxn, tariffId]));
      const tariffs = stored.flatMap(({ mpxn, hash }) => {
        const tariffId = tariffOf.get(hash.toString('hex'));
        return tariffId === undefined ? [] : [{ mpxn, tariffId }];
      });
      return { registrationId, tariffs, isNew: registrationId === given };
    });
  }

  /**
   * The ids of the tariffs that apply now to those MPxNs of the token that the consent covers, in order. AUT001 and RTI001 unless
   * supplier and RTI User are active, RTI002 without a live consent.
   */
  async shared(consumer: Consumer): Promise<readonly string[]> {
    const values = [...this.keyOf(consumer), consumer.mpxns.map((mpxn) => this.mpxns.hash(mpxn))];
    const [shared] = (await this.database.reads.rows<Shared>(SHARED, values)) as [Shared];
    requireActive(shared);
    if (!shared.isConsented) throw new RegisterError('RTI002');
    return shared.tariffIds;
  }

  /** Revokes a consent of this consumer; NTF005 when they have none with this id that is live. */
  async revokeOwn(registrationId: string, consumer: Consumer): Promise<void> {
    const values = [...this.keyOf(consumer), registrationId];
    const { rowCount } = await this.database.pool.query({ ...REVOKE_OWN, values });
    if (rowCount !== 1) throw new RegisterError('NTF005');
  }

  /** Revokes any consent; NTF005 when there is none with this id that is live. */
  async revokeAny(registrationId: string): Promise<void> {
    const { rowCount } = await this.database.pool.query({ ...REVOKE_ANY, values: [registrationId] });
    if (rowCount !== 1) throw new RegisterError('NTF005');
  }

  private async live(session: Session, id: string, consumer: Consumer): Promise<string> {
    const values = [id, ...this.keyOf(consumer)];
    const { rows } = await session.query<{ id: string }>({ ...GIVE, values });
    return (rows[0] as { id: string }).id;
  }

  private keyOf(consumer: Consumer): [mpid: string, userId: string, subjectHash: Buffer] {
    return [consumer.mpid, consumer.userId, this.subjectHash(consumer)];
  }
}
