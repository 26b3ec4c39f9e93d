import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import { type IdempotentRequest, once } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { decrypted } from '../../server/damaged-values';
import { encryptValue, decryptValue } from '../../server/encryption';
import type { Session } from '../../server/database/transaction';
import {
  type DiscoveredAccessReport,
  type DiscoveredState,
  type KnownDiscovery,
  updatedAccess,
  discoveredAccessOf,
  documentOfDiscovered,
  expiryOf,
  isRepeat,
  startOf,
} from './discovered-access';
import { firstTransition, newVersion, stateChange } from '../records/transitions';
import { lockMeterPoint } from '../locks.sql';
import { endedAt, hasExpired, isActive, isUnexpired } from '../records/record-state.sql';
import type { DiscoveredAccess } from '../records/record-document';

/** Result of a report; stored for repeats with the same idempotency key. */
export interface ReportedAccess {
  readonly ak: string;
  /** State of the record; EXPIRED if the last sighting is too old. */
  readonly state: DiscoveredState;
  /** False for a repeat, which updates the existing record. */
  readonly isNew: boolean;
}

/** A report with its account and meter point. */
interface ReportOfAccess {
  readonly accountId: string;
  readonly meterPointId: string;
  readonly report: DiscoveredAccessReport;
}

/** The registered access that claimed a record; unknown once its Identity Record was anonymised. */
const CLAIMING = 'from access_record claiming where claiming.id = record.superseded_by';

/** The latest record of an organisation at a meter point, locked. Days are days in Great Britain. */
const KNOWN = {
  name: 'known_discovery',
  text: `select id, key_sealed, document, state = 'EXPIRED' or coalesce(${hasExpired('record')}, false) as "hasExpired",
      case when claimed_at is not null and not exists (select ${CLAIMING} and ${isActive('claiming')}) then to_char(
        coalesce((select ${endedAt('claiming')} ${CLAIMING}), claimed_at) at time zone 'Europe/London', 'YYYY-MM-DD')
      end as "claimEnded",
      array(select document ->> 'sourceReferenceSealed' from access_record_version where record_id = record.id) as "sealedReferences"
    from access_record record
    where meter_point_id = $1 and duid is null and document -> 'discoveredAccess' ->> 'organisationReference' = $2
    order by created_at desc, id desc limit 1 for no key update of record`,
};

const TODAY = {
  name: 'today_in_great_britain',
  text: `select to_char(register_now() at time zone 'Europe/London', 'YYYY-MM-DD') as today`,
};

const HAS_PASSED = 'select coalesce($1::timestamptz <= register_now(), false) as passed';

const STATE = {
  name: 'state_of_discovered_access',
  text: `select case when ${hasExpired()} then 'EXPIRED' else state end as state from access_record where id = $1`,
};

/** Expires a record that no sweep has expired yet, because a new one replaces it. */
const EXPIRE = `
  with discovered as (
    select id, state from access_record where id = $1 and state = 'DISCOVERED' and ${hasExpired()} for no key update),
  ${stateChange({ cause: 'expired', where: 'access_record.id = discovered.id', locked: 'discovered' })}
  select from record`;

const DISCOVER = {
  name: 'discover_access',
  text: `with record as (
      insert into access_record (id, key_hash, key_sealed, meter_point_id, state, registered_at, expiry, document)
      values ($1, $2, $3, $4, 'DISCOVERED', $5, $6, $7) returning *),
    ${newVersion('$8')},
    ${firstTransition('discovered', '$8')}
    select from record`,
};

const UPDATE_DISCOVERED = {
  name: 'update_discovered_access',
  text: `with record as (
      update access_record set version = version + 1, registered_at = $2, expiry = $3, document = $4
      where id = $1 and state = 'DISCOVERED' and ${isUnexpired()} returning *),
    ${newVersion('$5')}
    select from record`,
};

interface KnownRow extends Omit<KnownDiscovery, 'access'> {
  readonly id: string;
  readonly key_sealed: Buffer;
  readonly document: { readonly discoveredAccess: DiscoveredAccess };
  /** Encrypted source references of all its versions. */
  readonly sealedReferences: readonly string[];
}

/** Access that the communications operator discovered (decisions A/B, 5): one record per meter point and organisation. */
export class DiscoveredAccessRepository {
  constructor(
    private readonly database: Database,
    /** Returns the hash function of a purpose. */
    private readonly hashOf: (purpose: string) => KeyedHash,
    private readonly encryptionKey: Buffer,
    private readonly maxAgeDays: number | undefined,
  ) {}

  /** Returns the present day in Great Britain by the register's clock. */
  async today(): Promise<string> {
    const [row] = await this.database.reads.rows<{ today: string }>(TODAY, []);
    return (row as { today: string }).today;
  }

  /**
   * Creates a record of a discovered access or updates the existing one; an organisation that is registered at the meter point claims it
   * immediately. Reports of one meter point are serialised. Returns undefined if the idempotency key was used before.
   */
  report(of: ReportOfAccess, request: IdempotentRequest): Promise<ReportedAccess | undefined> {
    return once(this.database.pool, request, async (session) => {
      await lockMeterPoint(session, of.meterPointId);
      await session.query('select await_claimants_at($1)', [of.meterPointId]);
      return this.reported(session, of);
    });
  }

  private async reported(session: Session, of: ReportOfAccess): Promise<ReportedAccess> {
    const known = await this.known(session, of);
    const repeated = known !== undefined && (await this.isRepeat(session, known, of)) ? known : undefined;
    const ak = repeated ? this.keyOf(repeated) : newIdentifier('ak');
    if (repeated && !(await this.updateRecord(session, repeated, of))) return this.reported(session, of);
    const id = repeated?.id ?? (await this.discover(session, known, ak, of));
    await session.query('select claim_discovered_at($1)', [of.meterPointId]);
    const { rows } = await session.query<{ state: DiscoveredState }>({ ...STATE, values: [id] });
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
      hasSameReference: this.hasReference(known, report.sourceReference),
    });
  }

  /** Whether an earlier report had this reference; a damaged one is another. The previous release stored the reference itself, not its hash. */
  private hasReference({ id, sealedReferences }: KnownRow, reference: string): boolean {
    const stored = [this.hashedReference(id, reference), reference];
    return sealedReferences.some((sealed) => {
      const open = () => decryptValue(this.encryptionKey, Buffer.from(sealed, 'base64'), id).toString('utf8');
      const earlier = decrypted(open);
      return earlier !== undefined && stored.includes(earlier);
    });
  }

  /** References are compared only, and a report may contain personal data: no key decrypts them. Equal ones differ by record. */
  private hashedReference(id: string, reference: string): string {
    return this.hashOf('source-reference')(`${id} ${reference}`).toString('hex');
  }

  private async discover(
    session: Session,
    before: KnownRow | undefined,
    ak: string,
    { accountId, meterPointId, report }: ReportOfAccess,
  ): Promise<string> {
    if (before) await session.query(EXPIRE, [before.id]);
    const id = randomUUID();
    const key = [id, this.hashOf('access-key')(ak), encryptValue(this.encryptionKey, ak, id)];
    const content = this.content(id, discoveredAccessOf(report), report.sourceReference);
    await session.query({ ...DISCOVER, values: [...key, meterPointId, ...content, accountId] });
    return id;
  }

  /** Adds no version if the report contains nothing new. Returns false if the record has expired since it was read. */
  private async updateRecord(
    session: Session,
    known: KnownRow,
    { accountId, report }: ReportOfAccess,
  ): Promise<boolean> {
    if (known.hasExpired) return true;
    const { discoveredAccess } = known.document;
    const access = updatedAccess(discoveredAccess, discoveredAccessOf(report));
    if (isDeepStrictEqual(access, discoveredAccess) && this.hasReference(known, report.sourceReference)) return true;
    const content = this.content(known.id, access, report.sourceReference);
    const { rowCount } = await session.query({ ...UPDATE_DISCOVERED, values: [known.id, ...content, accountId] });
    return rowCount === 1;
  }

  /** Values of the columns registered_at, expiry and document. */
  private content(id: string, access: DiscoveredAccess, sourceReference: string): unknown[] {
    // Encrypted, so that a process of the previous release can read it: it takes the hash for another reference.
    const sealed = encryptValue(this.encryptionKey, this.hashedReference(id, sourceReference), id).toString('base64');
    return [startOf(access.firstSeen), expiryOf(access, this.maxAgeDays), documentOfDiscovered(access, sealed)];
  }

  private keyOf({ id, key_sealed }: KnownRow): string {
    return decryptValue(this.encryptionKey, key_sealed, id).toString('utf8');
  }
}
