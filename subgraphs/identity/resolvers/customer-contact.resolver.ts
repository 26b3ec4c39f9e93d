import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { JsonObject } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/caller';
import type { CustomerContacts } from '../contacts/customer-contacts';
import type * as contacts from '../domain/contacts';
import { customerContacts } from '../domain/customer-contacts';
import type * as mails from '../domain/outgoing-mail';
import type { CustomerSessions } from '../sign-in/customer-sessions';
import type { SignInLimit } from '../sign-in/sign-in-limit';
import { ContactLink, ContactVerdict, CustomerContact } from './customer-contact.types';
import { Language } from './language.types';

const CONTACT = { description: 'The contact, as this session knows it.' } as const;
const SECRET = { description: 'Secret of the link or of the attempt.' } as const;

/** The contacts of the customer who asks (2-decisions-a-b.md, section 11). */
@Resolver()
export class CustomerContactResolver {
  constructor(
    private readonly contacts: CustomerContacts,
    private readonly sessions: CustomerSessions,
    private readonly limit: SignInLimit,
  ) {}

  @MayCall('customer')
  @Query(() => [CustomerContact], {
    description: "The contacts that are registered for the customer's home, the oldest first.",
  })
  async customerContacts(@Ctx() context: CallContext): Promise<CustomerContact[]> {
    const session = await this.sessions.ofCaller(context);
    return customerContacts(session).map(({ contact, duids, kind, shown, since, standing }) => ({
      id: this.contacts.idOf(session, contact),
      dataUsers: duids.map((duid) => ({ duid })),
      ...{ kind, shown, since, standing },
    }));
  }

  @MayCall('customer')
  @Mutation(() => Boolean, {
    description:
      'Mails a link to another address of the home: pressed in this session it proves that both are one person or household.',
  })
  async mailContactLink(
    @Arg('contact', () => ID, CONTACT) contact: string,
    @Arg('language', () => Language, { description: 'Language that comes first in the mail.' })
    language: mails.Language,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.limit.request(context);
    await this.contacts.mailLink(await this.sessions.ofCaller(context), contact, language);
    return true;
  }

  @MayCall('customer')
  @Query(() => ContactLink, { nullable: true, description: 'A mailed link; null when this session cannot use it.' })
  async contactLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<ContactLink | null> {
    return (await this.contacts.link(await this.sessions.ofCaller(context), secret)) ?? null;
  }

  @MayCall('customer')
  @Mutation(() => Boolean, {
    description: 'Proves the address of a mailed link, in the session that asked for it, once.',
  })
  async proveContactByLink(
    @Arg('secret', () => String, SECRET) secret: string,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.contacts.proveByLink(await this.sessions.ofCaller(context), secret);
    return true;
  }

  @MayCall('customer')
  @Mutation(() => Boolean, {
    description:
      'Proves a passkey of the home, by the answer to a sign-in by passkey that was started; one attempt, PRM003 when it proves nothing.',
  })
  async proveContactByPasskey(
    @Arg('secret', () => String, SECRET) secret: string,
    @Arg('response', () => JsonObject, { description: 'What `navigator.credentials.get` gave, in its JSON form.' })
    response: object,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    const session = await this.sessions.ofCaller(context);
    try {
      await this.limit.proof(context, () => this.contacts.proveByPasskey(session, secret, response));
    } catch (error) {
      const isRefused = error instanceof RegisterError && error.code === 'AUT001'; // which would say that the session has ended
      throw isRefused ? new RegisterError('PRM003', 'The passkey proves nothing for this home.') : error;
    }
    return true;
  }

  @MayCall('customer')
  @Mutation(() => Boolean, {
    description: 'Confirms or rejects a contact: for a customer who signed in at the energy supplier.',
  })
  async judgeContact(
    @Arg('contact', () => ID, CONTACT) contact: string,
    @Arg('verdict', () => ContactVerdict, { description: 'What the customer says of it.' })
    verdict: contacts.ContactVerdict,
    @Ctx() context: CallContext,
  ): Promise<boolean> {
    await this.contacts.judge(await this.sessions.ofCaller(context), contact, verdict);
    return true;
  }
}
