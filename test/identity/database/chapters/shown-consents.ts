import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { SoftwareAuthenticator } from '../../../support/authenticator';
import { CONFIRM_LINK, REMOVE, asserted, enrolled, mailedSecret, started, valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import {
  ADDRESS,
  CONSENTS,
  EVIDENCE,
  consentOf,
  consentingDataUser,
  registerConsent,
  revokeConsent,
  shownConsents,
  violationsOf,
} from '../../../support/legacy-consents';
import { ASSERT } from '../../../support/passkey-fixture';
import { asCustomer, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, newMpxn, startSignInFixture } from '../../../support/sign-in-fixture';

export function shownLegacyConsents(): void {
  const IN_2040 = '2040-01-01T00:00:00.000Z';

  let fixture: SignInFixture;
  let caller: Caller;
  beforeAll(async () => {
    fixture = await startSignInFixture();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    caller = await consentingDataUser(fixture);
  });
  afterEach(() => fixture.moveClock(0));

  const registered = (input: object, by = caller) => registerConsent(fixture, by, input);
  const shown = (mpxn: string, by = caller) => shownConsents(fixture, by, mpxn);

  describe('The consents of a meter point', () => {
    it('are returned in full to their Data User, newest first, and to no other', async () => {
      const mpxn = newMpxn();
      const other = await consentingDataUser(fixture);
      await registered(consentOf(caller, mpxn));
      await registered(consentOf(caller, mpxn, { address: null, consentExpiry: IN_2040 }));
      const evidence = { ...EVIDENCE, consentExpiry: null, mpxn };
      const address = { ...ADDRESS, addressLine2: null, county: null };
      const dataType = ['HH_CONSUMPTION', 'ANNUAL_EXPORT'];
      expect(await shown(mpxn)).toEqual([
        { duid: caller.duid, evidence: { ...evidence, address: null, consentExpiry: IN_2040 }, dataType },
        { duid: caller.duid, evidence: { ...evidence, address }, dataType },
      ]);
      expect(await shown(mpxn, other)).toEqual([]);
      expect(await shown(newMpxn())).toEqual([]);
      await fixture.newRecord(other, {}, { mpxn });
      await registered(consentOf(other, mpxn), other);
      expect((await shown(mpxn, other)).map(({ duid }: Caller) => duid)).toEqual([other.duid]);
      expect((await shown(mpxn)).map(({ duid }: Caller) => duid)).toEqual([caller.duid, caller.duid]);
    });

    /** The customer of a record confirms the link mailed for another Data User. */
    const confirmed = async (by: Caller, mpxn: string, email: string, mails = 1) => {
      await started(fixture, by, { mpxn, method: 'MAGIC_LINK' });
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email, mails) }));
    };

    it('are shown to a Data User whose re-identification the customer has confirmed, for 24 hours', async () => {
      const [mpxn, email] = [newMpxn(), `menna-${newMpxn()}@customer.example`];
      const [initiator, other] = [await consentingDataUser(fixture), await consentingDataUser(fixture)];
      await registered(consentOf(caller, mpxn));
      await fixture.newRecord(caller, { email }, { mpxn });
      await started(fixture, initiator, { mpxn, method: 'MAGIC_LINK' });
      expect(await shown(mpxn, initiator)).toEqual([]);
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(await shown(mpxn, initiator)).toEqual([
        {
          duid: caller.duid,
          evidence: { ...EVIDENCE, consentExpiry: null, mpxn, address: null, userDefinedReference: null },
          dataType: ['HH_CONSUMPTION', 'ANNUAL_EXPORT'],
        },
      ]);
      expect(await shown(mpxn, other)).toEqual([]);
      expect(await shown(newMpxn(), initiator)).toEqual([]);
      await fixture.moveClock(24 * 3_600 - 60);
      expect(await shown(mpxn, initiator)).toHaveLength(1);
      await fixture.moveClock(24 * 3_600 + 60);
      expect(await shown(mpxn, initiator)).toEqual([]);
    });

    it('are not shown for a passkey for which the Data User vouched', async () => {
      const mpxn = newMpxn();
      const initiator = await consentingDataUser(fixture);
      await registered(consentOf(caller, mpxn));
      const { origin } = new URL(fixture.urls.identityRedirectUrl);
      await enrolled(fixture, initiator, new SoftwareAuthenticator({ origin }), mpxn);
      expect(await shown(mpxn, initiator)).toEqual([]);
    });

    it('are not shown for a link of an unverified record, which its Data User may have pressed', async () => {
      const [mpxn, email] = [newMpxn(), `planted-${newMpxn()}@attacker.example`];
      const initiator = await consentingDataUser(fixture);
      await registered(consentOf(caller, mpxn));
      const ref = await fixture.newRecord(initiator, { email, principalVerification: null }, { mpxn });
      await started(fixture, initiator, { method: 'MAGIC_LINK' }, ref);
      valueOf(await fixture.execute(CONFIRM_LINK, { secret: await mailedSecret(fixture, email) }));
      expect(await shown(mpxn, initiator)).toEqual([]);
    });

    it('are not shown after the customer rejects the contact that took part at the supplier', async () => {
      const [people, mpxn, email] = [new ContestFixture(fixture), newMpxn(), `planted-${newMpxn()}@attacker.example`];
      const initiator = await fixture.dataUser('https://larkhill.example/back');
      await registered(consentOf(caller, mpxn));
      await people.passkeyHolder(initiator, mpxn, email); // another contact of the record, which is confirmed
      await confirmed(initiator, mpxn, email);
      const others = async () => (await shown(mpxn, initiator)).filter(({ duid }: Caller) => duid !== initiator.duid);
      expect(await others()).toHaveLength(1);
      await fixture.newRecord(caller, {}, { mpxn });
      const token = await people.suppliedToken(mpxn);
      for (const { id, kind, shown: masked } of await people.contacts(token))
        valueOf(await people.judge(token, id, kind === 'EMAIL' && masked.startsWith('p') ? 'REJECTED' : 'CONFIRMED'));
      expect(await others()).toEqual([]);
    });

    it('are not shown after the passkey that took part was removed', async () => {
      const [people, mpxn, email] = [new ContestFixture(fixture), newMpxn(), `mair-${newMpxn()}@customer.example`];
      const initiator = await fixture.dataUser(ASSERT.passkeyReturnUrl);
      const owner = await fixture.dataUser('https://larkhill.example/back');
      await registered(consentOf(caller, mpxn));
      const passkey = await people.passkeyHolder(owner, mpxn, email);
      const { secret } = await started(fixture, initiator, { mpxn, ...ASSERT });
      valueOf(await asserted(fixture, secret, passkey));
      const others = async () => (await shown(mpxn, initiator)).filter(({ duid }: Caller) => duid === caller.duid);
      expect(await others()).toHaveLength(1);
      const { rows } = await fixture.owner.query(
        'select r.ref, p.id from identity.identity_record r join identity.passkey p on p.record_id = r.id where r.duid = $1',
        [owner.duid],
      );
      valueOf(await fixture.execute(REMOVE, rows[0], { caller: owner }));
      expect(await others()).toEqual([]);
    });

    it.each([
      [
        'after a Change of Tenancy',
        (mpxn: string) => fixture.tenancyChanged(mpxn, new Date().toISOString().slice(0, 10)).then(() => undefined),
      ],
      [
        'while contacts are contested',
        async (mpxn: string) =>
          void (await fixture.newRecord(
            await consentingDataUser(fixture),
            { email: 'other@customer.example' },
            { mpxn },
          )),
      ],
    ])('are not shown %s', async (_, happens) => {
      const [mpxn, email] = [newMpxn(), `ffion-${newMpxn()}@customer.example`];
      const initiator = await consentingDataUser(fixture);
      await registered(consentOf(caller, mpxn));
      await fixture.newRecord(caller, { email }, { mpxn });
      await confirmed(initiator, mpxn, email);
      expect(await shown(mpxn, initiator)).toHaveLength(1);
      await happens(mpxn);
      expect(await shown(mpxn, initiator)).toEqual([]);
    });

    it('are at most 500, first the own ones, however many another Data User registers', async () => {
      const [people, mpxn, email] = [new ContestFixture(fixture), newMpxn(), `nia-${newMpxn()}@customer.example`];
      const initiator = await fixture.dataUser('https://larkhill.example/back');
      await people.customer(initiator, mpxn, email, 'own');
      await registered(consentOf(caller, mpxn));
      await confirmed(initiator, mpxn, email);
      await fixture.owner.query(`begin; set local session_replication_role = replica;
        insert into access.access_record
        select (jsonb_populate_record(copied, jsonb_build_object('id', gen_random_uuid(), 'key_hash', sha256(n::text::bytea || key_hash)))).*
        from access.access_record copied cross join generate_series(1, 510) n
        where meter_point_id = (select meter_point_id from access.access_record where duid = '${initiator.duid}') and duid <> '${initiator.duid}';
        commit`);
      const consents: Caller[] = await shown(mpxn, initiator);
      expect(consents).toHaveLength(500);
      expect(consents.filter(({ duid }) => duid === initiator.duid)).toHaveLength(1);
    });

    it('are the ACTIVE ones', async () => {
      const mpxn = newMpxn();
      const [withdrawn] = [
        await registered(consentOf(caller, mpxn)),
        await registered(consentOf(caller, mpxn, { consentExpiry: new Date(Date.now() + 60_000).toISOString() })),
        await registered(consentOf(caller, mpxn)),
      ];
      expect(await shown(mpxn)).toHaveLength(3);
      await revokeConsent(fixture, caller, withdrawn);
      expect(await shown(mpxn)).toHaveLength(2);
      await fixture.moveClock(120);
      expect(await shown(mpxn)).toHaveLength(1);
    });

    it('include those of Interface A, with the terms of their notice, and their type if they have no method', async () => {
      const mpxn = newMpxn();
      const identityRecordRef = await fixture.newRecord(caller, {}, { mpxn });
      const controller = {
        name: 'Larkhill',
        role: 'SOLE',
        contactUrl: 'https://larkhill.example/',
        privacyRightsUrl: 'https://larkhill.example/',
      };
      const controllerArrangement = { arrangementType: 'SOLE', controllers: [controller] };
      const input = {
        recordMetadata: { schemaVersion: '1.0', identityRecordRef, controllerArrangement },
        notice: { sharedNotice: { termsUrl: EVIDENCE.termsUrl, noticeVersion: 'unversioned' } },
        processing: { legalBasis: 'UK_CONSENT', purpose: 'Advice', dataTypes: ['HH_CONSUMPTION'] },
        accessEvent: {
          state: 'ACTIVE',
          registeredAt: EVIDENCE.consentDate,
          expiry: IN_2040,
          controllerReference: 'OWN-1',
          consent: { consentType: 'EXPLICIT_CONSENT' },
        },
      };
      const register = 'mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { replayed } }';
      expect((await fixture.executeInAccess(register, { input }, { caller })).codes).toEqual([]);
      const { userDefinedReference: _, ...evidence } = EVIDENCE;
      const expected = { ...evidence, mpxn, consentExpiry: IN_2040, method: 'explicit-consent' };
      expect(await shown(mpxn)).toMatchObject([
        { duid: caller.duid, dataType: ['HH_CONSUMPTION'], evidence: { ...expected, userDefinedReference: 'OWN-1' } },
      ]);
    });

    it('are counted as lookups that each customer there can read', async () => {
      const [mpxn, email] = [newMpxn(), `olwen-${newMpxn()}@customer.example`];
      const other = await consentingDataUser(fixture);
      await fixture.newRecord(caller, { email }, { mpxn });
      await registered(consentOf(caller, mpxn));
      await shown(mpxn, other);
      await shown(mpxn, other);
      const customer = asCustomer((await signedInByLink(fixture, { email }, email)).token);
      const { data } = await fixture.execute('{ identityLooks { dataUser { duid } kind count } }', {}, customer);
      expect(data.identityLooks).toEqual([{ dataUser: { duid: other.duid }, kind: 'SHOW_CONSENTS', count: 2 }]);
    });

    it('are rejected for an MPxN outside the pattern of Interface B', async () => {
      const violations = await violationsOf(fixture.identity, CONSENTS, { mpxn: 'AB12345678' }, caller);
      expect(violations).toEqual(['VAL001', 'VAL001 mpxn']);
    });
  });
}
