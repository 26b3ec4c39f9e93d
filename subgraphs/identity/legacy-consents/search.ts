import type { QuestionOrigin } from '../../server/service-question';
import type { BlindIndexes } from '../database/blind-index';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type { LinkedRecord } from '../database/linked-record';
import type { OccupancyRepository } from '../database/occupancy.repository';
import type { ReidentificationRepository } from '../database/reidentification.repository';
import { currentContacts, isContested } from '../domain/contacts';
import type { RegisteredConsent } from '../domain/legacy-consent';
import type { ConsentRecords } from './consent-records';

/** What the search works with. */
export interface SearchParts {
  readonly records: IdentityRecordRepository;
  readonly reidentifications: Pick<ReidentificationRepository, 'hasTakenPart'>;
  readonly occupants: Pick<OccupancyRepository, 'verifiedAt'>;
  readonly linkedRecord: LinkedRecord;
  readonly consents: ConsentRecords;
  readonly indexes: BlindIndexes;
}

/** The ACTIVE consents of a meter point, as a Data User may know them (2-decisions-a-b.md, section 8). */
export class ConsentSearch {
  constructor(private readonly parts: SearchParts) {}

  /**
   * Newest first, at most 500: the Data User's own with their addresses, those of other Data Users only when the customer has taken part in
   * a re-identification that this one initiated. An Identity Record that it merely wrote opens nothing, and nothing is opened
   * while contacts stand against each other: who took part is not known then (section 11). The lookup is counted first, so that the
   * customer sees everyone who learns of a consent.
   */
  async at(mpxn: string, duid: string, origin: QuestionOrigin): Promise<RegisteredConsent[]> {
    const { records, consents, indexes, linkedRecord } = this.parts;
    await records.countShownConsents(mpxn, duid);
    const mayKnowOthers = await this.mayKnowOthers(mpxn, duid);
    const shown = await consents.shown(indexes.meterPointId(mpxn), duid, mayKnowOthers, origin);
    return Promise.all(
      shown.map(async ({ duid: owner, identityRecordId, dataTypes, ...evidence }) => {
        const own = owner === duid && identityRecordId !== null ? await linkedRecord(identityRecordId) : null;
        const address = own?.personal()?.piiPrincipal.address ?? null;
        return { duid: owner, evidence: { ...evidence, mpxn, address }, dataType: dataTypes };
      }),
    );
  }

  private async mayKnowOthers(mpxn: string, duid: string): Promise<boolean> {
    const { reidentifications, occupants } = this.parts;
    if (!(await reidentifications.hasTakenPart(mpxn, duid))) return false;
    return !isContested(currentContacts(await occupants.verifiedAt(mpxn)).groups);
  }
}
