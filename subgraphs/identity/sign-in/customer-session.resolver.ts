import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { CUSTOMER_TOKEN_PATTERN } from '../../../schema/identifiers';
import { type CallContext, MayCall } from '../../server/callers/caller';
import type { RateLimit } from '../../server/callers/rate-limits';
import { nullable } from '../../server/graph/decorator-options';
import type { CustomerSessions } from './customer-sessions.flow';
import type { CustomerSessionRepository } from './customer-session.repository';
import type { Organisations } from '../organisations.client';
import { isRegistered } from './return-addresses.flow';
import { mayJudge } from '../contacts/customer-contacts';
import { CustomerScope, CustomerSession } from './customer-session.types';

/** The session of a customer (decisions A/B, 9). */
@Resolver()
export class CustomerSessionResolver {
  constructor(
    private readonly sessions: CustomerSessions,
    private readonly stored: CustomerSessionRepository,
    /** Requests of a session. */
    private readonly requests: RateLimit,
    private readonly organisations: Organisations,
  ) {}

  @MayCall('customer')
  @Query(() => CustomerSession, { description: 'The session of the calling customer.' })
  async customerSession(@Ctx() context: CallContext): Promise<CustomerSession> {
    const session = await this.sessions.ofCaller(context);
    const {
      record,
      mpxn,
      isCurrent,
      isContested,
      means,
      startedAt,
      expiresAt,
      returnUrl: url,
      returnDuid: duid,
    } = session;
    const { address, moveInDate } = record ?? { address: null, moveInDate: null };
    const returns = url !== null && duid !== null && (await isRegistered({ url, duid }, this.organisations, context));
    return {
      mpxn,
      address,
      moveInDate,
      isCurrent,
      isContested,
      mayJudge: mayJudge(session),
      signedInBy: means,
      signedInAt: startedAt,
      expiresAt,
      returnUrl: returns ? url : null,
      returnDuid: returns ? duid : null,
    };
  }

  @MayCall('customer')
  @Mutation(() => Boolean, { description: 'Ends the session of the calling customer.' })
  async endCustomerSession(@Ctx() context: CallContext): Promise<boolean> {
    await this.sessions.ofCaller(context);
    await this.stored.end(context.bearer ?? '');
    return true;
  }

  @MayCall('service:gateway', 'service:access', 'service:identity')
  @Directive('@inaccessible')
  @Query(() => CustomerScope, nullable('Internal: scope of the session of a token; null if there is no such session.'))
  async customerScope(
    @Arg('token', () => String, { description: 'Bearer token of the session.' }) token: string,
    @Ctx() { service }: CallContext,
  ): Promise<CustomerScope | null> {
    const session = CUSTOMER_TOKEN_PATTERN.test(token) ? await this.sessions.of(token) : undefined;
    if (session === undefined) return null;
    return { ...session, retryAfter: service === 'gateway' ? await this.requests.count(session.sessionId) : null };
  }
}
