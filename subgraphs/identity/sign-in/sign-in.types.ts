import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, IdentityRecordKey, JsonObject, Mpxn, Uri } from '../../../schema/scalars';
import type * as domain from './sign-in-hint';

const absent = { nullable: true, defaultValue: null };

@InputType('SignInEntry', {
  description:
    'Sign-in hints: typed by the customer (email, else mpxn), or from the link by which the customer came (ir). Typed hints take precedence.',
})
export class SignInHint implements domain.SignInHint {
  @Field(() => Mpxn, { ...absent, description: 'The meter point.' }) mpxn: string | null;
  @Field(() => IdentityRecordKey, {
    ...absent,
    description: 'Key of an Identity Record, from the link of its Data User.',
  })
  ir: string | null;
  @Field(() => String, { ...absent, description: 'An e-mail address.' }) email: string | null;
  @Field(() => Uri, {
    ...absent,
    description: 'Return URL. It is ignored unless it is registered for the organisation that sent the customer.',
  })
  returnUrl: string | null;
}

@ObjectType('CustomerSignIn', { description: 'A new session of a customer.', simpleResolvers: true })
export class CustomerSignIn {
  @Field(() => String, { description: 'Bearer token of the session: a secret of this browser.' }) token: string;
  @Field(() => DateTime, { description: 'Expiry of the session.' }) expiresAt: Date;
}

@ObjectType('SignInLink', { description: 'A mailed link that is neither used nor expired.', simpleResolvers: true })
export class SignInLink {
  @Field(() => DateTime, { description: 'Expiry of the link.' }) expiresAt: Date;
}

@ObjectType('PasskeySignIn', { description: 'A started sign-in by passkey.', simpleResolvers: true })
export class PasskeySignIn {
  @Field(() => String, {
    description: 'Secret with which this browser completes the sign-in: within five minutes, in one attempt.',
  })
  secret: string;
  @Field(() => JsonObject, { description: 'Options for `navigator.credentials.get`, in their JSON form.' })
  options: object;
}

@ObjectType('SupplierSignInRedirect', { description: 'A started sign-in at a supplier.', simpleResolvers: true })
export class SupplierSignInRedirect {
  @Field(() => String, {
    description: 'Secret with which this browser completes the sign-in: within ten minutes, in one attempt.',
  })
  secret: string;
  @Field(() => Uri, { description: 'URL at which the customer signs in.' }) url: string;
}
