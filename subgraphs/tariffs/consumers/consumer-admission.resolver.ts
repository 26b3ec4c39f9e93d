import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, MayCall } from '../../server/caller';
import { type RateLimit, clientNetwork, withinLimit } from '../../server/rate-limits';
import { ConsumerAdmissionType } from './consumer-admission.types';
import type { AdmittedConsumer, ConsumerTokens } from './consumer-tokens';

/** Limits of consumers' tokens, within a minute. */
export interface ConsumerLimits {
  /** Requests of an RTI User at a supplier. */
  readonly requests: RateLimit;
  /** Tokens from a network that proved nothing (AUT001). */
  readonly refusals: RateLimit;
}

/** What the gateway asks for at every request with the token of a supplier. */
@Resolver()
export class ConsumerAdmissionResolver {
  constructor(
    private readonly tokens: Pick<ConsumerTokens, 'admitted'>,
    private readonly limits: ConsumerLimits,
  ) {}

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => ConsumerAdmissionType, {
    description:
      'Internal: whom the token of a supplier lets in at this instant; requests of the RTI User are counted.',
  })
  async consumerAdmission(
    @Arg('token', () => String, { description: 'The token as sent.' }) token: string,
    @Ctx() context: CallContext,
  ): Promise<ConsumerAdmissionType> {
    const consumer = await this.admitted(token, context);
    const retryAfter = await this.limits.requests.count(`${consumer.mpid} ${consumer.userId}`);
    return { ...consumer, retryAfter };
  }

  /**
   * Whoever sends too many tokens that prove nothing is told to wait (LIM002). A valid one is let in all the same: behind a network stand
   * many consumers of several suppliers, and nobody guesses a signature.
   */
  private async admitted(token: string, { clientAddress }: CallContext): Promise<AdmittedConsumer> {
    try {
      return await this.tokens.admitted(token);
    } catch (error) {
      if (error instanceof RegisterError && error.code === 'AUT001')
        await withinLimit(this.limits.refusals, clientNetwork(clientAddress));
      throw error;
    }
  }
}
