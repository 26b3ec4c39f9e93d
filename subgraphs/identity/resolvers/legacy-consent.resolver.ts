import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { ConsentKey, Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/caller';
import { type RateLimit, withinLimit } from '../../server/rate-limits';
import { legacyMpxnViolations } from '../domain/legacy-consent-rules';
import type { ConsentRegistrar } from '../legacy-consents/registration';
import type { ConsentSearch } from '../legacy-consents/search';
import { ConsentRegistrationInput } from './legacy-consent-input.types';
import { ConsentRegistration, RegisteredConsent } from './legacy-consent.types';

/** Consents of the earlier interface (1-specification.md, Interface B; 2-decisions-a-b.md, section 8). */
@Resolver()
export class LegacyConsentResolver {
  constructor(
    private readonly registrar: ConsentRegistrar,
    private readonly search: ConsentSearch,
    /** Of an account, a minute and a day: counted together with existence checks (2-decisions-a-b.md, section 8). */
    private readonly limits: readonly RateLimit[],
  ) {}

  @MayCall('data_user')
  @Mutation(() => ConsentRegistration, {
    description:
      'Registers a consent as the earlier interface does: an access record with its Identity Record. With `ck`, updates one.',
  })
  registerConsent(
    @Arg('input', () => ConsentRegistrationInput, { description: 'The consent.' }) input: ConsentRegistrationInput,
    @Arg('ck', () => ConsentKey, {
      nullable: true,
      defaultValue: null,
      description: 'Key of the consent to update; null registers a new one.',
    })
    ck: string | null,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      defaultValue: null,
      description: 'Makes a repeated request safe for 24 hours: the same key and input are answered the same.',
    })
    idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<ConsentRegistration> {
    const { accountId } = callerOf(context);
    const request = { actor: { accountId, duid: duidOf(context) }, consent: input, ck, idempotencyKey };
    return this.registrar.register(request, context);
  }

  @MayCall('data_user')
  @Query(() => [RegisteredConsent], {
    description:
      "The ACTIVE consents of a meter point, whichever interface registered them, newest first: the newest 500. Other Data Users' only when the customer has taken part in a re-identification that the caller initiated, within the last 24 hours.",
  })
  async consents(
    @Arg('mpxn', () => Mpxn, { description: 'The meter point, in the pattern of Interface B.' }) mpxn: string,
    @Ctx() context: CallContext,
  ): Promise<RegisteredConsent[]> {
    refuse(legacyMpxnViolations(['mpxn'], mpxn));
    for (const limit of this.limits) await withinLimit(limit, callerOf(context).accountId);
    return (await this.search.at(mpxn, duidOf(context), context)) as RegisteredConsent[];
  }
}
