import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { Connection } from '../../server/lists/connection';
import { connectionType } from '../../server/lists/connection.types';
import { cursorPage } from '../../server/lists/offset-page';
import { ListArgs } from '../../server/lists/offset-page.types';
import type { StoredTariff } from '../catalogue/stored-tariff';
import type { TariffQueries } from '../catalogue/tariff.queries';
import { TariffType } from '../catalogue/tariff.types';
import { consumerOf, consumerWithMeterPoints } from '../consumers/consumer-tokens.flow';
import { seesMeterPoints, visibleSupplier } from '../register-entries/own-supplier.queries';
import type { RtiUserQueries, StoredRtiUser } from '../register-entries/rti-user.queries';
import { RtiUserType } from '../register-entries/rti-user.types';
import type { Supplier } from '../register-entries/supplier';
import type { SupplierQueries } from '../register-entries/supplier.queries';
import { SupplierType } from '../register-entries/supplier.types';
import { requireUuid } from '../arguments';
import type { ConsentEnd, GrantedConsent, MpxnTariff, StoredConsent } from './consent';
import type { ConsentFilter, ConsentQueries } from './consent.queries';
import type { ConsentRepository } from './consent.repository';

const ConsentEndEnum = graphqlEnum('TariffConsentEnd', 'Who or what ended a consent.', {
  consumer: 'The consumer, through the RTI User.',
  admin: 'An admin.',
  rti_user_removed: 'The RTI User was removed from the register.',
  supplier_removed: 'The supplier was removed from the register.',
  issuer_changed: 'The supplier received another issuer, whose tokens do not name the consumer of the consent.',
} satisfies Record<ConsentEnd, string>);

@ObjectType(
  'TariffConsent',
  simple('The consent of a consumer of a supplier: an RTI User may read the tariffs of the meter points.'),
)
class TariffConsentType implements StoredConsent {
  @Field(() => ID, { description: 'Identifier.' }) registrationId: string;
  @Field(() => String, { description: 'The supplier.' }) mpid: string;
  @Field(() => String, { description: 'The RTI User.' }) userId: string;
  @Field(() => DateTime, { description: 'When the consent was granted.' }) givenAt: Date;
  @Field(() => DateTime, nullable('When the consent ended; null while it is live.')) revokedAt: Date | null;
  @Field(() => ConsentEndEnum, nullable('Who or what ended it.')) revokedBy: ConsentEnd | null;
}

const TariffConsentConnectionType = connectionType(
  'TariffConsent',
  'A page of the consents, the latest first.',
  () => TariffConsentType,
);

@InputType('TariffConsentFilter', { description: 'Selects consents: all conditions must hold.' })
class TariffConsentFilterInput implements ConsentFilter {
  @Field(() => String, nullable('Consents at this supplier.')) mpid?: string | null;
  @Field(() => String, nullable('Consents for this RTI User.')) userId?: string | null;
  @Field(() => Boolean, nullable('true: live consents; false: ended consents.')) live?: boolean | null;
}

@ObjectType('MpxnTariff', simple('The tariff that applies to an MPxN.'))
class MpxnTariffType implements MpxnTariff {
  @Field(() => String, { description: 'The MPxN.' }) mpxn: string;
  @Field(() => String, { description: 'The tariff.' }) tariffId: string;
}

@ObjectType('GivenTariffConsent', simple('The live consent after a grant.'))
class GivenTariffConsentPayload implements GrantedConsent {
  @Field(() => ID, { description: 'Identifier.' }) registrationId: string;
  @Field(() => [MpxnTariffType], {
    description: "The token's meter points to which a tariff of the supplier applies now.",
  })
  tariffs: readonly MpxnTariffType[];
  @Field(() => Boolean, { description: 'False if the consent was live before.' }) isNew: boolean;
}

@ObjectType('RevokedTariffConsent', simple('A consent that was revoked.'))
class RevokedTariffConsentPayload {
  @Field(() => ID, { description: 'Its identifier.' }) registrationId: string;
}

/** Reads and writes behind {@link TariffConsentResolver}. */
interface ConsentDependencies {
  readonly consents: ConsentRepository;
  readonly queries: ConsentQueries;
  readonly suppliers: SupplierQueries;
  readonly rtiUsers: RtiUserQueries;
  readonly tariffQueries: TariffQueries;
}

/** Consents of consumers, and the tariffs that they share with RTI Users (decisions C/D, D.1). A revocation takes effect at once. */
@Resolver(() => TariffConsentType)
export class TariffConsentResolver {
  constructor(private readonly dependencies: ConsentDependencies) {}

  @MayCall('consumer:tariff:read')
  @Query(() => [TariffType], {
    description:
      'The tariffs that apply now to the meter points of the consumer that the token names and the consent covers. RTI002 without a live ' +
      'consent, AUT001 if the token names no meter point.',
  })
  async customerTariffs(@Ctx() context: CallContext): Promise<StoredTariff[]> {
    const tariffIds = await this.dependencies.consents.sharedTariffIds(consumerWithMeterPoints(context));
    const tariffs = await Promise.all(tariffIds.map((tariffId) => this.dependencies.tariffQueries.byId(tariffId)));
    return tariffs.flatMap((tariff) => (tariff === null ? [] : [{ ...tariff, isShared: true }]));
  }

  @MayCall('consumer:consent:write')
  @Mutation(() => GivenTariffConsentPayload, {
    description:
      'Grants the RTI User a consent for the meter points of the token, or adds them to the live consent. The consent covers a meter point ' +
      'until its assignment ends, or that of another supplier after which no tariff applies. Granting it again covers the meter point again, ' +
      'with a token whose `iat` is at least a minute after the end. AUT001 if the token names no meter point.',
  })
  giveTariffConsent(@Ctx() context: CallContext): Promise<GrantedConsent> {
    return this.dependencies.consents.grant(consumerWithMeterPoints(context));
  }

  @MayCall('consumer:consent:write', 'inactive_consumer', 'admin')
  @Mutation(() => RevokedTariffConsentPayload, {
    description:
      "Revokes a consent: from now on the register shares nothing under it. A consumer's revocation needs no active supplier or RTI User, " +
      "and no meter point in the token. NTF005 if it is not the consumer's or not live.",
  })
  async revokeTariffConsent(
    @Arg('registrationId', () => String, { description: 'The consent.' }) registrationId: string,
    @Ctx() context: CallContext,
  ): Promise<RevokedTariffConsentPayload> {
    const { consents } = this.dependencies;
    const { role, accountId } = callerOf(context);
    const consumer = role === 'admin' ? null : consumerOf(context);
    requireUuid('registrationId', registrationId);
    await (consumer === null
      ? consents.revokeAny(registrationId, accountId)
      : consents.revokeOwn(registrationId, consumer));
    return { registrationId };
  }

  @MayCall('admin', 'analyst', 'supplier')
  @Query(() => TariffConsentConnectionType, {
    description: 'Consents, the latest first; a supplier sees its own.',
  })
  async tariffConsents(
    @Args() page: ListArgs,
    @Arg('filter', () => TariffConsentFilterInput, nullable('Selects entries of the list.'))
    filter: TariffConsentFilterInput | null,
    @Ctx() context: CallContext,
  ): Promise<Connection<StoredConsent>> {
    const mpid = await visibleSupplier(context, this.dependencies.suppliers, filter?.mpid);
    return this.dependencies.queries.page({ ...filter, mpid }, cursorPage(page));
  }

  @FieldResolver(() => SupplierType, { description: 'The supplier.' })
  supplier(@Root() { mpid }: StoredConsent): Promise<Supplier | null> {
    return this.dependencies.suppliers.byKey(mpid);
  }

  @FieldResolver(() => RtiUserType, { description: 'The RTI User.' })
  rtiUser(@Root() { userId }: StoredConsent): Promise<StoredRtiUser | null> {
    return this.dependencies.rtiUsers.byKey(userId);
  }

  @FieldResolver(() => [String], {
    nullable: 'itemsAndList',
    description:
      'MPxNs of the consent, in the order in which they were added, null for each that was erased after its occupancy ended. A list with fewer than `first` is the last. The list is null unless the caller is the supplier.',
  })
  mpxns(
    @Root() { registrationId, mpid }: StoredConsent,
    @Arg('first', () => Int, { nullable: true, defaultValue: 100, description: 'MPxNs of the list, 1 to 500.' })
    first: number,
    @Arg('offset', () => Int, { nullable: true, defaultValue: 0, description: 'MPxNs before the list.' })
    offset: number,
    @Ctx() context: CallContext,
  ): Promise<(string | null)[]> | null {
    return seesMeterPoints(context, mpid) ? this.dependencies.queries.mpxnsOf(registrationId, { first, offset }) : null;
  }
}
