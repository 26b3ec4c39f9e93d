import type { Caller } from '../../subgraphs/server/callers/caller';

/** The communications operator, as a caller of a subgraph. */
export const OPERATOR: Caller = {
  accountId: `acc_${'c'.repeat(24)}`,
  role: 'communications_operator',
  duid: null,
  mpid: null,
};
