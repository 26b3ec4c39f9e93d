import { Arg, Directive, ID, Mutation, Query, Resolver } from 'type-graphql';
import { consentKeyOf } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { ConsentKey, Duid } from '../../../schema/scalars';
import { type Actor, MayCall } from '../../server/callers/caller';
import { nullable } from '../../server/graph/decorator-options';
import { type IdempotentRequest, replayable } from '../../server/idempotency';
import { type StoredToken, tokenOf } from '../records/access-record.repository';
import type { ShownConsent, LegacyConsentState } from './legacy-consent.repository';
import type { AccessRecordInput } from '../records/access-record';
import { type LegacyConsent, accessRecordOf, missingOfController } from './legacy-consent';
import {
  ConsentedIdentityRecordInput,
  LegacyConsentInput,
  LegacyRequestInput,
  RecordedConsentType,
  ShownConsentType,
  LegacyConsentStateType,
} from './legacy-consent.types';
import type { AccessDependencies } from '../dependencies';

/** Operations on access records that `identity`, which serves Interface B, calls (decisions A/B, 8). */
@Resolver()
export class LegacyConsentResolver {
  constructor(
    private readonly dependencies: Pick<AccessDependencies, 'records' | 'legacyConsents' | 'dataUsers' | 'idempotency'>,
  ) {}

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Mutation(() => RecordedConsentType, {
    description: 'Internal: registers a consent as an access record; CNF001 if the account lacks a required setting.',
  })
  async recordConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Origin of the request.' }) request: LegacyRequestInput,
    @Arg('consent', () => LegacyConsentInput, { description: 'The consent.' }) consent: LegacyConsentInput,
    @Arg('identityRecord', () => ConsentedIdentityRecordInput, { description: 'Its Identity Record.' })
    identityRecord: ConsentedIdentityRecordInput,
  ): Promise<RecordedConsentType> {
    const idempotent = this.idempotent(request);
    const { response, replayed } = await replayable(idempotent, async () => {
      const record = await this.recordOf(consent, request);
      return this.dependencies.records.register(actorOf(request), record, identityRecord, idempotent, 'B');
    });
    return recorded(response, replayed);
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Mutation(() => RecordedConsentType, {
    nullable: true,
    description:
      'Internal: updates an ACTIVE consent; null if it should keep an Identity Record to which it is no longer linked, CNF001 if ' +
      'it has ended or the account lacks a required setting.',
  })
  async updateRecordedConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Origin of the request.' }) request: LegacyRequestInput,
    @Arg('ck', () => ConsentKey, { description: 'Its key, which does not change.' }) ck: string,
    @Arg('consent', () => LegacyConsentInput, { description: 'The whole new content.' }) consent: LegacyConsentInput,
    @Arg('identityRecord', () => ConsentedIdentityRecordInput, {
      nullable: true,
      description: 'The Identity Record that replaces the former one.',
    })
    identityRecord: ConsentedIdentityRecordInput | null,
    @Arg('stillLinkedTo', () => ID, {
      nullable: true,
      description: 'Without `identityRecord`: internal id of the Identity Record that it keeps.',
    })
    stillLinkedTo: string | null,
  ): Promise<RecordedConsentType | null> {
    const idempotent = this.idempotent(request);
    const record = await this.recordOf(consent, request);
    const link = identityRecord ? { to: identityRecord } : { stillTo: stillLinkedTo ?? '' };
    const updated = await this.dependencies.legacyConsents.update(
      { actor: actorOf(request), ck },
      record,
      link,
      idempotent,
    );
    if (updated === 'moved') return null;
    if (updated === 'repeated') return recorded(await idempotent.storedResponse(), true);
    return recorded(updated, false);
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(
    () => RecordedConsentType,
    nullable('Internal: the stored response of the same request; CNF004 if another request used its idempotency key.'),
  )
  async keptConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Origin of the request.' }) request: LegacyRequestInput,
  ): Promise<RecordedConsentType | null> {
    const stored = await this.idempotent(request).findStoredResponse<StoredToken>();
    return stored ? recorded(stored, true) : null;
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(() => LegacyConsentStateType, {
    nullable: true,
    description:
      'Internal: present state of a consent; null if there is none, or its record was registered through Interface A.',
  })
  async standingConsent(
    @Arg('ck', () => ConsentKey, { description: 'Its key.' }) ck: string,
  ): Promise<LegacyConsentState | null> {
    return (await this.dependencies.legacyConsents.byKey(ck)) ?? null;
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(() => [ShownConsentType], {
    description: 'Internal: the ACTIVE consents of a meter point, of both interfaces, newest first, at most 500.',
  })
  shownConsents(
    @Arg('meterPointId', () => ID, { description: 'Opaque id of the meter point.' }) meterPointId: string,
    @Arg('duid', () => Duid, { description: 'The calling Data User.' }) duid: string,
    @Arg('withOthers', () => Boolean, { description: 'Whether consents of other Data Users are included.' })
    withOthers: boolean,
  ): Promise<ShownConsent[]> {
    return this.dependencies.legacyConsents.at(meterPointId, duid, withOthers);
  }

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description:
      'Internal: whether an access record is or was linked to an Identity Record. If none is, it is closed for access records.',
  })
  settleIdentityRecord(
    @Arg('id', () => ID, { description: 'Internal identifier of the Identity Record.' }) id: string,
  ): Promise<boolean> {
    return this.dependencies.legacyConsents.reconcile(id);
  }

  private idempotent({ accountId, idempotencyKey, contentHash }: LegacyRequestInput): IdempotentRequest {
    return this.dependencies.idempotency.request(accountId, 'registerConsent', idempotencyKey ?? null, contentHash);
  }

  private async recordOf(consent: LegacyConsent, { duid }: LegacyRequestInput): Promise<AccessRecordInput> {
    const controller = await this.dependencies.dataUsers.byDuid(duid);
    if (controller === null) throw new RegisterError('PRM002');
    const missing = missingOfController(controller);
    if (missing !== undefined) throw new RegisterError('CNF001', missing);
    return accessRecordOf(consent, controller);
  }
}

function actorOf({ accountId, duid }: LegacyRequestInput): Actor {
  return { accountId, duid };
}

function recorded(token: StoredToken, replayed: boolean): RecordedConsentType {
  const { key, expiry } = tokenOf(token);
  return { key: consentKeyOf(key), consentExpiry: expiry, replayed };
}
