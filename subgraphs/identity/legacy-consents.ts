import { newIdentifier } from '../../schema/identifiers';
import { keyedHash } from '../server/keyed-hash';
import { repeat } from '../server/repeat';
import { IdentityRecordRepository } from './database/identity-record.repository';
import { linkedRecords } from './database/linked-record';
import { ProvisionalRecordRepository, SETTLE } from './database/provisional-record.repository';
import type { Area, Foundation } from './foundation';
import { ConsentRecords } from './legacy-consents/consent-records';
import { ConsentRegistrar, settle } from './legacy-consents/registration';
import { ConsentSearch } from './legacy-consents/search';
import { existenceLimits } from './reidentification/existence-limits';
import { ceremonyStore } from './reidentification/reidentification';
import { LegacyConsentResolver } from './resolvers/legacy-consent.resolver';

/** Seconds between looks for provisional records whose job was lost. */
const LOOK_EVERY = 300;

/**
 * READ FIRST: Interface B, the earlier consent interface (1-specification.md; 2-decisions-a-b.md, section 8), over the one register.
 *
 * A consent is an access record, which `access` keeps and which is verified, shown, withdrawn, expired and notified like any other, and
 * the Identity Record that it is linked to, which lies here. A request holds personal data, so it comes here, and `access` is told the
 * rest of it:
 *
 * - `domain/legacy-consent-rules.ts`: what a consent must fulfil, and which Identity Record it makes;
 * - `legacy-consents/registration.ts`: the steps over both subgraphs, and why each of them is safe;
 * - `legacy-consents/search.ts`: which consents of a meter point a Data User is shown;
 * - `legacy-consents/consent-records.ts`: what is asked of `access`, answered by its `resolvers/legacy-consent.resolver.ts`;
 * - `database/provisional-record.repository.ts`: Identity Records while their access records do not exist yet.
 */
export function legacyConsentArea(foundation: Foundation): Area {
  const { database, jobs, indexes, vault, keys, access, logger } = foundation;
  const provisional = new ProvisionalRecordRepository(database, jobs, indexes, vault);
  const records = new IdentityRecordRepository(database, indexes, vault);
  const consents = new ConsentRecords(access);
  const hashOfContent = keyedHash(keys.hashKey, 'consent-registration');
  const { reidentifications, occupants } = ceremonyStore(foundation);
  const parts = { ...foundation, provisional, records, consents, hashOfContent, reidentifications, occupants };
  const search = new ConsentSearch({ ...parts, linkedRecord: linkedRecords(records, provisional) });
  const ofThisService = () => ({ transactionId: newIdentifier('tid'), clientAddress: '' });
  return {
    resolvers: [new LegacyConsentResolver(new ConsentRegistrar(parts), search, existenceLimits(foundation))],
    tasks: { [SETTLE]: (payload) => settle(parts, (payload as { id: string }).id, ofThisService()) },
    stop: repeat(LOOK_EVERY, () => provisional.recallForgotten(), logger),
  };
}
