import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { CredentialId, IdentityRecordKey } from '../../../schema/scalars';
import { type CallContext, MayCall, duidOf } from '../../server/caller';
import type { IdentityRecordRepository } from '../database/identity-record.repository';
import type { PasskeyRepository } from '../database/passkey.repository';
import { isOwnedBy } from '../domain/ownership';

/** What removing a passkey answers. */
@ObjectType('CredentialRemoval', { description: 'A passkey that was removed.', simpleResolvers: true })
export class CredentialRemoval {
  @Field(() => CredentialId, { description: 'Identifier of the credential.' }) credentialId: string;
}

/** Passkeys of own Identity Records. */
@Resolver()
export class CredentialResolver {
  constructor(
    private readonly records: IdentityRecordRepository,
    private readonly passkeys: PasskeyRepository,
  ) {}

  @MayCall('data_user')
  @Mutation(() => CredentialRemoval, {
    description: 'Removes a passkey from an own Identity Record. From now on it can no longer be used for assertion.',
  })
  async removeCredential(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('credentialId', () => CredentialId, { description: 'Identifier of the credential.' }) credentialId: string,
    @Ctx() context: CallContext,
  ): Promise<CredentialRemoval> {
    const record = await this.records.link(ref);
    if (!record) throw new RegisterError('NTF001');
    if (!isOwnedBy(record, duidOf(context))) throw new RegisterError('PRM002');
    if (!(await this.passkeys.remove(record.id, credentialId))) throw new RegisterError('NTF001');
    return { credentialId };
  }
}
