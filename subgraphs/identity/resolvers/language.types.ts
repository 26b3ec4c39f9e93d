import { registerEnumType } from 'type-graphql';
import type * as domain from '../domain/outgoing-mail';

/** GraphQL names of {@link domain.Language}. */
export const Language = { EN: 'en', CY: 'cy' } as const satisfies Record<string, domain.Language>;
registerEnumType(Language, {
  name: 'Language',
  description: 'A language of pages and mails.',
  valuesConfig: { EN: { description: 'English.' }, CY: { description: 'Welsh.' } },
});
