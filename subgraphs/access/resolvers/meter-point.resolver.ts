import { Arg, Args, Ctx, Directive, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, callerOf } from '../../server/caller';
import { AccessRecordLists } from '../database/access-record-lists';
import { AccessRecordConnectionType, AccessRecordListArgs } from './access-record.payloads';

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint', {
  description: 'A meter point, known by an opaque id that does not tell its MPxN.',
  simpleResolvers: true,
})
export class MeterPointReference {
  @Field(() => ID, { description: 'Opaque id.' }) id: string;
}

/** The access records of a meter point (2-decisions-a-b.md, section 3, GET /meter-points/{mpxn}/access-records). */
@Resolver(() => MeterPointReference)
export class MeterPointResolver {
  constructor(private readonly lists: AccessRecordLists) {}

  @FieldResolver(() => AccessRecordConnectionType, {
    description: "Its access records: a Data User's own ones; all of them for a portal that proves re-identification.",
  })
  async accessRecords(
    @Root() { id }: MeterPointReference,
    @Args(() => AccessRecordListArgs) args: AccessRecordListArgs,
    @Arg('reidentificationToken', () => String, {
      nullable: true,
      description: 'Proof for a portal: a confirmed token.',
    })
    _reidentificationToken: string | null,
    @Ctx() context: CallContext,
  ) {
    const { role, duid } = callerOf(context);
    if (role === 'portal') throw new RegisterError('PRM003');
    if (role !== 'data_user' || duid === null) throw new RegisterError('PRM001');
    const filter = { duid, meterPointId: id, state: args.state, legalBasis: args.legalBasis };
    const page = await this.lists.page(filter, args);
    if (page.nodes.length === 0 && (await this.lists.count({ ...filter, state: null, legalBasis: null })) === 0) {
      throw new RegisterError('PRM002', 'The account has no access record at this meter point.');
    }
    return page;
  }
}
