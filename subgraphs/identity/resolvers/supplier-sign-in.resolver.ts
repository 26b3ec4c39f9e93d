import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/caller';
import { supplierEntryViolations } from '../domain/sign-in-entry';
import type { SignInLimit } from '../sign-in/sign-in-limit';
import type { SupplierSignIns } from '../sign-in/supplier-sign-in';
import { CustomerSignIn, SignInEntry, SupplierSignInRedirect } from './sign-in.types';

/** Sign-in at the customer's energy supplier (2-decisions-a-b.md, section 9): the fallback. */
@Resolver()
export class SupplierSignInResolver {
  constructor(
    private readonly suppliers: SupplierSignIns,
    private readonly limit: SignInLimit,
  ) {}

  @MayCall('anyone')
  @Mutation(() => SupplierSignInRedirect, { description: 'Starts a sign-in at a supplier.' })
  async startSupplierSignIn(
    @Arg('mpid', () => String, { description: 'Market participant id of the supplier.' }) mpid: string,
    @Arg('entry', () => SignInEntry, { description: 'Names the meter point, by mpxn or ir.' }) entry: SignInEntry,
    @Ctx() context: CallContext,
  ): Promise<SupplierSignInRedirect> {
    refuse(supplierEntryViolations(entry));
    await this.limit.request(context);
    return this.suppliers.begin(mpid, entry, context);
  }

  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Finishes a sign-in at a supplier; one attempt.' })
  finishSupplierSignIn(
    @Arg('secret', () => String, { description: 'Secret of the attempt.' }) secret: string,
    @Arg('callbackUrl', () => String, { description: 'The address at which the customer came back, with its query.' })
    callbackUrl: string,
    @Ctx() context: CallContext,
  ): Promise<CustomerSignIn> {
    return this.limit.proof(context, () => this.suppliers.finish(secret, callbackUrl, context));
  }
}
