import { Field, ObjectType } from 'type-graphql';
import { DateTime, JsonObject, Uri } from '../../../schema/scalars';
import type * as domain from './ceremony';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';

const CeremonyKind = graphqlEnum('CeremonyKind', "Steps of a customer on the register's own pages.", {
  'confirm-link': 'Confirms a re-identification by a mailed link.',
  'confirm-proof': "Proves the customer's identity by a mailed link before a passkey is added.",
  'assert-passkey': 'Confirms a re-identification by a passkey.',
  'register-passkey': 'Adds a passkey.',
} satisfies Record<domain.CeremonyKind, string>);

const CeremonyProof = graphqlEnum('CeremonyProof', "Proof of the customer's identity before a passkey is added.", {
  passkey: 'By a passkey registered earlier.',
  mail: 'By a link mailed to the stored address.',
} satisfies Record<domain.CeremonyProof, string>);

const PasskeyCeremonyKind = graphqlEnum('PasskeyCeremonyKind', 'Ceremonies of WebAuthn.', {
  assertion: 'Assertion by a passkey: `navigator.credentials.get`.',
  registration: 'Registration of a passkey: `navigator.credentials.create`.',
} satisfies Record<domain.ChallengeKind, string>);

@ObjectType('Ceremony', simple('The ceremony of a link or redirect.'))
export class Ceremony {
  @Field(() => CeremonyKind, { description: 'The next step.' }) kind: domain.CeremonyKind;
  @Field(() => String, { description: 'Name of the organisation that initiated it.' }) organisation: string;
  @Field(() => DateTime, { description: 'Expiry of the link or redirect.' }) expiresAt: Date;
  @Field(() => [CeremonyProof], {
    description:
      'Proofs of identity: the customer gives one of them before a passkey is registered. Empty if none is required.',
  })
  proofs: readonly domain.CeremonyProof[];
  @Field(() => Uri, {
    nullable: true,
    description:
      'Return URL without the token, for a customer who does not continue; null if the Data User supplied none. Leaving ends nothing.',
  })
  cancelUrl: string | null;
}

@ObjectType('CeremonyOutcome', simple('Result of a step of a ceremony.'))
export class CeremonyOutcome {
  @Field(() => String, { description: 'Name of the organisation that initiated it.' }) organisation: string;
  @Field(() => Uri, nullable('Return URL with the token; null for the page of the register.')) returnUrl: string | null;
  @Field(
    () => String,
    nullable('Secret with which this browser continues to add the passkey; null if the ceremony is complete.'),
  )
  nextSecret: string | null;
}

@ObjectType('PasskeyCeremonyOptions', simple('Options of a WebAuthn ceremony for the browser.'))
export class PasskeyCeremonyOptions {
  @Field(() => PasskeyCeremonyKind, { description: 'The ceremony.' }) kind: domain.ChallengeKind;
  @Field(() => JsonObject, {
    description: 'Its options in the JSON form of WebAuthn, with a challenge for one response.',
  })
  options: object;
}
