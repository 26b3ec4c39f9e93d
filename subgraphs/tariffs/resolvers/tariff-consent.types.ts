import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { ConsentFilter, StoredConsent } from '../database/consent-lists';
import type { GivenConsent, MpxnTariff } from '../database/consent.repository';
import type { ConsentEnd } from '../domain/consent-end';
import { ConsentEndEnum } from './tariff-event.enums';

/** TariffConsent of the graph. */
@ObjectType('TariffConsent', {
  description:
    'What a consumer of a supplier has consented to: an RTI User is told of the tariffs of the meter points.',
  simpleResolvers: true,
})
export class TariffConsentType implements StoredConsent {
  @Field(() => ID, { description: 'Identifier.' }) registrationId: string;
  @Field(() => String, { description: 'The supplier.' }) mpid: string;
  @Field(() => String, { description: 'The RTI User.' }) userId: string;
  @Field(() => DateTime, { description: 'When it was given.' }) givenAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'When it ended; null while it is live.' })
  revokedAt: Date | null;
  @Field(() => ConsentEndEnum, { nullable: true, description: 'Who or what ended it.' }) revokedBy: ConsentEnd | null;
}

/** TariffConsentConnection of the graph. */
export const TariffConsentConnectionType = connectionType(
  'TariffConsent',
  'A page of the consents, the last one given first.',
  () => TariffConsentType,
);

@InputType('TariffConsentFilter', { description: 'Which consents: all conditions hold.' })
export class TariffConsentFilterInput implements ConsentFilter {
  @Field(() => String, { nullable: true, description: 'Those at this supplier.' }) mpid?: string | null;
  @Field(() => String, { nullable: true, description: 'Those for this RTI User.' }) userId?: string | null;
  @Field(() => Boolean, { nullable: true, description: 'Those that are live, or those that have ended.' })
  live?: boolean | null;
}

@ObjectType('MpxnTariff', { description: 'The tariff that applies to an MPxN.', simpleResolvers: true })
export class MpxnTariffType implements MpxnTariff {
  @Field(() => String, { description: 'The MPxN.' }) mpxn: string;
  @Field(() => String, { description: 'The tariff.' }) tariffId: string;
}

@ObjectType('GivenTariffConsent', { description: 'A consent that was given, now or before.', simpleResolvers: true })
export class GivenTariffConsentPayload implements GivenConsent {
  @Field(() => ID, { description: 'Identifier.' }) registrationId: string;
  @Field(() => [MpxnTariffType], {
    description: "Of the token's meter points those at the supplier to which a tariff applies now.",
  })
  tariffs: readonly MpxnTariffType[];
  @Field(() => Boolean, { description: 'False when it was live already.' }) isNew: boolean;
}

@ObjectType('RevokedTariffConsent', { description: 'A consent that was revoked.', simpleResolvers: true })
export class RevokedTariffConsentPayload {
  @Field(() => ID, { description: 'Its identifier.' }) registrationId: string;
}
