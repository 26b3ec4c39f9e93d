import { Directive, Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime, Duid } from '../../../schema/scalars';
import type * as domain from '../domain/identity-look';

/** GraphQL names of {@link domain.IdentityLookKind}. */
export const IdentityLookKind = {
  EXISTENCE_CHECK: 'existence-check',
  REIDENTIFICATION: 'reidentification',
  SHOW_CONSENTS: 'show-consents',
} as const satisfies Record<string, domain.IdentityLookKind>;
registerEnumType(IdentityLookKind, {
  name: 'IdentityLookKind',
  description: 'How an organisation looked at a customer.',
  valuesConfig: {
    EXISTENCE_CHECK: { description: 'It asked whether anybody is registered at the meter point.' },
    REIDENTIFICATION: { description: 'It tried to re-identify the customer.' },
    SHOW_CONSENTS: { description: 'It asked which consents are registered at the meter point.' },
  },
});

/** DataUser of the graph, as `access` knows it. */
@Directive('@key(fields: "duid", resolvable: false)')
@ObjectType('DataUser', { simpleResolvers: true })
export class DataUserReference {
  @Field(() => Duid) duid: string;
}

/** IdentityLook of the graph. */
@ObjectType('IdentityLook', { description: 'How often an organisation looked in one hour.', simpleResolvers: true })
export class IdentityLook {
  @Field(() => DataUserReference, { nullable: true, description: 'The organisation.' })
  dataUser: DataUserReference | null;
  @Field(() => IdentityLookKind, { description: 'What it did.' }) kind: domain.IdentityLookKind;
  @Field(() => DateTime, { description: 'Beginning of the hour.' }) hour: Date;
  @Field(() => Int, { description: 'How often.' }) count: number;
}
