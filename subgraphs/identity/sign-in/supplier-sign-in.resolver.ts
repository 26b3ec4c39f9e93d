import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { supplierHintViolations } from './sign-in-hint';
import type { CustomerSessions } from './customer-sessions.flow';
import type { SignInLimit } from './sign-in-limit.flow';
import type { SupplierSignIns } from './supplier-sign-in.flow';
import { CustomerSignIn, SignInHint, SupplierSignInRedirect } from './sign-in.types';

/** Sign-in at the customer's energy supplier, the fallback (decisions A/B, 9). */
@Resolver()
export class SupplierSignInResolver {
  constructor(
    private readonly suppliers: SupplierSignIns,
    private readonly sessions: CustomerSessions,
    private readonly limit: SignInLimit,
  ) {}

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => SupplierSignInRedirect, {
    description:
      'Starts a sign-in at a supplier. For a customer who is signed in at the same meter point, the return URL of the session applies.',
  })
  async startSupplierSignIn(
    @Arg('mpid', () => String, { description: 'Market participant id of the supplier.' }) mpid: string,
    @Arg('entry', () => SignInHint, { description: 'Sign-in hints with mpxn or ir.' }) entry: SignInHint,
    @Ctx() context: CallContext,
  ): Promise<SupplierSignInRedirect> {
    throwViolations(supplierHintViolations(entry));
    await this.limit.request(context);
    const session = context.caller?.role === 'customer' ? await this.sessions.ofCaller(context) : undefined;
    return this.suppliers.start(mpid, entry, session, context);
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
