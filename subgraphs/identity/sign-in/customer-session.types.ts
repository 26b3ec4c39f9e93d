import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { CalendarDate, DateTime, Duid, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './customer-session';
import { UkAddress } from '../../server/graph/uk-address.types';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';

const SignInMethod = graphqlEnum('SignInMeans', 'Method of sign-in.', {
  'magic-link': 'A link mailed to the stored address.',
  passkey: 'A passkey.',
  supplier: 'A sign-in at the energy supplier.',
} satisfies Record<domain.SignInMethod, string>);

@ObjectType('CustomerSession', simple('The session of a customer.'))
export class CustomerSession {
  @Field(() => Mpxn, { description: 'The one meter point of the session.' }) mpxn: string;
  @Field(() => UkAddress, nullable('Address of the property, if known.')) address: UkAddress | null;
  @Field(() => CalendarDate, nullable('Day on which the customer moved in, if known.')) moveInDate: string | null;
  @Field(() => Boolean, { description: 'Whether the customer is the current occupant, according to the register.' })
  isCurrent: boolean;
  @Field(() => Boolean, {
    description: 'Whether contacts of the home are contested: then only access registered for own contacts is visible.',
  })
  isContested: boolean;
  @Field(() => Boolean, { description: 'Whether the customer may confirm and reject contacts.' }) mayJudge: boolean;
  @Field(() => SignInMethod, { description: 'How the customer signed in.' }) signedInBy: domain.SignInMethod;
  @Field(() => DateTime, { description: 'Time of the sign-in.' }) signedInAt: Date;
  @Field(() => DateTime, { description: 'Expiry of the session.' }) expiresAt: Date;
  @Field(() => Uri, nullable('Return URL.')) returnUrl: string | null;
  @Field(() => Duid, nullable('The Data User for which the return URL is registered.')) returnDuid: string | null;
}

@Directive('@inaccessible')
@ObjectType('CustomerScope', simple('Internal: scope of a session.'))
export class CustomerScope implements domain.CustomerScope {
  @Field(() => ID, { description: 'The session.' }) sessionId: string;
  @Field(() => ID, nullable('The Identity Record by which the customer signed in.')) identityRecordId: string | null;
  @Field(() => ID, { description: 'The one meter point.' }) meterPointId: string;
  @Field(() => Boolean, {
    description:
      'Whether the occupancy is the present one. Of an ended one only records linked to own Identity Records are visible.',
  })
  isCurrent: boolean;
  @Field(() => Boolean, {
    description:
      'Whether contacts of the occupancy are contested: then only records linked to own Identity Records are visible.',
  })
  isContested: boolean;
  @Field(() => [ID], { description: "The Identity Records of the customer's own contacts." })
  ownRecordIds: readonly string[];
  @Field(() => CalendarDate, { description: 'First day of the visible history.' }) since: string;
  @Field(() => DateTime, nullable('Start of the occupancy; null before the first Change of Tenancy.'))
  beganAt: Date | null;
  @Field(() => DateTime, nullable('Start of the next occupancy; null while this one lasts.')) endedAt: Date | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'Seconds to wait if the session has exceeded its requests per minute, which the query of the gateway counts.',
  })
  retryAfter: number | null;
}
