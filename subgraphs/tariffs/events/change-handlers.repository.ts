import type { Session } from '../../server/database/transaction';
import {
  PUBLISH_REVOCATIONS,
  REVOKED_MPXNS,
  REVOKE_OF_FORMER_ISSUER,
  REVOKE_OF_RTI_USER,
  REVOKE_OF_SUPPLIER,
} from './revocations.sql';
import { publishTariffChanges } from './tariff-check.repository';

/** MPxNs that one transaction changes, so that its locks are short. */
export const MAX_MPXNS = 500;

/** A row of `tariff_effect` that is due. */
export interface DueChange {
  readonly id: string;
  readonly kind:
    | 'step'
    | 'recheck'
    | 'replacement'
    | 'validity'
    | 'supplier.removed'
    | 'rti_user.removed'
    | 'issuer.changed'
    | 'consent.revoked';
  readonly dueAt: Date;
  readonly mpxnHash: Buffer | null;
  readonly tariffId: string | null;
  readonly mpid: string | null;
  readonly userId: string | null;
  /** The last MPxN of a partly applied change. */
  readonly progressKey: Buffer | null;
  readonly failures: number;
}

/** Kinds of changes that take effect when they are recorded. All others follow a planned instant. */
export const UNPLANNED_KINDS: readonly DueChange['kind'][] = [
  'consent.revoked',
  'supplier.removed',
  'rti_user.removed',
  'issuer.changed',
];

/** Applies a batch of changes of one kind, or a part of a large change, in the transaction of the session. */
type ChangeHandler = (session: Session, batch: readonly DueChange[], first: DueChange) => Promise<void>;

const COMPLETE = {
  name: 'complete_changes',
  text: 'update tariff_effect set done_at = register_now() where id = any($1::bigint[])',
};

/** Queues the rest of a change behind the changes that are due. */
const CONTINUE = {
  name: 'continue_change',
  text: 'update tariff_effect set reached = coalesce($2, reached), turn_at = register_now() where id = $1',
};

/** MPxNs after the progress key that are assigned to a tariff, or to one of those that it replaces directly or indirectly. */
const MPXNS_OF_TARIFF = {
  name: 'mpxns_of_tariff',
  text: `with recursive former as (
      select tariff_id from tariff where tariff_id = $1
      union
      select replaces from tariff join former using (tariff_id) where replaces is not null)
    select distinct step.mpxn_hash as "mpxnHash" from former cross join lateral (
      select distinct mpxn_hash from tariff_step
      where tariff_step.tariff_id = former.tariff_id and withdrawn_at is null and mpxn_hash > $2
      order by mpxn_hash limit $3) step
    order by step.mpxn_hash limit $3`,
};

/**
 * A change at the same instant that checks the same MPxNs and more, and has not begun: that of the tariff which replaces the one of the
 * change `$1`. What a check publishes depends on its MPxN and its instant only.
 */
const COVERING = {
  name: 'covering_change',
  text: `select from tariff_effect effect join tariff later on later.replaces = effect.tariff_id
      join tariff_effect covering on covering.tariff_id = later.tariff_id and covering.due_at = effect.due_at
    where effect.id = $1 and covering.done_at is null and covering.cancelled_at is null and covering.reached is null
      and covering.faults = 0
    limit 1`,
};

interface Revocation {
  readonly changeId: string;
  readonly revokedAt: Date;
  readonly mpid: string;
  readonly mpxnHash: Buffer;
  readonly consentId: string;
}

/** The handlers of changes by kind. */
export const CHANGE_HANDLERS: Readonly<Record<DueChange['kind'], ChangeHandler>> = {
  step: (session, batch) => checkMpxns(session, batch, ({ id }) => id),
  recheck: (session, batch) => checkMpxns(session, batch, () => null),
  replacement: (session, _, change) => checkMpxnsOfTariff(session, change),
  validity: (session, _, change) => checkMpxnsOfTariff(session, change),
  'supplier.removed': (session, _, change) => endConsents(session, change, REVOKE_OF_SUPPLIER, change.mpid),
  'rti_user.removed': (session, _, change) => endConsents(session, change, REVOKE_OF_RTI_USER, change.userId),
  'issuer.changed': (session, _, change) => endConsents(session, change, REVOKE_OF_FORMER_ISSUER, change.mpid),
  async 'consent.revoked'(session, batch, first) {
    const limit = mpxnLimit(first);
    const values = [idsOf(batch), limit];
    const { rows } = await session.query<Revocation>({ ...REVOKED_MPXNS, values });
    await publishRevocations(session, rows);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const unfinished = batch.findIndex(({ id }) => id === last?.changeId);
    await complete(session, idsOf(unfinished === -1 ? batch : batch.slice(0, unfinished)));
    const change = batch[unfinished];
    if (change !== undefined) await continueLater(session, change, last?.mpxnHash);
  },
};

/** Checks the MPxN of each change. */
async function checkMpxns(
  session: Session,
  batch: readonly DueChange[],
  changeId: (change: DueChange) => string | null,
): Promise<void> {
  const applied = await publishTariffChanges(
    session,
    batch.flatMap((change) =>
      change.mpxnHash === null ? [] : [{ mpxnHash: change.mpxnHash, at: change.dueAt, changeId: changeId(change) }],
    ),
  );
  await complete(session, [...idsOf(batch), ...applied]);
}

/** Checks the next MPxNs of a tariff that takes effect or ceases to be valid. */
async function checkMpxnsOfTariff(session: Session, change: DueChange): Promise<void> {
  if ((await session.query({ ...COVERING, values: [change.id] })).rowCount === 1) return complete(session, [change.id]);
  const limit = mpxnLimit(change);
  const values = [change.tariffId, change.progressKey ?? Buffer.alloc(0), limit];
  const { rows } = await session.query<{ mpxnHash: Buffer }>({ ...MPXNS_OF_TARIFF, values });
  const applied = await publishTariffChanges(
    session,
    rows.map(({ mpxnHash }) => ({ mpxnHash, at: change.dueAt, changeId: null })),
  );
  await complete(session, rows.length < limit ? [change.id, ...applied] : applied);
  if (rows.length === limit) await continueLater(session, change, rows.at(-1)?.mpxnHash);
}

/** Returns the limit of MPxNs of one transaction: divided by 4 for each failure after the first, at least 1. */
function mpxnLimit({ failures }: DueChange): number {
  return failures < 2 ? MAX_MPXNS : Math.max(1, MAX_MPXNS >> (2 * Math.min(failures - 1, 10)));
}

async function complete(session: Session, ids: readonly string[]): Promise<void> {
  await session.query({ ...COMPLETE, values: [ids] });
}

function idsOf(changes: readonly DueChange[]): readonly string[] {
  return changes.map(({ id }) => id);
}

async function continueLater(session: Session, { id }: DueChange, progressKey: Buffer | null = null): Promise<void> {
  await session.query({ ...CONTINUE, values: [id, progressKey] });
}

/** Revokes some consents of a party; completes the change once none of those that it ends is live. */
async function endConsents(
  session: Session,
  change: DueChange,
  statement: typeof REVOKE_OF_SUPPLIER,
  party: string | null,
): Promise<void> {
  const { rowCount } = await session.query({ ...statement, values: [party, change.id, mpxnLimit(change)] });
  if (rowCount === 0) await complete(session, [change.id]);
  else await continueLater(session, change);
}

async function publishRevocations(session: Session, revocations: readonly Revocation[]): Promise<void> {
  if (revocations.length === 0) return;
  const values = [
    revocations.map(({ revokedAt }) => revokedAt),
    revocations.map(({ mpid }) => mpid),
    revocations.map(({ mpxnHash }) => mpxnHash),
    revocations.map(({ consentId }) => consentId),
  ];
  await session.query({ ...PUBLISH_REVOCATIONS, values });
}
