import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { supplierEntryViolations } from './sign-in-entry';
import type { SignInLimit } from './sign-in-limit.flow';
import type { SupplierSignIns } from './supplier-sign-in.flow';
import { CustomerSignIn, SignInEntry, SupplierSignInRedirect } from './sign-in.types';

/** Sign-in at the customer's energy supplier, the fallback (decisions A/B, 9). */
@Resolver()
export class SupplierSignInResolver {
  constructor(
    private readonly suppliers: SupplierSignIns,
    private readonly limit: SignInLimit,
  ) {}

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => SupplierSignInRedirect, { description: 'Starts a sign-in at a supplier.' })
  async startSupplierSignIn(
    @Arg('mpid', () => String, { description: 'Market participant id of the supplier.' }) mpid: string,
    @Arg('entry', () => SignInEntry, { description: 'Sign-in hints with mpxn or ir.' }) entry: SignInEntry,
    @Ctx() context: CallContext,
  ): Promise<SupplierSignInRedirect> {
    refuse(supplierEntryViolations(entry));
    await this.limit.request(context);
    return this.suppliers.start(mpid, entry, context);
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Completes a sign-in at a supplier, in one attempt.' })
  finishSupplierSignIn(
    @Arg('secret', () => String, { description: 'Secret of the attempt.' }) secret: string,
    @Arg('callbackUrl', () => String, { description: 'URL of the callback with its query.' })
    callbackUrl: string,
    @Ctx() context: CallContext,
  ): Promise<CustomerSignIn> {
    return this.limit.proof(context, () => this.suppliers.finish(secret, callbackUrl, context));
  }
}
