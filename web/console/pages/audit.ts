import { AUDIT_PATH, chosenAudit, offeredKinds, readAudit } from '../audit/audit-list';
import { get } from '../page';

/** Lists changes of trust, newest first, for admins. */
export const auditPage = get(AUDIT_PATH, async (context) => {
  const chosen = chosenAudit(context.query);
  return {
    view: 'audit',
    model: {
      list: await readAudit(context, chosen),
      areas: offeredKinds(chosen),
      chosen,
      isFiltered: chosen.kind !== undefined || chosen.actor !== undefined,
      page: AUDIT_PATH,
    },
  };
});
