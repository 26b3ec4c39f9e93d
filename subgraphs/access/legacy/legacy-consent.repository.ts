import { accessKeyOf } from '../../../schema/identifiers';
import { CLOSED_IDENTITY_RECORD } from '../../../schema/closed-identity-record';
import { RegisterError } from '../../../schema/register-error';
import type { Actor } from '../../server/callers/caller';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, storeResponse } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Session, inTransaction } from '../../server/database/transaction';
import { type AccessRecordInput, type AccessState } from '../records/access-record';
import { type AccessRecordDocument, documentOf } from '../records/record-document';
import { type LegacyConsent, shownEvidenceOf } from './legacy-consent';
import { type IdentityLink, type StoredToken, rejectClosedRecord } from '../records/access-record.repository';
import {
  type ControllerReferences,
  REFERENCE_COLUMNS,
  type VersionWithReference,
  storedReferenceKey,
} from '../records/controller-references.queries';
import { activeAccount, changedBy } from '../accounts/active-account.queries';
import { replacement } from '../records/transitions';
import { ON_CONSENT, isActive, stateNow } from '../records/record-state.sql';

/** A consent of Interface B and its state by the register's clock. */
export interface LegacyConsentState {
  readonly duid: string;
  readonly state: AccessState;
  /** The linked Identity Record. */
  readonly identityRecordId: string;
  /** Null once the Identity Record is closed. */
  readonly meterPointId: string | null;
}

/** An ACTIVE consent at a meter point; `userDefinedReference` is set for its own Data User only. */
export interface ShownConsent extends LegacyConsent {
  readonly duid: string;
  /** The Identity Record that its Data User linked; null if a re-identification did. */
  readonly identityRecordId: string | null;
}

type ShownRow = Pick<ShownConsent, 'duid' | 'identityRecordId' | 'consentDate' | 'consentExpiry'> &
  VersionWithReference & { readonly document: AccessRecordDocument };

/** The consent to change, and the actor. */
interface ConsentTarget {
  readonly actor: Actor;
  readonly ck: string;
}

/** Effect of an update on the link: it moves to another Identity Record, or keeps the present one if that is the expected one. */
type ConsentLink = { readonly to: Pick<IdentityLink, 'id' | 'ref'> } | { readonly stillTo: string };

/** An update that keeps the Identity Record found another one; nothing was changed. */
class LinkMoved extends Error {}

const BY_KEY = {
  name: 'legacy_consent_by_key',
  text: `select duid, ${stateNow()} as state,
      identity_record_id as "identityRecordId", meter_point_id as "meterPointId"
    from access_record where key_hash = $1 and is_legacy`,
};

/** A replacement as through Interface A. The link moves if another Identity Record is supplied, unless the former one is closed. */
const UPDATE = {
  name: 'update_legacy_consent',
  text: `with ${replacement({
    set: `legal_basis = $5, registered_at = $6, expiry = $7, document = $8, reference_sealed = $11,
      identity_record_id = coalesce($9::uuid, identity_record_id), identity_record_ref = coalesce($10, identity_record_ref)`,
    expiry: '$7',
    where: `key_hash = $1 and duid = $2 and identity_record_id = coalesce($4::uuid, identity_record_id) and is_legacy
      and meter_point_id is not null and ${isActive()}`,
    account: activeAccount('$3'),
    more: ['identity_record_id'],
  })},
    ${storedReferenceKey('$12')}
    select from record`,
};

/** ACTIVE records on consent of both interfaces, newest first. Of more than 500, the caller's own come first, then the newest of each Data User. */
const AT_METER_POINT = {
  name: 'consents_at_meter_point',
  text: `select duid, case when identity_record_ref is not null then identity_record_id end as "identityRecordId",
      registered_at as "consentDate", expiry as "consentExpiry", document, ${REFERENCE_COLUMNS}
    from (
      select * from access_record where meter_point_id = $1 and (duid = $2 or $3) and ${isActive()} and ${ON_CONSENT}
      order by duid = $2 desc, row_number() over (partition by duid order by created_at desc, id desc) limit 500) record
    order by created_at desc, id desc`,
};

/** The lock under which an Identity Record is closed (`ClosingRepository`); registrations that link to it share it. */
const LOCK = 'select pg_advisory_xact_lock(lock_of_identity_record($1))';
/** A link may have moved since, but the version of that time remains based on the Identity Record. */
const IS_LINKED = `(exists (select from access_record where identity_record_id = $1)
    or exists (select from access_record_version where identity_record_id = $1))`;
const CLOSE_IF_UNLINKED = `
  insert into closed_identity_link (identity_record_id) select $1 where not ${IS_LINKED} on conflict do nothing`;
const LINKED = `select ${IS_LINKED} as linked`;

/** Access records as consents of Interface B (decisions A/B, 8). */
export class LegacyConsentRepository {
  constructor(
    private readonly database: Database,
    private readonly hashOfKey: KeyedHash,
    private readonly references: ControllerReferences,
  ) {}

  /** Returns the consent with this key; undefined if there is none, or its record was registered through Interface A. */
  async byKey(ck: string): Promise<LegacyConsentState | undefined> {
    return (await this.database.reads.rows<LegacyConsentState>(BY_KEY, [this.hashOfKey(accessKeyOf(ck))]))[0];
  }

  /**
   * Updates an ACTIVE consent. Concurrent updates wait for the row lock, so the last one wins. Returns `moved` if the consent should keep
   * an Identity Record to which it is no longer linked, and `repeated` if another request claimed the idempotency key. The key is claimed
   * before the change, so that a repeat waits for the first request; a rejected change rolls the claim back. Throws AUT001 if the account is
   * no longer active.
   */
  async update(
    target: ConsentTarget,
    record: AccessRecordInput,
    link: ConsentLink,
    idempotent: IdempotentRequest,
  ): Promise<StoredToken | 'moved' | 'repeated'> {
    const key = accessKeyOf(target.ck);
    const token = { key, expiry: record.accessEvent.expiry?.toISOString() ?? null };
    const update = inTransaction(this.database.pool, async (session) => {
      if (!(await storeResponse(session, idempotent, token))) return 'repeated';
      if (!(await this.isChanged(session, target, record, link))) throw await this.reasonUnchanged(target.ck, link);
      return token;
    });
    return update.catch((error: unknown) => {
      if (error instanceof LinkMoved) return 'moved';
      throw error;
    });
  }

  /** Returns ACTIVE consents at a meter point, newest first, at most 500: those of a Data User, or with `withOthers` of all. */
  async at(meterPointId: string, duid: string, withOthers: boolean): Promise<ShownConsent[]> {
    const values = [meterPointId, duid, withOthers];
    const { rows } = await this.database.pool.query<ShownRow>({ ...AT_METER_POINT, values });
    return rows.map((row) => {
      const { identityRecordId, consentDate, consentExpiry } = row;
      const userDefinedReference = row.duid === duid ? this.references.decrypt(row) : null;
      const consent = { duid: row.duid, identityRecordId, consentDate, consentExpiry, userDefinedReference };
      return { ...consent, ...shownEvidenceOf(row.document) };
    });
  }

  /**
   * Returns whether an access record, or a version of one, is based on an Identity Record. If none is, it closes the Identity Record, so
   * that none ever will be. It waits for registrations in progress; later ones are rejected (CNF003). Idempotent.
   */
  reconcile(identityRecordId: string): Promise<boolean> {
    return inTransaction(this.database.pool, async (session) => {
      await session.query(LOCK, [identityRecordId]);
      await session.query(CLOSE_IF_UNLINKED, [identityRecordId]);
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
    const keyHash = this.hashOfKey(accessKeyOf(ck));
    const reference = this.references.encrypt(keyHash, accessEvent.controllerReference);
    const values = [
      keyHash,
      actor.duid,
      actor.accountId,
      expected,
      processing.legalBasis,
      accessEvent.registeredAt,
      accessEvent.expiry ?? null,
      documentOf(record),
      moved?.id ?? null,
      moved?.ref ?? null,
      reference.sealed,
      reference.wrappedKey,
    ];
    const rows = await changedBy(actor.accountId, { ...UPDATE, values }, session).catch(rejectClosedRecord);
    return rows.length === 1;
  }

  /** Reason for an update without effect: the consent ended, its Identity Record was closed, or another update moved its link. */
  private async reasonUnchanged(ck: string, link: ConsentLink): Promise<Error> {
    const consent = await this.byKey(ck);
    if (consent === undefined) return new RegisterError('NTF001');
    if (consent.state !== 'ACTIVE') return new RegisterError('CNF001', `The consent is ${consent.state}, not ACTIVE.`);
    if (consent.meterPointId !== null && 'stillTo' in link) return new LinkMoved();
    return new RegisterError('CNF003', CLOSED_IDENTITY_RECORD.either);
  }
}
