import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { graphqlEnum } from '../../server/graphql.enums';
import type * as contacts from '../domain/contacts';
import type * as domain from '../domain/customer-contacts';
import { DataUserReference } from './identity-look.types';

/** GraphQL names of {@link contacts.ContactKind}. */
export const ContactKind = graphqlEnum<contacts.ContactKind>('ContactKind', 'Kinds of contacts.', {
  email: 'An e-mail address.',
  passkey: 'A passkey.',
});

/** GraphQL names of {@link domain.ContactStanding}. */
export const ContactStanding = graphqlEnum<domain.ContactStanding>(
  'ContactStanding',
  'How a contact stands to the customer who asks.',
  {
    own: 'The customer signed in by it, or it was proven to be the same person or household.',
    other: 'It is not known whether it belongs to the customer.',
    confirmed: 'Somebody whom the energy supplier proved has confirmed it.',
    rejected: 'Somebody whom the energy supplier proved has rejected it: it opens nothing.',
  },
);

/** GraphQL names of {@link contacts.ContactVerdict}. */
export const ContactVerdict = graphqlEnum<contacts.ContactVerdict>(
  'ContactVerdict',
  'What somebody whom the energy supplier proved says of a contact.',
  { confirmed: 'It belongs to the customer or their household.', rejected: 'It does not: it opens nothing any more.' },
);

/** CustomerContact of the graph. */
@ObjectType('CustomerContact', {
  description:
    "An e-mail address or passkey that is registered for the customer's home, by a verified Identity Record.",
  simpleResolvers: true,
})
export class CustomerContact {
  @Field(() => ID, { description: 'Identifier within this session.' }) id: string;
  @Field(() => ContactKind, { description: 'What it is.' }) kind: contacts.ContactKind;
  @Field(() => String, { nullable: true, description: 'Of an e-mail address, masked; null for a passkey.' })
  shown: string | null;
  @Field(() => [DataUserReference], {
    nullable: 'items',
    description: 'The Data Users that registered it, the first one first.',
  })
  dataUsers: DataUserReference[];
  @Field(() => DateTime, { description: 'Since when.' }) since: Date;
  @Field(() => ContactStanding, { description: 'How it stands to the customer.' }) standing: domain.ContactStanding;
}

/** ContactLink of the graph. */
@ObjectType('ContactLink', { description: 'A mailed link that this session can still use.', simpleResolvers: true })
export class ContactLink {
  @Field(() => DateTime, { description: 'Until when.' }) expiresAt: Date;
}
