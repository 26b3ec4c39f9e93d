import { type UUID, randomBytes, randomInt, randomUUID } from 'node:crypto';
import pino from 'pino';
import { AccessRecordRepository } from '../../subgraphs/access/records/access-record.repository';
import { ControllerReferences } from '../../subgraphs/access/records/controller-references.queries';
import {
  DiscoveredAccessRepository,
  type ReportedAccess,
} from '../../subgraphs/access/operator/discovered-access.repository';
import type { StoredAccessRecord } from '../../subgraphs/access/records/stored-access-record.queries';
import { TenancyChangeRepository } from '../../subgraphs/access/operator/tenancy-change.repository';
import type { AccessRecordInput } from '../../subgraphs/access/records/access-record';
import type { DiscoveredAccessReport } from '../../subgraphs/access/operator/discovered-access';
import { type Database, openDatabase } from '../../subgraphs/server/database/database';
import { type Idempotency, idempotency, replayable } from '../../subgraphs/server/idempotency';
import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { type RegisterClock, registerClock } from '../../subgraphs/server/database/register-clock';
import { type AccessDatabase, accessDatabase } from './access-database';
import { GADWALL, recordOnContract } from './access-records';

/** An organisation that registers access. */
export interface Organisation {
  readonly accountId: string;
  readonly duid: string;
}

/** The repositories of `access` for the communications operator's reports, on a separate database. */
export interface OperatorFixture {
  readonly tables: AccessDatabase;
  readonly database: Database;
  readonly clock: RegisterClock;
  readonly records: AccessRecordRepository;
  readonly changes: TenancyChangeRepository;
  /** Reports access to another register on the same tables, with a maximum age of discovered access in days. */
  withMaxAge(days: number | undefined): ReportAccess;
  readonly report: ReportAccess;
  /** Reports access and returns its record. */
  reported(meterPointId: string, change?: Partial<DiscoveredAccessReport>): Promise<StoredAccessRecord>;
  /** Onboards a Data User. */
  organisation(displayName: string, organisationReference?: string): Promise<Organisation>;
  /** Registers access at a meter point; returns its key. */
  register(
    of: Organisation,
    meterPointId: string,
    change?: (record: AccessRecordInput) => void,
    identityRecordId?: UUID,
  ): Promise<string>;
  close(): Promise<void>;
}

/** Reports access at a meter point, with or without an idempotency key. */
type ReportAccess = (
  meterPointId: string,
  change?: Partial<DiscoveredAccessReport>,
  key?: string,
) => Promise<ReportedAccess & { readonly replayed: boolean }>;

/** The account of the communications operator. */
export const OPERATOR = `acc_${'c'.repeat(24)}`;

/** Returns a unique meter point. */
export const newMeterPoint = () => randomBytes(8).toString('hex');

/** Opens the fixture. */
export async function operatorFixture(): Promise<OperatorFixture> {
  const tables = await accessDatabase();
  const database = openDatabase(tables.address);
  const hash = (purpose: string) => keyedHash(HASH_KEY, purpose);
  const references = new ControllerReferences(SEALING_KEY, pino({ level: 'silent' }));
  const records = new AccessRecordRepository(database, hash('access-key'), SEALING_KEY, references);
  const requests = idempotency(database, HASH_KEY, SEALING_KEY);
  const withMaxAge = (days: number | undefined) =>
    reportTo(new DiscoveredAccessRepository(database, hash, SEALING_KEY, days), requests);
  const report = withMaxAge(undefined);
  return {
    tables,
    database,
    clock: registerClock(database),
    records,
    changes: new TenancyChangeRepository(database, hash('tenancy-subject')),
    withMaxAge,
    report,
    reported: async (...reportArgs) => (await records.byKey((await report(...reportArgs)).ak)) as StoredAccessRecord,
    organisation: (...named) => onboard(tables, ...named),
    register: (...access) => registerAt(records, requests, ...access),
    close: async () => {
      await database.close();
      await tables.close();
    },
  };
}

const HASH_KEY = randomBytes(32);
/** The encryption key of `access` in the fixture. */
export const SEALING_KEY = randomBytes(32);

function reportTo(discoveries: DiscoveredAccessRepository, requests: Idempotency): ReportAccess {
  return async (meterPointId, change = {}, key) => {
    const report = { mpxn: '1000000000', ...GADWALL, ...change };
    const request = requests.request(OPERATOR, 'reportDiscoveredAccess', key ?? null, report);
    const { response, replayed } = await replayable(request, () =>
      discoveries.report({ accountId: OPERATOR, meterPointId, report }, request),
    );
    return { ...response, replayed };
  };
}

async function onboard(
  { owner }: AccessDatabase,
  displayName: string,
  organisationReference?: string,
): Promise<Organisation> {
  const organisation = {
    accountId: `acc_${randomBytes(12).toString('hex')}`,
    duid: `duid_${randomBytes(12).toString('hex')}`,
  };
  await owner.query(
    `insert into account (account_id, role, display_name, duid, contact_url, organisation_reference)
     values ($1, 'data_user', $2, $3, 'https://elsewhere.example', $4)`,
    [organisation.accountId, displayName, organisation.duid, organisationReference ?? null],
  );
  return organisation;
}

async function registerAt(
  records: AccessRecordRepository,
  requests: Idempotency,
  of: Organisation,
  meterPointId: string,
  change: (record: AccessRecordInput) => void = () => undefined,
  identityRecordId = randomUUID(),
): Promise<string> {
  const link = { id: identityRecordId, meterPointId, ref: `ir_${randomInt(1e9).toString(16).padStart(24, '0')}` };
  const request = requests.request(of.accountId, 'registerAccessRecord', null, {});
  const token = await records.register(of, recordOnContract(change), link, request);
  return token?.key as string;
}
