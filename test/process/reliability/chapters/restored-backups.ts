import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { type TakenBackup, takeBackup } from '../../../../commands/backup/take-backup';
import { newKeyVariables } from '../../../../process/settings/new-keys';
import {
  GONE,
  LIVE,
  type ReadEvent,
  rowsOf,
  contents,
  filesBelow,
  followed,
  standing,
} from '../../../support/backup-fixture';
import { type BackupSite } from '../../../support/backup-site';
import { type Customer, newCustomer, newDataUser } from '../../../support/customers';
import { putWebhook } from '../../../support/event-rows';
import { graphAs } from '../../../support/graph';
import { runOperatorCommand } from '../../../support/operator-command';
import { databaseCopy } from '../../../support/postgres';
import { type TestRegister, spawnRegisterProcess, startTestRegister } from '../../../support/register';
import { anonymousClient } from '../../../support/rest-client';
import { templateOf } from '../../../support/run/keeper-client';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

/** Selects effects of the demo tariffs that are not applied yet; they are applied shortly after the start. */
const PENDING_EFFECTS =
  'select from tariffs.tariff_effect where done_at is null and cancelled_at is null and due_at <= register.register_now()';

/** Selects the locks of a database for which a session waits. */
const WAITING = `select from pg_locks where not granted
  and ${OF_THIS_DATABASE}`;

/** Matches the result of a restore that completes. */
const outcome = (again: number, withoutKey: number, revoked: number) => ({
  code: 0,
  printed: expect.stringMatching(
    new RegExp(
      `${again} identity records were anonymised again\\n${withoutKey} identity records had no data key .*\\n${revoked} ACTIVE access records`,
    ),
  ),
});

export function restoredBackups(site: BackupSite): void {
  /** Adds deliveries that stay pending because their Data User is suspended. */
  async function waitingDeliveries(session: Client): Promise<string> {
    const { duid } = await newDataUser(site.register, 'https://fernhollow.example/back');
    const webhook = await putWebhook(session, { duid });
    await session.query(`update account set status = 'suspended', suspended_at = register_now() where duid = $1`, [
      duid,
    ]);
    await session.query(
      `insert into event (type, duid, webhook_id) select 'webhook.test', $1, $2 from generate_series(1, 3)`,
      [duid, webhook],
    );
    return webhook;
  }

  /** Stores responses of idempotent requests, one for each operation. */
  const storedResponses = (session: Client) =>
    session.query(`insert into identity.idempotency_key
    select operation || ' by a test', operation, '\\x01', '\\x02', '\\x03', now() + interval '1 day'
    from unnest(array['reidentify', 'reidentifyOwn', 'createIdentityRecord']) operation`);

  describe('A backup that is restored into an empty database', () => {
    let customer: Customer;
    let url: string;
    let target: Client;
    let webhook: string;
    let kept: ReadEvent[];
    let lost: ReadEvent;
    let restored: TestRegister;
    let before: Record<string, string>;
    let done: { readonly code: number | null; readonly printed: string };

    beforeAll(async () => {
      await site.newRoot();
      customer = await newCustomer(site.dataUser);
      const source = await site.ownerOf(site.register.databaseUrl);
      webhook = await waitingDeliveries(source);
      await storedResponses(source);
      const admin = await graphAs(site.register, 'admin');
      kept = await until(async () => {
        const events = await followed(admin, null);
        return events.filter(({ type }) => type === 'WEBHOOK_TEST').length === 3 ? events : undefined;
      });
      await until(async () => (await rowsOf(site.register.databaseUrl, PENDING_EFFECTS)).length === 0 || undefined);
      before = await site.backedUpContents();
      await newCustomer(site.dataUser);
      lost = await until(async () => (await followed(admin, kept.at(-1)?.cursor ?? null)).at(-1));
      url = await site.emptyDatabase();
      done = await site.restoreInto(url);
      target = await site.ownerOf(url);
    });
    afterAll(() => restored?.close());

    it('has the same rows as before', async () => {
      expect(done).toMatchObject(outcome(0, 0, 0));
      const tables = await site.backedUpTables();
      expect(tables).toEqual(
        expect.arrayContaining([
          'access.access_record',
          'access.audit_entry',
          'identity.identity_record',
          'identity.passkey',
          'identity_keys.data_key',
        ]),
      );
      const after = await contents(url, tables);
      const { 'identity.idempotency_key': leftOut, ...rows } = before;
      const { 'identity.idempotency_key': restoredResponses, ...restoredRows } = after;
      expect(restoredRows).toEqual(rows);
      expect(restoredResponses).not.toBe(leftOut);
    });

    it('has no stored responses of re-identifications, but all others', async () => {
      const responses = `select account_id as by from identity.idempotency_key where account_id like '% by a test'`;
      expect(await rowsOf(url, responses)).toEqual([{ by: 'createIdentityRecord by a test' }]);
    });

    it('has the same deliveries, none of them planned twice, and no event of the new epoch', async () => {
      expect((await target.query('select from event where era >= event_era()')).rows).toEqual([]);
      const { rows: planned } = await target.query(
        `select state, count(*)::int from delivery where endpoint_id = $1 group by state`,
        [webhook],
      );
      expect(planned).toEqual([{ state: 'pending', count: 3 }]);
    });

    it('is a working register', async () => {
      const era = 'select event_era() as era';
      const { rows: eras } = await target.query(era);
      const address = { BASE_URL: `${site.register.rest}/v1` }; // the public URL of the installation, which tokens contain
      restored = await startTestRegister('one process', {
        databaseUrl: url, // the restored database
        files: { 'sandbox.json': JSON.stringify(site.register.sandbox) },
        environment: { ...site.keyVariables, ...address },
      });
      expect((await target.query(era)).rows).toEqual(eras);
      const rest = anonymousClient(restored.rest, `Bearer ${site.dataUser.token}`);
      const verified = await rest('GET', `/v1/access-records/${customer.key}`);
      expect(verified.body['access-record']['access-event'].state).toBe('ACTIVE');
      const { body } = await rest('GET', `/v1/identity-records/${customer.ir}`);
      expect(body).toMatchObject({ 'identity-record': { 'pii-principal': { mpxn: customer.mpxn } } });
      await expect(rowsOf(url, 'delete from access.audit_entry')).rejects.toMatchObject({ code: '23001' });
      await expect(
        rowsOf(url, `update access.access_record set state = 'REVOKED', revoked_at = now() where state = 'ACTIVE'`),
      ).rejects.toMatchObject({ code: '23001' });
    });

    it('has the demo logins of the sandbox.json that was copied, and no second demo data', async () => {
      expect(restored.sandbox.accounts).toEqual(site.register.sandbox.accounts);
      const { name } = site.register.sandbox.accounts.find(({ role }) => role === 'data_user') as { name: string };
      const named = 'select count(*)::int from access.account where display_name = $1';
      expect((await target.query(named, [name])).rows).toEqual([{ count: 1 }]);
    });

    it('continues its event log after every cursor that was ever returned, including those of lost events', async () => {
      const admin = await graphAs(restored, 'admin');
      expect((await followed(admin, null)).map(({ id }) => id)).toEqual(
        expect.arrayContaining(kept.map(({ id }) => id)),
      );
      const { ir } = await newCustomer(await newDataUser(restored, 'https://larkhill.example/back'));
      expect(ir).toMatch(/^ir_/);
      const [first] = await until(async () => {
        const next = await followed(admin, lost.cursor);
        return next.some(({ type }) => type === 'ACCESS_REGISTERED') ? next : undefined;
      });
      expect(kept.map(({ id }) => id)).not.toContain(first?.id);
    });
  });

  describe('A restore with data keys older than the newest backup', () => {
    let [kept, gone, later]: Customer[] = [];
    let url: string;
    beforeAll(async () => {
      await site.newRoot();
      [kept, gone] = [await newCustomer(site.dataUser), await newCustomer(site.dataUser)];
      await site.revoke(gone);
      await site.backUp();
      await site.anonymise(gone);
      later = await newCustomer(site.dataUser);
      await rm((await site.backUp()).dataKeys, { recursive: true });
      url = await site.emptyDatabase();
    });

    it('is rejected if records would have no data key', async () => {
      expect(await site.restoreInto(url)).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/1 identity records have no data key: .*--without-data-keys/),
      });
    });

    it('anonymises such records on request, reports their number, and revives no anonymised record', async () => {
      expect(await site.restoreInto(url, '--without-data-keys')).toMatchObject(outcome(0, 1, 1));
      const standings = [kept, gone, later].map((customer) => standing(url, customer as Customer));
      expect(await Promise.all(standings)).toEqual([LIVE, GONE, GONE]);
    });
  });

  describe('A restore of a backup, with customers anonymised since', () => {
    let [inBackup, inList, inDatabase, kept]: Customer[] = [];
    let [first, second]: TakenBackup[] = [];
    let url: string;
    const gone = () => [inBackup, inList, inDatabase] as Customer[];
    const goneRefs = () => gone().map(({ ir }) => ir);

    /** Each anonymised customer is in one source: the list of an incomplete backup, the separate list, or the database. */
    beforeAll(async () => {
      await site.newRoot();
      [inBackup, inList, inDatabase] = [
        await newCustomer(site.dataUser),
        await newCustomer(site.dataUser),
        await newCustomer(site.dataUser),
      ];
      kept = await newCustomer(site.dataUser);
      first = await site.backUp();
      await leave(inBackup);
      second = await site.backUp();
      await rm(join(second.register, 'manifest.json'));
      await leave(inList);
      const { code, printed } = await site.listOf(site.register.databaseUrl);
      expect([code, printed]).toEqual([0, expect.stringMatching(/^\d+ anonymised identity records are in the list/)]);
      expect(await readdir(join(site.root, 'register'))).toHaveLength(2);
      await rm(join(second.dataKeys, 'anonymised.json'));
      await withdraw(inBackup, join(site.root, 'anonymised.json'));
      await leave(inDatabase);
      url = await site.emptyDatabase();
    });

    async function leave(customer: Customer): Promise<void> {
      await site.revoke(customer);
      await site.anonymise(customer);
    }

    /** Removes a customer from a list. */
    async function withdraw({ ir }: Customer, list: string): Promise<void> {
      const [record] = await rowsOf<{ id: string }>(
        site.register.databaseUrl,
        'select id from identity.identity_record where ref = $1',
        [ir],
      );
      const written = JSON.parse(await readFile(list, 'utf8')) as { anonymised: Record<string, string> };
      const { [record?.id ?? '']: instant, ...others } = written.anonymised;
      expect(instant).toBeDefined();
      await writeFile(list, JSON.stringify({ ...written, anonymised: others }));
    }

    it('that was killed prevents services and backups from starting', async () => {
      const killed = runOperatorCommand('commands/backup/backup', ['restore', site.root], site.environmentFor(url));
      const blocker = await site.ownerOf(url);
      await until(
        async () =>
          (await rowsOf(url, `select where to_regclass('access.access_record') is not null`)).length || undefined,
      );
      await blocker.query('begin; lock table access.access_record in share mode');
      await until(async () => (await rowsOf(url, WAITING)).length || undefined);
      killed.child.kill('SIGKILL');
      await killed.ended;
      await blocker.query('rollback');

      const service = spawnRegisterProcess({ ...site.environmentFor(url), SERVICES: 'access' });
      expect(await service.ended).toBe(1);
      expect(service.output()).toContain('the restore of this database has not completed');
      await expect(takeBackup(url, site.root, 7)).rejects.toThrow('the restore of this database has not completed');
    });

    it('is rejected with other keys', async () => {
      const others = { ...site.environmentFor(url), ...newKeyVariables() };
      expect(await runOperatorCommand('commands/backup/backup', ['restore', site.root], others).ended).toMatchObject({
        code: 1,
        printed: expect.stringMatching(/ACCESS_HASH_KEY.*IDENTITY_HASH_KEY.*differs from the key/),
      });
    });

    it('fails if the database of --also-from cannot be read', async () => {
      expect(await site.restoreInto(url, '--also-from', 'postgres://nobody@127.0.0.1:1/none')).toMatchObject({
        code: 1,
        printed: expect.stringContaining('--also-from: the list of this database cannot be read'),
      });
    });

    it('fails if the login of --also-from may not read the list, or its database has no register', async () => {
      for (const [database, reason] of [
        [await site.serviceUrl('access'), 'permission denied for schema identity'],
        [await site.serviceUrl('identity'), 'permission denied for schema tariffs'],
        [await site.emptyDatabase(), 'this database has no register'],
      ] as const) {
        const printed = expect.stringContaining(`--also-from: the list of this database cannot be read: ${reason}`);
        expect(await site.restoreInto(url, '--also-from', database)).toMatchObject({ code: 1, printed });
      }
    });

    it('starts over and anonymises the records listed in any source again, and revokes their ACTIVE access records', async () => {
      const done = await site.restoreInto(url, '--also-from', site.register.databaseUrl);
      expect(done).toMatchObject(outcome(3, 0, 3));
      const standings = [...gone(), kept as Customer].map((customer) => standing(url, customer));
      expect(await Promise.all(standings)).toEqual([GONE, GONE, GONE, LIVE]);
      const instants = `select anonymised_at as at from identity.identity_record where ref = any($1) order by ref`;
      expect(await rowsOf(url, instants, [goneRefs()])).toEqual(
        await rowsOf(site.register.databaseUrl, instants, [goneRefs()]),
      );
      const transitions = await rowsOf(
        url,
        `select from_state, to_state, cause, account_id from access.access_record_transition where number = 2 and account_id = 'restore'`,
      );
      const transition = { from_state: 'ACTIVE', to_state: 'REVOKED', cause: 'revoked', account_id: 'restore' };
      expect(transitions).toEqual([transition, transition, transition]);
      expect(done.printed).toContain(`rows were restored from ${first?.register} and ${second?.dataKeys}`); // both are complete backups
    });

    it('excludes a second one in the same database while it runs', async () => {
      const shared = await site.emptyDatabase();
      const blocker = await site.ownerOf(shared);
      const running = site.restoreInto(shared);
      await until(
        async () => (await rowsOf(shared, `select where to_regclass('access.access_record') is not null`))[0],
      );
      await blocker.query('begin; lock table access.access_record in share mode');
      const areWaiting = async (count: number) => (await rowsOf(shared, WAITING)).length >= count || undefined;
      await until(() => areWaiting(1));
      let hasEnded = false;
      const later = site.restoreInto(shared).finally(() => (hasEnded = true));
      await until(async () => hasEnded || areWaiting(2));
      await blocker.query('rollback');
      const printed = expect.stringContaining('another restore of this database is running: nothing was changed');
      expect(await later).toMatchObject({ code: 1, printed });
      expect(await running).toMatchObject({ code: 0 });
      expect(await standing(shared, kept as Customer)).toEqual(LIVE);
    });

    it('does not change a database that is not empty', async () => {
      const unserved = site.dropped(await databaseCopy((await templateOf('filled')).database));
      const before = await contents(unserved, await site.backedUpTables());
      expect(await site.rejection(unserved)).toContain('the database is not empty');
      expect(await contents(unserved, await site.backedUpTables())).toEqual(before);
    });

    it('is rejected without any list', async () => {
      const lists = (await filesBelow(site.root)).filter((file) => basename(file) === 'anonymised.json');
      expect(lists).toHaveLength(4);
      const texts = await Promise.all(lists.map((list) => readFile(list)));
      await Promise.all(lists.map((list) => rm(list)));
      expect(await site.rejection()).toContain('has no list of anonymised records');
      await Promise.all(lists.map((list, index) => writeFile(list, texts[index] as Buffer)));
    });

    it('rejects a damaged backup', async () => {
      await writeFile(join(String(first?.register), 'access.account.copy'), 'x', { flag: 'a' });
      expect(await site.rejection()).toContain('access.account.copy is damaged');
    });
  });
}
