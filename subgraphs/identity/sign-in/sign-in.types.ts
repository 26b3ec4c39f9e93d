import { Field, InputType, ObjectType } from 'type-graphql';
import { DateTime, IdentityRecordKey, JsonObject, Mpxn, Uri } from '../../../schema/scalars';
import { optional, simple } from '../../server/graph/decorator-options';
import type * as domain from './sign-in-hint';

@InputType('SignInEntry', {
  description:
    'Sign-in hints: typed by the customer (email, else mpxn), or from the link by which the customer came (ir). Typed hints take precedence.',
})
export class SignInHint implements domain.SignInHint {
  @Field(() => Mpxn, optional('The meter point.')) mpxn: string | null;
  @Field(() => IdentityRecordKey, optional('Key of an Identity Record, from the link of its Data User.'))
  ir: string | null;
  @Field(() => String, optional('An e-mail address.')) email: string | null;
  @Field(
    () => Uri,
    optional('Return URL. It is ignored unless it is registered for the organisation that sent the customer.'),
  )
  returnUrl: string | null;
}

@ObjectType('CustomerSignIn', simple('A new session of a customer.'))
export class CustomerSignIn {
  @Field(() => String, { description: 'Bearer token of the session: a secret of this browser.' }) token: string;
  @Field(() => DateTime, { description: 'Expiry of the session.' }) expiresAt: Date;
}

@ObjectType('SignInLink', simple('A mailed link that is neither used nor expired.'))
export class SignInLink {
  @Field(() => DateTime, { description: 'Expiry of the link.' }) expiresAt: Date;
}

@ObjectType('PasskeySignIn', simple('A started sign-in by passkey.'))
export class PasskeySignIn {
  @Field(() => String, {
    description: 'Secret with which this browser completes the sign-in: within five minutes, in one attempt.',
  })
  secret: string;
  @Field(() => JsonObject, { description: 'Options for `navigator.credentials.get`, in their JSON form.' })
  options: object;
}

@ObjectType('SupplierSignInRedirect', simple('A started sign-in at a supplier.'))
export class SupplierSignInRedirect {
  @Field(() => String, {
    description: 'Secret with which this browser completes the sign-in: within ten minutes, in one attempt.',
  })
  secret: string;
  @Field(() => Uri, { description: 'URL at which the customer signs in.' }) url: string;
}
