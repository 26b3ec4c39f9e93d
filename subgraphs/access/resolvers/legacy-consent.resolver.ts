import { Arg, Directive, ID, Mutation, Query, Resolver } from 'type-graphql';
import { consentKeyOf } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { ConsentKey, Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { IdempotentRequest } from '../../server/idempotency';
import type { AccessToken, Actor } from '../database/access-record.repository';
import type { ShownConsent, StandingConsent } from '../database/legacy-consent.repository';
import type { AccessRecordInput } from '../domain/access-record';
import { type LegacyConsent, accessRecordOf, missingOfController } from '../domain/legacy-consent';
import type { AccessParts } from '../schema';
import {
  ConsentedIdentityRecordInput,
  LegacyConsentInput,
  LegacyRequestInput,
  RecordedConsentType,
  ShownConsentType,
  StandingConsentType,
} from './legacy-consent.types';

/** What `identity`, which takes consents of Interface B, asks of the records that they are (2-decisions-a-b.md, section 8). */
@Resolver()
export class LegacyConsentResolver {
  constructor(private readonly parts: Pick<AccessParts, 'records' | 'legacyConsents' | 'dataUsers' | 'idempotency'>) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => RecordedConsentType, {
    description: 'Internal: registers a consent as an access record; CNF001 when the account lacks what that needs.',
  })
  async recordConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Whose request.' }) request: LegacyRequestInput,
    @Arg('consent', () => LegacyConsentInput, { description: 'The consent.' }) consent: LegacyConsentInput,
    @Arg('identityRecord', () => ConsentedIdentityRecordInput, { description: 'Its Identity Record.' })
    identityRecord: ConsentedIdentityRecordInput,
  ): Promise<RecordedConsentType> {
    const { records } = this.parts;
    const idempotent = this.idempotent(request);
    const kept = await records.recallKept(idempotent);
    if (kept) return recorded(kept, true);
    const record = await this.recordOf(consent, request);
    const token = await records.register(actorOf(request), record, identityRecord, idempotent, 'B');
    return token ? recorded(token, false) : recorded(await records.recall(idempotent), true);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => RecordedConsentType, {
    nullable: true,
    description:
      'Internal: updates an ACTIVE consent; null when it was to keep an Identity Record that it is no longer linked to, CNF001 when ' +
      'it has ended or the account lacks what it needs.',
  })
  async updateRecordedConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Whose request.' }) request: LegacyRequestInput,
    @Arg('ck', () => ConsentKey, { description: 'Its key, which is kept.' }) ck: string,
    @Arg('consent', () => LegacyConsentInput, { description: 'The whole new content.' }) consent: LegacyConsentInput,
    @Arg('identityRecord', () => ConsentedIdentityRecordInput, {
      nullable: true,
      description: 'The Identity Record that takes the place of the former one.',
    })
    identityRecord: ConsentedIdentityRecordInput | null,
    @Arg('stillLinkedTo', () => ID, {
      nullable: true,
      description: 'Without another Identity Record: the internal identifier of the one that is kept.',
    })
    stillLinkedTo: string | null,
  ): Promise<RecordedConsentType | null> {
    const idempotent = this.idempotent(request);
    const record = await this.recordOf(consent, request);
    const link = identityRecord ? { to: identityRecord } : { stillTo: stillLinkedTo ?? '' };
    const updated = await this.parts.legacyConsents.update({ actor: actorOf(request), ck }, record, link, idempotent);
    if (updated === 'moved') return null;
    if (updated === 'repeated') return recorded(await this.parts.records.recall(idempotent), true);
    return recorded(updated, false);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => RecordedConsentType, {
    nullable: true,
    description:
      'Internal: what the same request was answered before; CNF004 when another one had its idempotency key.',
  })
  async keptConsent(
    @Arg('request', () => LegacyRequestInput, { description: 'Whose request.' }) request: LegacyRequestInput,
  ): Promise<RecordedConsentType | null> {
    const kept = await this.parts.records.recallKept(this.idempotent(request));
    return kept ? recorded(kept, true) : null;
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => StandingConsentType, {
    nullable: true,
    description:
      'Internal: how a consent stands; null without one, also when its record did not come through Interface B.',
  })
  async standingConsent(
    @Arg('ck', () => ConsentKey, { description: 'Its key.' }) ck: string,
  ): Promise<StandingConsent | null> {
    return (await this.parts.legacyConsents.byKey(ck)) ?? null;
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [ShownConsentType], {
    description:
      'Internal: the ACTIVE consents of a meter point, whichever interface registered them, newest first, at most 500.',
  })
  shownConsents(
    @Arg('meterPointId', () => ID, { description: 'Opaque id of the meter point.' }) meterPointId: string,
    @Arg('duid', () => Duid, { description: 'The Data User that asks.' }) duid: string,
    @Arg('withOthers', () => Boolean, { description: "Whether other Data Users' are shown, too." }) withOthers: boolean,
  ): Promise<ShownConsent[]> {
    return this.parts.legacyConsents.at(meterPointId, duid, withOthers);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description:
      'Internal: whether an access record is linked to an Identity Record, or was. Where none is, none is linked to it any more.',
  })
  settleIdentityRecord(
    @Arg('id', () => ID, { description: 'Internal identifier of the Identity Record.' }) id: string,
  ): Promise<boolean> {
    return this.parts.legacyConsents.settle(id);
  }

  private idempotent({ accountId, idempotencyKey, contentHash }: LegacyRequestInput): IdempotentRequest {
    return this.parts.idempotency.request(accountId, 'registerConsent', idempotencyKey ?? null, contentHash);
  }

  private async recordOf(consent: LegacyConsent, { duid }: LegacyRequestInput): Promise<AccessRecordInput> {
    const controller = await this.parts.dataUsers.byDuid(duid);
    if (controller === null) throw new RegisterError('PRM002');
    const missing = missingOfController(controller);
    if (missing !== undefined) throw new RegisterError('CNF001', missing);
    return accessRecordOf(consent, controller);
  }
}

function actorOf({ accountId, duid }: LegacyRequestInput): Actor {
  return { accountId, duid };
}

function recorded({ key, expiry }: AccessToken, replayed: boolean): RecordedConsentType {
  return { key: consentKeyOf(key), consentExpiry: expiry, replayed };
}
