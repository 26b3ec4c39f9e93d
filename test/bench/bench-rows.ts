import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { newIdentifier } from '../../schema/identifiers';
import type { Keys } from '../../process/settings/keys';
import { blindIndexes } from '../../subgraphs/identity/records/blind-index';
import { PERSONAL_DATA_FORM, personalDataCipher } from '../../subgraphs/identity/records/personal-data-cipher';
import { keyedHash } from '../../subgraphs/server/keyed-hash';
import { encryptValue } from '../../subgraphs/server/encryption';
import { progress } from './progress';

/** Keys by which the rows of a bench can be read. */
export interface BenchRows {
  /** A sample of the access keys. */
  readonly accessKeys: readonly string[];
  readonly mpxns: readonly string[];
  /** Keys of the Identity Records, one for each meter point. */
  readonly identityRecords: readonly string[];
}

/** Rows to create; all belong to one Data User. */
export interface RowsWanted {
  readonly databaseUrl: string;
  readonly keys: Partial<Keys>;
  readonly duid: string;
  readonly records: number;
}

/** Number of access records per meter point. */
export const RECORDS_PER_METER_POINT = 20;
/** Rows that one statement makes. */
export const BATCH = 10_000;
/** Maximum number of stored keys for requests. */
const SAMPLE = 100_000;

/**
 * Creates the rows of this many registrations that reads use, encoded as in the product: without history, and therefore
 * with triggers disabled.
 */
export async function fillRows(wanted: RowsWanted): Promise<BenchRows> {
  const client = await fillingSession(wanted);
  try {
    const identities = await fillIdentityRecords(client, wanted);
    const accessKeys = await fillAccessRecords(client, wanted, identities);
    await client.query('vacuum analyze access.access_record, identity.identity_record, identity_keys.data_key');
    await client.query('checkpoint');
    await client.query(COUNT_AGAIN);
    return { accessKeys, mpxns: identities.map(({ mpxn }) => mpxn), identityRecords: identities.map(({ ref }) => ref) };
  } finally {
    await client.end();
  }
}

/** Opens a session that writes rows without triggers and foreign keys. */
export async function fillingSession({ databaseUrl }: RowsWanted): Promise<Client> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'set search_path = access, identity, register; set synchronous_commit = off; set session_replication_role = replica',
  );
  return client;
}

/** Rows that were made without their events are in no count: the product counts all of them when it starts. */
export const COUNT_AGAIN = 'update record_count_position set era = 0';

/** An Identity Record of the rows, with its meter point. */
export interface IdentityRow {
  readonly id: string;
  readonly ref: string;
  readonly mpxn: string;
  readonly meterPointId: string;
}

const IDENTITY_RECORDS = `
  with made as (
    insert into identity_record (id, ref, duid, mpxn_index, meter_point_id, expressed_by, form, sealed)
    select id, ref, $1, mpxn_index, meter_point_id, 'data-subject', $2, sealed
    from unnest($3::uuid[], $4::text[], $5::bytea[], $6::text[], $7::bytea[]) as row (id, ref, mpxn_index, meter_point_id, sealed))
  insert into identity_keys.data_key (record_id, wrapped) select * from unnest($3::uuid[], $8::bytea[])`;

/** Makes an Identity Record for each meter point. */
export async function fillIdentityRecords(client: Client, { keys, duid, records }: RowsWanted): Promise<IdentityRow[]> {
  const indexes = blindIndexes(keys.identityIndexKey as Buffer);
  const cipher = personalDataCipher(keys.identityEncryptionKey as Buffer);
  const made: IdentityRow[] = [];
  for (let from = 0; from < records / RECORDS_PER_METER_POINT; from += BATCH) {
    const count = Math.min(BATCH, records / RECORDS_PER_METER_POINT - from);
    const batch = Array.from({ length: count }, (_, index) => {
      const mpxn = `20${String(from + index).padStart(8, '0')}`;
      return { id: randomUUID(), ref: newIdentifier('ir'), mpxn, meterPointId: indexes.meterPointId(mpxn) };
    });
    const sealed = batch.map(({ id, mpxn }) => cipher.encryptValue(id, personalData(mpxn)));
    await client.query(IDENTITY_RECORDS, [
      duid,
      PERSONAL_DATA_FORM,
      batch.map(({ id }) => id),
      batch.map(({ ref }) => ref),
      batch.map(({ mpxn }) => indexes.mpxn(mpxn)),
      batch.map(({ meterPointId }) => meterPointId),
      sealed.map((each) => each.sealed),
      sealed.map((each) => each.wrappedKey),
    ]);
    made.push(...batch);
  }
  return made;
}

function personalData(mpxn: string) {
  const address = {
    addressLine1: '4 Lantern Row',
    addressLine2: null,
    townCity: 'Exampleford',
    county: null,
    postcode: 'NR1 4AB',
  };
  return { piiPrincipal: { mpxn, moveInDate: '2024-03-01', address }, principalVerification: null, email: null };
}

const ACCESS_RECORDS = `
  insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state, legal_basis,
    registered_at, expiry, created_at, document)
  select id, key_hash, key_sealed, $1, identity_id, ref, meter_point_id, 'ACTIVE', 'uk-consent', register_now(),
    register_now() + interval '300 days', register_now() - random() * interval '300 days', $2
  from unnest($3::uuid[], $4::bytea[], $5::bytea[], $6::uuid[], $7::text[], $8::text[])
    as row (id, key_hash, key_sealed, identity_id, ref, meter_point_id)`;

async function fillAccessRecords(
  client: Client,
  wanted: RowsWanted,
  identities: readonly IdentityRow[],
): Promise<string[]> {
  const sample: string[] = [];
  const some = Math.ceil(wanted.records / SAMPLE);
  for (let from = 0; from < wanted.records; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, wanted.records - from) }, (_, index) => ({
      id: randomUUID(),
      key: `ak_${randomBytes(12).toString('hex')}`,
      identity: identities[(from + index) % identities.length] as IdentityRow,
    }));
    await insertRecords(client, wanted, batch);
    sample.push(...batch.filter((_, index) => index % some === 0).map(({ key }) => key));
    progress(`${from + batch.length} of ${wanted.records} records are made`);
  }
  return sample;
}

/** A record that requests read by its key or its meter point. */
export interface KnownRecord {
  readonly id: string;
  readonly key: string;
  readonly identity: IdentityRow;
}

/** Inserts records in the very forms of the product. */
export async function insertRecords(
  client: Client,
  { keys, duid }: RowsWanted,
  records: readonly KnownRecord[],
): Promise<void> {
  const hashOfKey = keyedHash(keys.accessHashKey as Buffer, 'access-key');
  const encryptionKey = keys.accessEncryptionKey as Buffer;
  await client.query(ACCESS_RECORDS, [
    duid,
    JSON.stringify(DOCUMENT),
    records.map(({ id }) => id),
    records.map(({ key }) => hashOfKey(key)),
    records.map(({ id, key }) => encryptValue(encryptionKey, key, id)),
    records.map(({ identity }) => identity.id),
    records.map(({ identity }) => identity.ref),
    records.map(({ identity }) => identity.meterPointId),
  ]);
}

/**
 * The content of every record: one controller, consent, two data types; what the product stores for the body of
 * `register.ts`.
 */
export const DOCUMENT = {
  schemaVersion: '1.0',
  controllerArrangement: {
    arrangementType: 'sole',
    art26Reference: null,
    controllers: [
      {
        name: 'Harbourlight Energy Insight Ltd',
        role: 'sole',
        contactUrl: 'https://harbourlight.example/contact',
        privacyRightsUrl: 'https://harbourlight.example/your-rights',
        storageConditions: { location: 'GB', retentionPeriod: 'P2Y' },
      },
    ],
  },
  notice: {
    sharedNotice: { termsUrl: 'https://harbourlight.example/terms', noticeVersion: '2026-01', noticeLanguage: 'en' },
  },
  purpose: 'Find a better tariff for the household',
  dataTypes: ['HH-CONSUMPTION', 'TARIFF-IMPORT'],
  dataSource: 'Brackenfield Meter Data Ltd',
  recipients: null,
  controllerReference: null,
  consent: { consentType: 'expressed-consent', method: 'Web form' },
};
