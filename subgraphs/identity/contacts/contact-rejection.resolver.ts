import { Arg, Ctx, Field, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { DateTime, Duid } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import type { RegisterClock } from '../../server/database/register-clock';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { DataUserReference } from '../lookups/identity-lookup.resolver';
import type { Organisations } from '../organisations.client';
import type { ContactRejectionProgress, ContactRejectionRepository } from './contact-rejection.repository';

@ObjectType(
  'AssertedContactRejection',
  simple('The rejection of contacts that a Data User asserted, which a job carries out.'),
)
class AssertedContactRejection {
  @Field(() => DataUserReference, nullable('The Data User.')) dataUser: DataUserReference;
  @Field(() => DateTime, nullable('Only contacts asserted from this time on are rejected; null for all.'))
  since: Date | null;
  @Field(() => String, { description: 'Account of the admin.' }) requestedBy: string;
  @Field(() => DateTime, {
    description:
      'Time of the request, or that of the newest contact if it was asserted while the clock was ahead. Contacts asserted later are not rejected.',
  })
  requestedAt: Date;
  @Field(() => Int, { description: 'Verified Identity Records of the Data User that were reviewed.' })
  recordsReviewed: number;
  @Field(() => Int, { description: 'Verified Identity Records of the Data User that are not yet reviewed.' })
  recordsRemaining: number;
  @Field(() => Int, { description: 'Contacts that were rejected so far.' }) contactsRejected: number;
  @Field(() => DateTime, nullable('Time at which all records were reviewed; null before.')) finishedAt: Date | null;
}

/** Rejection of the contacts that a malicious Data User asserted, by an admin (decisions A/B, 11). */
@Resolver()
export class ContactRejectionResolver {
  constructor(
    private readonly rejections: ContactRejectionRepository,
    private readonly organisations: Organisations,
    private readonly clock: RegisterClock,
  ) {}

  @MayCall('admin')
  @Mutation(() => AssertedContactRejection, {
    description:
      'Rejects the e-mail addresses and passkeys that only this Data User asserted: a job ends their sessions, sign-in and re-identification. A contact remains if another Data User asserted it, or if a customer who signed in at the supplier confirmed it or a contact that was proven to be the same person’s. No mail is sent. Withdraw the right to assert `verified` first, or suspend the account.',
  })
  async rejectAssertedContacts(
    @Arg('duid', () => Duid, { description: 'The Data User.' }) duid: string,
    @Arg('since', () => DateTime, optional('Only contacts that it first asserted at this time or later; null for all.'))
    since: Date | null,
    @Ctx() context: CallContext,
  ): Promise<AssertedContactRejection> {
    if (since !== null && since > (await this.clock.now()))
      throwViolations([{ code: 'VAL003', path: ['since'], message: 'is in the future' }]);
    if ((await this.organisations.find(duid, context)) === undefined) throw new RegisterError('NTF001');
    return described(await this.rejections.request(callerOf(context).accountId, duid, since));
  }

  @MayCall('admin')
  @Query(() => [AssertedContactRejection], {
    description: 'Rejections of asserted contacts with their progress, newest first: at most 100.',
  })
  async assertedContactRejections(
    @Arg('duid', () => Duid, optional('Only of this Data User.')) duid: string | null,
  ): Promise<AssertedContactRejection[]> {
    return (await this.rejections.list(duid)).map(described);
  }
}

function described({ duid, ...progress }: ContactRejectionProgress): AssertedContactRejection {
  return { ...progress, dataUser: { duid } };
}
