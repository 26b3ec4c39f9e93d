import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { nullable } from '../../server/graph/decorator-options';
import type { CustomerContacts } from './customer-contacts.flow';
import type * as contacts from './contact';
import { readableContacts } from './customer-contacts';
import type * as mails from '../mails/outgoing-mail';
import type { CustomerSessions } from '../sign-in/customer-sessions.flow';
import type { SignInLimit } from '../sign-in/sign-in-limit.flow';
import { ContactLink, ContactVerdict, CustomerContact } from './customer-contact.types';
import { Language } from '../mails/language.types';

const CONTACT = { description: 'Id of the contact in this session.' } as const;
const SECRET = { description: 'Secret of the link or of the attempt.' } as const;

/** Contacts of the calling customer (decisions A/B, 11). */
@Resolver()
export class CustomerContactResolver {
  constructor(
    private readonly contacts: CustomerContacts,
    private readonly sessions: CustomerSessions,
    private readonly limit: SignInLimit,
  ) {}

  @MayCall('customer')
  @Query(() => [CustomerContact], {
    description: "The contacts that are registered for the customer's home, oldest first.",
  })
  async customerContacts(@Ctx() context: CallContext): Promise<CustomerContact[]> {
    const session = await this.sessions.ofCaller(context);
    return readableContacts(session).map(({ contact, duids, kind, shown, since, standing }) => ({
      id: this.contacts.idOf(session, contact),
      dataUsers: duids.map((duid) => ({ duid })),
      ...{ kind, shown, since, standing },
    }));
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('customer')
  @Mutation(() => Boolean, {
    description:
      'Mails a link to another address of the home. Opened and confirmed in this session, it proves that both belong to one person or household.',
  })
  async mailContactLink(
    @Arg('contact', () => ID, CONTACT) contact: string,
    @Arg('language', () => Language, { description: 'First language of the mail.' })
    language: mails.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.limit.request(context);
    await this.contacts.mailLink(() => this.sessions.ofCaller(context), contact, language);
    return true;
  }

  @MayCall('customer')
  @Query(() => ContactLink, nullable('A mailed link; null if this session cannot use it.'))
  async contactLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<ContactLink | null> {
    return (await this.contacts.link(await this.sessions.ofCaller(context), secret)) ?? null;
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('customer')
  @Mutation(() => Boolean, {
    description: 'Proves the address of a mailed link, in the session that requested it, once.',
  })
  async proveContactByLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.contacts.proveByLink(() => this.sessions.ofCaller(context), secret);
    return true;
  }

  @NotCheckable('it is a step of a sign-in or ceremony')
  @MayCall('customer')
  @Mutation(() => Boolean, {
    description:
      'Proves a passkey of the home by the response to a started sign-in by passkey, in one attempt. PRM003 if the response is rejected.',
  })
  async proveContactByPasskey(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('response', () => JsonObject, { description: 'Result of `navigator.credentials.get` in its JSON form.' })
    response: object,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.sessions.ofCaller(context); // a session that has ended is no failed proof
    const current = () => this.sessions.ofCaller(context);
    try {
      await this.limit.proof(context, () => this.contacts.proveByPasskey(current, secret, response));
    } catch (error) {
      const isRejected = error instanceof RegisterError && error.code === 'AUT001'; // AUT001 would mean that the session has ended
      throw isRejected ? new RegisterError('PRM003', 'The passkey does not prove a contact of this home.') : error;
    }
    return true;
  }

  @MayCall('customer')
  @Mutation(() => Boolean, {
    description: 'Confirms or rejects a contact. Only a customer who signed in at the energy supplier may.',
  })
  async judgeContact(
    @Arg('contact', () => ID, CONTACT) contact: string,
    @Arg('verdict', () => ContactVerdict, { description: 'Verdict of the customer.' })
    verdict: contacts.ContactVerdict,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.contacts.judge(() => this.sessions.ofCaller(context), contact, verdict);
    return true;
  }
}
