import { Arg, Directive, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import type { ClosingRepository } from './closing.repository';

/** Internal: services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordClosure', simple('Whether an Identity Record is closed for access records.'))
class IdentityRecordClosureType {
  @Field(() => Boolean, { description: 'Whether it is closed: not while an ACTIVE access record is linked to it.' })
  closed: boolean;
  @Field(() => Boolean, {
    description: 'Whether one of these belongs to its own Data User, which refuses the closing.',
  })
  refused: boolean;
}

/** Mutation that `identity` calls before it anonymises an Identity Record. */
@Resolver()
export class ClosingResolver {
  constructor(private readonly closing: ClosingRepository) {}

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Mutation(() => IdentityRecordClosureType, {
    description:
      'Internal: closes an Identity Record. No access record can be linked to it, and linked ones lose their meter point.',
  })
  async closeIdentityRecord(
    @Arg('id', () => ID, { description: 'Internal identifier of the Identity Record.' }) id: string,
    @Arg('duid', () => Duid, { description: 'The Data User that registered it.' }) duid: string,
  ): Promise<IdentityRecordClosureType> {
    const closing = await this.closing.close(id, duid);
    return { closed: closing === 'closed', refused: closing === 'refused' };
  }
}
