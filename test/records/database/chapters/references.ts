import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { newIdentifier } from '../../../../schema/identifiers';
import { AccessRecordRepository } from '../../../../subgraphs/access/records/access-record.repository';
import { ClosingRepository } from '../../../../subgraphs/access/identity-links/closing.repository';
import { lateLinks } from '../../../../subgraphs/access/identity-links/unlinking.repository';
import {
  ControllerReferences,
  type VersionWithReference,
} from '../../../../subgraphs/access/records/controller-references.queries';
import { encryptReferences } from '../../../../subgraphs/access/records/reference-encryption.repository';
import type { StoredAccessRecord } from '../../../../subgraphs/access/records/stored-access-record.queries';
import { accessTables } from '../../../../subgraphs/access/tables.sql';
import { type AccessRecordInput } from '../../../../subgraphs/access/records/access-record';
import { documentOf } from '../../../../subgraphs/access/records/record-document';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { idempotency } from '../../../../subgraphs/server/idempotency';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { migrate } from '../../../../subgraphs/server/database/migrate';
import { databaseAddress } from '../../../../subgraphs/server/database/database-login';
import { DUID, outcomeOf } from '../../../support/access-database';
import { ACCOUNT } from '../../../support/access-rows';
import { type FreshDatabase, freshDatabase } from '../../../support/postgres';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

const ACTOR = { accountId: ACCOUNT, duid: DUID };
const FORBIDDEN = '23001'; // restrict_violation
const NO_RIGHT = '42501'; // insufficient_privilege
const HASH_KEY = randomBytes(32);
const ENCRYPTION_KEY = randomBytes(32);
const IN_CLEAR = `select record_id from access_record_version where document ->> 'controllerReference' is not null`;

/** Statements of the release before, which stores references in clear. */
const REGISTER_BEFORE = `with record as (
    insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id, state,
      legal_basis, registered_at, document, is_legacy)
    values ($1, $2, '\\x01', '${DUID}', $3, 'ir', 'meter point', 'ACTIVE', 'uk-consent', register_now(), $4, $5) returning *),
  version as (
    insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, document, identity_record_id)
    select id, 1, 'acc', legal_basis, registered_at, document, case when is_legacy then identity_record_id end from record)
  insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'registered' from record`;
const REPLACE_BEFORE = `with record as (
    update access_record set version = version + 1, document = $2, identity_record_id = coalesce($3, identity_record_id)
    where id = $1 returning *)
  insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, expiry, document, identity_record_id)
  select id, version, 'acc', legal_basis, registered_at, expiry, document, $3 from record`;
const REVOKE = `with record as (update access_record set state = 'REVOKED', revoked_at = register_now() where id = $1 returning id)
  insert into access_record_transition (record_id, number, from_state, to_state, cause)
  select id, 2, 'ACTIVE', 'REVOKED', 'revoked' from record`;

const inputWith = (controllerReference: string | null): AccessRecordInput => ({
  recordMetadata: {
    schemaVersion: '1.0',
    controllerArrangement: {
      arrangementType: 'sole',
      controllers: [{ name: 'Harbourlight', role: 'sole', contactUrl: 'https://harbourlight.example/contact' }],
    },
  },
  processing: { legalBasis: 'uk-consent', purpose: 'Advice', dataTypes: ['HH-CONSUMPTION'] },
  accessEvent: { state: 'ACTIVE', registeredAt: new Date('2026-05-01'), controllerReference },
});

/** References of Data Users to their customers, in the tables of an upgraded register. */
export function references(): void {
  const tables = {} as { fresh: FreshDatabase; owner: Client; database: Database };
  const address = () => databaseAddress(tables.fresh.url, 'access', HASH_KEY);
  const logger = pino({ level: 'silent' });
  let cipher: ControllerReferences;
  let records: AccessRecordRepository;
  let closing: ClosingRepository;

  /** Records of the release before, by what becomes of them: all in clear until the register is upgraded. */
  const before = { ACTIVE: '', REVOKED: '', closed: '', without: '', moved: '' };
  const [formerIdentity, presentIdentity] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    tables.fresh = await freshDatabase();
    const { atStart: _, ...todays } = accessTables;
    const sealing = todays.migrations.findIndex(({ name }) => name.startsWith('SealedReferences'));
    const former = { ...todays, migrations: todays.migrations.slice(0, sealing), rights: () => '' };
    await migrate(address(), former, true, {});
    tables.owner = new Client({ connectionString: tables.fresh.url, options: '-c search_path=access,register' });
    const { owner } = tables;
    await owner.connect();
    await owner.query(
      `insert into account (account_id, role, display_name, duid, contact_url)
       values ($1, 'data_user', 'Harbourlight', $2, 'https://harbourlight.example/contact')`,
      [ACCOUNT, DUID],
    );
    before.ACTIVE = await registeredBefore('ACTIVE 1');
    await owner.query(REPLACE_BEFORE, [before.ACTIVE, documentBefore('ACTIVE 2'), null]);
    before.REVOKED = await registeredBefore('REVOKED 1');
    await owner.query(REVOKE, [before.REVOKED]);
    before.closed = await registeredBefore('closed 1');
    await owner.query(REVOKE, [before.closed]);
    await owner.query('insert into closed_identity_link select identity_record_id from access_record where id = $1', [
      before.closed,
    ]);
    before.without = await registeredBefore(null);
    before.moved = await registeredBefore('moved 1', formerIdentity);
    await owner.query(REPLACE_BEFORE, [before.moved, documentBefore('moved 2'), presentIdentity]);
    await migrate(address(), accessTables, true, {});
    tables.database = openDatabase(address());
    const { database } = tables;
    cipher = new ControllerReferences(ENCRYPTION_KEY, pino({ level: 'silent' }));
    records = new AccessRecordRepository(database, keyedHash(HASH_KEY, 'access-key'), ENCRYPTION_KEY, cipher);
    closing = new ClosingRepository(database);
  });
  afterAll(async () => {
    await tables.database?.close();
    await tables.owner?.end();
    await tables.fresh?.drop();
  });

  const documentBefore = (controllerReference: string | null) => ({
    ...documentOf(inputWith(null)),
    controllerReference,
  });
  async function registeredBefore(reference: string | null, legacyOf?: string): Promise<string> {
    const id = randomUUID();
    const values = [id, randomBytes(32), legacyOf ?? randomUUID(), documentBefore(reference), legacyOf !== undefined];
    await tables.owner.query(REGISTER_BEFORE, values);
    return id;
  }
  /** Registers a record; its access key, internal id and Identity Record. */
  async function registered(reference: string | null, through: 'A' | 'B' = 'A') {
    const link = { id: randomUUID(), meterPointId: 'meter point', ref: newIdentifier('ir') };
    const requests = idempotency(tables.database, HASH_KEY, ENCRYPTION_KEY);
    const request = requests.request(ACCOUNT, 'registerAccessRecord', null, {});
    const token = await records.register(ACTOR, inputWith(reference), link, request, through);
    const key = String(token?.key);
    return { key, id: (await records.byKey(key))?.id as string, identityRecordId: link.id };
  }
  const replaced = (key: string, reference: string | null) => records.replace(ACTOR, key, inputWith(reference), null);
  /** Returns what the register decrypts of each version of a record, oldest first. */
  async function readable(id: string): Promise<(string | null)[]> {
    const { rows } = await tables.owner.query(
      `select record_id as id, v.version, key_hash, v.reference_sealed, wrapped_reference_key(record_id, v.version) as reference_key, v.document
       from access_record_version v join access_record r on r.id = record_id where record_id = $1 order by v.version`,
      [id],
    );
    const versions = rows.map((row) => cipher.decrypt(row));
    const current = await records.referenceOf((await records.byId(id)) as StoredAccessRecord);
    expect(current).toBe(versions.at(-1));
    return versions;
  }
  const keysOf = async (id: string) =>
    (
      await tables.owner.query('select version from access_keys.reference_key where record_id = $1 order by 1', [id])
    ).rows.map(({ version }) => version as number);
  const settled = async (replicas = 1) => {
    const stops = Array.from({ length: replicas }, () => encryptReferences(tables.database, cipher, logger));
    await until(async () => ((await tables.owner.query(IN_CLEAR)).rowCount === 0 ? true : undefined));
    await Promise.all(stops.map((stop) => stop()));
  };

  describe('References of the release before', () => {
    it('are read as before until they are encrypted, which a kill in the middle leaves as it was', async () => {
      const { owner } = tables;
      expect(await readable(before.ACTIVE)).toEqual(['ACTIVE 1', 'ACTIVE 2']);
      const clear = (await owner.query(IN_CLEAR)).rowCount;
      await owner.query('begin; lock table access_keys.reference_key in exclusive mode');
      const stop = encryptReferences(tables.database, cipher, logger);
      const [waiting] = await until(async () => {
        const { rows } = await owner.query(
          `select pid from pg_locks where not granted and relation = 'access_keys.reference_key'::regclass
           and ${OF_THIS_DATABASE}`,
        );
        return rows.length > 0 ? rows : undefined;
      });
      await owner.query('select pg_terminate_backend($1)', [waiting.pid]);
      await stop();
      await owner.query('commit');
      expect((await owner.query(IN_CLEAR)).rowCount).toBe(clear);
      expect((await owner.query('select from access_keys.reference_key')).rowCount).toBe(0);
    });

    it('are encrypted in every version, also of ended records, by concurrent replicas', async () => {
      await settled(3);
      const { rows } = await tables.owner.query(
        `select from access_record where document ->> 'controllerReference' is not null`,
      );
      expect(rows).toEqual([]);
      expect(await readable(before.ACTIVE)).toEqual(['ACTIVE 1', 'ACTIVE 2']);
      expect(await readable(before.REVOKED)).toEqual(['REVOKED 1']);
      expect(await readable(before.without)).toEqual([null]);
      expect(await readable(before.moved)).toEqual(['moved 1', 'moved 2']);
      expect(await keysOf(before.ACTIVE)).toEqual([1, 2]);
    });

    it('are removed where the Identity Record is closed', async () => {
      expect(await readable(before.closed)).toEqual([null]);
      expect(await keysOf(before.closed)).toEqual([]);
    });

    it('are still written by a replica of that release, over a reference that is encrypted, and encrypted afterwards', async () => {
      await tables.owner.query(REPLACE_BEFORE, [before.ACTIVE, documentBefore('ACTIVE 3'), null]);
      expect(await readable(before.ACTIVE)).toEqual(['ACTIVE 1', 'ACTIVE 2', 'ACTIVE 3']);
      await settled();
      expect(await readable(before.ACTIVE)).toEqual(['ACTIVE 1', 'ACTIVE 2', 'ACTIVE 3']);
      expect(await keysOf(before.ACTIVE)).toEqual([1, 2, 3]);
    });

    it('are removed at once when their Identity Record is closed before they are encrypted', async () => {
      const id = await registeredBefore('in clear');
      await tables.owner.query(REVOKE, [id]);
      const { rows } = await tables.owner.query('select identity_record_id as link from access_record where id = $1', [
        id,
      ]);
      expect(await closing.close(rows[0].link, DUID)).toBe('closed');
      expect(await readable(id)).toEqual([null]);
      expect((await tables.owner.query(IN_CLEAR)).rowCount).toBe(0);
    });
  });

  describe('The reference of a record', () => {
    it('is stored encrypted, for each version that has one', async () => {
      const { key, id } = await registered('CUSTOMER 1');
      expect(await replaced(key, null)).toMatchObject({ version: 2 });
      expect(await replaced(key, 'CUSTOMER 3')).toMatchObject({ version: 3 });
      expect(await readable(id)).toEqual(['CUSTOMER 1', null, 'CUSTOMER 3']);
      expect(await keysOf(id)).toEqual([1, 3]);
      const { rows } = await tables.owner.query(
        `select string_agg(r::text || v::text, ' ') as text from access_record r join access_record_version v on record_id = r.id where r.id = $1`,
        [id],
      );
      expect(rows[0].text).not.toMatch(/CUSTOMER|controllerReference/);
      const none = await registered(null);
      expect(await readable(none.id)).toEqual([null]);
      expect(await keysOf(none.id)).toEqual([]);
    });

    it('does not open for another record, nor with another key of the register', async () => {
      const [own, other] = [await registered('CUSTOMER 1'), await registered('CUSTOMER 2')];
      const rowOf = async (key: string) => (await records.byKey(key))?.row as VersionWithReference;
      const [row, taken] = [await rowOf(own.key), await rowOf(other.key)];
      expect(cipher.decrypt(row)).toBe('CUSTOMER 1');
      expect(cipher.decrypt({ ...row, key_hash: taken.key_hash })).toBeNull();
      const withOtherKey = new ControllerReferences(randomBytes(32), pino({ level: 'silent' }));
      expect(withOtherKey.decrypt(row)).toBeNull();
    });

    it('cannot be read in any version once its Identity Record is closed, whichever release closes it', async () => {
      for (const closes of ['this release', 'the release before'] as const) {
        const { key, id, identityRecordId } = await registered('CUSTOMER 1');
        await replaced(key, 'CUSTOMER 2');
        expect(await closing.close(identityRecordId, DUID)).toBe('refused');
        expect(await keysOf(id)).toEqual([1, 2]);
        await tables.owner.query(REVOKE, [id]);
        if (closes === 'this release') expect(await closing.close(identityRecordId, DUID)).toBe('closed');
        else
          await tables.database.pool.query('insert into closed_identity_link (identity_record_id) values ($1)', [
            identityRecordId,
          ]);
        expect(await keysOf(id)).toEqual([]);
        expect(await readable(id)).toEqual([null, null]);
      }
    });

    describe('of one of many records of an Identity Record', () => {
      const MANY = 2_100;
      const LINKED = `select count(meter_point_id)::int as linked, count(key.record_id)::int as readable from access_record
        left join access_keys.reference_key key on record_id = id where identity_record_id = $1`;
      const left = async (identityRecordId: string) => (await tables.owner.query(LINKED, [identityRecordId])).rows[0];
      async function manyEnded(): Promise<string> {
        const { owner } = tables;
        const identityRecordId = randomUUID();
        await owner.query(`set session_replication_role = 'replica'`);
        await owner.query(
          `with record as (
             insert into access_record (id, key_hash, key_sealed, duid, identity_record_id, identity_record_ref, meter_point_id,
               state, legal_basis, registered_at, revoked_at, document)
             select gen_random_uuid(), uuid_send(gen_random_uuid()), '', $1, $2, 'ir', 'meter point of many', 'REVOKED',
               'uk-contract', register_now(), register_now(), '{}' from generate_series(1, ${MANY}) returning id),
           version as (
             insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, document, reference_sealed)
             select id, 1, '${ACCOUNT}', 'uk-contract', register_now(), '{}', '\\x01' from record)
           insert into access_keys.reference_key select id, 1, '\\x01' from record`,
          [DUID, identityRecordId],
        );
        await owner.query(`set session_replication_role = 'origin'`);
        return identityRecordId;
      }

      it('is lost in batches: a closing that ends early is continued, not repeated', async () => {
        const identityRecordId = await manyEnded();
        const impatient = new ClosingRepository(tables.database, 0);
        const results = [];
        for (let calls = 0; results.at(-1) !== 'closed' && calls < 5; calls += 1) {
          results.push(await impatient.close(identityRecordId, DUID));
          if (calls === 0)
            expect(await left(identityRecordId)).toEqual({ linked: MANY - 1_000, readable: MANY - 1_000 });
        }
        expect(results).toEqual(['delayed', 'delayed', 'delayed', 'closed']);
        expect(await left(identityRecordId)).toEqual({ linked: 0, readable: 0 });
      });

      it('is lost, also if a process of the release before ends the closing that this one began', async () => {
        const identityRecordId = await manyEnded();
        expect(await new ClosingRepository(tables.database, 0).close(identityRecordId, DUID)).toBe('delayed');
        await tables.database.pool.query(
          'update access_record set meter_point_id = null where identity_record_id = $1 and meter_point_id is not null',
          [identityRecordId],
        );
        expect(await left(identityRecordId)).toEqual({ linked: 0, readable: MANY - 1_000 });
        for (const purge of lateLinks(tables.database.pool)) while ((await purge()) > 0);
        expect(await left(identityRecordId)).toEqual({ linked: 0, readable: 0 });
      });
    });

    it('of a consent whose Identity Record changed is lost version by version, as those Identity Records are closed', async () => {
      const { owner } = tables;
      await owner.query(
        `insert into look (record_id, account_id, kind, hour, count) values ($1, $2, 'verification', date_trunc('hour', register_now()), 1)`,
        [before.moved, ACCOUNT],
      );
      await owner.query(`insert into portal_alias (alias_hash, record_id, account_id) values ('\\x01', $1, $2)`, [
        before.moved,
        ACCOUNT,
      ]);
      expect(await closing.close(formerIdentity, DUID)).toBe('closed');
      expect(await readable(before.moved)).toEqual([null, 'moved 2']);
      for (const kept of ['look', 'portal_alias'])
        expect((await owner.query(`select from ${kept} where record_id = $1`, [before.moved])).rowCount).toBe(1);
      await tables.owner.query(REVOKE, [before.moved]);
      expect(await closing.close(presentIdentity, DUID)).toBe('closed');
      expect(await readable(before.moved)).toEqual([null, null]);
      expect(await keysOf(before.moved)).toEqual([]);
    });

    it('is not written for an Identity Record that is closed meanwhile', async () => {
      const { key, id, identityRecordId } = await registered('CUSTOMER 1');
      await tables.owner.query('insert into closed_identity_link (identity_record_id) values ($1)', [identityRecordId]);
      await expect(replaced(key, 'CUSTOMER 2')).rejects.toMatchObject({ code: 'CNF003' });
      expect(await keysOf(id)).toEqual([]);
    });
  });

  describe('The tables', () => {
    let id: string;
    let clear: string;
    beforeAll(async () => {
      ({ id } = await registered('CUSTOMER 1'));
      clear = await registeredBefore('in clear');
    });
    const byOwner = (text: string, of: string) =>
      outcomeOf(tables.owner, () => tables.owner.query(text, text.includes('$1') ? [of] : []), 'commit');
    const byApplication = async (text: string) => {
      const session = await tables.database.pool.connect();
      try {
        return await outcomeOf(session as unknown as Client, () => session.query(text));
      } finally {
        session.release();
      }
    };

    it.each([
      ['deleted', 'delete from access_keys.reference_key where record_id = $1'],
      ['replaced', `update access_keys.reference_key set wrapped = '\\x00' where record_id = $1`],
      ['truncated', 'truncate access_keys.reference_key'],
    ])('do not let the data key of a live reference be %s', async (_, text) => {
      expect(await byOwner(text, id)).toBe(FORBIDDEN);
      expect(await byApplication(text.replace('$1', 'gen_random_uuid()'))).toBe(NO_RIGHT);
    });

    it('let a data key without a version be deleted, as a restore leaves it', async () => {
      await tables.owner.query(`insert into access_keys.reference_key values ($1, 2, '\\x00')`, [id]);
      await tables.owner.query('delete from access_keys.reference_key where record_id = $1 and version = 2', [id]);
      expect(await keysOf(id)).toEqual([1]);
    });

    const WITHOUT = `document = document - 'controllerReference'`;
    const WITH_REFERENCE = `${WITHOUT}, reference_sealed = '\\x01'`;
    it.each([
      ['another sealed reference', `reference_sealed = '\\x02'`],
      ['another document', `${WITH_REFERENCE}, document = '{}'`.replace(`${WITHOUT}, `, '')],
      ['another version number', `${WITH_REFERENCE}, version = 7`],
      ['another time', `${WITH_REFERENCE}, registered_at = register_now()`],
    ])('do not permit a version or a record with %s', async (_, change) => {
      for (const record of [id, clear]) {
        expect(await byOwner(`update access_record_version set ${change} where record_id = $1`, record)).toBe(
          FORBIDDEN,
        );
        expect(await byOwner(`update access_record set ${change} where id = $1`, record)).toBe(FORBIDDEN);
      }
    });

    it('do not let a reference in clear be removed while its Identity Record lives', async () => {
      expect(await byOwner(`update access_record_version set ${WITHOUT} where record_id = $1`, clear)).toBe(FORBIDDEN);
      expect(await byOwner(`update access_record set ${WITHOUT} where id = $1`, clear)).toBe(FORBIDDEN);
    });

    it('let a reference in clear be encrypted, in version and record together', async () => {
      const version = `update access_record_version set ${WITH_REFERENCE} where record_id = $1`;
      const record = `update access_record set ${WITH_REFERENCE} where id = $1`;
      expect(await byOwner(record, clear)).toBe(FORBIDDEN);
      const both = () => tables.owner.query(version, [clear]).then(() => tables.owner.query(record, [clear]));
      expect(await outcomeOf(tables.owner, both, 'commit')).toBe('done');
      expect(await byApplication(`update access_record_version set ${WITH_REFERENCE}`)).toBe(NO_RIGHT);
    });
  });
}
