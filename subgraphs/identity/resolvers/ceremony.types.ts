import { Field, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime, JsonObject, Uri } from '../../../schema/scalars';
import type * as domain from '../domain/ceremony';

/** GraphQL names of {@link domain.CeremonyKind}. */
export const CeremonyKind = {
  CONFIRM_LINK: 'confirm-link',
  CONFIRM_PROOF: 'confirm-proof',
  ASSERT_PASSKEY: 'assert-passkey',
  REGISTER_PASSKEY: 'register-passkey',
} as const satisfies Record<string, domain.CeremonyKind>;
registerEnumType(CeremonyKind, {
  name: 'CeremonyKind',
  description: "What a customer does on the register's own pages.",
  valuesConfig: {
    CONFIRM_LINK: { description: 'Confirms a re-identification by a mailed link.' },
    CONFIRM_PROOF: { description: 'Proves by a mailed link who they are, before a passkey is added.' },
    ASSERT_PASSKEY: { description: 'Confirms a re-identification by a passkey.' },
    REGISTER_PASSKEY: { description: 'Adds a passkey.' },
  },
});

/** GraphQL names of {@link domain.CeremonyProof}. */
export const CeremonyProof = { PASSKEY: 'passkey', MAIL: 'mail' } as const satisfies Record<
  string,
  domain.CeremonyProof
>;
registerEnumType(CeremonyProof, {
  name: 'CeremonyProof',
  description: 'How a customer can prove who they are before a passkey is added.',
  valuesConfig: {
    PASSKEY: { description: 'By a passkey registered earlier.' },
    MAIL: { description: 'By a link mailed to the stored address.' },
  },
});

/** GraphQL names of {@link domain.ChallengeKind}. */
export const PasskeyCeremonyKind = {
  ASSERTION: 'assertion',
  REGISTRATION: 'registration',
} as const satisfies Record<string, domain.ChallengeKind>;
registerEnumType(PasskeyCeremonyKind, {
  name: 'PasskeyCeremonyKind',
  description: 'The two ceremonies of WebAuthn.',
  valuesConfig: {
    ASSERTION: { description: 'Using a passkey: `navigator.credentials.get`.' },
    REGISTRATION: { description: 'Making a passkey: `navigator.credentials.create`.' },
  },
});

/** Ceremony of the graph. */
@ObjectType('Ceremony', { description: 'What the secret of a link or redirect opens.', simpleResolvers: true })
export class Ceremony {
  @Field(() => CeremonyKind, { description: 'What is to be done.' }) kind: domain.CeremonyKind;
  @Field(() => String, { description: 'Name of the organisation that initiated it.' }) organisation: string;
  @Field(() => DateTime, { description: 'Until when it can be done.' }) expiresAt: Date;
  @Field(() => [CeremonyProof], {
    description: 'What must be given first, one of them, before a passkey can be added; empty when nothing must.',
  })
  proofs: readonly domain.CeremonyProof[];
}

/** CeremonyOutcome of the graph. */
@ObjectType('CeremonyOutcome', { description: 'What a step of a ceremony came to.', simpleResolvers: true })
export class CeremonyOutcome {
  @Field(() => String, { description: 'Name of the organisation that initiated it.' }) organisation: string;
  @Field(() => Uri, {
    nullable: true,
    description: 'Where the customer returns to, with the token; null for the page of the register.',
  })
  returnUrl: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'Secret with which this browser goes on to add the passkey; null when the ceremony is complete.',
  })
  nextSecret: string | null;
}

/** PasskeyCeremonyOptions of the graph. */
@ObjectType('PasskeyCeremonyOptions', { description: 'What the browser is asked for.', simpleResolvers: true })
export class PasskeyCeremonyOptions {
  @Field(() => PasskeyCeremonyKind, { description: 'Which ceremony.' }) kind: domain.ChallengeKind;
  @Field(() => JsonObject, {
    description: 'Its options in the JSON form of WebAuthn, with a challenge for one answer.',
  })
  options: object;
}
