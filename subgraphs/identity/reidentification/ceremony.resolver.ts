import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { nullable, optional } from '../../server/graph/decorator-options';
import { BROWSER } from '../pressed-link';
import type { Ceremonies, CeremonyDescription } from './ceremonies.flow';
import type * as domain from './ceremony';
import type * as mails from '../mails/outgoing-mail';
import { Ceremony, CeremonyOutcome, PasskeyCeremonyOptions } from './ceremony.types';
import { Language } from '../mails/language.types';

const SECRET = { description: 'The secret of the link or redirect.' } as const;

/** Steps of customers on the ceremony pages. The secret of a link or redirect authorises them. */
@Resolver()
export class CeremonyResolver {
  constructor(private readonly ceremonies: Ceremonies) {}

  @MayCall('anyone')
  @Query(
    () => Ceremony,
    nullable('The ceremony of a secret; null if the secret is unknown, used or expired, without distinction.'),
  )
  async ceremony(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<CeremonyDescription | null> {
    return (await this.ceremonies.describe(secret, context)) ?? null;
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => CeremonyOutcome, {
    description: 'Confirms a mailed link once; the button of its page calls it. Opening the page confirms nothing.',
  })
  confirmCeremonyLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('browser', () => String, optional(BROWSER)) browser: string | null,
    @Ctx() context: CallContext,
  ): Promise<domain.CeremonyOutcome> {
    return this.ceremonies.confirmLink({ secret, browser }, context);
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => PasskeyCeremonyOptions, {
    description: 'Options of the next passkey ceremony. They replace earlier ones.',
  })
  passkeyCeremonyOptions(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<domain.PasskeyCeremonyOptions> {
    return this.ceremonies.passkeyOptions(secret, context);
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => CeremonyOutcome, {
    description: 'Verifies the response of the browser. Each set of options allows one response.',
  })
  finishPasskeyCeremony(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('response', () => JsonObject, { description: 'The credential in the JSON form of WebAuthn.' })
    response: unknown,
    @Ctx() context: CallContext,
  ): Promise<domain.CeremonyOutcome> {
    return this.ceremonies.finishPasskey(secret, response, context);
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => Boolean, {
    description:
      'Mails a link to the stored address by which the customer proves their identity before a passkey is added.',
  })
  async mailCeremonyProof(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('language', () => Language, { description: 'First language of the mail.' })
    language: mails.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.ceremonies.mailProof(secret, language, context);
    return true;
  }
}
