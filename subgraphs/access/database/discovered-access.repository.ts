import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import { type IdempotentRequest, once } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { seal, unseal } from '../../server/sealed';
import type { Session } from '../../server/transaction';
import {
  type DiscoveredAccess,
  type DiscoveredAccessReport,
  type DiscoveredState,
  type KnownDiscovery,
  broughtUpToDate,
  discoveredAccessOf,
  documentOfDiscovered,
  expiryOf,
  isRepeat,
  startOf,
} from '../domain/discovered-access';
import { NEXT_NUMBER } from './access-record.repository';
import { lockMeterPoint } from './meter-point-lock';
import { isActive, revokedAtNow } from './record-state';

/** What a report is answered with, also when it is answered again for the same idempotency key. */
export interface ReportedAccess {
  readonly ak: string;
  /** As the record stands: a report may tell of what is too old to be shown. */
  readonly state: DiscoveredState;
  /** False for a repeat. */
  readonly isNew: boolean;
}

/** Who reports what, of which meter point. */
export interface ReportOfAccess {
  readonly accountId: string;
  readonly meterPointId: string;
  readonly report: DiscoveredAccessReport;
}

/** The registered access by which a record was claimed; one of a person who was anonymised is not known any more. */
const CLAIMING = 'from access_record claiming where claiming.id = record.superseded_by';

/** The latest record of the organisation there. A registered access ends on a day of the customers. */
const KNOWN = {
  name: 'known_discovery',
  text: `select id, key_sealed, document, state = 'EXPIRED' or coalesce(expiry <= register_now(), false) as "hasExpired",
      case when claimed_at is not null and not exists (select ${CLAIMING} and ${isActive('claiming')}) then to_char(
        coalesce((select coalesce(${revokedAtNow('claiming')}, claiming.expiry) ${CLAIMING}), claimed_at) at time zone 'Europe/London', 'YYYY-MM-DD')
      end as "claimEnded"
    from access_record record
    where meter_point_id = $1 and duid is null and document -> 'discoveredAccess' ->> 'organisationReference' = $2
    order by created_at desc, id desc limit 1`,
};

const TODAY = {
  name: 'today_in_great_britain',
  text: `select to_char(register_now() at time zone 'Europe/London', 'YYYY-MM-DD') as today`,
};

const HAS_PASSED = 'select coalesce($1::timestamptz <= register_now(), false) as passed';

const STANDING = {
  name: 'standing_of_discovered_access',
  text: `select case when expiry <= register_now() then 'EXPIRED' else state end as state from access_record where id = $1`,
};

/** What has expired and was not yet swept makes room for what is new. */
const EXPIRE = `
  with record as (
    update access_record set state = 'EXPIRED' where id = $1 and state = 'DISCOVERED' and expiry <= register_now() returning id)
  insert into access_record_transition (record_id, number, from_state, to_state, cause)
  select id, ${NEXT_NUMBER}, 'DISCOVERED', 'EXPIRED', 'expired' from record`;

const DISCOVER = {
  name: 'discover_access',
  text: `with record as (
      insert into access_record (id, key_hash, key_sealed, meter_point_id, state, registered_at, expiry, document)
      values ($1, $2, $3, $4, 'DISCOVERED', $5, $6, $7) returning *),
    version as (
      insert into access_record_version (record_id, version, account_id, registered_at, expiry, document)
      select id, version, $8, registered_at, expiry, document from record)
    insert into access_record_transition (record_id, number, to_state, cause, account_id)
    select id, 1, state, 'discovered', $8 from record`,
};

const BRING_UP_TO_DATE = {
  name: 'bring_discovered_access_up_to_date',
  text: `with record as (
      update access_record set version = version + 1, registered_at = $2, expiry = $3, document = $4
      where id = $1 and state = 'DISCOVERED' returning *)
    insert into access_record_version (record_id, version, account_id, registered_at, expiry, document)
    select id, version, $5, registered_at, expiry, document from record`,
};

interface KnownRow extends Omit<KnownDiscovery, 'access'> {
  readonly id: string;
  readonly key_sealed: Buffer;
  readonly document: { readonly discoveredAccess: DiscoveredAccess; readonly sourceReferenceSealed: string };
}

/** Access that the communications operator discovered (2-decisions-a-b.md, section 5): one record of a meter point and organisation. */
export class DiscoveredAccessRepository {
  constructor(
    private readonly database: Database,
    private readonly hashOfKey: KeyedHash,
    private readonly sealingKey: Buffer,
    private readonly maxAgeDays: number | undefined,
  ) {}

  /** The present day of the customers, which are in Great Britain, by the register's clock. */
  async today(): Promise<string> {
    const [row] = await this.database.reads.rows<{ today: string }>(TODAY, []);
    return (row as { today: string }).today;
  }

  /** The answer that was kept for the idempotency key. */
  recallKept(request: IdempotentRequest): Promise<ReportedAccess | undefined> {
    return request.recallKept<ReportedAccess>(this.database.reads);
  }

  /**
   * Makes a record of what was discovered, or brings the one that there is up to date; an organisation that is registered there claims it
   * at once. Reports of a meter point come one after the other.
   */
  async report(of: ReportOfAccess, request: IdempotentRequest): Promise<ReportedAccess & { replayed: boolean }> {
    const { answer, replayed } = await once(this.database.pool, request, async (session) => {
      await lockMeterPoint(session, of.meterPointId);
      await session.query('select await_claimants_at($1)', [of.meterPointId]);
      return this.reported(session, of);
    });
    return { ...answer, replayed };
  }

  private async reported(session: Session, of: ReportOfAccess): Promise<ReportedAccess> {
    const known = await this.known(session, of);
    const repeated = known !== undefined && (await this.isRepeat(session, known, of)) ? known : undefined;
    const ak = repeated ? this.keyOf(repeated) : newIdentifier('ak');
    if (repeated) await this.bringUpToDate(session, repeated, of);
    const id = repeated?.id ?? (await this.discover(session, known, ak, of));
    await session.query('select claim_discovered_at($1)', [of.meterPointId]);
    const { rows } = await session.query<{ state: DiscoveredState }>({ ...STANDING, values: [id] });
    return { ak, state: (rows[0] as { state: DiscoveredState }).state, isNew: repeated === undefined };
  }

  private async known(session: Session, { meterPointId, report }: ReportOfAccess): Promise<KnownRow | undefined> {
    const values = [meterPointId, report.organisationReference];
    return (await session.query<KnownRow>({ ...KNOWN, values })).rows[0];
  }

  private async isRepeat(session: Session, known: KnownRow, { report }: ReportOfAccess): Promise<boolean> {
    const access = discoveredAccessOf(report);
    const { rows } = await session.query<{ passed: boolean }>(HAS_PASSED, [expiryOf(access, this.maxAgeDays)]);
    return isRepeat({ ...known, access: known.document.discoveredAccess }, access, {
      hasExpired: rows[0]?.passed === true,
      hasSameReference: this.sourceReferenceOf(known) === report.sourceReference,
    });
  }

  private sourceReferenceOf({ id, document }: KnownRow): string {
    return unseal(this.sealingKey, Buffer.from(document.sourceReferenceSealed, 'base64'), id).toString('utf8');
  }

  private async discover(
    session: Session,
    before: KnownRow | undefined,
    ak: string,
    { accountId, meterPointId, report }: ReportOfAccess,
  ): Promise<string> {
    if (before) await session.query(EXPIRE, [before.id]);
    const id = randomUUID();
    const key = [id, this.hashOfKey(ak), seal(this.sealingKey, ak, id)];
    const content = this.content(id, discoveredAccessOf(report), report.sourceReference);
    await session.query({ ...DISCOVER, values: [...key, meterPointId, ...content, accountId] });
    return id;
  }

  /** A report that says nothing new makes no version. */
  private async bringUpToDate(session: Session, known: KnownRow, { accountId, report }: ReportOfAccess): Promise<void> {
    if (known.hasExpired) return;
    const { discoveredAccess } = known.document;
    const access = broughtUpToDate(discoveredAccess, discoveredAccessOf(report));
    if (isDeepStrictEqual(access, discoveredAccess) && this.sourceReferenceOf(known) === report.sourceReference) return;
    const content = this.content(known.id, access, report.sourceReference);
    await session.query({ ...BRING_UP_TO_DATE, values: [known.id, ...content, accountId] });
  }

  /** Time of registration, expiry and document. */
  private content(id: string, access: DiscoveredAccess, sourceReference: string): unknown[] {
    const sealed = seal(this.sealingKey, sourceReference, id).toString('base64');
    return [startOf(access.firstSeen), expiryOf(access, this.maxAgeDays), documentOfDiscovered(access, sealed)];
  }

  private keyOf({ id, key_sealed }: KnownRow): string {
    return unseal(this.sealingKey, key_sealed, id).toString('utf8');
  }
}
