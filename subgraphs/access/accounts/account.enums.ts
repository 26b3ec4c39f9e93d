import type { AccountRole } from '../../../schema/roles';
import { graphqlEnum } from '../../server/graph/graphql.enums';

export const DataUserStatusEnum = graphqlEnum('DataUserStatus', 'Status of an organisation.', {
  active: 'In good standing.',
  suspended: 'Suspended; its records verify as before.',
  terminated: 'No longer a user of the register.',
});

export const AccountRoleEnum = graphqlEnum('AccountRole', 'Role of an account.', {
  data_user: 'Registers, replaces and revokes its own access records, and receives their events.',
  data_provider: 'Holds meter data and verifies access records before it releases data.',
  communications_operator: 'Reports discovered accesses and Changes of Tenancy.',
  portal: 'Re-identifies customers, shows them the access records of their meter point and withdraws consent for them.',
  supplier: 'Publishes tariffs and assigns them to meter points.',
  admin: 'Manages accounts, suppliers, RTI Users and the publication of grid models.',
  analyst: 'Reads records, events and statistics for the back office, without changing them.',
} satisfies Record<AccountRole, string>);
