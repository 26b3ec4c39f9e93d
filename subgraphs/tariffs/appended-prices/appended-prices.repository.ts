import { DatabaseError, type Pool } from 'pg';
import { RegisterError, type Violation, throwViolations } from '../../../schema/register-error';
import { addAuditEntry } from '../../server/audit/audit.repository';
import { type Session, inTransaction } from '../../server/database/transaction';
import { MODIFIED_NOW } from '../catalogue/stored-tariff';
import type { Tariff } from '../catalogue/tariff';
import type { RegisterEntryStatus } from '../register-entries/register-entry-status';
import { type AppendedPrice, appendingViolations } from './appended-price';

/** Concurrent calls for a tariff wait for each other, so that each counts what it stores. A removal of the supplier waits, too. */
const TARIFF = `select mpid, tariff_type as "tariffType", valid_from as "validFrom", valid_to as "validTo", supplier.status
  from tariff join supplier using (mpid) where tariff_id = $1 for no key update of tariff for share of supplier`;

const GIVEN = 'unnest($2::timestamptz[], $3::text[]) with ordinality given(valid_from, unit_price, number)';

/** Prices of the call that differ from the stored ones or are new, by position from 1, with the stored ones, and whether their half-hours have started. */
const DIFFERENT = `select number::int, given.valid_from <= register_now() as "hasStarted", stored.unit_price as former
  from ${GIVEN} left join tariff_price stored on stored.tariff_id = $1 and stored.valid_from = given.valid_from
  where given.unit_price::numeric is distinct from stored.unit_price::numeric order by number`;

/** The order of the rows is the same in all calls, so that two of them never wait for each other. */
const APPEND = `insert into tariff_price (tariff_id, valid_from, unit_price, account_id)
  select $1, valid_from, unit_price, $4 from ${GIVEN} where number = any($5::int[]) order by valid_from
  on conflict (tariff_id, valid_from) do update
    set unit_price = excluded.unit_price, recorded_at = register_now(), account_id = excluded.account_id`;

const MODIFY = `update tariff set last_modified = ${MODIFIED_NOW} where tariff_id = $1`;

/** One text instead of rows: a year of them would block the event loop. */
const STORED = {
  name: 'appended_prices',
  text: `select coalesce(json_agg(json_build_array(extract(epoch from valid_from) * 1000, unit_price) order by valid_from), '[]')::text as json
    from tariff_price where tariff_id = $1 and valid_from > $2::timestamptz - interval '30 minutes' and valid_from < $3`,
};

/** SQLSTATE of the trigger that rejects prices of half-hours that have started. */
const RESTRICT_VIOLATION = '23001';

/** Prices that a supplier appends; its caller may write for the supplier. */
interface Appending {
  readonly tariffId: string;
  readonly mpid: string;
  readonly prices: readonly AppendedPrice[];
  readonly accountId: string;
  /** Whether an admin appends for the supplier: the audit names the admin. */
  readonly byAdmin: boolean;
}

/** The tariff, and the status of its supplier. */
interface TariffRow extends Pick<Tariff, 'mpid' | 'tariffType' | 'validFrom' | 'validTo'> {
  readonly status: RegisterEntryStatus;
}

/** A price to store; `number` is its position in the call, from 1. */
interface DifferentPrice {
  readonly number: number;
  readonly hasStarted: boolean;
  /** The price that it replaces; null for a half-hour without one. */
  readonly former: string | null;
}

/** The numbers of prices that a call stored. */
export interface AppendingOutcome {
  readonly added: number;
  readonly changed: number;
}

/** Prices appended to dynamic tariffs by half-hour. A price never changes once its half-hour has started. */
export class AppendedPriceRepository {
  constructor(private readonly pool: Pool) {}

  /**
   * Stores prices. NTF003 if the tariff does not exist, PRM002 if it is another supplier's, CNF001 if the supplier is removed, VAL003 if the
   * tariff is static or not valid then, CNF005 for every half-hour that has started, unless it has the price already. All prices are stored,
   * or none.
   */
  append({ tariffId, mpid, prices, accountId, byAdmin }: Appending): Promise<AppendingOutcome> {
    return inTransaction(this.pool, async (session) => {
      const [tariff] = (await session.query<TariffRow>(TARIFF, [tariffId])).rows;
      if (tariff === undefined) throw new RegisterError('NTF003');
      if (tariff.mpid !== mpid) throw new RegisterError('PRM002', 'The tariff is that of another supplier');
      if (tariff.status === 'removed') throw new RegisterError('CNF001', 'The supplier was removed');
      const given = [tariffId, prices.map(({ from }) => from), prices.map(({ unitPrice }) => unitPrice)];
      const { rows: different } = await session.query<DifferentPrice>(DIFFERENT, given);
      const started = different
        .filter(({ hasStarted }) => hasStarted)
        .map(({ number }) => hasStartedViolation(number - 1));
      throwViolations([...appendingViolations(tariff, prices), ...started]);
      await session.query(APPEND, [...given, accountId, different.map(({ number }) => number)]);
      if (different.length > 0) await session.query(MODIFY, [tariffId]);
      if (byAdmin && different.length > 0) await audit(session, { tariffId, accountId, prices }, different);
      const added = different.filter(({ former }) => former === null).length;
      return { added, changed: different.length - added };
    }).catch(rejectStarted);
  }

  /** Returns the prices of half-hours that overlap a period, as {@link appendedPricesFrom} reads them. */
  async jsonBetween(tariffId: string, from: Date, to: Date): Promise<string> {
    const { rows } = await this.pool.query<{ json: string }>({ ...STORED, values: [tariffId, from, to] });
    return (rows as [{ json: string }])[0].json;
  }
}

/** Adds the stored prices and those that they replace to the audit, because no table retains a former price. */
async function audit(
  session: Session,
  { tariffId, accountId, prices }: Pick<Appending, 'tariffId' | 'accountId' | 'prices'>,
  different: readonly DifferentPrice[],
): Promise<void> {
  const written = (number: number, price: string) => `${prices[number - 1]?.from.toISOString()} ${price}`;
  const former = different.flatMap(({ number, former: price }) => (price === null ? [] : [written(number, price)]));
  const current = different.map(({ number }) => written(number, String(prices[number - 1]?.unitPrice)));
  const detail = { from: former.length === 0 ? null : { prices: former }, to: { prices: current } };
  await addAuditEntry(session, { actor: accountId, action: 'append-tariff-prices', subject: tariffId, detail });
}

function hasStartedViolation(index: number): Violation {
  return {
    code: 'CNF005',
    path: ['prices', index, 'from'],
    message: 'has started: its price can no longer be given or changed',
  };
}

/** Maps the rejection of a half-hour that began during the call to CNF005, as if it had arrived later. */
function rejectStarted(error: unknown): never {
  if (error instanceof DatabaseError && error.code === RESTRICT_VIOLATION)
    throwViolations([{ code: 'CNF005', path: ['prices'], message: 'contain one of a half-hour that has started' }]);
  throw error;
}
