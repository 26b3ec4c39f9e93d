import { IdentityLookupRepository } from '../../../../subgraphs/identity/lookups/identity-lookup.repository';
import { type IdentityAlone, DATA_USER, registeredRecord, startIdentityAlone } from '../../../support/identity-alone';

export function lookupRetention(): void {
  let identity: IdentityAlone;
  beforeAll(async () => {
    identity = await startIdentityAlone();
  });
  afterAll(() => identity?.close());

  describe('Lookup counts', () => {
    it('are stored for thirteen months', async () => {
      const { id } = await registeredRecord(identity, '1012345678', null);
      const ages = ['13 months 2 hours', '13 months -2 hours', '0 hours'];
      for (const age of ages) {
        await identity.owner.query(
          `insert into identity_look (record_id, duid, kind, hour, count)
           values ($1, $2, 'existence-check', date_trunc('hour', register_now()) - $3::interval, 1)`,
          [id, DATA_USER.duid, age],
        );
      }
      const lookups = new IdentityLookupRepository(identity);
      await lookups.purge();
      const kept = await lookups.of({
        recordIds: [id],
        since: '2000-01-01',
        beganAt: null,
        endedAt: null,
        before: null,
      });
      expect(kept).toHaveLength(2);
    });
  });
}
