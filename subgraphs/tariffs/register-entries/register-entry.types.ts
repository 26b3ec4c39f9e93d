import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { RegisterEntryStatus } from './register-entry-status';

export const RegisterEntryStatusEnum = graphqlEnum(
  'RegisterEntryStatus',
  'Status of the register entry of a supplier or an RTI User; removal is final.',
  {
    active: 'In good standing; only active entries exchange data of consumers.',
    suspended: 'Temporarily suspended.',
    disabled: 'Disabled; may become active again.',
    removed: 'Removed from the register.',
  } satisfies Record<RegisterEntryStatus, string>,
);
