import { accessKeyOf } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { Database } from '../../server/database';
import { type IdempotentRequest, keepAnswer } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Session, inTransaction } from '../../server/transaction';
import {
  type AccessRecordDocument,
  type AccessRecordInput,
  type AccessState,
  documentOf,
} from '../domain/access-record';
import { type LegacyConsent, shownEvidenceOf } from '../domain/legacy-consent';
import {
  type AccessToken,
  type Actor,
  type IdentityLink,
  NEXT_NUMBER,
  refuseOfClosed,
} from './access-record.repository';
import { ON_CONSENT, isActive, stateNow } from './record-state';

/** A consent that came through Interface B, as it stands by the register's clock. */
export interface StandingConsent {
  readonly duid: string;
  readonly state: AccessState;
  /** The Identity Record that it is linked to. */
  readonly identityRecordId: string;
  /** Null once the Identity Record is closed. */
  readonly meterPointId: string | null;
}

/** An ACTIVE consent of a meter point: the reference is its own Data User's only. */
export interface ShownConsent extends LegacyConsent {
  readonly duid: string;
  /** The Identity Record that its Data User linked it to; null where a re-identification did. */
  readonly identityRecordId: string | null;
}

interface ShownRow extends Pick<ShownConsent, 'duid' | 'identityRecordId' | 'consentDate' | 'consentExpiry'> {
  readonly document: AccessRecordDocument;
}

/** Which consent is changed, by whom. */
export interface ConsentTarget {
  readonly actor: Actor;
  readonly ck: string;
}

/** What an update does with the Identity Record of a consent: it links another one, or keeps the present one, if that is the one expected. */
export type ConsentLink = { readonly to: Pick<IdentityLink, 'id' | 'ref'> } | { readonly stillTo: string };

/** An update that keeps the Identity Record finds another one: nothing of it was done. */
class LinkMoved extends Error {}

const BY_KEY = {
  name: 'legacy_consent_by_key',
  text: `select duid, ${stateNow()} as state,
      identity_record_id as "identityRecordId", meter_point_id as "meterPointId"
    from access_record where key_hash = $1 and is_legacy`,
};

/** As a replacement through Interface A; the links move where another Identity Record is given, unless the former one is closed. */
const UPDATE = {
  name: 'update_legacy_consent',
  text: `with record as (
      update access_record set version = version + 1, legal_basis = $5, registered_at = $6, expiry = $7, document = $8,
        state = case when $7::timestamptz <= register_now() then 'EXPIRED' else state end,
        identity_record_id = coalesce($9::uuid, identity_record_id), identity_record_ref = coalesce($10, identity_record_ref)
      where key_hash = $1 and duid = $2 and identity_record_id = coalesce($4::uuid, identity_record_id) and is_legacy
        and meter_point_id is not null and ${isActive()} returning *),
    version as (
      insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document, identity_record_id)
      select id, version, $3, legal_basis, registered_at, expiry, document, identity_record_id from record),
    transition as (
      insert into access_record_transition (record_id, number, from_state, to_state, cause, account_id)
      select id, ${NEXT_NUMBER}, 'ACTIVE', state, 'replaced', $3 from record where state <> 'ACTIVE')
    select from record`,
};

/** What is ACTIVE on consent, whichever interface registered it. */
const AT_METER_POINT = {
  name: 'consents_at_meter_point',
  text: `select duid, case when identity_record_ref is not null then identity_record_id end as "identityRecordId",
      registered_at as "consentDate", expiry as "consentExpiry", document
    from access_record where meter_point_id = $1 and (duid = $2 or $3) and ${isActive()} and ${ON_CONSENT}
    order by created_at desc, id desc limit 500`,
};

/** The lock under which an Identity Record is closed (`ClosingRepository`): registrations that link to it share it. */
const LOCK = 'select pg_advisory_xact_lock(lock_of_identity_record($1))';
/** The link may have moved on since: a version rests on the Identity Record for ever. */
const IS_LINKED = `(exists (select from access_record where identity_record_id = $1)
    or exists (select from access_record_version where identity_record_id = $1))`;
const CLOSE_UNLINKED = `
  insert into closed_identity_link (identity_record_id) select $1 where not ${IS_LINKED} on conflict do nothing`;
const LINKED = `select ${IS_LINKED} as linked`;

/** Access records as consents of Interface B (2-decisions-a-b.md, section 8). */
export class LegacyConsentRepository {
  constructor(
    private readonly database: Database,
    private readonly hashOfKey: KeyedHash,
  ) {}

  /** The consent of a key; undefined when there is none, or its record did not come through Interface B. */
  async byKey(ck: string): Promise<StandingConsent | undefined> {
    return (await this.database.reads.rows<StandingConsent>(BY_KEY, [this.hashOfKey(accessKeyOf(ck))]))[0];
  }

  /**
   * Updates an ACTIVE consent. Concurrent updates wait for each other's row lock, so that the last one stands. Returns `moved` when the
   * consent was to keep an Identity Record that it is no longer linked to, `repeated` when another request claimed the idempotency key:
   * the key is claimed first, so that a repeat waits for it instead of its own change. What is not changed takes the claim back with it.
   */
  async update(
    target: ConsentTarget,
    record: AccessRecordInput,
    link: ConsentLink,
    idempotent: IdempotentRequest,
  ): Promise<AccessToken | 'moved' | 'repeated'> {
    const key = accessKeyOf(target.ck);
    const token = { key, expiry: record.accessEvent.expiry ?? null };
    const update = inTransaction(this.database.pool, async (session) => {
      if (!(await keepAnswer(session, idempotent, token))) return 'repeated';
      if (!(await this.isChanged(session, target, record, link))) throw await this.whyNot(target.ck, link);
      return token;
    });
    return update.catch((error: unknown) => {
      if (error instanceof LinkMoved) return 'moved';
      throw error;
    });
  }

  /** ACTIVE consents of a meter point, newest first, at most 500: those of a Data User, and of all others if asked for. */
  async at(meterPointId: string, duid: string, withOthers: boolean): Promise<ShownConsent[]> {
    const values = [meterPointId, duid, withOthers];
    const { rows } = await this.database.pool.query<ShownRow>({ ...AT_METER_POINT, values });
    return rows.map(({ document, ...consent }) => {
      const evidence = shownEvidenceOf(document);
      const userDefinedReference = consent.duid === duid ? evidence.userDefinedReference : null;
      return { ...consent, ...evidence, userDefinedReference };
    });
  }

  /**
   * Whether an access record, or a version of one, rests on an Identity Record: where none does, none ever will, since it is closed.
   * Registrations under way have ended when the lock is had, later ones are refused (CNF003). May be repeated.
   */
  settle(identityRecordId: string): Promise<boolean> {
    return inTransaction(this.database.pool, async (session) => {
      await session.query(LOCK, [identityRecordId]);
      await session.query(CLOSE_UNLINKED, [identityRecordId]);
      const { rows } = await session.query<{ linked: boolean }>(LINKED, [identityRecordId]);
      return rows[0]?.linked === true;
    });
  }

  private async isChanged(
    session: Session,
    { actor, ck }: ConsentTarget,
    record: AccessRecordInput,
    link: ConsentLink,
  ): Promise<boolean> {
    const { processing, accessEvent } = record;
    const [moved, expected] = 'to' in link ? [link.to, null] : [null, link.stillTo];
    const values = [
      this.hashOfKey(accessKeyOf(ck)),
      actor.duid,
      actor.accountId,
      expected,
      processing.legalBasis,
      accessEvent.registeredAt,
      accessEvent.expiry ?? null,
      documentOf(record),
      moved?.id ?? null,
      moved?.ref ?? null,
    ];
    return (await session.query({ ...UPDATE, values }).catch(refuseOfClosed)).rowCount === 1;
  }

  /** Since it was read it has ended, its Identity Record was closed, or another update has linked it to another one. */
  private async whyNot(ck: string, link: ConsentLink): Promise<Error> {
    const consent = await this.byKey(ck);
    if (consent === undefined) return new RegisterError('NTF001');
    if (consent.state !== 'ACTIVE') return new RegisterError('CNF001', `The consent is ${consent.state}, not ACTIVE.`);
    return consent.meterPointId !== null && 'stillTo' in link ? new LinkMoved() : new RegisterError('CNF003');
  }
}
