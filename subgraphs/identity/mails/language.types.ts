import type * as domain from './outgoing-mail';
import { graphqlEnum } from '../../server/graph/graphql.enums';

export const Language = graphqlEnum('Language', 'A language of pages and mails.', {
  en: 'English.',
  cy: 'Welsh.',
} satisfies Record<domain.Language, string>);
