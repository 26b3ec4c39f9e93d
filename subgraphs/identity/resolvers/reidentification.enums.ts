import { registerEnumType } from 'type-graphql';
import type * as domain from '../domain/reidentification';

/** GraphQL names of {@link domain.ReidentificationState}. */
export const ReidentificationState = {
  PENDING: 'pending',
  CONFIRMED: 'confirmed',
  EXPIRED: 'expired',
} as const satisfies Record<string, domain.ReidentificationState>;
registerEnumType(ReidentificationState, {
  name: 'ReidentificationState',
  description: 'How far a re-identification has come.',
  valuesConfig: {
    PENDING: { description: 'The customer can still confirm it.' },
    CONFIRMED: { description: 'The customer confirmed it; the token can be used until one hour after its issuance.' },
    EXPIRED: { description: 'It was not confirmed in time, or the hour is over.' },
  },
});
