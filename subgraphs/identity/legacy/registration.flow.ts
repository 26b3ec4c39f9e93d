import { errorCatalogue } from '../../../schema/error-catalogue';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { errorFields } from '../../server/observability/failures';
import { requireIdempotencyKey } from '../../server/idempotency';
import type { KeyedHash } from '../../server/keyed-hash';
import { contentText } from '../../server/request-content';
import type { CallOrigin } from '../../server/graph/service-query';
import { readablePersonal } from '../records/identity-record';
import type { IdentityRecordRepository } from '../records/identity-record.repository';
import type { ProvisionalRecord, ProvisionalRecordRepository } from './provisional-record.repository';
import type { ConsentRegistration, NewConsent, LegacyConsentState } from './legacy-consent';
import { consentViolations, identityRecordOf, isSameRelationship, requireUpdatable } from './legacy-consent-rules';
import type { IdentityDependencies } from '../dependencies';
import type { ConsentRecords, ConsentRequester, RecordedConsent } from './consent-records.client';

/** A request to register a consent, or to update the one with a key. */
interface ConsentRequest {
  readonly actor: { readonly accountId: string; readonly duid: string };
  readonly consent: NewConsent;
  /** Null for a new consent. */
  readonly ck: string | null;
  readonly idempotencyKey: string | null;
}

/** Dependencies of the registration. */
interface RegistrarDependencies extends Pick<IdentityDependencies, 'indexes' | 'logger' | 'production' | 'clock'> {
  readonly provisional: ProvisionalRecordRepository;
  readonly records: IdentityRecordRepository;
  readonly consents: ConsentRecords;
  /** Hash of the content of a request. It distinguishes a repeat from another request; `access` receives no more of the content. */
  readonly hashOfContent: KeyedHash;
}

/**
 * Registers and updates consents over both subgraphs, each of which commits separately. The order makes every step safe:
 *
 * 1. The Identity Record is stored as provisional, which no query returns, with the job that reconciles it.
 * 2. `access` inserts or changes the linked access record and claims the idempotency key, in one transaction.
 * 3. If that succeeds, the Identity Record is adopted; if `access` rejects it, the Identity Record is destroyed with its data key.
 *
 * The job completes what a crash or a missing response interrupts ({@link reconcile}).
 */
export class ConsentRegistrar {
  constructor(private readonly dependencies: RegistrarDependencies) {}

  /**
   * Registers a consent (`ck` null) or updates one. Throws all violations at once; PRM002 for a DUID that is not the caller's; NTF001 for
   * an unknown `ck`; CNF001 for a consent that is not ACTIVE, or an account without contact or privacy URL; CNF003 if `access` received the
   * request after its record was reconciled; CNF004 for a reused idempotency key.
   */
  async register(request: ConsentRequest, origin: CallOrigin): Promise<ConsentRegistration> {
    const { actor, consent, ck, idempotencyKey } = request;
    const { production, hashOfContent, clock } = this.dependencies;
    requireIdempotencyKey(idempotencyKey); // before anything is stored
    throwViolations(consentViolations(consent, { production, now: await clock.now() }));
    if (consent.duid !== actor.duid)
      throw new RegisterError('PRM002', 'The duid of the request is not that of the account.');
    const requester = {
      ...actor,
      idempotencyKey,
      contentHash: hashOfContent(contentText({ ck, consent })).toString('hex'),
    };
    const recorded =
      ck === null
        ? await this.registerNew(requester, consent, origin)
        : await this.update(requester, ck, consent, origin);
    const { replayed, ...consentToken } = recorded;
    return { consentToken, isNew: ck === null, replayed };
  }

  private registerNew(requester: ConsentRequester, consent: NewConsent, origin: CallOrigin) {
    return this.linking(requester, consent, (identityRecord) =>
      this.dependencies.consents.record(requester, consent, identityRecord, origin),
    );
  }

  /**
   * The stored response of the same request comes first, because it does not depend on later changes. `access` serialises concurrent
   * updates, so the last one wins. Only an update that keeps the Identity Record depends on its content; if a concurrent update has moved
   * the link, this one stores a new Identity Record, too.
   */
  private async update(
    requester: ConsentRequester,
    ck: string,
    consent: NewConsent,
    origin: CallOrigin,
  ): Promise<RecordedConsent> {
    const { consents, indexes } = this.dependencies;
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

  /**
   * Whether the linked Identity Record fits the consent; one that cannot be decrypted does not. It is adopted first, in case a crash has left it
   * provisional.
   */
  private async keepsIdentityRecord({ identityRecordId }: LegacyConsentState, consent: NewConsent): Promise<boolean> {
    const { provisional, records } = this.dependencies;
    await provisional.adopt(identityRecordId);
    const linked = await records.byId(identityRecordId);
    return linked !== null && isSameRelationship(readablePersonal(linked), consent);
  }

  /** Links a consent to a new Identity Record, which is destroyed if `access` rejects the consent. */
  private async linking(
    { duid }: ConsentRequester,
    consent: NewConsent,
    link: (identityRecord: ProvisionalRecord) => Promise<RecordedConsent>,
  ): Promise<RecordedConsent> {
    const { provisional } = this.dependencies;
    const identityRecord = await provisional.store(duid, identityRecordOf(consent));
    const recorded = await link(identityRecord).catch(async (error: unknown) => {
      if (isRejection(error)) await this.orByJob(provisional.destroy(identityRecord.id));
      throw error;
    });
    await this.orByJob(
      recorded.replayed ? provisional.destroy(identityRecord.id) : provisional.adopt(identityRecord.id),
    );
    return recorded;
  }

  /** Runs the last step. The response is known by then, and the job repeats a failed step. */
  private async orByJob(step: Promise<void>): Promise<void> {
    await step.catch((error: unknown) =>
      this.dependencies.logger.warn(
        { failure: errorFields(error) },
        'reconciliation of an identity record deferred to its job',
      ),
    );
  }
}

/** Whether `access` rejected the request and has changed nothing. After any other error the outcome is unknown. */
function isRejection(error: unknown): boolean {
  return error instanceof RegisterError && errorCatalogue[error.code].status < 500;
}

/**
 * Reconciles a provisional record, for the job. It is adopted if an access record is or was linked to it. Otherwise `access` closes it,
 * which rejects a registration still in progress, and it is destroyed. Repeatable at any point.
 */
export async function reconcile(
  { provisional, consents }: Pick<RegistrarDependencies, 'provisional' | 'consents'>,
  id: string,
  origin: CallOrigin,
): Promise<void> {
  if ((await provisional.byId(id)) === null) return;
  if (await consents.isLinked(id, origin)) await provisional.adopt(id);
  else await provisional.destroy(id);
}
