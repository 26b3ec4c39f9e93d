import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { type TakenBackup, takeBackup } from '../../../commands/backup/take-backup';
import { readSettings } from '../../../process/settings/read-settings';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import {
  ControllerReferences,
  type VersionWithReference,
} from '../../../subgraphs/access/records/controller-references.queries';
import { rowsOf, filesBelow } from '../../support/backup-fixture';
import { type DataUser, anonymise, newCustomer, newDataUser } from '../../support/customers';
import { runOperatorCommand } from '../../support/operator-command';
import { type FreshDatabase, freshDatabase } from '../../support/postgres';
import { consentRecord } from '../../support/records';
import { type TestRegister, startTestRegister } from '../../support/register';
import { findings } from '../../support/secret-scan';

jest.setTimeout(180_000);
const VERSIONS = `select r.id, v.version, key_hash, v.reference_sealed, access.wrapped_reference_key(r.id, v.version) as reference_key, v.document
  from access.access_record r join access.access_record_version v on record_id = r.id where identity_record_ref = $1 order by v.version`;
/** Stores a reference as the previous release did; triggers are disabled, because they would reject it. */
const STORE_UNENCRYPTED = (ir: string, reference: string) => `begin;
  set local session_replication_role = 'replica';
  delete from access_keys.reference_key where record_id in (select id from access.access_record where identity_record_ref = '${ir}');
  update access.access_record_version set reference_sealed = null, document = document || '{"controllerReference":"${reference}"}'
    where record_id in (select id from access.access_record where identity_record_ref = '${ir}');
  update access.access_record set reference_sealed = null, document = document || '{"controllerReference":"${reference}"}'
    where identity_record_ref = '${ir}';
  commit`;

interface Referenced {
  readonly ir: string;
  readonly key: string;
  readonly reference: string;
}

describe('References of Data Users in a backup', () => {
  let register: TestRegister;
  let dataUser: DataUser;
  let keyVariables: Record<string, string>;
  let root: string;
  let target: FreshDatabase;
  let taken: TakenBackup;
  /**
   * Customers by the state of their reference: unchanged, replaced or anonymised after the backup, unencrypted,
   * unencrypted and anonymised before the backup.
   */
  const customers = {} as Record<'live' | 'replaced' | 'anonymised' | 'clear' | 'clearAnonymised', Referenced>;

  const record = (ir: string, reference: string) => {
    const sent = consentRecord(ir);
    return { ...sent, 'access-event': { ...sent['access-event'], 'controller-reference': reference } };
  };
  const leave = async ({ ir, key }: Referenced) => {
    await dataUser.rest('DELETE', `/v1/access-records/${key}`);
    await anonymise(register, dataUser, ir);
  };

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'register-references-'));
    register = await startTestRegister('one process');
    keyVariables = sandboxKeyVariables(register.dataDir);
    dataUser = await newDataUser(register, 'https://larkhill.example/back');
    for (const name of ['live', 'replaced', 'anonymised', 'clear', 'clearAnonymised'] as const) {
      const { ir, key } = await newCustomer(dataUser);
      const reference = `REFERENCE-${name}-4711`;
      expect((await dataUser.rest('PUT', `/v1/access-records/${key}`, record(ir, reference))).status).toBe(200);
      customers[name] = { ir, key, reference };
    }
    await leave(customers.clearAnonymised);
    for (const { ir, reference } of [customers.clear, customers.clearAnonymised])
      await rowsOf(register.databaseUrl, STORE_UNENCRYPTED(ir, reference));
    taken = await takeBackup(register.databaseUrl, root, 7);
    const { ir, key } = customers.replaced;
    expect((await dataUser.rest('PUT', `/v1/access-records/${key}`, record(ir, 'LATER'))).status).toBe(200);
    const second = await takeBackup(register.databaseUrl, root, 7);
    await rm(join(second.register, 'manifest.json')); // the data keys are then newer than the restored register
    await leave(customers.anonymised);
    target = await freshDatabase();
    const environment = { ...keyVariables, DATABASE_URL: target.url, DATA_DIR: register.dataDir };
    const words = ['restore', root, '--also-from', register.databaseUrl];
    expect(await runOperatorCommand('commands/backup/backup', words, environment).ended).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await register?.close();
    await target?.drop();
    await rm(root, { recursive: true, force: true });
  });

  /** Returns the reference of each version, as the restored register decrypts it. */
  async function readable({ ir }: Referenced): Promise<(string | null)[]> {
    const { accessEncryptionKey } = readSettings(keyVariables).keys;
    const cipher = new ControllerReferences(accessEncryptionKey as Buffer, pino({ level: 'silent' }));
    const versions = await rowsOf<VersionWithReference>(target.url, VERSIONS, [ir]);
    return versions.map((version) => cipher.decrypt(version));
  }

  it('cannot be read from the register part alone: it contains neither references nor their data keys', async () => {
    const { live, replaced, anonymised } = customers;
    const values = new Map([live, replaced, anonymised].map(({ reference }) => [reference, reference]));
    const rows = await rowsOf<{ wrapped: Buffer }>(
      register.databaseUrl,
      'select wrapped from access_keys.reference_key join access.access_record on id = record_id where identity_record_ref = $1',
      [live.ir],
    );
    expect(rows).toHaveLength(1);
    const wrapped = new Map(rows.map(() => ['data key', String(rows[0]?.wrapped.toString('hex'))]));
    const filesOf = async (folder: string) =>
      Promise.all((await filesBelow(folder)).map(async (name) => ({ name, content: await readFile(name) })));
    const ordinary = await filesOf(taken.register);
    expect(findings(new Map([...values, ...wrapped]), ordinary)).toEqual([]);
    expect(findings(wrapped, await filesOf(taken.dataKeys))).not.toEqual([]);
  });

  it('are readable once both parts are restored', async () => {
    expect(await readable(customers.live)).toEqual([null, customers.live.reference]);
    expect(await readable(customers.clear)).toEqual([customers.clear.reference, customers.clear.reference]);
  });

  it('of anonymised customers cannot be read, nor those that were unencrypted before', async () => {
    expect(await readable(customers.anonymised)).toEqual([null, null]);
    expect(await readable(customers.clearAnonymised)).toEqual([null, null]);
    const inClear = `select from access.access_record where identity_record_ref = $1 and document ->> 'controllerReference' is not null`;
    expect(await rowsOf(target.url, inClear, [customers.clearAnonymised.ir])).toEqual([]);
  });

  it('leave no data key for a version that the backup does not contain, because its number will be used again', async () => {
    const keys = `select key.version from access_keys.reference_key key join access.access_record on id = record_id where identity_record_ref = $1`;
    expect(await rowsOf(register.databaseUrl, keys, [customers.replaced.ir])).toHaveLength(2);
    expect(await rowsOf(target.url, keys, [customers.replaced.ir])).toEqual([{ version: 2 }]);
  });
});
