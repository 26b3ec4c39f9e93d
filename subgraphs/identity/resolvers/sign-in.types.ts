import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, IdentityRecordKey, JsonObject, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/sign-in-entry';

const absent = { nullable: true, defaultValue: null };

/** SignInEntry of the graph. */
@InputType('SignInEntry', {
  description:
    'How a customer came to the portal, or what they typed there. What was typed (email, else mpxn) goes before the key of the link by which they came (ir).',
})
export class SignInEntry implements domain.SignInEntry {
  @Field(() => Mpxn, { ...absent, description: 'The meter point.' }) mpxn: string | null;
  @Field(() => IdentityRecordKey, {
    ...absent,
    description: 'Key of an Identity Record, from the link of its Data User.',
  })
  ir: string | null;
  @Field(() => String, { ...absent, description: 'An e-mail address.' }) email: string | null;
  @Field(() => Uri, {
    ...absent,
    description: 'Where to be sent back; dropped unless it is registered for the organisation that sent the customer.',
  })
  returnUrl: string | null;
}

/** CustomerSignIn of the graph. */
@ObjectType('CustomerSignIn', { description: "A customer's new session.", simpleResolvers: true })
export class CustomerSignIn {
  @Field(() => String, { description: 'Bearer token of the session: a secret of this browser.' }) token: string;
  @Field(() => DateTime, { description: 'When it ends at the latest.' }) expiresAt: Date;
}

/** SignInLink of the graph. */
@ObjectType('SignInLink', { description: 'A mailed link that can still be used.', simpleResolvers: true })
export class SignInLink {
  @Field(() => DateTime, { description: 'Until when.' }) expiresAt: Date;
}

/** PasskeySignIn of the graph. */
@ObjectType('PasskeySignIn', { description: 'A passkey sign-in that was started.', simpleResolvers: true })
export class PasskeySignIn {
  @Field(() => String, { description: 'Secret of this browser, to finish with; five minutes, one attempt.' })
  secret: string;
  @Field(() => JsonObject, { description: 'Options for `navigator.credentials.get`, in their JSON form.' })
  options: object;
}

/** SupplierSignInRedirect of the graph. */
@ObjectType('SupplierSignInRedirect', { description: 'A supplier sign-in that was started.', simpleResolvers: true })
export class SupplierSignInRedirect {
  @Field(() => String, { description: 'Secret of this browser, to finish with; ten minutes, one attempt.' })
  secret: string;
  @Field(() => Uri, { description: 'Where the customer signs in.' }) url: string;
}
