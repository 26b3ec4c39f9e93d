import { Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { Mpxn } from '../../../schema/scalars';
import type * as domain from '../domain/reidentification-methods';

/** GraphQL names of {@link domain.ReidentificationMethod}. */
export const ReidentificationMethod = {
  MAGIC_LINK: 'magic-link',
  PASSKEY_ASSERT: 'passkey-assert',
  PASSKEY_REGISTER: 'passkey-register',
} as const satisfies Record<string, domain.ReidentificationMethod>;
registerEnumType(ReidentificationMethod, {
  name: 'ReidentificationMethod',
  description: 'A way in which a customer can be re-identified.',
  valuesConfig: {
    MAGIC_LINK: { description: 'A link mailed to the stored e-mail address.' },
    PASSKEY_ASSERT: { description: 'A passkey registered earlier.' },
    PASSKEY_REGISTER: { description: 'Registering a new passkey.' },
  },
});

/** MeterPoint of the graph: what its MPxN is known by outside `identity`. */
@Directive('@key(fields: "id")')
@ObjectType('MeterPoint', {
  description: 'A meter point, known by an opaque id that does not tell its MPxN.',
  simpleResolvers: true,
})
export class MeterPoint {
  @Field(() => ID, { description: 'Opaque id.' }) id: string;
}

/** IdentityRecordExistence of the graph. */
@ObjectType('IdentityRecordExistence', {
  description: 'Whether any Data User has registered a live Identity Record for a meter point.',
  simpleResolvers: true,
})
export class IdentityRecordExistence {
  @Field(() => Mpxn, { description: 'The meter point asked for.' }) mpxn: string;
  @Field(() => Boolean, { description: 'Whether there is one.' }) exists: boolean;

  @Field(() => [ReidentificationMethod], {
    description: 'How its customer can be re-identified; empty when there is none.',
  })
  availableMethods: domain.ReidentificationMethod[];
}
