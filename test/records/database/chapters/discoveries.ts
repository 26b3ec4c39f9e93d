import { randomBytes } from 'node:crypto';
import type { StoredAccessRecord } from '../../../../subgraphs/access/records/stored-access-record.queries';
import { expireSome } from '../../../../subgraphs/access/records/expiry.repository';
import { RecordHistory } from '../../../../subgraphs/access/records/record-history.queries';
import { decryptValue, encryptValue } from '../../../../subgraphs/server/encryption';
import { outcomeOf } from '../../../support/access-database';
import { GADWALL } from '../../../support/access-records';
import {
  OPERATOR,
  SEALING_KEY,
  type OperatorFixture,
  newMeterPoint,
  operatorFixture,
} from '../../../support/operator-fixture';
import { until } from '../../../support/until';

export function discoveries(): void {
  const DAY = 86_400;
  const BLOCKED = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;

  let fixture: OperatorFixture;
  beforeAll(async () => {
    fixture = await operatorFixture();
  });
  afterEach(() => fixture.clock.setOffset(0));
  afterAll(() => fixture.close());

  const at = async (ak: string) => (await fixture.records.byKey(ak)) as StoredAccessRecord;
  const rows = async (text: string, ...values: unknown[]) => (await fixture.tables.owner.query(text, values)).rows;
  const versions = async ({ id }: StoredAccessRecord) =>
    (await new RecordHistory(fixture.database).versions(id, { first: 100, after: null, newestFirst: false })).nodes
      .length;
  const transitions = async ({ id }: StoredAccessRecord) =>
    (await new RecordHistory(fixture.database).transitions(id, { first: 100, after: null })).nodes.map(
      ({ from, cause, to }) => `${from} ${cause} ${to}`,
    );

  /** Decrypts the source reference of a document. */
  const referenceIn = ({ sourceReferenceSealed }: { sourceReferenceSealed: string }, id: string) =>
    decryptValue(SEALING_KEY, Buffer.from(sourceReferenceSealed, 'base64'), id).toString('utf8');

  /** A day so many days from now, by the clock of the register. */
  const day = async (fromNow: number) =>
    new Date((await fixture.clock.now()).getTime() + fromNow * DAY * 1000).toISOString().slice(0, 10);

  describe('A report of the communications operator', () => {
    it('makes a DISCOVERED record without a Data User, registered at the first sighting', async () => {
      const { ak, isNew, state } = await fixture.report(newMeterPoint());
      expect([isNew, ak, state]).toEqual([true, expect.stringMatching(/^ak_[0-9a-f]{24}$/), 'DISCOVERED']);
      const record = await at(ak);
      expect(record.accessEvent).toMatchObject({
        state: 'DISCOVERED',
        registeredAt: new Date('2026-03-01T00:00:00Z'),
        expiry: null,
        consent: null,
        revokedAt: null,
      });
      expect(record.recordMetadata).toMatchObject({ identityRecordRef: null, duid: null });
      expect(record.processing).toMatchObject({ legalBasis: null, purpose: null, dataTypes: ['HH-CONSUMPTION'] });
      expect(record.notice).toBeNull();
      expect(record.discoveredAccess).toEqual({
        organisationName: GADWALL.organisationName,
        organisationReference: GADWALL.organisationReference,
        firstSeen: GADWALL.firstSeen,
        lastSeen: null,
        dataTypesObserved: ['HH-CONSUMPTION'],
      });
      expect(await transitions(record)).toEqual(['null discovered DISCOVERED']);
      expect(await versions(record)).toBe(1);
    });

    it('adds an event that notifies no Data User', async () => {
      const { id } = await fixture.reported(newMeterPoint());
      expect(await rows('select type, duid from event where record_id = $1', id)).toEqual([
        { type: 'access.discovered', duid: null },
      ]);
    });

    it('never discloses the source reference of the operator', async () => {
      const secret = `MPAN ${randomBytes(4).toString('hex')}`;
      const { id, row } = await fixture.reported(newMeterPoint(), { sourceReference: secret });
      expect(JSON.stringify(row)).not.toContain(secret);
      expect(
        JSON.stringify(await rows('select document from access_record_version where record_id = $1', id)),
      ).not.toContain(secret);
    });

    it('has a source reference that no key decrypts, in no version', async () => {
      const meterPoint = newMeterPoint();
      const { id } = await fixture.reported(meterPoint, { sourceReference: 'Ann Orchard 1' });
      await fixture.report(meterPoint, { sourceReference: 'Ann Orchard 2' });
      const documents = await rows('select document from access_record_version where record_id = $1', id);
      expect(documents).toHaveLength(2);
      for (const { document } of documents) expect(referenceIn(document, id)).toMatch(/^[0-9a-f]{64}$/);
    });

    it('repeats a report that the previous release stored with its reference: it makes no version', async () => {
      const meterPoint = newMeterPoint();
      const record = await fixture.reported(meterPoint, { sourceReference: 'REPORT-1' });
      const sealed = encryptValue(SEALING_KEY, 'REPORT-1', record.id).toString('base64');
      await fixture.tables.owner.query(`set session_replication_role = 'replica'`); // no triggers
      const stored = `document = document || jsonb_build_object('sourceReferenceSealed', $2::text)`;
      await rows(`update access_record set ${stored} where id = $1`, record.id, sealed);
      await rows(`update access_record_version set ${stored} where record_id = $1`, record.id, sealed);
      await fixture.tables.owner.query('reset session_replication_role');
      await fixture.report(meterPoint, { sourceReference: 'REPORT-1' });
      expect(await versions(record)).toBe(1);
      await fixture.report(meterPoint, { sourceReference: 'REPORT-2' });
      expect(await versions(record)).toBe(2);
    });

    it('is one record of a meter point and organisation: a repeat has its key, and makes no version', async () => {
      const meterPoint = newMeterPoint();
      const dataTypesObserved = ['HH-EXPORT', 'HH-CONSUMPTION'] as const;
      const first = await fixture.report(meterPoint, { dataTypesObserved: [...dataTypesObserved] });
      expect(await fixture.report(meterPoint, { dataTypesObserved: dataTypesObserved.toReversed() })).toEqual({
        ...first,
        isNew: false,
      });
      expect(await versions(await at(first.ak))).toBe(1);
      const others = [
        await fixture.report(newMeterPoint()),
        await fixture.report(meterPoint, { organisationReference: 'ORG-2' }),
      ];
      expect(others.map(({ isNew }) => isNew)).toEqual([true, true]);
    });

    it('is updated by a repeat, as a stored version', async () => {
      const meterPoint = newMeterPoint();
      const { ak } = await fixture.report(meterPoint);
      await fixture.report(meterPoint, {
        firstSeen: '2026-02-01',
        lastSeen: '2026-06-11',
        dataTypesObserved: ['HH-EXPORT'],
      });
      const record = await at(ak);
      expect(record.discoveredAccess).toMatchObject({
        firstSeen: '2026-02-01',
        lastSeen: '2026-06-11',
        dataTypesObserved: ['HH-CONSUMPTION', 'HH-EXPORT'],
      });
      expect(record.dataTypes).toEqual(['HH-CONSUMPTION', 'HH-EXPORT']);
      expect([record.version, record.registeredAt]).toEqual([2, new Date('2026-02-01T00:00:00Z')]);
      expect(await versions(record)).toBe(2);
      expect(
        await rows('select distinct account_id from access_record_version where record_id = $1', record.id),
      ).toEqual([{ account_id: OPERATOR }]);
      await fixture.report(meterPoint, { sourceReference: 'REPORT-2' });
      expect(await versions(record)).toBe(3);
      const history = new RecordHistory(fixture.database);
      const newest = await history.versions(record.id, { first: 2, after: null, newestFirst: true });
      const rest = await history.versions(record.id, { first: 2, after: newest.nextCursor, newestFirst: true });
      expect([newest, rest].map(({ nodes }) => nodes.map(({ version }) => version))).toEqual([[3, 2], [1]]);
      expect(rest.nextCursor).toBeNull();
    });

    it('is one record however many report it at once', async () => {
      const meterPoint = newMeterPoint();
      const reports = await Promise.all(Array.from({ length: 8 }, () => fixture.report(meterPoint)));
      expect(new Set(reports.map(({ ak }) => ak)).size).toBe(1);
      expect(reports.filter(({ isNew }) => isNew)).toHaveLength(1);
    });

    it('has the same response for a repeated idempotency key, including whether it is new', async () => {
      const meterPoint = newMeterPoint();
      const key = randomBytes(8).toString('hex');
      const results = await Promise.all(Array.from({ length: 4 }, () => fixture.report(meterPoint, {}, key)));
      expect(results.filter(({ replayed }) => replayed)).toHaveLength(3);
      expect(new Set(results.map(({ ak, isNew }) => `${ak} ${isNew}`)).size).toBe(1);
      expect(results[0]?.isNew).toBe(true);
      await expect(fixture.report(meterPoint, { sourceReference: 'other' }, key)).rejects.toMatchObject({
        code: 'CNF004',
      });
      expect(await versions(await at((results[0] as { ak: string }).ak))).toBe(1);
    });
  });

  describe('With a greatest age', () => {
    it('expires the configured number of days after the last sighting', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const { ak } = await aged(meterPoint, { firstSeen: await day(-10), lastSeen: await day(-1) });
      expect((await at(ak)).expiry?.toISOString()).toBe(`${await day(29)}T00:00:00.000Z`);
      expect((await at(ak)).state).toBe('DISCOVERED');
      await fixture.clock.setOffset(30 * DAY);
      expect((await at(ak)).state).toBe('EXPIRED');
    });

    it('a repeat with a later sighting moves the expiry', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const firstSeen = await day(-10);
      const { ak } = await aged(meterPoint, { firstSeen });
      await fixture.clock.setOffset(15 * DAY);
      expect(await aged(meterPoint, { firstSeen, lastSeen: await day(0) })).toMatchObject({
        ak,
        isNew: false,
      });
      await fixture.clock.setOffset(40 * DAY);
      expect((await at(ak)).state).toBe('DISCOVERED');
    });

    it('a report after that makes a new record, and the old one has ended in its history', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const old = await aged(meterPoint, { firstSeen: await day(-10) });
      await fixture.clock.setOffset(60 * DAY);
      const fresh = await aged(meterPoint, { firstSeen: await day(-2) });
      expect(fresh).toMatchObject({ isNew: true });
      expect(fresh.ak).not.toBe(old.ak);
      expect([(await at(old.ak)).state, (await at(fresh.ak)).state]).toEqual(['EXPIRED', 'DISCOVERED']);
      expect(await transitions(await at(old.ak))).toEqual(['null discovered DISCOVERED', 'DISCOVERED expired EXPIRED']);
      expect(await aged(meterPoint, { firstSeen: await day(-2) })).toMatchObject({
        ak: fresh.ak,
        isNew: false,
      });
    });

    it.each([
      ['when a report waits for its row', 'rollback'],
      ['and the sweep stores that while a report waits', 'commit'],
    ])('does not make an expired record DISCOVERED again: it expires %s', async (_, end) => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const old = await aged(meterPoint, { firstSeen: await day(-10) });
      const lastSeen = await day(0);
      const other = fixture.tables.application;
      await other.query('begin');
      await other.query('select from access_record where id = $1 for no key update', [(await at(old.ak)).id]);
      const report = aged(meterPoint, { firstSeen: await day(-10), lastSeen });
      await until(async () => ((await rows(BLOCKED)).length > 0 ? true : undefined));
      await fixture.clock.setOffset(25 * DAY);
      if (end === 'commit') await expireSome(other);
      await other.query(end);
      const fresh = await report;
      expect([fresh.isNew, fresh.ak === old.ak]).toEqual([true, false]);
      expect([(await at(old.ak)).state, (await at(fresh.ak)).state]).toEqual(['EXPIRED', 'DISCOVERED']);
      expect((await at(fresh.ak)).discoveredAccess).toMatchObject({ lastSeen });
    });

    it('of an older sighting returns EXPIRED, also for a repeat', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const days = { firstSeen: await day(-90), lastSeen: await day(-31) };
      const key = randomBytes(8).toString('hex');
      const first = await aged(meterPoint, days, key);
      expect(first).toMatchObject({ isNew: true, state: 'EXPIRED' });
      expect((await at(first.ak)).state).toBe('EXPIRED');
      expect(await aged(meterPoint, days, key)).toEqual({ ...first, replayed: true });
      expect(await aged(meterPoint, days)).toEqual({ ...first, isNew: false });
      const later = { ...days, lastSeen: await day(-1) };
      expect(await aged(meterPoint, later)).toMatchObject({ isNew: true, state: 'DISCOVERED' });
    });

    it('that repeats an expired record returns its key and changes nothing', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const days = { firstSeen: await day(-10) };
      const { ak } = await aged(meterPoint, days);
      await fixture.clock.setOffset(60 * DAY);
      expect(await aged(meterPoint, { ...days, sourceReference: 'again' })).toMatchObject({
        ak,
        isNew: false,
      });
      expect([(await at(ak)).state, await versions(await at(ak))]).toEqual(['EXPIRED', 1]);
    });
  });

  describe('The database rejects', () => {
    const FORBIDDEN = '23001';
    const NOT_OF_A_DATA_USER = '23514'; // check_violation
    const rejected = (statement: string, values: unknown[], end?: 'commit') =>
      outcomeOf(fixture.tables.application, () => fixture.tables.application.query(statement, values), end);

    it.each(['ACTIVE', 'REVOKED'])('making a discovered access %s', async (state) => {
      const { id } = await fixture.reported(newMeterPoint());
      const revoked = state === 'REVOKED' ? ', revoked_at = register_now()' : '';
      expect(await rejected(`update access_record set state = $2${revoked} where id = $1`, [id, state])).toBe(
        FORBIDDEN,
      );
    });

    it('a legal basis of a discovered access', async () => {
      const { id } = await fixture.reported(newMeterPoint());
      const statement = `update access_record set version = version + 1, legal_basis = 'uk-contract' where id = $1`;
      expect(await rejected(statement, [id])).toBe(NOT_OF_A_DATA_USER);
    });

    it('a second record of the same organisation that is not claimed', async () => {
      const { row } = await fixture.reported(newMeterPoint());
      const statement = `insert into access_record (id, key_hash, key_sealed, meter_point_id, state, registered_at, document)
      select gen_random_uuid(), sha256(key_hash), key_sealed, meter_point_id, state, registered_at, document from access_record where id = $1`;
      expect(await rejected(statement, [row.id])).toBe('23505');
    });

    it('a claim of a registered record, a claim without history, and a second claim', async () => {
      const organisation = await fixture.organisation('Kestrel Switching');
      const key = await fixture.register(organisation, newMeterPoint());
      const { id: active } = await at(key);
      const { id } = await fixture.reported(newMeterPoint());
      const claim =
        'update access_record set claimed_at = register_now(), superseded_by = gen_random_uuid() where id = $1';
      expect(await rejected(claim, [active])).toBe(FORBIDDEN);
      expect(await rejected(claim, [id])).toBe('done');
      expect(await rejected(claim, [id], 'commit')).toBe(FORBIDDEN);
      const twice = async () => {
        await fixture.tables.application.query(claim, [id]);
        return fixture.tables.application.query(claim, [id]);
      };
      expect(await outcomeOf(fixture.tables.application, twice)).toBe(FORBIDDEN);
      const half = 'update access_record set claimed_at = register_now() where id = $1';
      expect(await rejected(half, [id])).toBe(FORBIDDEN);
    });
  });
}
