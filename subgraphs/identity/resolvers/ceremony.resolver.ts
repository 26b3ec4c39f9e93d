import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/caller';
import type { Ceremonies, CeremonyDescription } from '../reidentification/ceremonies';
import type * as domain from '../domain/ceremony';
import type * as mails from '../domain/outgoing-mail';
import { Ceremony, CeremonyOutcome, PasskeyCeremonyOptions } from './ceremony.types';
import { Language } from './language.types';

const SECRET = { description: 'The secret of the link or redirect.' } as const;

/** The steps of customers on the ceremony pages: whoever has the secret may take them. */
@Resolver()
export class CeremonyResolver {
  constructor(private readonly ceremonies: Ceremonies) {}

  @MayCall('anyone')
  @Query(() => Ceremony, {
    nullable: true,
    description: 'What a secret opens; null when it is wrong, used or expired, without distinction.',
  })
  async ceremony(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<CeremonyDescription | null> {
    return (await this.ceremonies.describe(secret, context)) ?? null;
  }

  @MayCall('anyone')
  @Mutation(() => CeremonyOutcome, {
    description: 'Confirms a mailed link, once: the button of its page. Opening the page confirms nothing.',
  })
  confirmCeremonyLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<domain.CeremonyOutcome> {
    return this.ceremonies.confirmLink(secret, context);
  }

  @MayCall('anyone')
  @Mutation(() => PasskeyCeremonyOptions, {
    description: 'Options of the passkey ceremony that is next; they take the place of any asked for before.',
  })
  passkeyCeremonyOptions(@Arg('secret', () => String, SECRET) secret: string): Promise<domain.PasskeyCeremonyOptions> {
    return this.ceremonies.passkeyOptions(secret);
  }

  @MayCall('anyone')
  @Mutation(() => CeremonyOutcome, {
    description: 'Takes the answer of the browser: one for each options asked for, right or wrong.',
  })
  finishPasskeyCeremony(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('response', () => JsonObject, { description: 'The credential in the JSON form of WebAuthn.' })
    response: unknown,
    @Ctx() context: CallContext,
  ): Promise<domain.CeremonyOutcome> {
    return this.ceremonies.finishPasskey(secret, response, context);
  }

  @MayCall('anyone')
  @Mutation(() => Boolean, {
    description:
      'Mails a link to the stored address by which the customer proves who they are before a passkey is added.',
  })
  async mailCeremonyProof(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('language', () => Language, { description: 'Language that comes first in the mail.' })
    language: mails.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.ceremonies.mailProof(secret, language, context);
    return true;
  }
}
