import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import pino from 'pino';
import { AccountRepository } from '../../../../subgraphs/access/accounts/account.repository';
import { AccessRecordQueries } from '../../../../subgraphs/access/records/access-record.queries';
import { ClosingRepository } from '../../../../subgraphs/access/identity-links/closing.repository';
import { CustomerRecordRepository } from '../../../../subgraphs/access/customers/customer-record.repository';
import { RecordHistory } from '../../../../subgraphs/access/records/record-history.queries';
import { claimOfNamed } from '../../../../subgraphs/access/records/sweeps.module';
import { purgeExpired } from '../../../../subgraphs/access/retention.module';
import type { StoredAccessRecord } from '../../../../subgraphs/access/records/stored-access-record.queries';
import { sessionOptions } from '../../../../subgraphs/server/database/database';
import { keyedHash } from '../../../../subgraphs/server/keyed-hash';
import { ACCOUNT, EARLY_OCCUPANT } from '../../../support/access-rows';
import { GADWALL, recordOnContract } from '../../../support/access-records';
import { type OperatorFixture, newMeterPoint, operatorFixture } from '../../../support/operator-fixture';
import { until } from '../../../support/until';
import { OF_THIS_DATABASE } from '../../../support/lock-waiters';

export function claimsOfDiscoveries(): void {
  const DAY = 86_400;
  const PAGE = { first: 100, after: null };

  let fixture: OperatorFixture;
  let byReference: Awaited<ReturnType<OperatorFixture['organisation']>>;
  let byName: typeof byReference;
  let stranger: typeof byReference;
  beforeAll(async () => {
    fixture = await operatorFixture();
    byReference = await fixture.organisation('Gadwall Holdings', GADWALL.organisationReference);
    byName = await fixture.organisation(GADWALL.organisationName, 'another reference');
    stranger = await fixture.organisation('Kestrel Switching');
  });
  afterEach(() => fixture.clock.setOffset(0));
  afterAll(() => fixture.close());

  const at = async (ak: string) => (await fixture.records.byKey(ak)) as StoredAccessRecord;
  const idOf = async (ak: string) => (await at(ak)).id;
  const rows = async (text: string, ...values: unknown[]) => (await fixture.tables.owner.query(text, values)).rows;
  const claimOf = async (id: string) =>
    (
      await rows('select superseded_by as by, claimed_at is not null as claimed from access_record where id = $1', id)
    )[0];
  const causes = async (id: string) =>
    (await new RecordHistory(fixture.database).transitions(id, PAGE)).nodes.map(({ cause }) => cause);

  /** Claims what was discovered of organisations that were named, to the end. */
  const claimAll = () => claimOfNamed(fixture.database.pool, () => false);

  /**
   * Returns the records that a customer of a meter point reads, in two parts, and those that a third-party portal
   * lists.
   */
  async function seenAt(meterPointId: string) {
    const whole = { isCurrent: true, isContested: false, ownRecordIds: [] };
    const scope = { meterPointId, ...whole, since: '2020-01-01', beganAt: null, endedAt: null };
    const customers = new CustomerRecordRepository(fixture.database);
    const idsOf = ({ nodes }: { nodes: readonly StoredAccessRecord[] }) => nodes.map(({ id }) => id);
    const lists = new AccessRecordQueries(fixture.database);
    const all = { duid: null, meterPointId, state: null, legalBasis: null, occupant: EARLY_OCCUPANT };
    return {
      current: idsOf(await customers.page(scope, 'current', PAGE)),
      history: idsOf(await customers.page(scope, 'history', PAGE)),
      portal: idsOf(await lists.page(all, PAGE, ACCOUNT)),
    };
  }

  describe('A registration', () => {
    it.each([
      ['the reference', () => byReference],
      ['the name', () => byName],
    ])('of the organisation with %s that was discovered claims what was discovered there', async (_, organisation) => {
      const meterPoint = newMeterPoint();
      const { id, suppliedKey } = await fixture.reported(meterPoint);
      const key = await fixture.register(organisation(), meterPoint);
      expect(await claimOf(id)).toEqual({ by: await idOf(key), claimed: true });
      expect(await causes(id)).toEqual(['discovered', 'claimed']);
      expect([(await at(String(suppliedKey))).state, (await at(key)).state]).toEqual(['DISCOVERED', 'ACTIVE']);
      const { accountId } = organisation();
      expect(
        await rows(
          'select account_id, from_state, to_state from access_record_transition where record_id = $1 and number = 2',
          id,
        ),
      ).toEqual([{ account_id: accountId, from_state: 'DISCOVERED', to_state: 'DISCOVERED' }]);
      expect(await rows(`select type from event where record_id = $1 order by position`, id)).toEqual([
        { type: 'access.discovered' },
        { type: 'access.claimed' },
      ]);
    });

    it('moves the discovered access from the warnings of the customer to the history', async () => {
      const meterPoint = newMeterPoint();
      const { id } = await fixture.reported(meterPoint);
      expect(await seenAt(meterPoint)).toEqual({ current: [id], history: [], portal: [id] });
      const registered = await idOf(await fixture.register(byReference, meterPoint));
      expect(await seenAt(meterPoint)).toEqual({ current: [registered], history: [id], portal: [registered] });
    });

    it.each([
      ['case', 'GADWALL analytics', 'org-7731'],
      ['blanks', ' Gadwall \t Analytics', ' ORG-7731  '],
      ['case beyond ASCII', 'ŶSGOL Gadwall', 'ÉTÉ-7731'],
    ])(
      'of an organisation that is reported with another %s claims it',
      async (_, organisationName, organisationReference) => {
        const known = [await fixture.organisation('Ŷsgol gadwall'), await fixture.organisation('Somebody', 'été-7731')];
        for (const organisation of [byReference, byName, ...known]) {
          const meterPoint = newMeterPoint();
          const { id } = await fixture.reported(meterPoint, { organisationName, organisationReference });
          await fixture.register(organisation, meterPoint);
          const isKnown = organisationName.includes('ŶSGOL') === known.includes(organisation);
          expect(await claimOf(id)).toMatchObject({ claimed: isKnown });
        }
      },
    );

    it('claims nothing for another organisation with a record there', async () => {
      const meterPoint = newMeterPoint();
      const merganser = await fixture.organisation('Merganser');
      await fixture.register(merganser, meterPoint);
      const { id } = await fixture.reported(meterPoint, {
        organisationName: 'Goosander',
        organisationReference: 'ORG-0',
      });
      await rows(`update account set display_name = 'Goosander' where account_id = $1`, merganser.accountId);
      await fixture.register(stranger, meterPoint);
      expect(await claimOf(id)).toEqual({ by: null, claimed: false });
      const own = await idOf(await fixture.register(merganser, meterPoint));
      expect(await claimOf(id)).toEqual({ by: own, claimed: true });
    });

    it('of another organisation, elsewhere, or that has already expired claims nothing', async () => {
      const meterPoint = newMeterPoint();
      const { id } = await fixture.reported(meterPoint);
      await fixture.register(stranger, meterPoint);
      await fixture.register(byReference, newMeterPoint());
      await fixture.register(byReference, meterPoint, ({ accessEvent }) => {
        accessEvent.state = 'EXPIRED';
        accessEvent.expiry = new Date('2026-01-01T00:00:00Z');
      });
      expect(await claimOf(id)).toEqual({ by: null, claimed: false });
    });

    it('claims nothing that has expired', async () => {
      const meterPoint = newMeterPoint();
      const { ak } = await fixture.withMaxAge(30)(meterPoint, { firstSeen: '2026-01-01' });
      await fixture.register(byReference, meterPoint);
      expect(await claimOf(await idOf(ak))).toEqual({ by: null, claimed: false });
    });

    it('claims once, however many register at once', async () => {
      const meterPoint = newMeterPoint();
      const reported = await Promise.all([
        fixture.reported(meterPoint),
        fixture.reported(meterPoint, { organisationReference: 'ORG-2' }),
      ]);
      await Promise.all(
        Array.from({ length: 8 }, (_, index) => fixture.register(index % 2 ? byReference : byName, meterPoint)),
      );
      for (const { id } of reported) {
        expect(await claimOf(id)).toMatchObject({ claimed: true });
        expect(await causes(id)).toEqual(['discovered', 'claimed']);
      }
    });
  });

  describe('A report', () => {
    it('of an organisation that has an ACTIVE record there is claimed at once', async () => {
      const meterPoint = newMeterPoint();
      const key = await fixture.register(byReference, meterPoint);
      const { id } = await fixture.reported(meterPoint);
      expect(await claimOf(id)).toEqual({ by: await idOf(key), claimed: true });
      expect((await seenAt(meterPoint)).current).toEqual([await idOf(key)]);
    });

    it('is not claimed by a record that has ended', async () => {
      const meterPoint = newMeterPoint();
      const key = await fixture.register(byReference, meterPoint);
      await fixture.records.revoke(byReference, key, null, null);
      const expiring = await fixture.register(byName, meterPoint, ({ accessEvent }) => {
        accessEvent.expiry = new Date(Date.now() + DAY * 1000);
      });
      await fixture.clock.setOffset(2 * DAY);
      const { id } = await fixture.reported(meterPoint);
      expect(await claimOf(id)).toEqual({ by: null, claimed: false });
      expect((await at(expiring)).state).toBe('EXPIRED');
    });

    it('repeated after a claim has the same key, and stays claimed', async () => {
      const meterPoint = newMeterPoint();
      const { ak } = await fixture.report(meterPoint);
      await fixture.register(byReference, meterPoint);
      expect(await fixture.report(meterPoint, { lastSeen: '2026-06-01' })).toMatchObject({ ak, isNew: false });
      expect(await causes(await idOf(ak))).toEqual(['discovered', 'claimed']);
      expect((await at(ak)).discoveredAccess?.lastSeen).toBe('2026-06-01');
    });

    it('of a sighting before the replacement that ended the registered access repeats the claimed one', async () => {
      const meterPoint = newMeterPoint();
      const { ak } = await fixture.report(meterPoint);
      const key = await fixture.register(byReference, meterPoint);
      const historic = recordOnContract(({ accessEvent }) => {
        accessEvent.registeredAt = new Date('2020-01-01Z');
        accessEvent.expiry = new Date('2020-02-01Z');
      });
      await fixture.records.replace(byReference, key, historic, null);
      expect((await at(key)).state).toBe('EXPIRED');
      expect(await fixture.report(meterPoint, { firstSeen: '2026-03-02' })).toMatchObject({ ak, isNew: false });
    });

    it('of a sighting after the end of the registered access warns the customer again', async () => {
      const meterPoint = newMeterPoint();
      const { ak } = await fixture.report(meterPoint);
      const key = await fixture.register(byReference, meterPoint);
      await fixture.records.revoke(byReference, key, null, null);
      expect(await fixture.report(meterPoint, { lastSeen: '2026-06-01' })).toMatchObject({ ak, isNew: false });
      const tomorrow = new Date((await fixture.clock.now()).getTime() + 2 * DAY * 1000).toISOString().slice(0, 10);
      const again = await fixture.report(meterPoint, { firstSeen: tomorrow });
      expect(again.isNew).toBe(true);
      expect((await seenAt(meterPoint)).current).toEqual([await idOf(again.ak)]);
    });
  });

  describe('An admin who names an organisation', () => {
    const ADMIN = `acc_${'a'.repeat(24)}`;
    let accounts: AccountRepository;
    let number = 0;
    beforeAll(() => {
      accounts = new AccountRepository(fixture.database, keyedHash(randomBytes(32), 'account-secret'), randomBytes(32));
    });

    const untilBlocked = () =>
      until(async () => {
        const waiting = await rows(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return waiting.length > 0 ? true : undefined;
      });

    /** Creates an organisation whose name is not reported; also returns the reported name and reference. */
    async function unnamed() {
      const organisation = await fixture.organisation(`Unnamed ${(number += 1)}`);
      const seen = { organisationName: `Pintail ${number}`, organisationReference: `ORG-P${number}` };
      return { organisation, seen };
    }

    it.each([
      ['its reference', 'organisationReference'],
      ['its display name', 'displayName'],
    ] as const)(
      'by %s claims what was discovered where it has ACTIVE records, with a line in the audit',
      async (_, setting) => {
        const { organisation, seen } = await unnamed();
        const [one, two, elsewhere, ended] = [newMeterPoint(), newMeterPoint(), newMeterPoint(), newMeterPoint()];
        const places = await Promise.all([one, two, elsewhere, ended].map((place) => fixture.reported(place, seen)));
        const [first, second] = [await fixture.register(organisation, one), await fixture.register(organisation, two)];
        await fixture.records.revoke(organisation, await fixture.register(organisation, ended), null, null);
        await fixture.register(stranger, elsewhere);
        const ofAnother = await fixture.reported(one);
        const value =
          setting === 'displayName' ? seen.organisationName : ` ${seen.organisationReference.toLowerCase()}`;
        await accounts.set(ADMIN, organisation.accountId, { [setting]: value });
        await claimAll();
        const claims = await Promise.all([...places, ofAnother].map(({ id }) => claimOf(id)));
        const unclaimed = { by: null, claimed: false };
        expect(claims).toEqual([
          { by: await idOf(first), claimed: true },
          { by: await idOf(second), claimed: true },
          unclaimed,
          unclaimed,
          unclaimed,
        ]);
        expect(await causes((places[0] as StoredAccessRecord).id)).toEqual(['discovered', 'claimed']);
        const [entry] = await rows('select actor, subject, detail from audit_entry order by id desc limit 1');
        expect(entry).toMatchObject({
          actor: ADMIN,
          subject: organisation.accountId,
          detail: { to: { [setting]: value } },
        });
      },
    );

    it('claims nothing when nothing of that was changed', async () => {
      const { organisation, seen } = await unnamed();
      const meterPoint = newMeterPoint();
      await fixture.register(organisation, meterPoint);
      const { id } = await fixture.reported(meterPoint, seen);
      await accounts.set(ADMIN, organisation.accountId, { contactUrl: 'https://pintail.example/' });
      await claimAll();
      expect(await claimOf(id)).toEqual({ by: null, claimed: false });
    });

    it('leaves no report unclaimed, also beside concurrent reports and registrations', async () => {
      const meetings = Array.from({ length: 12 }, async (_, index) => {
        const { organisation, seen } = await unnamed();
        const meterPoint = newMeterPoint();
        if (index % 3 > 0) await fixture.register(organisation, meterPoint);
        if (index % 3 === 0) await fixture.report(meterPoint, seen);
        const name = () =>
          accounts.set(ADMIN, organisation.accountId, { organisationReference: seen.organisationReference });
        const other = () =>
          index % 3 === 0 ? fixture.register(organisation, meterPoint) : fixture.report(meterPoint, { ...seen });
        await Promise.all((index % 2 ? [name, other] : [other, name]).map((each) => each()));
        return meterPoint;
      });
      const open = `select from access_record where meter_point_id = any($1) and state = 'DISCOVERED' and claimed_at is null`;
      const meterPoints = await Promise.all(meetings);
      await claimAll();
      expect(await rows(open, meterPoints)).toEqual([]);
    });

    it('leaves no link for more than an hour to a record whose Identity Record is anonymised meanwhile', async () => {
      const { organisation, seen } = await unnamed();
      const meterPoint = newMeterPoint();
      const identityRecordId = randomUUID();
      const { id } = await fixture.reported(meterPoint, seen);
      const key = await fixture.register(organisation, meterPoint, undefined, identityRecordId);
      const elsewhere = newMeterPoint();
      const other = await fixture.reported(elsewhere, seen);
      const claimant = await idOf(await fixture.register(organisation, elsewhere));
      const { application } = fixture.tables;
      await application.query('begin');
      await application.query('select from access_record where id = $1 for no key update', [id]);
      await accounts.set(ADMIN, organisation.accountId, { displayName: seen.organisationName });
      const claiming = claimAll();
      await untilBlocked();
      await fixture.records.revoke(organisation, key, null, null);
      expect(await new ClosingRepository(fixture.database).close(identityRecordId, organisation.duid)).toBe('closed');
      await application.query('rollback');
      await claiming;
      expect((await claimOf(id)).by).not.toBeNull();
      await purgeExpired(fixture.database, pino({ level: 'silent' }))();
      expect(await claimOf(id)).toEqual({ by: null, claimed: true });
      expect(await claimOf(other.id)).toEqual({ by: claimant, claimed: true });
    });

    it('waits for a report in progress, and claims its record', async () => {
      const { organisation, seen } = await unnamed();
      const meterPoint = newMeterPoint();
      await fixture.register(organisation, meterPoint);
      const reporting = new Client(sessionOptions(fixture.tables.address));
      await reporting.connect();
      await reporting.query('begin');
      await reporting.query('select pg_advisory_xact_lock(lock_of_meter_point($1))', [meterPoint]);
      await reporting.query('select await_claimants_at($1)', [meterPoint]);
      const naming = accounts.set(ADMIN, organisation.accountId, { displayName: seen.organisationName });
      await untilBlocked();
      const { id } = await discovered(reporting, meterPoint, seen);
      await reporting.query('select claim_discovered_at($1)', [meterPoint]);
      await reporting.query('commit');
      await reporting.end();
      await naming;
      await claimAll();
      expect(await claimOf(id)).toMatchObject({ claimed: true });
    });

    it('is waited for by a report, which is claimed at once', async () => {
      const { organisation, seen } = await unnamed();
      const meterPoint = newMeterPoint();
      await fixture.register(organisation, meterPoint);
      const naming = new Client(sessionOptions(fixture.tables.address));
      await naming.connect();
      await naming.query('begin');
      await naming.query('select from account where account_id = $1 for update', [organisation.accountId]);
      await naming.query('update account set display_name = $2 where account_id = $1', [
        organisation.accountId,
        seen.organisationName,
      ]);
      const reported = fixture.reported(meterPoint, seen);
      await untilBlocked();
      await naming.query('commit');
      await naming.end();
      expect(await claimOf((await reported).id)).toMatchObject({ claimed: true });
    });

    /** Returns the rows that a report writes. */
    async function discovered(reporting: Client, meterPoint: string, seen: object): Promise<{ id: string }> {
      const id = randomUUID();
      await reporting.query(
        `with record as (
         insert into access_record (id, key_hash, key_sealed, meter_point_id, state, registered_at, document)
         values ($1, $2, '', $3, 'DISCOVERED', register_now(), $4) returning *),
       version as (
         insert into access_record_version (record_id, version, account_id, registered_at, document)
         select id, 1, 'acc', registered_at, document from record)
       insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'discovered' from record`,
        [id, randomBytes(32), meterPoint, { discoveredAccess: seen }],
      );
      return { id };
    }
  });

  describe('A registration and a report at once', () => {
    let registering: Client;
    beforeEach(async () => {
      registering = new Client(sessionOptions(fixture.tables.address));
      await registering.connect();
      await registering.query('begin');
    });
    afterEach(() => registering.end());

    /** A registration that has not committed yet. */
    async function pendingRegistration(meterPoint: string): Promise<string> {
      const id = randomUUID();
      await registering.query(
        `with record as (
         insert into access_record (id, key_hash, key_sealed, duid, meter_point_id, state, legal_basis, registered_at, document)
         values ($1, $2, '', $3, $4, 'ACTIVE', 'uk-contract', register_now(), '{}') returning *),
       version as (
         insert into access_record_version (record_id, version, account_id, legal_basis, registered_at, document)
         select id, 1, 'acc', legal_basis, registered_at, document from record)
       insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'registered' from record`,
        [id, randomBytes(32), byReference.duid, meterPoint],
      );
      return id;
    }

    const waiting = (count: number) =>
      until(async () => {
        const [{ n }] = (await rows(
          `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
           and ${OF_THIS_DATABASE}`,
        )) as [{ n: number }];
        return n === count ? true : undefined;
      });

    it('come one after the other: a report waits for a registration, and is claimed by it', async () => {
      const meterPoint = newMeterPoint();
      const id = await pendingRegistration(meterPoint);
      const reported = fixture.reported(meterPoint);
      await waiting(1);
      await registering.query('commit');
      expect(await claimOf((await reported).id)).toEqual({ by: id, claimed: true });
    });

    it('come one after the other: a registration waits for a report, and claims it', async () => {
      const meterPoint = newMeterPoint();
      const reporting = registering; // holds the lock of a report
      await reporting.query('select pg_advisory_xact_lock(lock_of_meter_point($1))', [meterPoint]);
      const key = fixture.register(byReference, meterPoint);
      await waiting(1);
      const id = randomUUID();
      await reporting.query(
        `with record as (
         insert into access_record (id, key_hash, key_sealed, meter_point_id, state, registered_at, document)
         select $1, $2, '', $3, 'DISCOVERED', register_now(), document
         from access_record where document -> 'discoveredAccess' ->> 'organisationReference' = $4 limit 1 returning *),
       version as (
         insert into access_record_version (record_id, version, account_id, registered_at, document)
         select id, 1, 'acc', registered_at, document from record)
       insert into access_record_transition (record_id, number, to_state, cause) select id, 1, state, 'discovered' from record`,
        [id, randomBytes(32), meterPoint, GADWALL.organisationReference],
      );
      await reporting.query('commit');
      const registered = await idOf(await key);
      expect(await claimOf(id)).toEqual({ by: registered, claimed: true });
      const order = `select cause from access_record_transition where record_id = $1 order by at, number`;
      expect((await rows(order, id)).map(({ cause }) => cause)).toEqual(['discovered', 'claimed']);
    });

    it('do not wait for each other at different meter points', async () => {
      await pendingRegistration(newMeterPoint());
      expect(await fixture.report(newMeterPoint())).toMatchObject({ isNew: true });
      await registering.query('rollback');
    });

    it('leave nothing unclaimed, however they meet', async () => {
      const rounds = Array.from({ length: 20 }, async (_, index) => {
        const meterPoint = newMeterPoint();
        const both = [() => fixture.register(byReference, meterPoint), () => fixture.report(meterPoint)];
        await Promise.all((index % 2 ? both : both.toReversed()).map((each) => each()));
        return meterPoint;
      });
      const unclaimed = await rows(
        `select from access_record where meter_point_id = any($1) and state = 'DISCOVERED' and claimed_at is null`,
        await Promise.all(rounds),
      );
      expect(unclaimed).toHaveLength(0);
    });
  });

  describe('The registered access that superseded a discovered access', () => {
    it('lets the customer be warned again once it has ended, also on the same day', async () => {
      const meterPoint = newMeterPoint();
      const { today } = (
        await rows(`select to_char(register_now() at time zone 'Europe/London', 'YYYY-MM-DD') as today`)
      )[0];
      const seen = { firstSeen: '2026-03-01', lastSeen: today, sourceReference: 'BEFORE' };
      const first = await fixture.report(meterPoint, seen);
      const next = { ...seen, sourceReference: 'ALSO BEFORE' };
      expect(await fixture.report(meterPoint, next)).toMatchObject({ ak: first.ak });
      const key = await fixture.register(byReference, meterPoint);
      await fixture.records.revoke(byReference, key, null, null);
      for (const earlier of [seen, next, seen])
        expect(await fixture.report(meterPoint, earlier)).toMatchObject({ ak: first.ak, isNew: false });
      expect((await seenAt(meterPoint)).current).toEqual([]);
      const again = await fixture.report(meterPoint, { ...seen, sourceReference: 'AFTER' });
      expect([again.isNew, again.state, again.ak === first.ak]).toEqual([true, 'DISCOVERED', false]);
      expect((await seenAt(meterPoint)).current).toHaveLength(1);
      expect((await fixture.report(meterPoint, { ...seen, sourceReference: 'LATER' })).ak).toBe(again.ak);
    });

    it('repeats a sighting during it when the discovered access has expired, and warns of a later one', async () => {
      const meterPoint = newMeterPoint();
      const aged = fixture.withMaxAge(30);
      const day = async () => (await fixture.clock.now()).toISOString().slice(0, 10);
      const first = await aged(meterPoint, { firstSeen: await day() });
      const key = await fixture.register(byReference, meterPoint);
      await fixture.clock.setOffset(40 * DAY);
      const during = await day();
      await fixture.clock.setOffset(45 * DAY);
      await fixture.records.revoke(byReference, key, null, null);
      await fixture.clock.setOffset(50 * DAY);
      const late = await aged(meterPoint, { firstSeen: during });
      expect(late).toMatchObject({ ak: first.ak, isNew: false, state: 'EXPIRED' });
      expect((await seenAt(meterPoint)).current).toEqual([]);
      const again = await aged(meterPoint, { firstSeen: await day() });
      expect(again).toMatchObject({ isNew: true, state: 'DISCOVERED' });
    });

    it('is unlinked when its Identity Record is anonymised', async () => {
      const meterPoint = newMeterPoint();
      const identityRecordId = randomUUID();
      const { id } = await fixture.reported(meterPoint);
      const key = await fixture.register(byReference, meterPoint, undefined, identityRecordId);
      await fixture.records.revoke(byReference, key, null, null);
      expect(await new ClosingRepository(fixture.database).close(identityRecordId, byReference.duid)).toBe('closed');
      expect(await claimOf(id)).toEqual({ by: null, claimed: true });
      expect((await seenAt(meterPoint)).current).toEqual([]);
    });
  });
}
