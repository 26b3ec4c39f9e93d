import stringify from 'safe-stable-stringify';
import { errorCatalogue } from '../../../schema/error-catalogue';
import { RegisterError, refuse } from '../../../schema/register-error';
import { failureFacts } from '../../server/failures';
import { requireIdempotencyKey } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import type { QuestionOrigin } from '../../server/service-question';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type { ProvisionalRecord, ProvisionalRecordRepository } from '../database/provisional-record.repository';
import type { ConsentRegistration, NewConsent, StandingConsent } from '../domain/legacy-consent';
import {
  consentViolations,
  identityRecordOf,
  isSameRelationship,
  requireUpdatable,
} from '../domain/legacy-consent-rules';
import type { Foundation } from '../foundation';
import type { ConsentRecords, ConsentRequester, RecordedConsent } from './consent-records';

/** A request to register a consent, or to update the one with a key. */
export interface ConsentRequest {
  readonly actor: { readonly accountId: string; readonly duid: string };
  readonly consent: NewConsent;
  /** Null for a new consent. */
  readonly ck: string | null;
  readonly idempotencyKey: string | null;
}

/** What registering works with. */
export interface RegistrarParts extends Pick<Foundation, 'indexes' | 'logger' | 'production' | 'clock'> {
  readonly provisional: ProvisionalRecordRepository;
  readonly records: IdentityRecordRepository;
  readonly consents: ConsentRecords;
  /** Of everything that a request says: it tells a repeat from another request, and is all that `access` learns of it. */
  readonly hashOfContent: KeyedHash;
}

/**
 * Registers and updates consents over both subgraphs, each of which commits by itself. The order makes every step safe:
 *
 * 1. The Identity Record is stored provisionally, where nobody sees it, together with the job that will settle it.
 * 2. `access` makes or changes the access record that is linked to it, and claims the idempotency key, in one transaction.
 * 3. Once it has, the Identity Record is kept; once it has refused, the Identity Record is destroyed with its data key.
 *
 * Whatever ends in between, by a kill or without an answer, is settled by the job ({@link settle}).
 */
export class ConsentRegistrar {
  constructor(private readonly parts: RegistrarParts) {}

  /**
   * Registers a consent (`ck` null) or updates one. All violations at once; PRM002 for another Data User's, NTF001 for an unknown `ck`,
   * CNF001 for one that is not ACTIVE, and for an account without contact or privacy URL, CNF003 for what came to `access` after it was settled, CNF004 for a reused idempotency key.
   */
  async register(request: ConsentRequest, origin: QuestionOrigin): Promise<ConsentRegistration> {
    const { actor, consent, ck, idempotencyKey } = request;
    const { production, hashOfContent, clock } = this.parts;
    requireIdempotencyKey(idempotencyKey); // before anything is stored
    refuse(consentViolations(consent, { production, now: await clock.now() }));
    if (consent.duid !== actor.duid) throw new RegisterError('PRM002');
    const requester = {
      ...actor,
      idempotencyKey,
      contentHash: hashOfContent(stringify({ ck, consent }) ?? '').toString('hex'),
    };
    const recorded =
      ck === null
        ? await this.registerNew(requester, consent, origin)
        : await this.update(requester, ck, consent, origin);
    const { replayed, ...consentToken } = recorded;
    return { consentToken, isNew: ck === null, replayed };
  }

  private registerNew(requester: ConsentRequester, consent: NewConsent, origin: QuestionOrigin) {
    return this.linking(requester, consent, (identityRecord) =>
      this.parts.consents.record(requester, consent, identityRecord, origin),
    );
  }

  /**
   * What the same request was answered before is asked first, since it depends on nothing that has changed since. `access` makes concurrent
   * updates one after the other, so that the last one stands: none depends on the version that it found. Only an update that keeps the
   * Identity Record depends on what that says; when another one has moved the link meanwhile, this one makes an Identity Record, too.
   */
  private async update(
    requester: ConsentRequester,
    ck: string,
    consent: NewConsent,
    origin: QuestionOrigin,
  ): Promise<RecordedConsent> {
    const { consents, indexes } = this.parts;
    const { kept, standing } = await consents.standing(requester, ck, origin);
    if (kept) return kept;
    requireUpdatable(standing, {
      duid: requester.duid,
      meterPointId: indexes.meterPointId(consent.evidence.mpxn),
    });
    const updated = (await this.keepsIdentityRecord(standing, consent))
      ? await consents.keep(requester, ck, consent, standing.identityRecordId, origin)
      : null;
    if (updated) return updated;
    return this.linking(requester, consent, (identityRecord) =>
      consents.move(requester, ck, consent, identityRecord, origin),
    );
  }

  /** An access record is linked to it, so it is kept, should a kill have left it provisional. */
  private async keepsIdentityRecord({ identityRecordId }: StandingConsent, consent: NewConsent): Promise<boolean> {
    const { provisional, records } = this.parts;
    await provisional.keep(identityRecordId);
    const linked = await records.byId(identityRecordId);
    return linked !== null && isSameRelationship(linked.personal(), consent);
  }

  /** Links a consent to a new Identity Record: whole, or nothing of it. */
  private async linking(
    { duid }: ConsentRequester,
    consent: NewConsent,
    link: (identityRecord: ProvisionalRecord) => Promise<RecordedConsent>,
  ): Promise<RecordedConsent> {
    const { provisional } = this.parts;
    const identityRecord = await provisional.store(duid, identityRecordOf(consent));
    const recorded = await link(identityRecord).catch(async (error: unknown) => {
      if (isRefusal(error)) await this.orByJob(provisional.destroy(identityRecord.id));
      throw error;
    });
    await this.orByJob(
      recorded.replayed ? provisional.destroy(identityRecord.id) : provisional.keep(identityRecord.id),
    );
    return recorded;
  }

  /** The answer is known by now, and what is left to do is done by the job: a failure of it changes nothing. */
  private async orByJob(step: Promise<void>): Promise<void> {
    await step.catch((error: unknown) =>
      this.parts.logger.warn({ failure: failureFacts(error) }, 'an identity record is left to its job'),
    );
  }
}

/** Whether `access` has said no, and so has done nothing. Of anything else it is unknown what it has done, or will still do. */
function isRefusal(error: unknown): boolean {
  return error instanceof RegisterError && errorCatalogue[error.code].status < 500;
}

/**
 * Settles what became of a provisional record, for the job: it is kept when an access record is linked to it, or was. Otherwise `access`
 * closes it, so that a registration that is still under way is refused, and it is destroyed. May be repeated at any point.
 */
export async function settle(
  { provisional, consents }: Pick<RegistrarParts, 'provisional' | 'consents'>,
  id: string,
  origin: QuestionOrigin,
): Promise<void> {
  if ((await provisional.byId(id)) === null) return;
  if (await consents.isLinked(id, origin)) await provisional.keep(id);
  else await provisional.destroy(id);
}
