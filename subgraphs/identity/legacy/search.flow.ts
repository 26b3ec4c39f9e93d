import type { CallOrigin } from '../../server/graph/service-query';
import { readablePersonal } from '../records/identity-record';
import type { BlindIndexes } from '../records/blind-index';
import type { IdentityRecordRepository } from '../records/identity-record.repository';
import type { LinkedRecord } from './provisional-record.repository';
import type { OccupancyRepository } from '../occupancy/occupancy.repository';
import type { ReidentificationRepository } from '../reidentification/reidentification.repository';
import { currentContacts, isContested } from '../contacts/contacts';
import type { RegisteredConsent } from './legacy-consent';
import type { ConsentRecords } from './consent-records.client';

/** Dependencies of the search. */
interface SearchDependencies {
  readonly records: IdentityRecordRepository;
  readonly reidentifications: Pick<ReidentificationRepository, 'hasTakenPart'>;
  readonly occupants: Pick<OccupancyRepository, 'verifiedAt'>;
  readonly linkedRecord: LinkedRecord;
  readonly consents: ConsentRecords;
  readonly indexes: BlindIndexes;
}

/** ACTIVE consents at a meter point, as far as a Data User may read them (decisions A/B, 8). */
export class ConsentSearch {
  constructor(private readonly dependencies: SearchDependencies) {}

  /**
   * Returns consents newest first, at most 500: the Data User's own with their addresses, and those of other Data Users if the customer
   * took part in a re-identification that this one initiated. An Identity Record that the Data User only registered discloses nothing, and
   * neither does a contested occupancy, because it is unknown who took part (decisions A/B, 11). The lookup is counted first, so that the
   * customer can read every lookup that disclosed a consent.
   */
  async at(mpxn: string, duid: string, origin: CallOrigin): Promise<RegisteredConsent[]> {
    const { records, consents, indexes, linkedRecord } = this.dependencies;
    await records.countShownConsents(mpxn, duid);
    const mayReadOthers = await this.mayReadOthers(mpxn, duid);
    const shown = await consents.shown(indexes.meterPointId(mpxn), duid, mayReadOthers, origin);
    return Promise.all(
      shown.map(async ({ duid: owner, identityRecordId, dataTypes, ...evidence }) => {
        const own = owner === duid && identityRecordId !== null ? await linkedRecord(identityRecordId) : null;
        const address = (own && readablePersonal(own))?.piiPrincipal.address ?? null;
        return { duid: owner, evidence: { ...evidence, mpxn, address }, dataType: dataTypes };
      }),
    );
  }

  private async mayReadOthers(mpxn: string, duid: string): Promise<boolean> {
    const { reidentifications, occupants } = this.dependencies;
    if (!(await reidentifications.hasTakenPart(mpxn, duid))) return false;
    return !isContested(currentContacts(await occupants.verifiedAt(mpxn)).groups);
  }
}
