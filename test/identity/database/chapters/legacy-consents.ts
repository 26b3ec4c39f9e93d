import { missingOfController } from '../../../../subgraphs/access/legacy/legacy-consent';
import type { Caller } from '../../../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import {
  ADDRESS,
  EVIDENCE,
  NOTHING,
  ONE_CONSENT,
  REGISTER_CONSENT,
  VERIFY,
  accessKeyOf,
  consentOf,
  consentingDataUser,
  leftOf,
  registerConsent,
  revokeConsent,
  sendConsent,
  violationsOf,
} from '../../../support/legacy-consents';
import { asCustomer, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../../support/sign-in-fixture';
import { until } from '../../../support/until';
import { OPERATOR } from '../../../support/operator-caller';

export function legacyConsents(): void {
  const DAY = 86_400_000;

  /** Requests that `identity` sent to `access`, as JSON. */
  const queried: string[] = [];
  const listening = (access: SubgraphLink): SubgraphLink => ({
    name: access.name,
    execute: (request, context) => {
      queried.push(JSON.stringify(request));
      return access.execute(request, context);
    },
  });

  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await startSignInFixture({ between: listening });
  });
  afterAll(() => fixture?.close());
  afterEach(() => fixture.moveClock(0));

  let caller: Caller;
  beforeEach(async () => {
    caller = await consentingDataUser(fixture);
  });

  const send = (input: object, more: { readonly ck?: string; readonly key?: string } = {}, by = caller) =>
    sendConsent(fixture, by, input, more);
  const registered = (input: object = consentOf(caller), by = caller) => registerConsent(fixture, by, input);
  const verified = async (ck: string, by: Caller | null = null) =>
    (await fixture.executeInAccess(VERIFY, { key: accessKeyOf(ck) }, { caller: by })).data.accessRecord;
  const codesOf = async (result: ReturnType<typeof send>) => (await result).codes.join();
  const revoke = (ck: string) => revokeConsent(fixture, caller, ck);
  const identityRecordOf = async (ck: string) =>
    (
      await fixture.executeInAccess(
        'query ($key: AccessKey!) { accessRecord(key: $key) { recordMetadata { identityRecordRef } identityRecord { id } version: recordMetadata { createdAt } } }',
        { key: accessKeyOf(ck) },
        { caller },
      )
    ).data.accessRecord.recordMetadata.identityRecordRef as string;
  /** Keys of the Identity Records to which the versions of the caller's consent are linked, in order of version. */
  const restsOn = async (): Promise<string[]> =>
    (
      await fixture.owner.query(
        `select i.ref from access.access_record_version v join identity.identity_record i on i.id = v.identity_record_id
       where v.record_id = (select id from access.access_record where duid = $1) order by v.version`,
        [caller.duid],
      )
    ).rows.map(({ ref }) => ref);
  const IN_2040 = '2040-01-01T00:00:00.000Z';
  const ENDED = '2026-02-01T00:00:00.000Z';

  describe('Registering a consent', () => {
    it('creates an access record and its Identity Record, and sends no personal data to access', async () => {
      queried.length = 0;
      const input = consentOf(caller, undefined, { consentExpiry: IN_2040 });
      const { data } = await send(input);
      const { key } = data.registerConsent.consentToken;
      expect(data.registerConsent).toEqual({
        consentToken: { key: expect.stringMatching(/^ck_[0-9a-f]{24}$/), consentExpiry: IN_2040 },
        isNew: true,
        replayed: false,
      });
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
      expect(queried).toHaveLength(1);
      for (const personal of [input.evidence.mpxn, ...Object.values(ADDRESS), input.moveInDate])
        expect(queried.join()).not.toContain(personal);
      const controller = { name: 'Larkhill Insight Ltd', role: 'SOLE', contactUrl: 'https://larkhill.example/' };
      expect(await verified(key, caller)).toEqual({
        state: 'ACTIVE',
        purpose: 'Consent registered through the earlier interface',
        registeredAt: EVIDENCE.consentDate,
        expiry: IN_2040,
        legalBasis: 'UK_CONSENT',
        dataTypes: ['HH_CONSUMPTION', 'ANNUAL_EXPORT'],
        recordMetadata: {
          schemaVersion: 'legacy-1',
          duid: caller.duid,
          controllerArrangement: {
            arrangementType: 'SOLE',
            controllers: [{ ...controller, privacyRightsUrl: 'https://larkhill.example/rights' }],
          },
        },
        notice: { sharedNotice: { termsUrl: EVIDENCE.termsUrl, noticeVersion: 'unversioned' }, notices: null },
        accessEvent: {
          controllerReference: EVIDENCE.userDefinedReference,
          consent: { consentType: 'EXPRESSED_CONSENT', method: EVIDENCE.method },
        },
      });
    });

    it('creates an access record that the customer reads and withdraws, and that expires', async () => {
      const [mpxn, email] = [newMpxn(), `ivor-${newMpxn()}@customer.example`];
      await fixture.newRecord(caller, { email }, { mpxn });
      const [withdrawn, expiring] = [
        await registered(consentOf(caller, mpxn)),
        await registered(consentOf(caller, mpxn, { consentExpiry: new Date(Date.now() + 3_600_000).toISOString() })),
      ];
      const customer = asCustomer((await signedInByLink(fixture, { email }, email)).token);
      const list = '{ customerAccessRecords(part: CURRENT) { nodes { id expiry state } } }';
      const { data } = await fixture.executeInAccess(list, {}, customer);
      type Node = { id: string; expiry: string | null; state: string };
      const nodes = data.customerAccessRecords.nodes as Node[];
      expect(nodes.map(({ state }) => state)).toEqual(['ACTIVE', 'ACTIVE']);
      const id = nodes.find(({ expiry }) => expiry === null)?.id;
      await fixture.executeInAccess('mutation ($id: ID!) { withdrawConsent(id: $id) { revokedAt } }', { id }, customer);
      expect((await verified(withdrawn)).state).toBe('REVOKED');
      await fixture.moveClock(3_700);
      expect((await verified(expiring)).state).toBe('EXPIRED');
    });

    it('creates an access record whose expiry webhooks announce', async () => {
      const webhook = { callbackUrl: 'https://larkhill.example/hook', alertEmail: 'alerts@larkhill.example' };
      const { codes } = await fixture.executeInAccess(
        'mutation ($input: WebhookInput!) { registerWebhook(input: $input) { replayed } }',
        { input: { ...webhook, eventTypes: ['CONSENT_EXPIRING'] } },
        { caller },
      );
      expect(codes).toEqual([]);
      await registered(consentOf(caller, undefined, { consentExpiry: new Date(Date.now() + 5 * DAY).toISOString() }));
      const EXPIRY_EVENT = `select days_remaining from access.event where type = 'consent.expiring' and duid = $1`;
      const event = await until(async () => (await fixture.owner.query(EXPIRY_EVENT, [caller.duid])).rows[0]);
      expect(event).toEqual({ days_remaining: 5 });
    });

    it('supersedes the access that the communications operator discovered for the organisation at that meter point', async () => {
      const mpxn = newMpxn();
      const input = {
        mpxn,
        organisationName: 'Larkhill Insight Ltd',
        organisationReference: 'ORG-5512',
        firstSeen: '2026-03-01',
        dataTypesObserved: ['HH_CONSUMPTION'],
        sourceReference: 'REPORT-1',
      };
      const report = 'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { ak } }';
      expect((await fixture.executeInAccess(report, { input }, { caller: OPERATOR })).codes).toEqual([]);
      const ck = await registered(consentOf(caller, mpxn));
      const { rows } = await fixture.owner.query(
        `select consent.identity_record_ref as ref from access.access_record discovered join access.access_record consent
         on consent.id = discovered.superseded_by where discovered.state = 'DISCOVERED' and consent.duid = $1`,
        [caller.duid],
      );
      expect(rows).toEqual([{ ref: await identityRecordOf(ck) }]);
    });

    it('creates an EXPIRED access record if the expiry has passed', async () => {
      const ck = await registered(consentOf(caller, undefined, { consentExpiry: ENDED }));
      expect((await verified(ck)).state).toBe('EXPIRED');
    });

    it('returns all violations together, and stores nothing', async () => {
      const evidence = {
        userDefinedReference: 'r'.repeat(256),
        termsUrl: 'ftp://larkhill.example/',
        mpxn: 'AB12345678',
        method: '',
        address: { ...ADDRESS, townCity: 't'.repeat(101), postcode: 'ox1' },
      };
      const input = consentOf(caller, undefined, evidence, {
        duid: `duid_${'0'.repeat(24)}`,
        dataType: ['HH_EXPORT', 'HH_EXPORT'],
      });
      expect(await violationsOf(fixture.identity, REGISTER_CONSENT, { input }, caller)).toEqual([
        'VAL003',
        'VAL003 evidence.userDefinedReference',
        'VAL008 evidence.termsUrl',
        'VAL001 evidence.mpxn',
        'VAL003 evidence.method',
        'VAL003 evidence.address.townCity',
        'VAL001 evidence.address.postcode',
        'VAL003 dataType',
      ]);
      const key = { input: consentOf(caller), key: 'with blank' };
      expect(await violationsOf(fixture.identity, REGISTER_CONSENT, key, caller)).toEqual([
        'VAL001',
        'VAL001 idempotencyKey',
      ]);
      expect(await leftOf(fixture, caller)).toEqual(NOTHING);
    });

    it('has a method of at most 100 characters', async () => {
      const ofLength = (length: number) => consentOf(caller, undefined, { method: 'm'.repeat(length) });
      await registered(ofLength(100));
      expect(await violationsOf(fixture.identity, REGISTER_CONSENT, { input: ofLength(101) }, caller)).toEqual([
        'VAL003',
        'VAL003 evidence.method',
      ]);
    });

    it.each([
      ['the id of another Data User', 'PRM002', { duid: `duid_${'0'.repeat(24)}` }],
      ['no data type', 'VAL003', { dataType: [] }],
    ])('is rejected for %s', async (_, code, change) => {
      expect(await codesOf(send(consentOf(caller, undefined, {}, change)))).toBe(code);
      expect(await leftOf(fixture, caller)).toEqual(NOTHING);
    });

    it('is rejected while the account has no privacy URL, and stores nothing', async () => {
      await fixture.owner.query('update access.account set privacy_url = null where duid = $1', [caller.duid]);
      expect(await codesOf(send(consentOf(caller)))).toBe('CNF001');
      expect(await leftOf(fixture, caller)).toEqual(NOTHING);
    });

    it.each([
      ['both URLs', { contactUrl: 'https://a.example/', privacyUrl: 'https://a.example/' }, undefined],
      [
        'a privacy URL only',
        { contactUrl: null, privacyUrl: 'https://a.example/' },
        'The account has no contact URL: ',
      ],
      ['no URL', { contactUrl: null, privacyUrl: null }, 'The account has no contact URL and no privacy URL: '],
    ])('explains what the back office must set for an account with %s', (_, urls, message) => {
      const missing = missingOfController({ displayName: 'Larkhill', ...urls });
      expect(missing).toBe(message && `${message}the back office must set it before a consent can be registered.`);
    });
  });

  describe('A repeated registration', () => {
    it('returns the same response, and registers nothing', async () => {
      const input = consentOf(caller);
      const [first, second] = [await send(input, { key: 'once' }), await send(input, { key: 'once' })];
      expect(second.data.registerConsent).toEqual({ ...first.data.registerConsent, replayed: true });
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
      expect(await codesOf(send(consentOf(caller), { key: 'once' }))).toBe('CNF004');
      expect(await codesOf(send({ ...input, moveInDate: '2022-03-02' }, { key: 'once' }))).toBe('CNF004');
      const ck = second.data.registerConsent.consentToken.key;
      expect(await codesOf(send(input, { key: 'once', ck }))).toBe('CNF004');
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
    });

    it('creates one consent for concurrent requests', async () => {
      const input = consentOf(caller);
      const results = await Promise.all(Array.from({ length: 6 }, () => send(input, { key: 'at-once' })));
      const given = results.map(({ data }) => data.registerConsent);
      expect(new Set(given.map(({ consentToken }) => consentToken.key)).size).toBe(1);
      expect(given.filter(({ replayed }) => !replayed)).toHaveLength(1);
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
    });
  });

  describe('Updating a consent', () => {
    it('shows the reference to its own Data User only, not in other verifications', async () => {
      const ck = await registered(consentOf(caller));
      const [other, provider] = [await consentingDataUser(fixture), { ...caller, role: 'data_provider', duid: null }];
      const seen = async (by: Caller | null) => (await verified(ck, by)).accessEvent.controllerReference;
      expect(await seen(caller)).toBe(EVIDENCE.userDefinedReference);
      for (const by of [null, other, provider as Caller]) expect(await seen(by)).toBeNull();
    });

    it('keeps its key and, with the same move-in date and address, its Identity Record; every version is stored', async () => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const before = await identityRecordOf(ck);
      const change = { ...input.evidence, method: 'Telephone', consentExpiry: IN_2040, userDefinedReference: null };
      const { data } = await send({ ...input, evidence: change, dataType: ['MTH_EXPORT'] }, { ck });
      expect(data.registerConsent).toEqual({
        consentToken: { key: ck, consentExpiry: IN_2040 },
        isNew: false,
        replayed: false,
      });
      expect(await verified(ck)).toMatchObject({
        state: 'ACTIVE',
        expiry: IN_2040,
        dataTypes: ['MTH_EXPORT'],
        accessEvent: { controllerReference: null, consent: { method: 'Telephone' } },
      });
      expect(await identityRecordOf(ck)).toBe(before);
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
      const { rows } = await fixture.owner.query(
        `select version, document #>> '{consent,method}' as method from access.access_record_version v
       where record_id = (select id from access.access_record where duid = $1) order by version`,
        [caller.duid],
      );
      expect(rows).toEqual([
        { version: 1, method: 'Web form' },
        { version: 2, method: 'Telephone' },
      ]);
      expect(await restsOn()).toEqual([before, before]);
    });

    it.each([
      ['move-in date', { moveInDate: '2022-04-01' }, {}],
      ['address', {}, { address: { ...ADDRESS, addressLine2: 'Flat 2' } }],
      ['lack of an address', {}, { address: null }],
    ])('links it to a new Identity Record for another %s; the former one stays', async (_, change, evidence) => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const before = await identityRecordOf(ck);
      const { codes } = await send({ ...input, ...change, evidence: { ...input.evidence, ...evidence } }, { ck });
      expect(codes).toEqual([]);
      const after = await identityRecordOf(ck);
      expect(after).not.toBe(before);
      expect(await restsOn()).toEqual([before, after]);
      expect(await leftOf(fixture, caller)).toEqual({ ...ONE_CONSENT, identityRecords: 2 });
      const principal =
        'query ($ref: IdentityRecordKey!) { identityRecord(ref: $ref) { piiPrincipal { mpxn moveInDate } } }';
      for (const [ref, moveInDate] of [
        [before, input.moveInDate],
        [after, 'moveInDate' in change ? change.moveInDate : input.moveInDate],
      ]) {
        const { data } = await fixture.execute(principal, { ref }, { caller });
        expect(data.identityRecord.piiPrincipal).toEqual({ mpxn: input.evidence.mpxn, moveInDate });
      }
    });

    it('lets the former Identity Record be anonymised like any other; its version stays, and so does the consent', async () => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const former = await identityRecordOf(ck);
      const anonymise = (ref: string) =>
        fixture.execute(
          'mutation ($ref: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ref) { ir } }',
          { ref },
          { caller },
        );
      await send({ ...input, moveInDate: '2022-04-01' }, { ck });
      expect((await anonymise(former)).codes).toEqual([]);
      const ANONYMISED = 'select from identity.identity_record where ref = $1 and anonymised_at is not null';
      await until(async () => ((await fixture.owner.query(ANONYMISED, [former])).rowCount === 0 ? undefined : true));
      expect(await restsOn()).toEqual([former, await identityRecordOf(ck)]);
      expect((await verified(ck)).state).toBe('ACTIVE');
      expect(await codesOf(send({ ...input, moveInDate: '2022-04-01' }, { ck }))).toBe('');
      expect((await anonymise(await identityRecordOf(ck))).codes).toEqual(['CNF003']);
    });

    it('with a past expiry ends it', async () => {
      const input = consentOf(caller);
      const ck = await registered(input);
      await send({ ...input, evidence: { ...input.evidence, consentExpiry: ENDED } }, { ck });
      expect((await verified(ck)).state).toBe('EXPIRED');
      expect(await codesOf(send(input, { ck }))).toBe('CNF001');
    });

    it('returns the same response for a repeat, also after the consent has ended', async () => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const moved = { ...input, moveInDate: '2022-05-01' };
      const first = await send(moved, { ck, key: 'update' });
      await revoke(ck);
      const second = await send(moved, { ck, key: 'update' });
      expect(second.data.registerConsent).toEqual({ ...first.data.registerConsent, replayed: true });
      expect(await codesOf(send(input, { ck, key: 'update' }))).toBe('CNF004');
      expect(await leftOf(fixture, caller)).toEqual({ ...ONE_CONSENT, identityRecords: 2 });
    });

    it('is rejected in the order of checks, and stores nothing', async () => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const [unknown, other] = [`ck_${'0'.repeat(24)}`, await consentingDataUser(fixture)];
      expect(await codesOf(send(input, { ck: unknown }))).toBe('NTF001');
      expect(await codesOf(send(consentOf(other), { ck }, other))).toBe('PRM002');
      const elsewhere = { input: consentOf(caller), ck };
      expect(await violationsOf(fixture.identity, REGISTER_CONSENT, elsewhere, caller)).toEqual([
        'VAL003',
        'VAL003 evidence.mpxn',
      ]);
      await revoke(ck);
      expect(await codesOf(send(elsewhere.input, { ck }))).toBe('VAL003');
      expect(await codesOf(send({ ...input, moveInDate: '2022-06-01' }, { ck }))).toBe('CNF001');
      expect(await leftOf(fixture, caller)).toEqual(ONE_CONSENT);
      expect(await leftOf(fixture, other)).toEqual(NOTHING);
    });

    it('is rejected for an access record of Interface A', async () => {
      const ck = await registered();
      await fixture.owner.query('alter table access.access_record disable trigger user');
      await fixture.owner.query('update access.access_record set is_legacy = false where duid = $1', [caller.duid]);
      await fixture.owner.query('alter table access.access_record enable trigger user');
      expect(await codesOf(send(consentOf(caller), { ck }))).toBe('NTF001');
    });

    it.each([
      ['to different move-in dates', (number: number) => `2022-07-${number + 10}`, 12],
      [
        'to two move-in dates alternately',
        (number: number) => (number % 2 === 0 ? '2022-03-01' : '2022-07-01'),
        undefined,
      ],
      ['to the same move-in date', () => '2022-03-01', 0],
    ])('by twelve concurrent requests %s stores one version after the other', async (_, dayOf, more) => {
      const input = consentOf(caller);
      const ck = await registered(input);
      const numbers = Array.from({ length: 12 }, (_each, number) => number);
      const codes = await Promise.all(
        numbers.map((number) => codesOf(send({ ...input, moveInDate: dayOf(number) }, { ck }))),
      );
      expect(codes).toEqual(numbers.map(() => ''));
      const { rows } = await fixture.owner.query('select version from access.access_record where duid = $1', [
        caller.duid,
      ]);
      expect(rows).toEqual([{ version: 13 }]);
      const left = await leftOf(fixture, caller);
      expect(left).toEqual({ ...ONE_CONSENT, identityRecords: more === undefined ? left.identityRecords : 1 + more });
    });
  });
}
