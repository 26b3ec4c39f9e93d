import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, Mpxn, TokenRef, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/reidentification';
import type * as methods from '../domain/reidentification-methods';
import type { ReidentificationRequest } from '../domain/reidentification-rules';
import { ReidentificationMethod } from './meter-point.types';
import { ReidentificationState } from './reidentification.enums';

/** A re-identification of an own record as asked for. */
@InputType('OwnReidentificationInput', { description: 'How the customer of an own Identity Record is re-identified.' })
export class OwnReidentificationInput implements ReidentificationRequest {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: methods.ReidentificationMethod;

  @Field(() => Uri, {
    nullable: true,
    defaultValue: null,
    description:
      'For a magic link, else ignored: where the customer is sent after confirming, a registered return URL; null for the page of the register.',
  })
  redirectUrl: string | null;

  @Field(() => Uri, {
    nullable: true,
    defaultValue: null,
    description:
      'For passkeys, else ignored: where the customer returns to, a registered return URL; null for the page of the register.',
  })
  passkeyReturnUrl: string | null;

  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'What the return URL carries back as `state=`, at most 255 characters.',
  })
  state: string | null;
}

/** A re-identification by MPxN as asked for. */
@InputType('CrossReidentificationInput', {
  description: 'How the customer of a meter point is re-identified, whichever Data User enrolled them.',
})
export class CrossReidentificationInput extends OwnReidentificationInput {
  @Field(() => Mpxn, { description: 'The meter point.' }) mpxn: string;
}

/** MagicLink of the graph. */
@ObjectType('MagicLink', { description: 'A link that was mailed to the stored address.', simpleResolvers: true })
export class MagicLink {
  @Field(() => String, { description: 'The address, masked: `j***@e***.uk`.' }) dispatchedTo: string;
  @Field(() => DateTime, { description: 'Until when the link can be used.' }) expiresAt: string;
  @Field(() => TokenRef, { description: 'Reference of the re-identification; by itself it confirms nothing.' })
  tokenRef: string;
  @Field(() => Uri, { nullable: true, description: 'Where the customer is sent after confirming.' })
  redirectUrl: string | null;
}

/** PasskeyRedirect of the graph. */
@ObjectType('PasskeyRedirect', {
  description: 'Where the customer is to go for a passkey ceremony.',
  simpleResolvers: true,
})
export class PasskeyRedirect {
  @Field(() => Uri, { description: "Address on the register's own origin, for this customer only." })
  redirectUrl: string;
  @Field(() => TokenRef, { description: 'Reference of the re-identification; by itself it confirms nothing.' })
  tokenRef: string;
  @Field(() => DateTime, { description: 'Until when the redirect can be used.' }) expiresAt: string;
  @Field(() => Uri, {
    nullable: true,
    description: 'Where the customer returns to, with `dar-passkey-token` added; null for the page of the register.',
  })
  returnUrl: string | null;
}

/** Reidentification of the graph. */
@ObjectType('Reidentification', { description: 'A re-identification that was started.', simpleResolvers: true })
export class Reidentification {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: methods.ReidentificationMethod;
  @Field(() => MagicLink, { nullable: true, description: 'For a magic link.' }) magicLink: MagicLink | null;
  @Field(() => PasskeyRedirect, { nullable: true, description: 'For both passkey methods.' })
  passkey: PasskeyRedirect | null;
  @Field(() => Boolean, {
    description: 'Whether this is the answer to an earlier request with the same idempotency key.',
  })
  replayed: boolean;
}

/** ReidentificationStatus of the graph. */
@ObjectType('ReidentificationStatus', {
  description: 'How far a re-identification has come, for its initiator.',
  simpleResolvers: true,
})
export class ReidentificationStatus {
  @Field(() => ReidentificationMethod, { description: 'The method.' }) method: methods.ReidentificationMethod;
  @Field(() => ReidentificationState, { description: 'How far it has come.' }) status: domain.ReidentificationState;
  @Field(() => DateTime, { nullable: true, description: 'When the customer confirmed it; null while they have not.' })
  confirmedAt: Date | null;
}
