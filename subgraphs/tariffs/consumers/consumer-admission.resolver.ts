import { Arg, Ctx, Directive, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { IS_COUNTED, type RateLimit, withinLimit } from '../../server/callers/rate-limits';
import { clientNetwork } from '../../server/callers/resource-owner';
import { nullable, simple } from '../../server/graph/decorator-options';
import type { ConsumerTokens, VerifiedConsumer } from './consumer-tokens.flow';

@Directive('@inaccessible')
@ObjectType('ConsumerAdmission', simple('Internal: the consumer and the RTI User that the token of a supplier admits.'))
class ConsumerAdmissionType {
  @Field(() => String, { description: 'The supplier that issued the token.' }) mpid: string;
  @Field(() => String, { description: 'Its authorisation server, which signed it.' }) issuer: string;
  @Field(() => String, { description: 'Identifier of the consumer, unique within the issuer.' }) subject: string;
  @Field(() => ID, { description: 'The RTI User to whom the token was issued.' }) userId: string;
  @Field(() => [String], { description: 'Meter points of the consumer.' }) mpxns: readonly string[];
  @Field(() => [String], { description: 'Scopes of the token.' }) scopes: readonly string[];
  @Field(() => DateTime, { description: 'When the token was issued.' }) issuedAt: Date;
  @Field(() => String, {
    nullable: true,
    description:
      'Code of the error of all operations except those for inactive consumers, while the supplier or the RTI User is suspended or disabled.',
  })
  inactive: VerifiedConsumer['inactive'];
  @Field(() => Int, nullable('Seconds until the RTI User may try again; null within the limit.'))
  retryAfter: number | null;
}

/** Limits per minute for requests with tokens of suppliers. */
export interface ConsumerLimits {
  /** Requests of one RTI User at one supplier. */
  readonly requests: RateLimit;
  /** Rejected tokens (AUT001) from one network. */
  readonly rejections: RateLimit;
}

/** Admits the token of a supplier. The gateway queries it for every request with such a token. */
@Resolver()
export class ConsumerAdmissionResolver {
  constructor(
    private readonly tokens: Pick<ConsumerTokens, 'verified'>,
    private readonly limits: ConsumerLimits,
  ) {}

  @MayCall('service:gateway', 'service:tariffs')
  @Directive('@inaccessible')
  @Query(() => ConsumerAdmissionType, {
    description:
      'Internal: the consumer and the RTI User that the token of a supplier admits; counts requests of the RTI User.',
  })
  async consumerAdmission(
    @Arg('token', () => String, { description: 'The token as sent.' }) token: string,
    @Arg('isCounted', () => Boolean, IS_COUNTED) isCounted: boolean,
    @Ctx() context: CallContext,
  ): Promise<ConsumerAdmissionType> {
    const consumer = await this.admit(token, context);
    const retryAfter = isCounted ? null : await this.limits.requests.count(`${consumer.mpid} ${consumer.userId}`);
    return { ...consumer, retryAfter };
  }

  /**
   * Limits the rejected tokens of a network (LIM002). A valid token is admitted beyond the limit: many RTI Users may share a network, and a
   * signature cannot be guessed.
   */
  private async admit(token: string, { clientAddress }: CallContext): Promise<VerifiedConsumer> {
    try {
      return await this.tokens.verified(token);
    } catch (error) {
      if (error instanceof RegisterError && error.code === 'AUT001')
        await withinLimit(this.limits.rejections, clientNetwork(clientAddress));
      throw error;
    }
  }
}
