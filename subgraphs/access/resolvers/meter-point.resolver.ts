import { Arg, Args, Ctx, Directive, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, type Caller, callerOf } from '../../server/caller';
import type { AccessRecordFilter, AccessRecordPage } from '../database/access-record-lists';
import type { AccessParts } from '../schema';
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
  constructor(private readonly parts: Pick<AccessParts, 'lists' | 'portals' | 'proofs'>) {}

  @FieldResolver(() => AccessRecordConnectionType, {
    description:
      "Its access records: a Data User's own ones; all of them for a portal that proves re-identification. Each page for a portal " +
      'consumes a token of its own, and its keys are aliases that live one hour.',
  })
  async accessRecords(
    @Root() { id }: MeterPointReference,
    @Args(() => AccessRecordListArgs) args: AccessRecordListArgs,
    @Arg('reidentificationToken', () => String, {
      nullable: true,
      description:
        'Proof for a portal: a token that the customer confirmed for this meter point; the page consumes it.',
    })
    reidentificationToken: string | null,
    @Ctx() context: CallContext,
  ): Promise<AccessRecordPage> {
    const caller = callerOf(context);
    const { role, duid, accountId } = caller;
    const filter = { meterPointId: id, state: args.state, legalBasis: args.legalBasis };
    if (role === 'portal')
      return this.pageOfPortal(caller, { ...filter, duid: null }, args, reidentificationToken, context);
    if (role !== 'data_user' || duid === null) throw new RegisterError('PRM001');
    const { lists } = this.parts;
    const page = await lists.page({ ...filter, duid }, args, accountId);
    const isEmpty = page.nodes.length === 0;
    if (isEmpty && (await lists.count({ duid, meterPointId: id, state: null, legalBasis: null })) === 0) {
      throw new RegisterError('PRM002', 'The account has no access record at this meter point.');
    }
    return page;
  }

  /** PRM003 whatever the proof lacks: a token that is not this portal's tells it nothing. */
  private async pageOfPortal(
    { accountId, duid }: Caller,
    filter: AccessRecordFilter,
    args: AccessRecordListArgs,
    tokenRef: string | null,
    context: CallContext,
  ): Promise<AccessRecordPage> {
    const proof = tokenRef == null ? undefined : await this.parts.proofs(tokenRef, context);
    const isProof = proof?.isConfirmed === true && proof.initiator === duid && !proof.isClosed;
    if (!isProof || proof.meterPointId !== filter.meterPointId) throw new RegisterError('PRM003');
    return this.parts.portals.page(accountId, proof.token, filter, args);
  }
}
