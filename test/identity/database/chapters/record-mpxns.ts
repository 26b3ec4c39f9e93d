import { DATA_USER, type IdentityAlone, startIdentityAlone } from '../../../support/identity-alone';
import { newMpxn, verified } from '../../../support/sign-in-fixture';

export function recordMpxns(): void {
  const REGISTER = 'mutation ($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }';
  const MPXNS = 'query ($ids: [ID!]!) { identityRecordMpxns(ids: $ids) { mpxn canBeOpened } }';
  const UNKNOWN = '00000000-0000-4000-8000-000000000000';

  describe('The MPxNs of Identity Records', () => {
    let identity: IdentityAlone;
    beforeAll(async () => {
      identity = await startIdentityAlone();
    });
    afterAll(() => identity.close());

    const OWN = { transactionId: 'tid_test', clientAddress: '' };
    const asService = { ...OWN, caller: null, service: 'access' } as const;
    const execute = (ids: string[]) => identity.link.execute({ query: MPXNS, variables: { ids } }, asService);

    async function register(mpxn: string): Promise<string> {
      const input = {
        piiPrincipal: { mpxn, moveInDate: '2021-04-01', address: null },
        expressedBy: 'DATA_SUBJECT',
        principalVerification: verified,
        email: null,
      };
      const context = { ...OWN, caller: DATA_USER, service: null };
      const { data } = await identity.link.execute({ query: REGISTER, variables: { input } }, context);
      const { ir } = (data as { registerIdentityRecord: { ir: string } }).registerIdentityRecord;
      return (await identity.owner.query('select id from identity_record where ref = $1', [ir])).rows[0].id as string;
    }

    it('are readable by services in the order of the argument, null for unknown and anonymised ones', async () => {
      const [one, two, three] = [newMpxn(), newMpxn(), newMpxn()];
      const [first, second, third] = [await register(one), await register(two), await register(three)];
      await identity.owner.query(
        `update identity_record set anonymised_at = register_now(), closing_at = register_now(), mpxn_index = null, email_index = null,
         meter_point_id = null where id = $1`,
        [second],
      );
      const { data } = await execute([third, UNKNOWN, second, first, 'no id', third]);
      expect(data?.['identityRecordMpxns']).toEqual(
        [three, null, null, one, null, three].map((mpxn) => ({ mpxn, canBeOpened: true })),
      );
    });

    it('are returned for the others if one cannot be decrypted, which is marked and logged once', async () => {
      const [one, two] = [newMpxn(), newMpxn()];
      const [first, lost] = [await register(one), await register(two)];
      await identity.owner.query('alter table identity_keys.data_key disable trigger user');
      await identity.owner.query('delete from identity_keys.data_key where record_id = $1', [lost]);
      await identity.owner.query('alter table identity_keys.data_key enable trigger user');
      const { data, errors } = await execute([lost, first]);
      expect(errors).toBeUndefined();
      expect(data?.['identityRecordMpxns']).toEqual([
        { mpxn: null, canBeOpened: false },
        { mpxn: one, canBeOpened: true },
      ]);
      await execute([lost]);
      const lines = identity
        .log()
        .split('\n')
        .filter((line) => line.includes(lost));
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain(two);
    });

    it('are not readable by other callers', async () => {
      for (const caller of [DATA_USER, null]) {
        const { errors } = await identity.link.execute(
          { query: MPXNS, variables: { ids: [UNKNOWN] } },
          { ...OWN, caller, service: null },
        );
        expect(errors?.[0]?.extensions?.['code']).toBe(caller === null ? 'AUT001' : 'PRM001');
      }
    });

    it('are limited to 500 per query', async () => {
      expect((await execute(Array<string>(500).fill(UNKNOWN))).errors).toBeUndefined();
      expect((await execute(Array<string>(501).fill(UNKNOWN))).errors?.[0]?.extensions?.['code']).toBe('VAL003');
    });
  });
}
