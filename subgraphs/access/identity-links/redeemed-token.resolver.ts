import { Arg, Directive, Query, Resolver } from 'type-graphql';
import { TokenRef } from '../../../schema/scalars';
import { MayCall } from '../../server/callers/caller';
import type { RedeemedTokenRepository } from './redeemed-token.repository';

/** Query that `identity` makes before it reports a re-identification as confirmed. */
@Resolver()
export class RedeemedTokenResolver {
  constructor(private readonly redeemedTokens: RedeemedTokenRepository) {}

  @MayCall('service:identity')
  @Directive('@inaccessible')
  @Query(() => Boolean, { description: 'Internal: whether a re-identification token was redeemed.' })
  isTokenRedeemed(@Arg('token', () => TokenRef, { description: 'The token-ref.' }) token: string): Promise<boolean> {
    return this.redeemedTokens.has(token);
  }
}
