import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { AccessState, Controller, LegalBasis } from '../../subgraphs/access/records/access-record';
import { DUID } from './access-database';

/** An occupant who moved in before any record began, for the lists of portals. */
export const EARLY_OCCUPANT = { ownRecordIds: [], since: '1970-01-01', beganAt: null };

/** A record with its current state; times are SQL, by the register's clock. */
export interface AccessRow {
  readonly state: AccessState;
  readonly legalBasis: LegalBasis;
  readonly meterPointId: string | null;
  readonly identityRecordId: string;
  readonly createdAt: string;
  readonly expiry: string;
  readonly revokedAt: string;
  readonly controllers: readonly Controller[];
}

const HARBOURLIGHT = {
  name: 'Harbourlight',
  role: 'sole',
  contactUrl: 'https://harbourlight.example/contact',
} as const;

const USUAL: AccessRow = {
  state: 'ACTIVE',
  legalBasis: 'uk-consent',
  meterPointId: 'meter point',
  identityRecordId: randomUUID(),
  createdAt: 'register_now()',
  expiry: 'null',
  revokedAt: 'null',
  controllers: [HARBOURLIGHT],
};

/** Returns the stored document of a record. */
const documentOf = (controllers: readonly Controller[]) => ({
  schemaVersion: '1.0',
  controllerArrangement: { arrangementType: controllers.length === 1 ? 'sole' : 'joint', controllers },
  notice: null,
  purpose: 'Find a better tariff',
  dataTypes: ['HH-CONSUMPTION'],
  dataSource: null,
  recipients: null,
  controllerReference: null,
  consent: null,
});

/** Inserts a record into the tables as their owner, without the triggers that check its transitions; returns its id. */
export async function putRecord(owner: Client, change: Partial<AccessRow> = {}): Promise<string> {
  const row = { ...USUAL, ...change };
  const isDiscovered = row.state === 'DISCOVERED'; // which has no Data User, no legal basis and no Identity Record
  const id = randomUUID();
  await owner.query(`set session_replication_role = 'replica'`);
  try {
    await owner.query(
      `with record as (
         insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
           legal_basis, registered_at, expiry, created_at, revoked_at, document)
         values ($1, $2, '\\x01', $3, $4, case when $3::text is not null then 'ir_' || repeat('7', 24) end, $5, $6, $7, ${row.createdAt}, ${row.expiry}, ${row.createdAt},
           ${row.revokedAt}, $8) returning *),
       version as (
         insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document)
         select id, 1, 'acc', legal_basis, registered_at, expiry, document from record)
       insert into access_record_transition (record_id, number, from_state, to_state, cause)
       select id, 1, null, case state when 'REVOKED' then 'ACTIVE' else state end, $9 from record
       union all select id, 2, 'ACTIVE', state, 'revoked' from record where state = 'REVOKED'`,
      [
        id,
        randomBytes(32),
        isDiscovered ? null : DUID,
        isDiscovered ? null : row.identityRecordId,
        row.meterPointId,
        row.state,
        isDiscovered ? null : row.legalBasis,
        documentOf(row.controllers),
        isDiscovered ? 'discovered' : 'registered',
      ],
    );
  } finally {
    await owner.query('reset session_replication_role');
  }
  return id;
}

/** The account id of {@link DUID}. */
export const ACCOUNT = `acc_${'0'.repeat(24)}`;

/** Onboards another account; returns its id. */
export async function putAccount(
  owner: Client,
  role: 'portal' | 'data_provider' | 'admin',
  name: string,
): Promise<string> {
  const accountId = `acc_${randomBytes(12).toString('hex')}`;
  await owner.query(
    `insert into account (account_id, role, display_name, duid, contact_url) values ($1, $2, $3, $4, 'https://elsewhere.example')`,
    [accountId, role, name, role === 'portal' ? `duid_${randomBytes(12).toString('hex')}` : null],
  );
  return accountId;
}
