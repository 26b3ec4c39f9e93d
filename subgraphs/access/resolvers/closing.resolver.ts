import { Arg, Directive, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Duid } from '../../../schema/scalars';
import { MayCall } from '../../server/caller';
import type { ClosingRepository } from '../database/closing.repository';

/** IdentityRecordClosure of the graph: seen by services of the register only. */
@Directive('@inaccessible')
@ObjectType('IdentityRecordClosure', {
  description: 'Whether an Identity Record is closed for access records.',
  simpleResolvers: true,
})
export class IdentityRecordClosureType {
  @Field(() => Boolean, { description: 'False while an ACTIVE access record is linked to it.' }) closed: boolean;
  @Field(() => Boolean, { description: 'True while one of them is of its own Data User.' }) refused: boolean;
}

/** What `identity` asks before it anonymises. */
@Resolver()
export class ClosingResolver {
  constructor(private readonly closing: ClosingRepository) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Mutation(() => IdentityRecordClosureType, {
    description:
      'Closes an Identity Record: no access record is linked to it any more, those linked lose their meter point.',
  })
  async closeIdentityRecord(
    @Arg('id', () => ID, { description: 'Internal identifier of the Identity Record.' }) id: string,
    @Arg('duid', () => Duid, { description: 'The Data User that registered it.' }) duid: string,
  ): Promise<IdentityRecordClosureType> {
    const closing = await this.closing.close(id, duid);
    return { closed: closing === 'closed', refused: closing === 'refused' };
  }
}
