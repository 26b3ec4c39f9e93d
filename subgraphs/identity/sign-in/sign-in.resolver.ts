import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { nullable, optional } from '../../server/graph/decorator-options';
import type { SignInRepository } from './sign-in.repository';
import type * as domain from '../mails/outgoing-mail';
import { linkHintViolations, originIn } from './sign-in-hint';
import type { SignInLimit } from './sign-in-limit.flow';
import type { SignInLinks } from './sign-in-links.flow';
import { Language } from '../mails/language.types';
import { BROWSER } from '../pressed-link';
import { CustomerSignIn, PasskeySignIn, SignInHint, SignInLink } from './sign-in.types';
import type { LinkSignIn, PasskeySignIn as PasskeySignIns } from './sign-in.flow';

const secretOf = (what: string) => Arg('secret', () => String, { description: `Secret of the ${what}.` });

/** Sign-in of customers (decisions A/B, 9). A failed proof is AUT001, without distinction. */
@Resolver()
export class SignInResolver {
  constructor(
    private readonly links: SignInLinks,
    private readonly signIns: SignInRepository,
    private readonly byLink: LinkSignIn,
    private readonly byPasskey: PasskeySignIns,
    private readonly limit: SignInLimit,
  ) {}

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => Boolean, {
    description:
      'Requests sign-in links by mail. The result is always true and does not disclose whether an address is registered.',
  })
  async requestSignInLink(
    @Arg('entry', () => SignInHint, { description: 'Sign-in hints.' }) entry: SignInHint,
    @Arg('language', () => Language, { description: 'First language of the mail.' })
    language: domain.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    throwViolations(linkHintViolations(entry));
    await this.limit.request(context);
    await this.links.request({ entry: { ...entry }, language });
    return true;
  }

  @MayCall('anyone')
  @Query(() => SignInLink, nullable('A mailed link; null if it was used or has expired.'))
  async signInLink(@secretOf('link') secret: string): Promise<SignInLink | null> {
    return (await this.signIns.link(secret)) ?? null;
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Signs in by a mailed link, which starts one session.' })
  signInWithLink(
    @secretOf('link') secret: string,
    @Arg('browser', () => String, optional(BROWSER)) browser: string | null,
    @Ctx() context: CallContext,
  ): Promise<CustomerSignIn> {
    return this.limit.proof(context, () => this.byLink({ secret, browser }, context));
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => PasskeySignIn, { description: 'Starts a sign-in by any passkey of the register.' })
  async startPasskeySignIn(@Ctx() context: CallContext): Promise<PasskeySignIn> {
    await this.limit.start(context);
    return this.byPasskey.start();
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Completes a sign-in by passkey, in one attempt.' })
  signInWithPasskey(
    @secretOf('attempt') secret: string,
    @Arg('response', () => JsonObject, { description: 'Result of `navigator.credentials.get` in its JSON form.' })
    response: object,
    @Arg('entry', () => SignInHint, nullable('Sign-in hints.')) entry: SignInHint | null,
    @Ctx() context: CallContext,
  ): Promise<CustomerSignIn> {
    const from = originIn(entry ?? { ir: null, returnUrl: null });
    return this.limit.proof(context, () => this.byPasskey.finish(secret, response, from, context));
  }
}
