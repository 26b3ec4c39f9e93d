import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { ConsentKey, Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/callers/caller';
import { type RateLimit, withinLimit } from '../../server/callers/rate-limits';
import { TOO_MANY_EXISTENCE_CHECKS } from '../records/identity-record-rules';
import { optional } from '../../server/graph/decorator-options';
import { IdempotencyKey } from '../../server/graph/idempotency-key.types';
import { legacyMpxnViolations } from './legacy-consent-rules';
import type { ConsentRegistrar } from './registration.flow';
import type { ConsentSearch } from './search.flow';
import { ConsentRegistrationInput } from './legacy-consent-input.types';
import { ConsentRegistration, RegisteredConsent } from './legacy-consent.types';

/** Consents of the earlier interface (specification, Interface B; decisions A/B, 8). */
@Resolver()
export class LegacyConsentResolver {
  constructor(
    private readonly registrar: ConsentRegistrar,
    private readonly search: ConsentSearch,
    /** Limits per account in a minute and in a day, shared with existence checks (decisions A/B, 8). */
    private readonly limits: readonly RateLimit[],
  ) {}

  @MayCall('data_user')
  @Mutation(() => ConsentRegistration, {
    description:
      'Registers a consent of the earlier interface: an access record with its Identity Record. With `ck` it updates one.',
  })
  registerConsent(
    @Arg('input', () => ConsentRegistrationInput, { description: 'The consent.' }) input: ConsentRegistrationInput,
    @Arg('ck', () => ConsentKey, optional('Key of the consent to update; null registers a new one.')) ck: string | null,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ConsentRegistration> {
    const { accountId } = callerOf(context);
    const request = { actor: { accountId, duid: duidOf(context) }, consent: input, ck, idempotencyKey };
    return this.registrar.register(request, context);
  }

  @MayCall('data_user')
  @Query(() => [RegisteredConsent], {
    description:
      'The ACTIVE consents at a meter point of both interfaces, newest first, at most 500. Those of other Data Users are included only if the customer took part in a re-identification that the caller initiated within the last 24 hours.',
  })
  async consents(
    @Arg('mpxn', () => Mpxn, { description: 'The meter point, in the pattern of Interface B.' }) mpxn: string,
    @Ctx() context: CallContext,
  ): Promise<RegisteredConsent[]> {
    throwViolations(legacyMpxnViolations(['mpxn'], mpxn));
    for (const limit of this.limits) await withinLimit(limit, callerOf(context).accountId, TOO_MANY_EXISTENCE_CHECKS);
    return (await this.search.at(mpxn, duidOf(context), context)) as RegisteredConsent[];
  }
}
