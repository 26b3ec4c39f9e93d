import { ofThisService } from '../../server/graph/service-query';
import { keyedHash } from '../../server/keyed-hash';
import { repeat } from '../../server/jobs/repeat';
import { linkedRecords, ProvisionalRecordRepository, RECONCILE } from './provisional-record.repository';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import { ConsentRecords } from './consent-records.client';
import { ConsentRegistrar, reconcile } from './registration.flow';
import { ConsentSearch } from './search.flow';
import { existenceLimits } from '../reidentification/initiation.flow';
import { ceremonyStore } from '../reidentification/reidentification.module';
import { LegacyConsentResolver } from './legacy-consent.resolver';

/** Seconds between two searches for provisional records whose job was lost. */
const REQUEUE_EVERY_SECONDS = 300;

/**
 * Interface B, the earlier consent interface (specification; decisions A/B, 8). Read first.
 *
 * A consent is an access record in `access`, which is verified, listed, withdrawn, expired and notified like any other, and the linked
 * Identity Record in this subgraph. Requests contain personal data, so this subgraph serves them and sends the rest to `access`:
 *
 * - `legacy-consent-rules.ts`: rules of a consent, and its Identity Record;
 * - `registration.flow.ts`: the steps over both subgraphs, and why each of them is safe;
 * - `search.flow.ts`: which consents at a meter point a Data User may read;
 * - `consent-records.client.ts`: operations of `access` (`access/legacy/legacy-consent.resolver.ts`);
 * - `provisional-record.repository.ts`: Identity Records whose access records do not exist yet.
 */
export function legacyConsentModule(dependencies: IdentityDependencies): SubgraphModule {
  const { database, jobs, indexes, cipher, keys, records, access, logger } = dependencies;
  const provisional = new ProvisionalRecordRepository(database, jobs, indexes, cipher);
  const consents = new ConsentRecords(access);
  const hashOfContent = keyedHash(keys.hashKey, 'consent-registration');
  const { reidentifications } = ceremonyStore(dependencies);
  const flowDependencies = {
    ...dependencies,
    provisional,
    consents,
    hashOfContent,
    reidentifications,
  };
  const search = new ConsentSearch({ ...flowDependencies, linkedRecord: linkedRecords(records, provisional) });
  return {
    resolvers: [
      new LegacyConsentResolver(new ConsentRegistrar(flowDependencies), search, existenceLimits(dependencies)),
    ],
    tasks: { [RECONCILE]: (payload) => reconcile(flowDependencies, (payload as { id: string }).id, ofThisService()) },
    stop: repeat(REQUEUE_EVERY_SECONDS, () => provisional.requeueLostJobs(), logger),
  };
}
