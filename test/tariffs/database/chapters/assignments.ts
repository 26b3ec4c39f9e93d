import type { Caller } from '../../../../subgraphs/server/callers/caller';
import {
  type TariffGraph,
  ADMIN,
  ANALYST,
  ASSIGN,
  PUBLISH,
  supplierInput,
  supplierOf,
  tariffGraph,
  tariffInput,
  trf,
} from '../../../support/tariff-graph';
import { heldBy } from '../../../support/held-lock';

export function tariffsOverTime(): void {
  let graph: TariffGraph;
  beforeAll(async () => {
    graph = await tariffGraph();
    await graph.suppliers('LAPW', 'FELL');
    for (const number of [1, 2, 3]) await publish(tariffInput(number, LONG_VALID));
    for (const number of [11, 12]) await publish(tariffInput(number, LONG_VALID), 'FELL');
  });
  afterEach(() => graph.moveClock(0));
  afterAll(() => graph?.close());

  const LONG_VALID = { validFrom: '2020-01-01T00:00:00.000Z' };
  const HOUR = 3_600_000;
  const inHours = (hours: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR).toISOString();

  const publish = (input: Record<string, unknown>, mpid = 'LAPW') =>
    graph.execute(PUBLISH, { input }, supplierOf(mpid));
  const assign = async (mpxn: string, tariff: number, from: string, caller: Caller = supplierOf('LAPW')) =>
    (await graph.execute(ASSIGN, { mpxn, tariffId: trf(tariff), from }, caller)).assignTariff;
  const assignmentError = (mpxn: string, tariff: number, from: string, caller: Caller = supplierOf('LAPW')) =>
    graph.errorOf(ASSIGN, { mpxn, tariffId: trf(tariff), from }, caller);

  const END = `mutation End($mpxn: String!, $at: DateTime!) {
  endTariffAssignment(mpxn: $mpxn, at: $at) { from tariff { tariffId } supplier { mpid } } }`;
  const end = async (mpxn: string, at: string, caller: Caller = supplierOf('LAPW')) =>
    (await graph.execute(END, { mpxn, at }, caller)).endTariffAssignment;
  const endError = (mpxn: string, at: string, caller: Caller = supplierOf('LAPW')) =>
    graph.errorOf(END, { mpxn, at }, caller);

  /** Returns the number of the tariff that applies; null if none does. */
  async function applied(mpxn: string, at?: string, caller: Caller = ADMIN): Promise<number | null> {
    const query = 'query Applied($mpxn: String!, $at: DateTime) { appliedTariff(mpxn: $mpxn, at: $at) { tariffId } }';
    const { appliedTariff } = await graph.execute(query, { mpxn, ...(at === undefined ? {} : { at }) }, caller);
    return appliedTariff && Number.parseInt(appliedTariff.tariffId.slice(4), 16);
  }

  /** Returns the assignments of an MPxN, the last one first: start and tariff. */
  async function assignments(mpxn: string, caller: Caller = ADMIN): Promise<string[]> {
    const query = `query Assignments($mpxn: String!) { tariffAssignments(mpxn: $mpxn) { nodes { mpxn from tariff { tariffId } supplier { mpid } } } }`;
    const { tariffAssignments } = await graph.execute(query, { mpxn }, caller);
    type Node = { mpxn: string; from: string; tariff: { tariffId: string } | null; supplier: { mpid: string } };
    return tariffAssignments.nodes.map((node: Node) => {
      expect(node.mpxn).toBe(mpxn);
      const tariff = node.tariff && Number.parseInt(node.tariff.tariffId.slice(4), 16);
      return `${node.from} ${tariff ?? 'none'} ${node.supplier.mpid}`;
    });
  }

  let count = 0;
  /** Returns an MPxN that is not stored. */
  const newMpxn = () => `10${String(++count).padStart(8, '0')}`;

  describe('The tariff of an MPxN over time', () => {
    it('is the tariff of the newest assignment that has started', async () => {
      const mpxn = newMpxn();
      const [first, second, third] = [inHours(-48), inHours(-24), inHours(24)] as const;
      await assign(mpxn, 1, first);
      await assign(mpxn, 3, third);
      await assign(mpxn, 2, second);
      expect(await assignments(mpxn)).toEqual([`${third} 3 LAPW`, `${second} 2 LAPW`, `${first} 1 LAPW`]);
      expect(await applied(mpxn)).toBe(2);
      const earlier = (instant: string) => new Date(Date.parse(instant) - 1).toISOString();
      for (const [at, tariff] of [
        [earlier(first), null],
        [first, 1],
        [earlier(second), 1],
        [second, 2],
        [earlier(third), 2],
        [third, 3],
      ] as const)
        expect([at, await applied(mpxn, at)]).toEqual([at, tariff]);
    });

    it('can end and start again', async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(-48));
      expect(await end(mpxn, inHours(-24))).toMatchObject({ tariff: null, supplier: { mpid: 'LAPW' } });
      expect(await applied(mpxn)).toBeNull();
      await assign(mpxn, 11, inHours(-12), supplierOf('FELL'));
      expect(await applied(mpxn)).toBe(11);
    });

    it('passes to the gaining supplier without an action of the losing one', async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(-48));
      await assign(mpxn, 11, inHours(2), supplierOf('FELL'));
      expect(await applied(mpxn)).toBe(1);
      expect(await applied(mpxn, inHours(2))).toBe(11);
      await graph.moveClock(3 * 3600);
      expect(await applied(mpxn)).toBe(11);
    });

    it('does not apply outside the validity of the tariff', async () => {
      const mpxn = newMpxn();
      await publish(tariffInput(30, { validFrom: inHours(-10), validTo: inHours(10) }));
      await assign(mpxn, 30, inHours(-20));
      expect(await applied(mpxn, inHours(-15))).toBeNull();
      expect(await applied(mpxn)).toBe(30);
      expect(await applied(mpxn, inHours(10))).toBeNull();
    });

    it('is visible to its own supplier only', async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(-48));
      await assign(mpxn, 11, inHours(24), supplierOf('FELL'));
      expect(await applied(mpxn, undefined, supplierOf('LAPW'))).toBe(1);
      expect(await applied(mpxn, undefined, supplierOf('FELL'))).toBeNull();
      expect(await assignments(mpxn, supplierOf('FELL'))).toEqual([expect.stringMatching(/ 11 FELL$/)]);
      expect(await assignments(mpxn, supplierOf('LAPW'))).toEqual([expect.stringMatching(/ 1 LAPW$/)]);
      const query = `{ tariffAssignments(mpxn: "${mpxn}") { nodes { mpxn } } }`;
      expect(await graph.errorOf(query)).toBe('AUT001');
      expect(await graph.errorOf(query, {}, ANALYST)).toBe('PRM001');
    });

    it('is listed page by page', async () => {
      const mpxn = newMpxn();
      const [first, second, ...ends] = [inHours(-3), inHours(-2), inHours(-1), inHours(1), inHours(2)] as const;
      await assign(mpxn, 1, first);
      await assign(mpxn, 2, second);
      for (const at of ends) {
        await end(mpxn, at);
        await assign(mpxn, 3, at);
      }
      const query = `query Page($mpxn: String!, $after: String) { tariffAssignments(mpxn: $mpxn, first: 1, after: $after) {
        nodes { from tariff { tariffId } } nextCursor } }`;
      const listed: [string, string | null][] = [];
      for (let after: string | null | undefined; after !== null;) {
        const { tariffAssignments } = await graph.execute(query, { mpxn, after }, ADMIN);
        const [{ from, tariff }] = tariffAssignments.nodes;
        listed.push([from, tariff?.tariffId ?? null]);
        after = tariffAssignments.nextCursor;
      }
      expect(listed).toEqual([
        ...ends.toReversed().flatMap((at) => [
          [at, trf(3)],
          [at, null],
        ]),
        [second, trf(2)],
        [first, trf(1)],
      ]);
    });
  });

  describe('A replacement', () => {
    it('applies from its start of validity on, even to MPxNs that are assigned to the replaced tariff later', async () => {
      const [early, late] = [newMpxn(), newMpxn()];
      await publish(tariffInput(40, LONG_VALID));
      await assign(early, 40, inHours(-48));
      await publish(tariffInput(41, { validFrom: inHours(24), replaces: trf(40) }));
      await publish(tariffInput(42, { validFrom: inHours(48), replaces: trf(41) }));
      await assign(late, 40, inHours(30));
      expect([await applied(early), await applied(late)]).toEqual([40, null]);
      expect([await applied(early, inHours(24)), await applied(late, inHours(31))]).toEqual([41, 41]);
      expect(await applied(early, inHours(48))).toBe(42);
      await graph.moveClock(49 * 3600);
      expect([await applied(early), await applied(late)]).toEqual([42, 42]);
      expect(await assignments(early)).toEqual([expect.stringMatching(/ 40 LAPW$/)]);
    });

    it('published late takes effect when it is published, so that history does not change', async () => {
      const mpxn = newMpxn();
      await publish(tariffInput(50, LONG_VALID));
      await assign(mpxn, 50, inHours(-48));
      await publish(tariffInput(51, { validFrom: inHours(-24), replaces: trf(50) }));
      expect(await applied(mpxn, inHours(-12))).toBe(50);
      expect(await applied(mpxn)).toBe(51);
    });
  });

  describe('An assignment', () => {
    it('that equals the stored one is returned unchanged', async () => {
      const [mpxn, from, ended] = [newMpxn(), inHours(-5), inHours(-1)];
      const first = await assign(mpxn, 1, from);
      expect(await assign(mpxn, 1, from)).toEqual(first);
      expect(await end(mpxn, ended)).toEqual(await end(mpxn, ended));
      expect(await endError(mpxn, inHours(1))).toBe('CNF001 at');
    });

    it('in the past cannot be replaced: CNF001', async () => {
      const [mpxn, from] = [newMpxn(), inHours(-5)];
      await assign(mpxn, 1, from);
      expect(await assignmentError(mpxn, 2, from)).toBe('CNF001 from');
      expect(await assignmentError(mpxn, 11, from, ADMIN)).toBe('CNF001 from');
      expect(await endError(mpxn, from)).toBe('CNF001 at');
    });

    it('that has not started is superseded by another one or by an end', async () => {
      const [mpxn, from] = [newMpxn(), inHours(5)];
      await assign(mpxn, 1, from);
      await assign(mpxn, 2, from);
      expect(await assignments(mpxn)).toEqual([`${from} 2 LAPW`]);
      await end(mpxn, from);
      expect(await assignments(mpxn)).toEqual([`${from} none LAPW`]);
      const { rows } = await graph.owner.query(
        'select withdrawn_at is not null as withdrawn from tariff_step where valid_from = $1 order by recorded_at',
        [from],
      );
      expect(rows.map(({ withdrawn }) => withdrawn)).toEqual([true, true, false]);
    });

    it('that has started cannot be changed, not even by the owner of the database', async () => {
      await assign(newMpxn(), 1, inHours(-5));
      const started = 'where valid_from < now()';
      for (const statement of [
        `update tariff_step set withdrawn_at = now() ${started}`,
        `update tariff_step set tariff_id = null ${started}`,
        `delete from tariff_step ${started}`,
        'delete from meter_point',
      ])
        await expect(graph.owner.query(statement)).rejects.toMatchObject({ code: '23001' });
    });

    it('can be ended by its own supplier and by admins only', async () => {
      const mpxn = newMpxn();
      expect(await endError(mpxn, inHours(1))).toBe('CNF001 at');
      await assign(mpxn, 1, inHours(-5));
      expect(await endError(mpxn, inHours(1), supplierOf('FELL'))).toBe('CNF001 at');
      await assign(mpxn, 11, inHours(3), supplierOf('FELL'));
      expect(await endError(mpxn, inHours(4))).toBe('CNF001 at');
      expect(await end(mpxn, inHours(4), ADMIN)).toMatchObject({ tariff: null, supplier: { mpid: 'FELL' } });
    });

    it('of another supplier that has not started can be superseded by an admin only', async () => {
      const [mpxn, from] = [newMpxn(), inHours(5)];
      await assign(mpxn, 11, from, supplierOf('FELL'));
      expect(await assignmentError(mpxn, 1, from)).toBe('CNF001 from');
      expect(await assignments(mpxn)).toEqual([`${from} 11 FELL`]);
      await assign(mpxn, 1, from, ADMIN);
      expect(await assignments(mpxn)).toEqual([`${from} 1 LAPW`]);
    });

    it("of the gaining supplier may start at the end of the losing supplier's, which remains", async () => {
      const [mpxn, start, from] = [newMpxn(), inHours(-5), inHours(5)];
      const lost = [`${from} none LAPW`, `${start} 1 LAPW`];
      await assign(mpxn, 1, start);
      await end(mpxn, from);
      await assign(mpxn, 11, from, supplierOf('FELL'));
      expect([await applied(mpxn), await applied(mpxn, from)]).toEqual([1, 11]);
      await end(mpxn, from);
      expect(await assignments(mpxn, supplierOf('LAPW'))).toEqual(lost);
      await end(mpxn, from, supplierOf('FELL'));
      expect(await assignments(mpxn, supplierOf('LAPW'))).toEqual(lost);
      expect(await applied(mpxn, from)).toBeNull();
    });

    it("of the gaining supplier continues beyond the planned end of the losing supplier's", async () => {
      const mpxn = newMpxn();
      const [gained, lost, ended] = [inHours(1), inHours(2), inHours(4)];
      await assign(mpxn, 1, inHours(-5));
      await end(mpxn, lost);
      await assign(mpxn, 11, gained, supplierOf('FELL'));
      expect([await applied(mpxn, lost), await endError(mpxn, inHours(3))]).toEqual([11, 'CNF001 at']);
      await end(mpxn, ended, supplierOf('FELL'));
      expect([await applied(mpxn, inHours(3)), await applied(mpxn, ended)]).toEqual([11, null]);
      await end(mpxn, gained, supplierOf('FELL'));
      expect([await applied(mpxn, gained), await applied(mpxn, lost)]).toEqual([1, null]);
    });

    it("starts at the end of the supplier's former one, or withdraws that end", async () => {
      const [mpxn, start, from] = [newMpxn(), inHours(-5), inHours(5)];
      const [first, ended] = [`${start} 1 LAPW`, `${from} none LAPW`];
      await assign(mpxn, 1, start);
      await end(mpxn, from);
      await assign(mpxn, 2, from);
      expect(await applied(mpxn, from)).toBe(2);
      expect(await assignments(mpxn)).toEqual([`${from} 2 LAPW`, ended, first]);
      await end(mpxn, from);
      expect(await assignments(mpxn)).toEqual([ended, first]);
      await graph.execute(
        'mutation ($mpxn: String!, $id: String!, $from: DateTime!) { assignTariff(mpxn: $mpxn, tariffId: $id, from: $from, withdrawsEnd: true) { from } }',
        { mpxn, id: trf(1), from },
        supplierOf('LAPW'),
      );
      expect(await assignments(mpxn)).toEqual([`${from} 1 LAPW`, first]);
    });

    it('that an admin ends at the planned start of another supplier ends, and the planned one does not start', async () => {
      const [mpxn, start, from] = [newMpxn(), inHours(-5), inHours(5)];
      await assign(mpxn, 1, start);
      await assign(mpxn, 11, from, supplierOf('FELL'));
      const ended = await end(mpxn, from, ADMIN);
      expect(ended).toMatchObject({ tariff: null, supplier: { mpid: 'LAPW' } });
      expect(await end(mpxn, from, ADMIN)).toEqual(ended);
      expect([await applied(mpxn), await applied(mpxn, from)]).toEqual([1, null]);
      expect(await assignments(mpxn)).toEqual([`${from} none LAPW`, `${start} 1 LAPW`]);
    });

    it("that is recorded late does not revive the former supplier's end, which had no effect", async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(0), ADMIN);
      await end(mpxn, inHours(10));
      await assign(mpxn, 11, inHours(5), supplierOf('FELL'));
      await graph.moveClock(12 * 3600);
      await assign(mpxn, 12, inHours(8), supplierOf('FELL'));
      expect(await applied(mpxn, inHours(11))).toBe(12);
      expect(await assignmentError(mpxn, 1, inHours(11))).toBe('CNF001 from');
      await end(mpxn, inHours(20), supplierOf('FELL'));
      expect([await applied(mpxn, inHours(19)), await applied(mpxn, inHours(20))]).toEqual([12, null]);
    });

    it.each([
      ['assigned', 'from', (mpxn: string, at: string) => assignmentError(mpxn, 2, at)],
      ['ended', 'at', (mpxn: string, at: string) => endError(mpxn, at)],
    ])('is not superseded if it starts while its MPxN is %s', async (_, field, change) => {
      const [mpxn, at] = [newMpxn(), inHours(1)];
      await assign(mpxn, 3, inHours(0));
      await assign(mpxn, 1, at);
      const lock = await heldBy(graph.owner, 'select from tariff_step where valid_from = $1 for update', [at]);
      const error = change(mpxn, at);
      await lock.isWaitedFor();
      await graph.moveClock(3601);
      await lock.release();
      expect(await error).toBe(`CNF001 ${field}`);
      expect(await applied(mpxn)).toBe(1);
    });

    it("cannot end in the past if another supplier's tariff has applied since", async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(-5));
      await assign(mpxn, 11, inHours(-2), ADMIN);
      for (const caller of [supplierOf('LAPW'), ADMIN])
        expect(await endError(mpxn, inHours(-3), caller)).toBe('CNF001 at');
      expect(await applied(mpxn, inHours(-3))).toBe(1);
    });

    it("cannot start in the past if another supplier's tariff applied then or since, unless an admin records it", async () => {
      const [mpxn, untouched] = [newMpxn(), newMpxn()];
      await assign(mpxn, 1, inHours(-5));
      await assign(mpxn, 3, inHours(-3));
      for (const hours of [-6, -5, -4, -1])
        expect([hours, await assignmentError(mpxn, 11, inHours(hours), supplierOf('FELL'))]).toEqual([
          hours,
          'CNF001 from',
        ]);
      expect(await assignments(mpxn)).toHaveLength(2);
      await assign(mpxn, 11, inHours(-1), ADMIN);
      expect([await applied(mpxn, inHours(-2)), await applied(mpxn)]).toEqual([3, 11]);
      await assign(untouched, 11, inHours(-4), supplierOf('FELL'));
      expect(await applied(untouched)).toBe(11);
    });

    it('must start before the end of the validity of its tariff', async () => {
      const [mpxn, validTo] = [newMpxn(), inHours(10)];
      await publish(tariffInput(60, { validTo }));
      for (const caller of [supplierOf('LAPW'), ADMIN])
        expect(await assignmentError(mpxn, 60, validTo, caller)).toBe('VAL003 from');
      await assign(mpxn, 60, inHours(9));
    });

    it('needs an existing tariff of the supplier', async () => {
      const mpxn = newMpxn();
      expect(await assignmentError(mpxn, 999, inHours(1))).toBe('NTF003');
      expect(await assignmentError(mpxn, 11, inHours(1))).toBe('PRM002');
      expect(await assignmentError('nothing', 1, inHours(1))).toBe('VAL001 mpxn');
      expect((await assign(mpxn, 11, inHours(1), ADMIN)).supplier).toEqual({ mpid: 'FELL' });
    });
  });

  describe('Concurrent callers', () => {
    const outcomes = async (...work: Promise<unknown>[]) =>
      (await Promise.allSettled(work)).map((settled) =>
        settled.status === 'fulfilled'
          ? 'done'
          : JSON.parse(String((settled.reason as Error).message))[0].extensions.code,
      );

    it('publish one tariff: one call creates it, the others return it', async () => {
      for (let number = 100; number < 110; number += 1) {
        const results = await Promise.all(Array.from({ length: 4 }, () => publish(tariffInput(number))));
        const published = results.map(({ publishTariff }) => publishTariff);
        expect(published.filter(({ isNew }) => isNew)).toHaveLength(1);
        expect(published.filter(({ isChanged }) => isChanged)).toEqual([]);
        expect(new Set(published.map(({ tariff }) => tariff.lastModified)).size).toBe(1);
      }
    });

    it('publish one tariff with different descriptions: each is a version, none is lost', async () => {
      const words = ['One', 'Two', 'Three', 'Four'];
      await Promise.all(words.map((name) => publish(tariffInput(120, { name }))));
      const { tariff } = await graph.execute(
        `{ tariff(tariffId: "${trf(120)}") { name versions(newestFirst: true) { nodes { version name } } } }`,
      );
      const { nodes: versions } = tariff.versions;
      expect(versions.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1]);
      expect(versions.map(({ name }: { name: string }) => name).toSorted()).toEqual(words.toSorted());
      expect(tariff.name).toBe(versions[0].name);
    });

    it('publish one tariff with different prices: one call is rejected and must create a new tariff', async () => {
      const results = await outcomes(
        ...['0.50', '0.60'].map((standingCharge) => publish(tariffInput(130, { standingCharge }))),
      );
      expect(results.toSorted()).toEqual(['CNF005', 'done']);
    });

    it('of two suppliers publish under one id: the second is rejected as not the owner', async () => {
      const results = await outcomes(publish(tariffInput(140)), publish(tariffInput(140), 'FELL'));
      expect(results.toSorted()).toEqual(['PRM002', 'done']);
    });

    it('replace one tariff: one call succeeds', async () => {
      await publish(tariffInput(150));
      const results = await outcomes(
        ...[151, 152, 153].map((number) => publish(tariffInput(number, { replaces: trf(150) }))),
      );
      expect(results.toSorted()).toEqual(['CNF001', 'CNF001', 'done']);
    });

    it('assign at one instant in the past: one call succeeds', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [mpxn, from] = [newMpxn(), inHours(-2)];
        const results = await outcomes(assign(mpxn, 1, from), assign(mpxn, 2, from), assign(mpxn, 1, from));
        expect(results.filter((outcome) => outcome === 'CNF001').length).toBeGreaterThan(0);
        expect(results.filter((outcome) => !['CNF001', 'done'].includes(outcome))).toEqual([]);
        expect(await assignments(mpxn)).toHaveLength(1);
      }
    });

    it('assign at one instant in the future: the later call wins, and one assignment is in force', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [mpxn, from] = [newMpxn(), inHours(2)];
        const results = await outcomes(...[assign(mpxn, 1, from), assign(mpxn, 2, from), assign(mpxn, 3, from)]);
        expect(results).toEqual(['done', 'done', 'done']);
        expect(await assignments(mpxn)).toHaveLength(1);
      }
    });

    it('of two suppliers assign at one instant in the future: the first call wins', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [mpxn, from] = [newMpxn(), inHours(2)];
        const results = await outcomes(assign(mpxn, 1, from), assign(mpxn, 11, from, supplierOf('FELL')));
        expect(results.toSorted()).toEqual(['CNF001', 'done']);
        expect(await assignments(mpxn)).toHaveLength(1);
      }
    });
  });

  describe('MPxNs', () => {
    it('are in no table unencrypted, and have another hash in every register', async () => {
      const mpxn = newMpxn();
      await assign(mpxn, 1, inHours(-1));
      const { rows: tables } = await graph.owner.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = 'tariffs'",
      );
      for (const { name } of tables) {
        const { rows } = await graph.owner.query(`select t::text as stored from ${name} t`);
        expect(
          rows.filter(({ stored }) => stored.includes(mpxn) || stored.includes(Buffer.from(mpxn).toString('hex'))),
        ).toEqual([]);
      }
    });
  });

  describe('The status of a supplier', () => {
    let userId: string;
    beforeAll(async () => {
      await graph.suppliers('TERN', 'PUFF');
      await graph.execute(PUBLISH, { input: tariffInput(90001) }, supplierOf('TERN'));
      const input = {
        ...{ name: 'Tern Insight Ltd', displayName: 'Tern', support: 'help@tern.example' },
        ...{ webhookUrl: 'https://tern.example/hooks', contact: { email: 'operations@tern.example' } },
      };
      const { saveRtiUser } = await graph.execute(
        'mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { rtiUser { userId } } }',
        { input },
        ADMIN,
      );
      userId = saveRtiUser.rtiUser.userId;
    });

    const SET =
      'mutation ($mpid: String!, $status: RegisterEntryStatus!) { setSupplierStatus(mpid: $mpid, status: $status) { status } }';
    const MPXN = '2012345678';
    const FROM = '2026-02-01T00:00:00.000Z';
    const REPORT = {
      ...{ periodStart: FROM, periodEnd: '2026-03-01T00:00:00.000Z', totalRequests: 1, notificationsIssued: 1 },
      ...{ availabilityPct: 100, successPct: 100, responseTimeMs: { p50: 1, p95: 2, p99: 3 } },
    };

    /** Fields that need the rights of a supplier, with the variables of a valid request. */
    const AS_SUPPLIER: readonly [field: string, query: string, variables: () => Record<string, unknown>][] = [
      [
        'RtiUser.contact',
        'query ($id: String!) { rtiUser(userId: $id) { contact { email } } }',
        () => ({ id: userId }),
      ],
      ['RtiUser.webhookUrl', 'query ($id: String!) { rtiUser(userId: $id) { webhookUrl } }', () => ({ id: userId })],
      ['Supplier.issuer', 'query ($mpid: String!) { supplier(mpid: $mpid) { issuer } }', () => ({})],
      ['Supplier.audience', 'query ($mpid: String!) { supplier(mpid: $mpid) { audience } }', () => ({})],
      ['tariffConsents', '{ tariffConsents { nextCursor } }', () => ({})],
      ['rtiWebhooks', '{ rtiWebhooks { nextCursor } }', () => ({})],
      ['tariffEvents', '{ tariffEvents { nextCursor } }', () => ({})],
      ['tariffEvent', `{ tariffEvent(id: "evt_${'0'.repeat(24)}") { id } }`, () => ({})],
      ['tariffAssignments', `{ tariffAssignments(mpxn: "${MPXN}") { nextCursor } }`, () => ({})],
      ['appliedTariff', `{ appliedTariff(mpxn: "${MPXN}") { tariffId } }`, () => ({})],
      ['performanceReports', '{ performanceReports { nextCursor } }', () => ({})],
      ['publishTariff', PUBLISH, () => ({ input: tariffInput(90001) })],
      ['assignTariff', ASSIGN, () => ({ mpxn: MPXN, tariffId: trf(90001), from: FROM })],
      [
        'endTariffAssignment',
        'mutation ($mpxn: String!, $at: DateTime!) { endTariffAssignment(mpxn: $mpxn, at: $at) { from } }',
        () => ({ mpxn: MPXN, at: '2026-02-02T00:00:00.000Z' }),
      ],
      [
        'submitPerformanceReport',
        'mutation ($input: PerformanceReportInput!) { submitPerformanceReport(input: $input) { reportId } }',
        () => ({ input: REPORT }),
      ],
    ];

    const INACTIVE = { code: 'PRM001', message: 'The supplier is not active in the register.' };

    /** Returns code and message of the only error of a request; undefined if it succeeds. */
    async function failureOf(query: string, variables: Record<string, unknown>, caller: Caller) {
      const known = query.includes('$mpid: String!') && caller.mpid !== null ? { mpid: caller.mpid } : {};
      const context = { caller, service: null, transactionId: `tid_${'0'.repeat(24)}`, clientAddress: '192.0.2.1' };
      const { errors } = await graph.running.link.execute({ query, variables: { ...known, ...variables } }, context);
      if (errors === undefined) return undefined;
      expect(errors).toHaveLength(1);
      return { code: errors[0]?.extensions['code'], message: errors[0]?.message };
    }

    describe('A supplier', () => {
      it('that is active in the register has the rights of a supplier', async () => {
        for (const [field, query, variables] of AS_SUPPLIER)
          expect([field, await failureOf(query, variables(), supplierOf('TERN'))]).toEqual([field, undefined]);
      });

      it('that is not active loses them with the next request', async () => {
        for (const status of ['SUSPENDED', 'DISABLED']) {
          await graph.execute(SET, { mpid: 'TERN', status }, ADMIN);
          for (const [field, query, variables] of AS_SUPPLIER)
            expect([field, await failureOf(query, variables(), supplierOf('TERN'))]).toEqual([field, INACTIVE]);
        }
        await graph.execute(SET, { mpid: 'TERN', status: 'ACTIVE' }, ADMIN);
        for (const [field, query, variables] of AS_SUPPLIER)
          expect([field, await failureOf(query, variables(), supplierOf('TERN'))]).toEqual([field, undefined]);
        await graph.execute(SET, { mpid: 'PUFF', status: 'REMOVED' }, ADMIN);
        for (const [field, query, variables] of AS_SUPPLIER)
          expect([field, await failureOf(query, variables(), supplierOf('PUFF'))]).toEqual([field, INACTIVE]);
      });

      it('without an entry has none either; its report is rejected as from an unknown supplier', async () => {
        for (const [field, query, variables] of AS_SUPPLIER.filter(([name]) => !name.startsWith('Supplier.'))) {
          const expected =
            field === 'submitPerformanceReport' ? { code: 'NTF002', message: 'The supplier is not known.' } : INACTIVE;
          expect([field, await failureOf(query, variables(), supplierOf('NONE'))]).toEqual([field, expected]);
        }
      });

      it('that is not active reads only public fields, of itself and of others', async () => {
        await graph.execute(
          'mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }',
          {
            input: supplierInput('TEAL', { issuer: 'https://oauth.teal.example', audience: 'tariffs' }),
          },
          ADMIN,
        );
        const query = `{ supplier(mpid: "TEAL") { name issuer } rtiUser(userId: "${userId}") { name } tariffs { nodes { tariffId } } }`;
        expect(await graph.execute(query, {}, supplierOf('PUFF'))).toEqual(await graph.execute(query));
      });
    });
  });
}
