import { randomBytes, randomUUID } from 'node:crypto';
import pino from 'pino';
import { purgeExpired } from '../../../../subgraphs/access/retention.module';
import { AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import { PortalAccessRepository } from '../../../../subgraphs/access/customers/portal-access.repository';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { type RegisterClock, registerClock } from '../../../../subgraphs/server/database/register-clock';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { type AccessRow, putAccount, putRecord } from '../../../support/access-rows';

export function portalAccounts(): void {
  const HOUR = 3_600;
  const OWN_RECORDS = [randomUUID(), randomUUID()];
  const OCCUPANT = { ownRecordIds: OWN_RECORDS, since: '2026-03-01', beganAt: null };
  const ALL = { duid: null, meterPointId: 'meter point', state: null, legalBasis: null, occupant: OCCUPANT };
  const PAGE = { first: 10, after: null };

  describe('A third-party portal', () => {
    let tables: AccessDatabase;
    let database: Database;
    let clock: RegisterClock;
    let portals: PortalAccessRepository;
    let account: string;
    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      clock = registerClock(database);
      portals = new PortalAccessRepository(
        database,
        new AccessRecordQueries(database),
        keyedHash(randomBytes(32), 'portal-alias'),
      );
      account = await putAccount(tables.owner, 'portal', 'Kestrel Switching');
    });
    afterEach(() => clock.setOffset(0));
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    /** A token that can be redeemed for so many more seconds. */
    const token = async (seconds = HOUR) => ({
      hash: randomBytes(32),
      expiresAt: new Date((await clock.now()).getTime() + seconds * 1000),
    });
    const count = async (table: string): Promise<number> =>
      Number((await tables.owner.query(`select count(*) from ${table}`)).rows[0].count);

    /** Inserts a record at a new meter point, which the portal lists; returns its alias. */
    async function alias(row: Partial<AccessRow> = {}, listedBy = account): Promise<string> {
      const meterPointId = randomBytes(8).toString('hex');
      await putRecord(tables.owner, { ...row, meterPointId });
      const { nodes } = await portals.page(listedBy, await token(), { ...ALL, meterPointId }, PAGE);
      return nodes[0]?.suppliedKey as string;
    }

    it('lists the records of all Data Users at the meter point, each with its own alias', async () => {
      await putRecord(tables.owner);
      await putRecord(tables.owner, { legalBasis: 'uk-contract' });
      const list = async () => portals.page(account, await token(), ALL, PAGE);
      const [{ nodes }, again] = [await list(), await list()];
      const aliases = [...nodes, ...again.nodes].map(({ suppliedKey }) => String(suppliedKey));
      expect(nodes).toHaveLength(2);
      expect(new Set(aliases).size).toBe(4);
      for (const each of aliases) expect(each).toMatch(/^ak_[0-9a-f]{24}$/);
      expect(nodes.map(({ recordMetadata }) => recordMetadata.identityRecordRef)).toEqual([null, null]);
      expect(await again.total()).toBe(2);
    });

    it.each([
      [
        'without a Change of Tenancy, from the day of moving in',
        null,
        ['own', 'own, by another record', 'after moving in', 'in force'],
      ],
      [
        'after a Change of Tenancy, from its instant',
        '2026-03-02T09:00:00Z',
        ['own', 'own, by another record', 'in force'],
      ],
    ])('lists what ended during the occupancy: %s', async (_, beganAt, expected) => {
      const meterPointId = randomBytes(8).toString('hex');
      const [identityRecordId, another] = OWN_RECORDS as [string, string];
      const rows: readonly (readonly [string, Partial<AccessRow>])[] = [
        ['before moving in', { state: 'REVOKED', revokedAt: "'2026-02-28T23:59:59Z'" }],
        ['own, before moving in', { state: 'REVOKED', revokedAt: "'2026-02-28T23:59:59Z'", identityRecordId }],
        ['own', { state: 'EXPIRED', expiry: "'2026-03-01T12:00:00Z'", identityRecordId }],
        ['own, by another record', { state: 'EXPIRED', expiry: "'2026-03-01T12:00:00Z'", identityRecordId: another }],
        ['after moving in', { state: 'REVOKED', revokedAt: "'2026-03-01T12:00:00Z'" }],
        ['in force', { createdAt: "'2025-01-01T00:00:00Z'" }],
      ];
      const names = new Map<string, string>();
      for (const [name, row] of rows) names.set(await putRecord(tables.owner, { ...row, meterPointId }), name);
      const occupant = { ...OCCUPANT, beganAt };
      const page = await portals.page(account, await token(), { ...ALL, meterPointId, occupant }, PAGE);
      expect(page.nodes.map(({ id }) => names.get(id)).toSorted()).toEqual(expected.toSorted());
      expect(await page.total()).toBe(expected.length);
    });

    it('redeems its token with the list, once for concurrent calls', async () => {
      const proof = await token();
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => portals.page(account, proof, ALL, PAGE)),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'PRM003' });
      }
    });

    it('cannot use an alias that was issued while the clock was ahead, not even when the clock shows that time again', async () => {
      await clock.setOffset(30 * 24 * HOUR);
      const issued = await alias();
      expect(await portals.stateOf(account, issued)).toBe('ACTIVE');
      await clock.setOffset(0);
      expect(await portals.stateOf(account, issued)).toBeUndefined();
      expect(await portals.withdraw(account, issued, 'customer-request', null)).toBeUndefined();
      await purgeExpired(database, pino({ level: 'silent' }))();
      await clock.setOffset(30 * 24 * HOUR + 60);
      expect(await portals.stateOf(account, issued)).toBeUndefined();
    });

    it('cannot redeem a token when its hour has passed', async () => {
      await expect(portals.page(account, await token(0), ALL, PAGE)).rejects.toMatchObject({ code: 'PRM003' });
      const proof = await token();
      await clock.setOffset(HOUR + 1);
      await expect(portals.page(account, proof, ALL, PAGE)).rejects.toMatchObject({ code: 'PRM003' });
    });

    it('leaves its token valid, and adds neither alias nor count, if the list fails', async () => {
      const proof = await token();
      const before = [await count('portal_alias'), await count('look'), await count('consumed_token')];
      const rejected = portals.page(account, proof, ALL, { first: 10, after: 'no cursor' });
      await expect(rejected).rejects.toMatchObject({ code: 'VAL001' });
      expect([await count('portal_alias'), await count('look'), await count('consumed_token')]).toEqual(before);
      expect((await portals.page(account, proof, ALL, PAGE)).nodes.length).toBeGreaterThan(0);
    });

    it('adds no alias for the record that it reads beyond the page', async () => {
      const before = await count('portal_alias');
      const page = await portals.page(account, await token(), ALL, { first: 1, after: null });
      expect([page.nodes.length, page.pageInfo.hasNextPage, await count('portal_alias')]).toEqual([
        1,
        true,
        before + 1,
      ]);
    });

    it('withdraws consent by alias; the transition names the portal', async () => {
      const ak = await alias();
      const revokedAt = await portals.withdraw(account, ak, 'customer-request', null);
      expect(revokedAt).toBeInstanceOf(Date);
      const { rows } = await tables.owner.query(
        `select cause, reason, account_id from access_record_transition where cause = 'withdrawn'`,
      );
      expect(rows).toEqual([{ cause: 'withdrawn', reason: 'customer-request', account_id: account }]);
      expect(await portals.stateOf(account, ak)).toBe('REVOKED');
      expect(await portals.withdraw(account, ak, 'customer-request', null)).toBeUndefined();
    });

    it('withdraws by an alias within its hour, not after', async () => {
      const [early, late] = [await alias(), await alias()];
      await clock.setOffset(HOUR - 5);
      expect(await portals.withdraw(account, early, 'other', null)).toBeInstanceOf(Date);
      await clock.setOffset(HOUR + 1);
      expect(await portals.withdraw(account, late, 'other', null)).toBeUndefined();
      expect(await portals.stateOf(account, late)).toBeUndefined();
    });

    it('has no use for the alias of another portal', async () => {
      const other = await putAccount(tables.owner, 'portal', 'Another portal');
      const ak = await alias({}, other);
      expect(await portals.withdraw(account, ak, 'other', null)).toBeUndefined();
      expect(await portals.stateOf(account, ak)).toBeUndefined();
      expect(await portals.withdraw(other, ak, 'other', null)).toBeInstanceOf(Date);
    });

    it.each(['uk-contract', 'uk-public-task', 'uk-legal-obligation', 'uk-legitimate-interests'] as const)(
      'does not end access based on %s, because its alias is not found',
      async (legalBasis) => {
        const ak = await alias({ legalBasis });
        expect(await portals.withdraw(account, ak, 'other', null)).toBeUndefined();
        expect(await portals.stateOf(account, ak)).toBeUndefined();
      },
    );

    it('withdraws only the named version, if the request names one', async () => {
      const ak = await alias();
      expect(await portals.withdraw(account, ak, 'other', [2])).toBeUndefined();
      expect(await portals.stateOf(account, ak)).toBe('ACTIVE');
      expect(await portals.withdraw(account, ak, 'other', [2, 1])).toBeInstanceOf(Date);
    });

    it('leaves no alias in clear in the tables', async () => {
      const ak = await alias();
      const { rows } = await tables.owner.query('select portal_alias::text as row from portal_alias');
      expect(rows.length).toBeGreaterThan(0);
      expect(JSON.stringify(rows)).not.toContain(ak.slice(3));
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(ak).toString('hex'));
    });
  });
}
