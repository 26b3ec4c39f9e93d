import { randomBytes, randomInt } from 'node:crypto';
import { Pool } from 'pg';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import type { AccountRole } from '../../../../schema/roles';
import { type SignInFixture, newMpxn, fixtureOfThisFile } from '../../../support/sign-in-fixture';
import { recordOnContract } from '../../../support/access-records';

export function operatorReports(): void {
  const REPORT = `mutation ($input: DiscoveredAccessInput!, $key: String) {
  reportDiscoveredAccess(input: $input, idempotencyKey: $key) { ak state isNew replayed } }`;
  const RECORD = `mutation ($input: ChangeOfTenancyInput!, $key: String) {
  recordChangeOfTenancy(input: $input, idempotencyKey: $key) {
    mpxn effectiveDate sourceReference activeRecordsAffected dataUsersNotified isNew replayed } }`;
  const READ = `query ($key: AccessKey!) {
  accessRecord(key: $key) {
    recordMetadata { schemaVersion recordIdentifier identityRecordRef duid
      controllerArrangement { arrangementType controllers { name role contactUrl privacyRightsUrl } } }
    notice { sharedNotice { termsUrl } }
    processing { legalBasis purpose dataTypes jurisdiction }
    accessEvent { state registeredAt expiry revokedAt consent { method } }
    leadControllerName legalBasis purpose discoveredAccess { organisationName organisationReference firstSeen lastSeen dataTypesObserved }
  } }`;

  let fixture: SignInFixture;
  let dataUser: Caller;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    dataUser = await fixture.dataUser();
  });
  afterEach(() => fixture.moveClock(0));

  const callerWith = (role: AccountRole, duid: string | null = null): Caller => ({
    accountId: `acc_${role.slice(0, 2).charCodeAt(0).toString(16).padStart(24, '0')}`,
    role,
    duid,
    mpid: null,
  });
  const operator = callerWith('communications_operator');
  const OTHERS: AccountRole[] = ['data_user', 'data_provider', 'portal', 'supplier', 'admin', 'analyst'];
  const ANOTHER_DUID = `duid_${'e'.repeat(24)}`;
  const calling = (role: AccountRole) => callerWith(role, ['data_user', 'portal'].includes(role) ? ANOTHER_DUID : null);

  const sighting = (change: object = {}) => ({
    mpxn: newMpxn(),
    organisationName: 'Gadwall Analytics',
    organisationReference: `ORG-${randomInt(1e9)}`,
    firstSeen: '2026-03-01',
    dataTypesObserved: ['HH_CONSUMPTION'],
    sourceReference: 'REPORT-1',
    ...change,
  });
  const report = (input: object, key: string | null = null, caller: Caller = operator) =>
    fixture.executeInAccess(REPORT, { input, key }, { caller });
  const reported = async (input: object) => {
    const { data, codes } = await report(input);
    expect(codes).toEqual([]);
    return data.reportDiscoveredAccess as { ak: string; state: string; isNew: boolean };
  };
  const change = (more: object = {}) => ({
    mpxn: newMpxn(),
    effectiveDate: '2026-09-01',
    sourceReference: `COT-${randomInt(1e9)}`,
    ...more,
  });
  const record = (input: object, key: string | null = null, caller: Caller = operator) =>
    fixture.execute(RECORD, { input, key }, { caller });
  const rows = async (text: string, ...values: unknown[]) => (await fixture.owner.query(text, values)).rows;

  /** Registers access at a meter point; its key. */
  async function registered(by: Caller, mpxn: string): Promise<string> {
    const ir = await fixture.newRecord(by, {}, { mpxn });
    const { recordMetadata, processing, accessEvent } = recordOnContract();
    const input = {
      recordMetadata: {
        ...recordMetadata,
        controllerArrangement: {
          ...recordMetadata.controllerArrangement,
          arrangementType: 'SOLE',
          controllers: recordMetadata.controllerArrangement.controllers.map((each) => ({ ...each, role: 'SOLE' })),
        },
        identityRecordRef: ir,
      },
      processing: { ...processing, legalBasis: 'UK_CONTRACT', dataTypes: ['HH_CONSUMPTION'] },
      accessEvent: { ...accessEvent, registeredAt: accessEvent.registeredAt.toISOString() },
    };
    const { data, codes } = await fixture.executeInAccess(
      'mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { accessToken { key } } }',
      { input },
      { caller: by },
    );
    expect(codes).toEqual([]);
    return data.registerAccessRecord.accessToken.key;
  }

  describe('Only the communications operator', () => {
    it.each(OTHERS)('reports discovered access and changes of tenancy, not the role %s', async (role) => {
      const caller = calling(role);
      expect((await report(sighting(), null, caller)).codes).toEqual(['PRM001']);
      expect((await record(change(), null, caller)).codes).toEqual(['PRM001']);
    });

    it('reports them, unauthenticated callers do not, and no caller executes operations of services', async () => {
      expect((await fixture.executeInAccess(REPORT, { input: sighting() })).codes).toEqual(['AUT001']);
      expect((await fixture.execute(RECORD, { input: change() })).codes).toEqual(['AUT001']);
      const keep = 'mutation ($mpxn: MPxN!) { keepDiscoveredMeterPoint(mpxn: $mpxn) { meterPointId } }';
      expect((await fixture.execute(keep, { mpxn: newMpxn() }, { caller: operator })).codes).toEqual(['PRM001']);
      const announce = `mutation { announceChangeOfTenancy(id: "${randomBytes(16).toString('hex')}", meterPointId: "x",
      effectiveDate: "2026-01-01") { activeRecordsAffected } }`;
      expect((await fixture.executeInAccess(announce, {}, { caller: operator })).codes).toEqual(['PRM001']);
    });
  });

  describe('A discovered access', () => {
    it('reads, by its key, as that of a sole controller of no legal basis', async () => {
      const input = sighting({ lastSeen: '2026-06-11' });
      const { ak, state, isNew } = await reported(input);
      expect([state, isNew]).toEqual(['DISCOVERED', true]);
      const { data, codes } = await fixture.executeInAccess(READ, { key: ak });
      expect(codes).toEqual([]);
      expect(data.accessRecord).toEqual({
        recordMetadata: {
          schemaVersion: 'discovered-1',
          recordIdentifier: ak,
          identityRecordRef: null,
          duid: null,
          controllerArrangement: {
            arrangementType: 'SOLE',
            controllers: [{ name: 'Gadwall Analytics', role: 'SOLE', contactUrl: null, privacyRightsUrl: null }],
          },
        },
        notice: null,
        processing: { legalBasis: null, purpose: null, dataTypes: ['HH_CONSUMPTION'], jurisdiction: 'GB' },
        accessEvent: {
          state: 'DISCOVERED',
          registeredAt: '2026-03-01T00:00:00.000Z',
          expiry: null,
          revokedAt: null,
          consent: null,
        },
        leadControllerName: 'Gadwall Analytics',
        legalBasis: null,
        purpose: null,
        discoveredAccess: {
          organisationName: 'Gadwall Analytics',
          organisationReference: input.organisationReference,
          firstSeen: '2026-03-01',
          lastSeen: '2026-06-11',
          dataTypesObserved: ['HH_CONSUMPTION'],
        },
      });
    });

    it('is rejected with all its violations', async () => {
      const wrong = sighting({ organisationName: '', lastSeen: '2026-01-01', dataTypesObserved: [] });
      expect((await report(wrong)).codes).toEqual(['VAL003']);
      expect((await report(sighting({ mpxn: 'nonsense' }))).codes).toEqual(['VAL001']);
      expect((await report(sighting({ firstSeen: '2026-02-30' }))).codes).toEqual(['VAL001']);
      expect((await report(sighting({ organisationReference: '  ' }))).codes).toEqual(['VAL003']);
    });

    it('cannot be in the future, by the register’s clock and the day in Great Britain', async () => {
      const { now } = (await rows('select register_now() as now'))[0] as { now: Date };
      // 23:30 UTC of a day in June is the next day in Great Britain.
      await fixture.moveClock(Math.round((Date.parse('2027-06-10T23:30:00Z') - now.getTime()) / 1000));
      expect((await report(sighting({ firstSeen: '2027-06-11' }))).codes).toEqual([]);
      expect((await report(sighting({ firstSeen: '2027-06-12' }))).codes).toEqual(['VAL003']);
      expect((await report(sighting({ lastSeen: '2027-06-12' }))).codes).toEqual(['VAL003']);
    });

    it('has no owner: it can be neither replaced nor revoked, and only the back office reads its history', async () => {
      const { ak } = await reported(sighting());
      const revoke = 'mutation ($key: AccessKey!) { revokeAccessRecord(key: $key) { ak } }';
      expect((await fixture.executeInAccess(revoke, { key: ak }, { caller: dataUser })).codes).toEqual(['PRM002']);
      const portal: Caller = { ...dataUser, role: 'portal' };
      expect((await fixture.executeInAccess(revoke, { key: ak }, { caller: portal })).codes).toEqual(['NTF001']);
      const history =
        'query ($key: AccessKey!) { accessRecord(key: $key) { dataUser { duid } transitions { nodes { cause } } } }';
      for (const role of OTHERS) {
        const { data, codes } = await fixture.executeInAccess(history, { key: ak }, { caller: calling(role) });
        const mayRead = role === 'admin' || role === 'analyst';
        expect([role, codes]).toEqual([role, mayRead ? [] : ['PRM002']]);
        if (mayRead)
          expect(data.accessRecord).toEqual({ dataUser: null, transitions: { nodes: [{ cause: 'DISCOVERED' }] } });
      }
    });

    it.each(OTHERS)('is, by its internal id, for the back office only: %s', async (role) => {
      const { ak } = await reported(sighting());
      const { data } = await fixture.executeInAccess('query ($key: AccessKey!) { accessRecord(key: $key) { id } }', {
        key: ak,
      });
      const query = 'query ($of: [_Any!]!) { _entities(representations: $of) { ... on AccessRecord { state ak } } }';
      const of = [{ __typename: 'AccessRecord', id: data.accessRecord.id }];
      const { data: found, codes } = await fixture.executeInAccess(query, { of }, { caller: calling(role) });
      expect(codes).toEqual(['PRM002']);
      const mayRead = role === 'admin' || role === 'analyst'; // but never its key
      expect(found?._entities).toEqual(mayRead ? [{ state: 'DISCOVERED', ak: null }] : [null]);
    });

    it('is in the list of the back office, and in that of no Data User', async () => {
      const { ak } = await reported(sighting());
      const list = (field: string) =>
        `{ list: ${field}(state: DISCOVERED) { nodes { leadControllerName recordMetadata { duid } legalBasis } } }`;
      const all = await fixture.executeInAccess(list('allAccessRecords'), {}, { caller: calling('analyst') });
      expect(all.codes).toEqual([]);
      expect(all.data.list.nodes[0]).toEqual({
        leadControllerName: 'Gadwall Analytics',
        recordMetadata: { duid: null },
        legalBasis: null,
      });
      const own = await fixture.executeInAccess(list('accessRecords'), {}, { caller: dataUser });
      expect([own.codes, own.data.list.nodes]).toEqual([[], []]);
      expect(ak).toMatch(/^ak_/);
    });

    it('has its MPxN encrypted in `identity`, and nowhere in `access`', async () => {
      const input = sighting();
      await reported(input);
      await reported(input);
      const kept = await rows('select sealed from identity.discovered_meter_point');
      expect(kept.some(({ sealed }) => (sealed as Buffer).includes(input.mpxn))).toBe(false);
      const { rows: records } = await fixture.owner.query('select to_jsonb(r) as r from access.access_record r');
      expect(JSON.stringify(records)).not.toContain(input.mpxn);
      expect(fixture.log()).not.toContain(input.mpxn);
    });

    it('has a stored response for a repeated idempotency key, over both subgraphs', async () => {
      const [input, key] = [sighting(), randomBytes(8).toString('hex')];
      const [first, again] = [await report(input, key), await report(input, key)];
      expect(again.data.reportDiscoveredAccess).toEqual({ ...first.data.reportDiscoveredAccess, replayed: true });
      expect((await report({ ...input, sourceReference: 'other' }, key)).codes).toEqual(['CNF004']);
    });
  });

  describe('A Change of Tenancy', () => {
    it('is recorded with the notified Data Users, and a repeat notifies none', async () => {
      const input = change();
      await registered(dataUser, input.mpxn);
      const first = await record(input);
      expect(first.codes).toEqual([]);
      const result = { ...input, activeRecordsAffected: 1, dataUsersNotified: [dataUser.duid], replayed: false };
      expect(first.data.recordChangeOfTenancy).toEqual({ ...result, isNew: true });
      await registered(dataUser, input.mpxn);
      const again = await record(input);
      expect(again.data.recordChangeOfTenancy).toEqual({ ...result, isNew: false });
      expect(
        await rows(`select from access.event where type = 'tenancy.change' and duid = $1`, dataUser.duid),
      ).toHaveLength(1);
    });

    it.each([
      ['meter point', () => ({ mpxn: newMpxn() })],
      ['day', () => ({ effectiveDate: '2026-09-02' })],
      ['reference', () => ({ sourceReference: 'another' })],
    ])('is another one with another %s', async (_, other) => {
      const input = change();
      await record(input);
      expect((await record({ ...input, ...other() })).data.recordChangeOfTenancy.isNew).toBe(true);
    });

    it('is recorded and announced once by concurrent calls', async () => {
      const owner = await fixture.dataUser();
      const input = change();
      await registered(owner, input.mpxn);
      const results = await Promise.all(Array.from({ length: 6 }, () => record(input)));
      const made = results.map(({ data }) => data.recordChangeOfTenancy);
      expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(made.map(({ dataUsersNotified }) => dataUsersNotified.join()))).toEqual(new Set([owner.duid]));
      expect(await rows('select from access.event where duid = $1 and change_id is not null', owner.duid)).toHaveLength(
        1,
      );
    });

    it('is announced when it is recorded, also a future one, and starts an occupancy on its day', async () => {
      const owner = await fixture.dataUser();
      const mpxn = newMpxn();
      await registered(owner, mpxn);
      const ahead = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
      const { data } = await record(change({ mpxn, effectiveDate: ahead }));
      expect(data.recordChangeOfTenancy.dataUsersNotified).toEqual([owner.duid]);
      const reidentify = async () =>
        (
          await fixture.execute(
            'mutation ($mpxn: MPxN!) { reidentify(input: { mpxn: $mpxn, method: MAGIC_LINK }) { method } }',
            { mpxn },
            { caller: owner },
          )
        ).codes;
      expect(await reidentify()).toEqual([]);
      await fixture.moveClock(12 * 86_400);
      expect(await reidentify()).toEqual(['REI001']);
    });

    it('is rejected without a reference or with one of more than 255 characters', async () => {
      expect((await record(change({ sourceReference: '' }))).codes).toEqual(['VAL003']);
      expect((await record(change({ sourceReference: 'x'.repeat(255) }))).codes).toEqual([]);
      expect((await record(change({ sourceReference: 'x'.repeat(256) }))).codes).toEqual(['VAL003']);
    });

    it('has the first response for a repeated idempotency key, including that it was new', async () => {
      const [input, key] = [change(), randomBytes(8).toString('hex')];
      const results = await Promise.all(Array.from({ length: 4 }, () => record(input, key)));
      const made = results.map(({ data }) => data.recordChangeOfTenancy);
      expect(made.map(({ isNew }) => isNew)).toEqual([true, true, true, true]);
      expect(made.filter(({ replayed }) => replayed)).toHaveLength(3);
      expect((await record({ ...input, effectiveDate: '2026-09-03' }, key)).codes).toEqual(['CNF004']);
    });

    it.each([
      ['at once', false],
      ['after another request has announced it', true],
    ])('whose recording failed is new for one repeat with the same idempotency key: %s', async (_, meanwhile) => {
      const owner = await fixture.dataUser();
      const [input, key] = [change(), randomBytes(8).toString('hex')];
      await registered(owner, input.mpxn);
      await fixture.owner.query('alter table access.tenancy_change rename to tenancy_change_away');
      const failed = await record(input, key);
      await fixture.owner.query('alter table access.tenancy_change_away rename to tenancy_change');
      expect(failed.codes).toEqual(['SYS001']);
      expect((await record({ ...input, sourceReference: 'another' }, key)).codes).toEqual(['CNF004']);
      if (meanwhile) expect((await record(input)).data.recordChangeOfTenancy.isNew).toBe(false);
      const results = await Promise.all(Array.from({ length: 4 }, () => record(input, key)));
      const made = results.map(({ data }) => data.recordChangeOfTenancy);
      const result = { ...input, activeRecordsAffected: 1, dataUsersNotified: [owner.duid], isNew: true };
      expect(made.map(({ replayed }) => replayed).toSorted()).toEqual([false, true, true, true]);
      for (const each of made) expect(each).toMatchObject(result);
      expect((await record(input, key)).data.recordChangeOfTenancy).toEqual({ ...result, replayed: true });
    });

    it('has MPxN and reference encrypted in `identity`, and neither in any log', async () => {
      const input = change({ sourceReference: `Reference ${randomInt(1e9)}` });
      await record(input);
      const { rows: kept } = await fixture.owner.query(
        'select to_jsonb(c) as c, sealed from identity.change_of_tenancy c',
      );
      for (const secret of [input.mpxn, input.sourceReference]) {
        expect(JSON.stringify(kept.map(({ c }) => c))).not.toContain(secret);
        expect(kept.some(({ sealed }) => sealed !== null && (sealed as Buffer).includes(secret))).toBe(false);
        expect(fixture.log()).not.toContain(secret);
      }
    });

    it.each([
      ['its Data Users', `duids = '{}'`],
      ['its day', `effective_date = '2026-01-01'`],
      ['the fact that it was announced', `announced_at = null, records_affected = null, duids = null`],
    ])('does not change %s once it was announced', async (_, set) => {
      const input = change();
      await record(input);
      await expect(
        fixture.owner.query(`update identity.change_of_tenancy set ${set} where announced_at is not null`),
      ).rejects.toMatchObject({ code: '23001' });
    });

    it('is announced by its job', async () => {
      await record(change());
      await fixture.jobsDone();
      expect(
        await rows('select from identity.change_of_tenancy where sealed is not null and announced_at is null'),
      ).toEqual([]);
    });
  });

  describe('The histories of a page of records', () => {
    it('are read by one statement for each kind of history', async () => {
      const owner = await fixture.dataUser();
      const keys = [];
      for (let n = 0; n < 6; n++) keys.push(await registered(owner, newMpxn()));
      await fixture.executeInAccess(`mutation { revokeAccessRecord(key: "${keys[0]}") { ak } }`, {}, { caller: owner });
      const queries = jest.spyOn(Pool.prototype, 'query');
      const { data, codes } = await fixture.executeInAccess(
        '{ accessRecords(first: 100) { nodes { ak version versions(first: 10) { nodes { version } } transitions(first: 10) { nodes { to } } state } } }',
        {},
        { caller: owner },
      );
      const names = queries.mock.calls.map(([statement]) => (statement as unknown as { name?: string }).name);
      queries.mockRestore();
      expect(codes).toEqual([]);
      const { nodes } = data.accessRecords;
      expect(nodes.map(({ ak }: { ak: string }) => ak).toSorted()).toEqual(keys.toSorted());
      for (const { version, versions, transitions, state } of nodes) {
        expect(versions.nodes.at(-1)).toEqual({ version });
        expect(versions.nodes).toHaveLength(version);
        expect(transitions.nodes.at(-1)).toEqual({ to: state });
      }
      expect(names.filter((name) => /access_record_(versions|transitions)/.test(name ?? '')).toSorted()).toEqual([
        'access_record_transitions',
        'access_record_versions',
      ]);
    });
  });
}
