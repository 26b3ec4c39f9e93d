import { randomUUID } from 'node:crypto';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import type { CustomerScope } from '../../../../subgraphs/access/customers/customer-scope.client';
import { replacement } from '../../../../subgraphs/access/records/transitions';
import { type Database, openDatabase } from '../../../../subgraphs/server/database/database';
import { type AccessDatabase, accessDatabase } from '../../../support/access-database';
import { type AccessRow, putRecord } from '../../../support/access-rows';

export function customerRecords(): void {
  const OWN = randomUUID();
  const FORMER = randomUUID();
  const HERE: CustomerScope = {
    meterPointId: 'meter point',
    ownRecordIds: [OWN],
    isCurrent: true,
    isContested: false,
    since: '2026-03-29',
    beganAt: null,
    endedAt: null,
  };
  const WHOLE = { first: 100, after: null };

  describe('Access records of a signed-in customer', () => {
    let tables: AccessDatabase;
    let database: Database;
    let customers: CustomerRecordRepository;
    const ids: Record<string, string> = {};

    /** Every record of the tests, oldest first. */
    const RECORDS: Record<string, Partial<AccessRow>> = {
      'contract since 2020': { legalBasis: 'uk-contract', createdAt: `'2020-01-01Z'`, identityRecordId: FORMER },
      'consent in May': { createdAt: `'2026-05-01Z'`, identityRecordId: OWN },
      'consent in June': { createdAt: `'2026-06-01Z'`, identityRecordId: OWN },
      'discovered in July': { state: 'DISCOVERED', createdAt: `'2026-07-01Z'` },
      'expired a moment ago': { createdAt: `'2026-05-02Z'`, expiry: `register_now()`, identityRecordId: FORMER },
      'revoked before the move': { state: 'REVOKED', revokedAt: `'2026-03-28T23:59:59.999Z'`, identityRecordId: OWN },
      'revoked on the day of the move': { state: 'REVOKED', revokedAt: `'2026-03-29T00:00Z'` },
      'historic, expired in April': { state: 'EXPIRED', expiry: `'2026-04-01Z'`, identityRecordId: FORMER },
      'of another meter point': { meterPointId: 'elsewhere', identityRecordId: OWN },
      'that lost its meter point': { meterPointId: null, identityRecordId: OWN },
    };

    beforeAll(async () => {
      tables = await accessDatabase();
      database = openDatabase(tables.address);
      customers = new CustomerRecordRepository(database);
      for (const [name, row] of Object.entries(RECORDS)) ids[name] = await putRecord(tables.owner, row);
    });
    afterAll(async () => {
      await database.close();
      await tables.close();
    });

    const nameOf = ({ id }: { id: string }) => Object.keys(ids).find((name) => ids[name] === id);
    const seen = async (scope: CustomerScope, part: 'current' | 'history') =>
      (await customers.page(scope, part, WHOLE)).nodes.map(nameOf);

    it('lists every DISCOVERED and then every ACTIVE access to the meter point, the newest first', async () => {
      expect(await seen(HERE, 'current')).toEqual([
        'discovered in July',
        'consent in June',
        'consent in May',
        'contract since 2020',
      ]);
    });

    it('have a history of accesses that ended since the customer moved in, by days in London, latest end first', async () => {
      expect(await seen(HERE, 'history')).toEqual([
        'expired a moment ago',
        'historic, expired in April',
        'revoked on the day of the move',
      ]);
      expect(await seen({ ...HERE, since: '2026-03-30' }, 'history')).toEqual([
        'expired a moment ago',
        'historic, expired in April',
      ]);
    });

    it('are only those linked to the own Identity Record after the occupancy has ended', async () => {
      const former = { ...HERE, ownRecordIds: [FORMER], isCurrent: false, since: '2019-01-01' };
      expect(await seen(former, 'current')).toEqual(['contract since 2020']);
      expect(await seen(former, 'history')).toEqual(['expired a moment ago', 'historic, expired in April']);
      expect(await seen({ ...former, ownRecordIds: [] }, 'current')).toEqual([]);
    });

    it('have a history that contains access which its owner ended by a replacement with an expiry before the move', async () => {
      const meterPointId = 'replaced';
      const id = await putRecord(tables.owner, { meterPointId, createdAt: `'2026-04-01Z'`, identityRecordId: FORMER });
      await putRecord(tables.owner, { meterPointId, state: 'EXPIRED', expiry: `'2020-02-01Z'` }); // a historic record
      const content = { set: `expiry = '2020-02-01Z'`, expiry: `'2020-02-01Z'`, where: 'id = $1', account: `'acc'` };
      await tables.application.query(`with ${replacement(content)} select from record`, [id]);
      const { nodes } = await customers.page({ ...HERE, meterPointId }, 'history', WHOLE);
      expect(nodes.map((record) => [record.id, record.state])).toEqual([[id, 'EXPIRED']]);
      expect((await customers.byId({ ...HERE, meterPointId }, id))?.id).toBe(id);
    });

    it('have no history before the start of the occupancy on the same day, except own records', async () => {
      const meterPointId = 'of two occupants';
      const row = { meterPointId, state: 'REVOKED' } as const;
      const before = await putRecord(tables.owner, {
        ...row,
        identityRecordId: FORMER,
        revokedAt: `'2026-03-29T13:59:59.999Z'`,
      });
      const after = await putRecord(tables.owner, {
        ...row,
        identityRecordId: FORMER,
        revokedAt: `'2026-03-29T14:00Z'`,
      });
      const own = await putRecord(tables.owner, { ...row, identityRecordId: OWN, revokedAt: `'2026-03-29T09:00Z'` });
      const scope = { ...HERE, meterPointId, beganAt: '2026-03-29T14:00:00.000Z' };
      const idsOf = async (within: CustomerScope) =>
        (await customers.page(within, 'history', WHOLE)).nodes.map(({ id }) => id);
      expect(await idsOf(scope)).toEqual([after, own]);
      expect(await customers.byId(scope, before)).toBeNull();
      expect(await idsOf({ ...scope, since: '2026-03-30' })).toEqual([]);
    });

    it('are only those linked to own Identity Records while contacts are contested', async () => {
      const contested = { ...HERE, isContested: true };
      expect(await seen(contested, 'current')).toEqual(['consent in June', 'consent in May']);
      expect(await seen(contested, 'history')).toEqual([]);
      expect(await seen({ ...contested, ownRecordIds: [] }, 'current')).toEqual([]);
      expect(await customers.byId(contested, ids['contract since 2020'] as string)).toBeNull();
      expect(await customers.byId(contested, ids['discovered in July'] as string)).toBeNull();
    });

    it('is counted as it is listed', async () => {
      for (const [part, total] of [
        ['current', 4],
        ['history', 3],
      ] as const) {
        expect(await (await customers.page(HERE, part, { first: 1, after: null })).total()).toBe(total);
      }
    });

    it.each(['current', 'history'] as const)('are listed page by page without gap or repetition: %s', async (part) => {
      const names: unknown[] = [];
      let after: string | null = null;
      do {
        const page = await customers.page(HERE, part, { first: 1, after });
        names.push(...page.nodes.map(nameOf));
        after = page.nextCursor;
      } while (after !== null);
      expect(names).toEqual(await seen(HERE, part));
    });

    it.each(['', '1', '2abc', 'x', Buffer.from('nonsense').toString('base64url')])(
      'rejects a cursor that it did not issue: %j',
      async (after) => {
        await expect(customers.page(HERE, 'current', { first: 1, after })).rejects.toMatchObject({ code: 'VAL001' });
      },
    );

    it.each([0, 501])('reject pages of %d', async (first) => {
      await expect(customers.page(HERE, 'current', { first, after: null })).rejects.toMatchObject({ code: 'VAL003' });
    });

    it('is one record by its id, of both parts, and nothing out of scope', async () => {
      const found = async (name: string) => (await customers.byId(HERE, ids[name] as string)) !== null;
      expect(await found('contract since 2020')).toBe(true);
      expect(await found('revoked on the day of the move')).toBe(true);
      expect(await found('revoked before the move')).toBe(false);
      expect(await found('of another meter point')).toBe(false);
      expect(await found('that lost its meter point')).toBe(false);
      expect(await customers.byId(HERE, 'not an id')).toBeNull();
      expect(await customers.byId(HERE, randomUUID())).toBeNull();
    });

    it('never holds the key of an Identity Record, nor an access key', async () => {
      for (const part of ['current', 'history'] as const) {
        const { nodes } = await customers.page(HERE, part, WHOLE);
        expect(nodes.map(({ recordMetadata }) => recordMetadata.identityRecordRef)).toEqual(nodes.map(() => null));
        expect(nodes.map(({ suppliedKey }) => suppliedKey)).toEqual(nodes.map(() => null));
      }
    });

    describe('and their withdrawal', () => {
      const LAST_TRANSITION = `select from_state, to_state, cause, reason, account_id, at from access_record_transition
      where record_id = $1 order by number desc limit 1`;
      const stateOf = async (id: string) =>
        (await tables.owner.query('select state from access_record where id = $1', [id])).rows[0].state as string;

      it('ends a consent immediately, with a transition', async () => {
        const id = await putRecord(tables.owner, { legalBasis: 'uk-explicit-consent' });
        const revokedAt = await customers.withdraw(id, async () => HERE);
        expect(revokedAt).toBeInstanceOf(Date);
        expect((await customers.byId(HERE, id))?.accessEvent).toMatchObject({ state: 'REVOKED', revokedAt });
        const { rows } = await tables.owner.query(LAST_TRANSITION, [id]);
        expect(rows).toEqual([
          {
            from_state: 'ACTIVE',
            to_state: 'REVOKED',
            cause: 'withdrawn',
            reason: 'customer-request',
            account_id: 'customer',
            at: revokedAt,
          },
        ]);
      });

      it('happens once, for any number of concurrent calls', async () => {
        const id = await putRecord(tables.owner);
        const results = await Promise.all(Array.from({ length: 10 }, () => customers.withdraw(id, async () => HERE)));
        expect(results.filter((result) => result !== undefined)).toHaveLength(1);
      });

      const OTHERS: Record<string, Partial<AccessRow>> = {
        'on another legal basis': { legalBasis: 'uk-contract' },
        'that has expired': { expiry: 'register_now()' },
        'that was revoked': { state: 'REVOKED', revokedAt: 'register_now()' },
        'that was discovered': { state: 'DISCOVERED' },
        'of another meter point': { meterPointId: 'elsewhere' },
      };
      it.each(Object.entries(OTHERS))('does not end an access %s', async (_, row) => {
        const id = await putRecord(tables.owner, row);
        expect(await customers.withdraw(id, async () => HERE)).toBeUndefined();
        expect(await stateOf(id)).toBe(row.state ?? 'ACTIVE');
      });

      it('ends, after moving out, only consent linked to the own record', async () => {
        const scope = { ...HERE, isCurrent: false };
        const [own, foreign] = [
          await putRecord(tables.owner, { identityRecordId: OWN }),
          await putRecord(tables.owner, { identityRecordId: FORMER }),
        ];
        expect(await customers.withdraw(foreign, async () => scope)).toBeUndefined();
        expect(await stateOf(foreign)).toBe('ACTIVE');
        expect(await customers.withdraw(own, async () => scope)).toBeInstanceOf(Date);
      });

      it('ends only consent linked to own Identity Records while contacts are contested', async () => {
        const scope = { ...HERE, isContested: true };
        const [own, foreign] = [
          await putRecord(tables.owner, { identityRecordId: OWN }),
          await putRecord(tables.owner, { identityRecordId: FORMER }),
        ];
        expect(await customers.withdraw(foreign, async () => scope)).toBeUndefined();
        expect(await stateOf(foreign)).toBe('ACTIVE');
        expect(await customers.withdraw(own, async () => scope)).toBeInstanceOf(Date);
      });

      it('has no effect for a malformed id', async () => {
        expect(await customers.withdraw(`' or true`, async () => HERE)).toBeUndefined();
      });
    });
  });
}
