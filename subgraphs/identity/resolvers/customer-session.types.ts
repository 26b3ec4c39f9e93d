import { Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { CalendarDate, DateTime, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/customer-session';
import { UkAddress } from './identity-record.types';

/** GraphQL names of {@link domain.SignInMeans}. */
export const SignInMeans = {
  MAGIC_LINK: 'magic-link',
  PASSKEY: 'passkey',
  SUPPLIER: 'supplier',
} as const satisfies Record<string, domain.SignInMeans>;
registerEnumType(SignInMeans, {
  name: 'SignInMeans',
  description: 'By what a customer proved to be one.',
  valuesConfig: {
    MAGIC_LINK: { description: 'A link mailed to the stored address.' },
    PASSKEY: { description: 'A passkey.' },
    SUPPLIER: { description: 'A sign-in at the energy supplier.' },
  },
});

/** CustomerSession of the graph. */
@ObjectType('CustomerSession', { description: "The customer's session.", simpleResolvers: true })
export class CustomerSession {
  @Field(() => Mpxn, { description: 'The one meter point of the session.' }) mpxn: string;
  @Field(() => UkAddress, { nullable: true, description: 'Address of the property, if it is known.' })
  address: UkAddress | null;
  @Field(() => CalendarDate, { nullable: true, description: 'Day on which the customer moved in, if it is known.' })
  moveInDate: string | null;
  @Field(() => Boolean, { description: 'Whether the customer lives there now, as far as the register knows.' })
  isCurrent: boolean;
  @Field(() => Boolean, {
    description:
      'Whether contacts of the home stand against each other: then only what was registered for the own ones is shown.',
  })
  isContested: boolean;
  @Field(() => Boolean, { description: 'Whether the customer may confirm and reject contacts.' }) mayJudge: boolean;
  @Field(() => SignInMeans, { description: 'How the customer signed in.' }) signedInBy: domain.SignInMeans;
  @Field(() => DateTime, { description: 'When.' }) signedInAt: Date;
  @Field(() => DateTime, { description: 'When the session ends at the latest.' }) expiresAt: Date;
  @Field(() => Uri, { nullable: true, description: 'Where the customer may be sent back.' }) returnUrl: string | null;
}

/** CustomerScope of the graph: for services of the register only. */
@Directive('@inaccessible')
@ObjectType('CustomerScope', { description: 'Internal: what a session lets a customer see.', simpleResolvers: true })
export class CustomerScope implements domain.CustomerScope {
  @Field(() => ID, { description: 'The session.' }) sessionId: string;
  @Field(() => ID, { nullable: true, description: 'The Identity Record by which the customer signed in.' })
  identityRecordId: string | null;
  @Field(() => ID, { description: 'The one meter point.' }) meterPointId: string;
  @Field(() => Boolean, {
    description:
      'Whether it is the present occupancy. Of an ended one only what is linked to own Identity Records is shown.',
  })
  isCurrent: boolean;
  @Field(() => Boolean, {
    description:
      'Whether contacts of the occupancy stand against each other: then only what is linked to own Identity Records is shown.',
  })
  isContested: boolean;
  @Field(() => [ID], { description: "The Identity Records of the customer's own contacts." })
  ownRecordIds: readonly string[];
  @Field(() => CalendarDate, { description: 'First day of the history that is shown.' }) since: string;
  @Field(() => DateTime, {
    nullable: true,
    description: 'When the occupancy began; null in the one before the first Change of Tenancy.',
  })
  beganAt: Date | null;
  @Field(() => DateTime, { nullable: true, description: 'When the next occupancy began; null while this one lasts.' })
  endedAt: Date | null;
}
