import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { CredentialId, IdentityRecordKey } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { IdentityRecordRepository } from '../records/identity-record.repository';
import type { PasskeyRepository } from './passkey.repository';
import type { OwnRecords } from '../records/own-records.repository';

@ObjectType('CredentialRemoval', simple('A passkey that was removed.'))
class CredentialRemoval {
  @Field(() => CredentialId, { description: 'Identifier of the credential.' }) credentialId: string;
}

/** Passkeys of own Identity Records. */
@Resolver()
export class CredentialResolver {
  constructor(
    private readonly records: IdentityRecordRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly ownRecords: OwnRecords,
  ) {}

  @MayCall('data_user')
  @Mutation(() => CredentialRemoval, {
    description: 'Removes a passkey from an own Identity Record. It cannot be asserted afterwards.',
  })
  async removeCredential(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Arg('credentialId', () => CredentialId, { description: 'Identifier of the credential.' }) credentialId: string,
    @Ctx() context: CallContext,
  ): Promise<CredentialRemoval> {
    const record = await this.records.link(ref);
    if (!record) throw new RegisterError('NTF001');
    await this.ownRecords.require(record, ref, context, 'reject-identity-change');
    if (!(await this.passkeys.remove(record.id, credentialId, callerOf(context).accountId)))
      throw new RegisterError('NTF001');
    return { credentialId };
  }
}
