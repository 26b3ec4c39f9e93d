import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type * as contacts from './contact';
import type * as domain from './customer-contacts';
import { DataUserReference } from '../lookups/identity-lookup.resolver';

const ContactKind = graphqlEnum<contacts.ContactKind>('ContactKind', 'Kinds of contacts.', {
  email: 'An e-mail address.',
  passkey: 'A passkey.',
});

const ContactStanding = graphqlEnum<domain.ContactStanding>(
  'ContactStanding',
  'Relation of a contact to the calling customer.',
  {
    own: 'The customer signed in by it, or it was proven to be the same person or household.',
    other: 'The register does not know whether it belongs to the customer.',
    confirmed: 'A customer who signed in at the energy supplier confirmed it.',
    rejected: 'A customer who signed in at the energy supplier, or an admin, rejected it. It gives access to nothing.',
  },
);

export const ContactVerdict = graphqlEnum<contacts.ContactVerdict>(
  'ContactVerdict',
  'Verdict on a contact of a customer who signed in at the energy supplier.',
  {
    confirmed: 'It belongs to the customer or their household.',
    rejected: 'It does not. It gives access to nothing from now on.',
  },
);

@ObjectType(
  'CustomerContact',
  simple('An e-mail address or passkey that a verified Identity Record contains for the home of the customer.'),
)
export class CustomerContact {
  @Field(() => ID, { description: 'Identifier within this session.' }) id: string;
  @Field(() => ContactKind, { description: 'Kind of the contact.' }) kind: contacts.ContactKind;
  @Field(() => String, nullable('Masked e-mail address; null for a passkey.')) shown: string | null;
  @Field(() => [DataUserReference], {
    nullable: 'items',
    description:
      "The Data Users that registered it, first one first. At a contested home, a customer whom the supplier has not confirmed reads none if it is older than the customer's own contact, and only the first if it is newer.",
  })
  dataUsers: DataUserReference[];
  @Field(
    () => DateTime,
    nullable('Time at which it was first registered; null if `dataUsers` is empty for that reason.'),
  )
  since: Date | null;
  @Field(() => ContactStanding, { description: 'Its relation to the calling customer.' })
  standing: domain.ContactStanding;
}

@ObjectType('ContactLink', simple('A mailed link that this session can use.'))
export class ContactLink {
  @Field(() => DateTime, { description: 'Expiry of the link.' }) expiresAt: Date;
}
