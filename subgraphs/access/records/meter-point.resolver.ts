import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Directive, Field, FieldResolver, ID, Info, ObjectType, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, type Caller, callerOf } from '../../server/callers/caller';
import { simple } from '../../server/graph/decorator-options';
import { selectsField } from '../../server/graph/selected-field';
import type { AccessRecordFilter, AccessRecordPage } from './access-record.queries';
import { AccessRecordConnectionType, AccessRecordListArgs } from './access-record.payloads';
import type { AccessDependencies } from '../dependencies';
import { selectsDocument, selectsKey } from './operation-records.queries';

@Directive('@key(fields: "id")')
@ObjectType('MeterPoint', simple('A meter point, identified by an opaque id that does not disclose its MPxN.'))
export class MeterPointReference {
  @Field(() => ID, { description: 'Opaque id.' }) id: string;
}

/** Access records of a meter point (decisions A/B, 3; GET /meter-points/{mpxn}/access-records). */
@Resolver(() => MeterPointReference)
export class MeterPointResolver {
  constructor(private readonly dependencies: Pick<AccessDependencies, 'recordQueries' | 'portals' | 'proofs'>) {}

  @FieldResolver(() => AccessRecordConnectionType, {
    description:
      'Its access records: for a Data User its own, for a portal with proof of re-identification all that its customer may read. Each page of a portal ' +
      'redeems its own token, and its keys are aliases that expire after one hour.',
  })
  async accessRecords(
    @Root() { id }: MeterPointReference,
    @Args(() => AccessRecordListArgs) args: AccessRecordListArgs,
    @Arg('reidentificationToken', () => String, {
      nullable: true,
      description: 'Proof for a portal: a confirmed re-identification token of this meter point. The page redeems it.',
    })
    reidentificationToken: string | null,
    @Ctx() context: CallContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AccessRecordPage> {
    const caller = callerOf(context);
    const { role, duid, accountId } = caller;
    const filter = { meterPointId: id, state: args.state, legalBasis: args.legalBasis };
    if (role === 'portal')
      return this.pageOfPortal(caller, { ...filter, duid: null }, args, reidentificationToken, context);
    if (role !== 'data_user' || duid === null) throw new RegisterError('PRM001');
    const { recordQueries } = this.dependencies;
    const request = {
      ...args,
      withVersions: selectsField(info, 'versions'),
      withDocument: selectsDocument(info),
      withKey: selectsKey(info),
    };
    const page = await recordQueries.page({ ...filter, duid }, request, accountId);
    const isEmpty = page.nodes.length === 0;
    if (isEmpty && (await recordQueries.count({ duid, meterPointId: id, state: null, legalBasis: null })) === 0) {
      throw new RegisterError('PRM002', 'The account has no access record at this meter point.');
    }
    return page;
  }

  /** Throws PRM003 for every defect of the proof, so that a portal learns nothing about a token of another organisation. */
  private async pageOfPortal(
    { accountId, duid }: Caller,
    filter: AccessRecordFilter,
    args: AccessRecordListArgs,
    tokenRef: string | null,
    context: CallContext,
  ): Promise<AccessRecordPage> {
    const proof = tokenRef == null ? undefined : await this.dependencies.proofs(tokenRef, context);
    const isProof = proof?.isConfirmed === true && proof.initiator === duid && !proof.isClosed;
    if (!isProof || proof.meterPointId !== filter.meterPointId || proof.occupant === null)
      throw new RegisterError('PRM003');
    return this.dependencies.portals.page(accountId, proof.token, { ...filter, occupant: proof.occupant }, args);
  }
}
