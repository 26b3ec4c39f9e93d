import { Field, ObjectType } from 'type-graphql';
import { IdentityRecordKey, Uri } from '../../../schema/scalars';

/** What registering an Identity Record answers. */
@ObjectType('IdentityRecordRegistration', { description: 'A registered Identity Record.', simpleResolvers: true })
export class IdentityRecordRegistration {
  @Field(() => IdentityRecordKey, { description: 'Key of the new Identity Record.' })
  ir: string;

  @Field(() => Uri, {
    nullable: true,
    description: 'Where to send the customer to register a passkey; null when none was initiated.',
  })
  passkeyRegistrationRedirect: string | null;

  @Field(() => Boolean, {
    description: 'Whether this is the answer to an earlier request with the same idempotency key.',
  })
  replayed: boolean;
}
