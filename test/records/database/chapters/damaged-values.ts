import type { Caller } from '../../../../subgraphs/server/callers/caller';
import { RETURN_URL, valueOf } from '../../../support/ceremonies';
import { ContestFixture } from '../../../support/contest-fixture';
import { type SignInFixture, fixtureOfThisFile, newMpxn } from '../../../support/sign-in-fixture';

/** Stored values that cannot be decrypted, and the operations that do not need them. */
export function damagedValues(): void {
  const VERIFY = 'query ($key: AccessKey!) { accessRecord(key: $key) { accessEvent { state controllerReference } } }';
  const REPORT = 'mutation ($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { isNew } }';
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
  });

  /** Damages one row, past the guards of its table. */
  async function damage(statement: string): Promise<void> {
    await fixture.owner.query('set session_replication_role = replica');
    const { rowCount } = await fixture.owner.query(statement);
    await fixture.owner.query('reset session_replication_role');
    expect(rowCount).toBe(1);
  }

  describe('A damaged reference to a customer', () => {
    it.each([
      ['data key', `update access_keys.reference_key set wrapped = '\\x00' where record_id`],
      ['reference', `update access.access_record set reference_sealed = '\\x00' where id`],
    ])(
      '(%s) is null and logged: the record is verified, and the consents of its home are listed',
      async (_, change) => {
        const owner: Caller = await fixture.dataUser(RETURN_URL);
        const people = new ContestFixture(fixture);
        const mpxn = newMpxn();
        for (const purpose of ['damaged', 'intact']) await people.customer(owner, mpxn, null, purpose);
        const { nodes } = valueOf(
          await fixture.executeInAccess('{ accessRecords { nodes { ak purpose } } }', {}, { caller: owner }),
        );
        const { ak } = nodes.find(({ purpose }: { purpose: string }) => purpose === 'damaged');
        await damage(
          `${change} = (select id from access.access_record where duid = '${owner.duid}' and document ->> 'purpose' = 'damaged')`,
        );
        const logged = () => fixture.log().split('a controller reference cannot be decrypted').length;
        const before = logged();
        const { accessEvent } = valueOf(await fixture.executeInAccess(VERIFY, { key: ak }));
        expect(accessEvent).toEqual({ state: 'ACTIVE', controllerReference: null });
        expect(logged()).toBe(before + 1);
        const consents = 'query ($mpxn: MPxN!) { consents(mpxn: $mpxn) { duid } }';
        expect(valueOf(await fixture.execute(consents, { mpxn }, { caller: owner }))).toHaveLength(2);
      },
    );
  });

  describe('The damaged client secret of a supplier', () => {
    it('can be replaced', async () => {
      const { accountId } = await fixture.newSupplier();
      await damage(`update access.account set oauth_client_secret = '\\x00' where account_id = '${accountId}'`);
      await fixture.accounts.setSupplierOAuth('test', accountId, 'https://issuer.example', 'client', 'new secret');
      const { rows } = await fixture.owner.query(
        `select detail -> 'from' ->> 'secret' as "from" from access.audit_entry where subject = $1 order by id desc limit 1`,
        [accountId],
      );
      expect(rows).toEqual([{ from: 'unreadable' }]);
    });
  });

  describe('The damaged reference of an earlier report', () => {
    it('of a discovered access does not prevent a later report', async () => {
      const operator: Caller = {
        ...{ accountId: `acc_${'c'.repeat(24)}`, role: 'communications_operator', duid: null, mpid: null },
      } as const;
      const mpxn = newMpxn();
      const report = (sourceReference: string, lastSeen: string) =>
        fixture.executeInAccess(
          REPORT,
          {
            input: {
              ...{ mpxn, organisationName: 'Gadwall', organisationReference: `G-${mpxn}`, sourceReference },
              ...{ firstSeen: '2026-03-01', lastSeen, dataTypesObserved: ['HH_CONSUMPTION'] },
            },
          },
          { caller: operator },
        );
      valueOf(await report('one', '2026-03-02'));
      await damage(`update access.access_record_version set document = document || '{"sourceReferenceSealed":"AA=="}'
        where record_id = (select id from access.access_record
          where document -> 'discoveredAccess' ->> 'organisationReference' = 'G-${mpxn}')`);
      expect(valueOf(await report('two', '2026-03-05'))).toEqual({ isNew: false });
    });
  });
}
