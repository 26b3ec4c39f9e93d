import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, Mpxn, TokenRef, Uri } from '../../../schema/scalars';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { REPLAYED } from '../../server/graph/idempotency-key.types';
import { ReidentificationMethod } from '../records/meter-point.resolver';
import type * as domain from './reidentification';
import type { ReidentificationRequest } from './reidentification-rules';

export const ReidentificationState = graphqlEnum('ReidentificationState', 'State of a re-identification.', {
  pending: 'The customer can still confirm it.',
  confirmed: 'The customer confirmed it; the token can be used until one hour after its issuance.',
  expired:
    'It was not confirmed in time, one hour has passed since its issuance, its token was redeemed, its occupancy ended, its Identity Record was closed, all contacts of its customer were rejected, the one that confirmed it was rejected or removed, or, by meter point, contacts of the current occupancy are contested.',
} satisfies Record<domain.ReidentificationState, string>);

@InputType('OwnReidentificationInput', {
  description: 'Request to re-identify the customer of an own Identity Record.',
})
export class OwnReidentificationInput implements ReidentificationRequest {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: domain.ReidentificationMethod;

  @Field(
    () => Uri,
    optional(
      'For a magic link, else ignored: registered return URL after the confirmation; null for the page of the register.',
    ),
  )
  redirectUrl: string | null;

  @Field(
    () => Uri,
    optional(
      'For passkeys, else ignored: registered return URL after the ceremony; null for the page of the register.',
    ),
  )
  passkeyReturnUrl: string | null;

  @Field(() => String, optional('Value of the query parameter `state` of the return URL, at most 255 characters.'))
  state: string | null;
}

@InputType('CrossReidentificationInput', {
  description: 'Request to re-identify the customer of a meter point, whose record any Data User may have registered.',
})
export class CrossReidentificationInput extends OwnReidentificationInput {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
}

@ObjectType('MagicLink', simple('A link that was mailed to the stored address.'))
class MagicLink {
  @Field(() => String, { description: 'The address, masked: `j***@e***.uk`.' }) dispatchedTo: string;
  @Field(() => DateTime, { description: 'Expiry of the link.' }) expiresAt: string;
  @Field(() => TokenRef, { description: 'Reference of the re-identification; it alone confirms nothing.' })
  tokenRef: string;
  @Field(() => Uri, nullable('Return URL after the confirmation.')) redirectUrl: string | null;
}

@ObjectType('PasskeyRedirect', simple('Redirect of the customer to a passkey ceremony.'))
class PasskeyRedirect {
  @Field(() => Uri, { description: "URL on the register's own origin, for this customer only." })
  redirectUrl: string;
  @Field(() => TokenRef, { description: 'Reference of the re-identification; it alone confirms nothing.' })
  tokenRef: string;
  @Field(() => DateTime, { description: 'Expiry of the redirect.' }) expiresAt: string;
  @Field(() => Uri, nullable('Return URL, to which `dar-passkey-token` is added; null for the page of the register.'))
  returnUrl: string | null;
}

@ObjectType('Reidentification', simple('A started re-identification.'))
export class Reidentification {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: domain.ReidentificationMethod;
  @Field(() => MagicLink, nullable('For a magic link.')) magicLink: MagicLink | null;
  @Field(() => PasskeyRedirect, nullable('For both passkey methods.')) passkey: PasskeyRedirect | null;
  @Field(() => Boolean, { description: REPLAYED }) replayed: boolean;
}

@ObjectType('ReidentificationStatus', simple('State of a re-identification, for its initiator.'))
export class ReidentificationStatus {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: domain.ReidentificationMethod;
  @Field(() => ReidentificationState, { description: 'State of the re-identification.' })
  status: domain.ReidentificationState;
  @Field(() => DateTime, nullable('When the customer confirmed it; null before.')) confirmedAt: Date | null;
}
