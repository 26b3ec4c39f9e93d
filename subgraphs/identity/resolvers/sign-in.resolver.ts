import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { refuse } from '../../../schema/register-error';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/caller';
import type { SignInRepository } from '../database/sign-in.repository';
import type * as domain from '../domain/outgoing-mail';
import { linkEntryViolations, originIn } from '../domain/sign-in-entry';
import type { LinkSignIn, PasskeySignIn as PasskeySignIns } from '../sign-in/sign-in';
import type { SignInLimit } from '../sign-in/sign-in-limit';
import type { SignInLinks } from '../sign-in/sign-in-links';
import { Language } from './language.types';
import { CustomerSignIn, PasskeySignIn, SignInEntry, SignInLink } from './sign-in.types';

const secretOf = (what: string) => Arg('secret', () => String, { description: `Secret of the ${what}.` });

/** Sign-in of customers (2-decisions-a-b.md, section 9). A proof that fails is AUT001, without distinction. */
@Resolver()
export class SignInResolver {
  constructor(
    private readonly links: SignInLinks,
    private readonly signIns: SignInRepository,
    private readonly byLink: LinkSignIn,
    private readonly byPasskey: PasskeySignIns,
    private readonly limit: SignInLimit,
  ) {}

  @MayCall('anyone')
  @Mutation(() => Boolean, {
    description: 'Asks for sign-in links by mail. The answer is always true: it says nothing about who is known.',
  })
  async requestSignInLink(
    @Arg('entry', () => SignInEntry, { description: 'Who is meant.' }) entry: SignInEntry,
    @Arg('language', () => Language, { description: 'Language that comes first in the mail.' })
    language: domain.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    refuse(linkEntryViolations(entry));
    await this.limit.request(context);
    await this.links.request({ entry: { ...entry }, language });
    return true;
  }

  @MayCall('anyone')
  @Query(() => SignInLink, { nullable: true, description: 'A mailed link; null when it can no longer be used.' })
  async signInLink(@secretOf('link') secret: string): Promise<SignInLink | null> {
    return (await this.signIns.link(secret)) ?? null;
  }

  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Signs in by a mailed link, once.' })
  signInWithLink(@secretOf('link') secret: string, @Ctx() context: CallContext): Promise<CustomerSignIn> {
    return this.limit.proof(context, () => this.byLink(secret, context));
  }

  @MayCall('anyone')
  @Mutation(() => PasskeySignIn, { description: 'Starts a sign-in by any passkey of the register.' })
  async startPasskeySignIn(@Ctx() context: CallContext): Promise<PasskeySignIn> {
    await this.limit.start(context);
    return this.byPasskey.begin();
  }

  @MayCall('anyone')
  @Mutation(() => CustomerSignIn, { description: 'Finishes a sign-in by passkey; one attempt.' })
  signInWithPasskey(
    @secretOf('attempt') secret: string,
    @Arg('response', () => JsonObject, { description: 'What `navigator.credentials.get` gave, in its JSON form.' })
    response: object,
    @Arg('entry', () => SignInEntry, { nullable: true, description: 'How the customer came.' })
    entry: SignInEntry | null,
    @Ctx() context: CallContext,
  ): Promise<CustomerSignIn> {
    const from = originIn(entry ?? { ir: null, returnUrl: null });
    return this.limit.proof(context, () => this.byPasskey.finish(secret, response, from, context));
  }
}
