import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { PageRequest } from '../../server/lists/connection';
import { isInTime } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Session, inTransaction } from '../../server/database/transaction';
import type { AccessState, RevocationReason } from '../records/access-record';
import {
  type AccessRecordFilter,
  type AccessRecordPage,
  type AccessRecordQueries,
  type ListedRow,
  fitting,
} from '../records/access-record.queries';
import { activeAccount, changedBy } from '../accounts/active-account.queries';
import { withdrawal } from './consent-withdrawal.sql';
import { type RedeemedToken, consumeToken, isTokenRejected } from '../identity-links/redeemed-token.repository';
import { ON_CONSENT } from '../records/record-state.sql';
import {
  ACCESS_RECORD_COLUMNS,
  StoredAccessRecord,
  withoutControllerReference,
} from '../records/stored-access-record.queries';

const ADD_ALIASES = {
  name: 'add_portal_aliases',
  text: `insert into portal_alias (alias_hash, record_id, account_id)
    select alias_hash, record_id, $3 from unnest($1::bytea[], $2::uuid[]) as listed (alias_hash, record_id)`,
};

/** The lifetime that the table gives an alias, an SQL interval. */
export const ALIAS_LIFETIME = `interval '1 hour'`;

/** The record of an alias that was issued to this account and has not expired. */
const ALIASED = `id = (
  select record_id from portal_alias where alias_hash = $1 and account_id = $2 and ${isInTime('expires_at', ALIAS_LIFETIME)})`;

const WITHDRAW = {
  name: 'withdraw_by_alias',
  text: withdrawal(`${ALIASED} and ($4::int[] is null or version = any($4))`, {
    account: activeAccount('$2'),
    reason: '$3',
  }),
};

const STATE = {
  name: 'state_by_alias',
  text: `select ${ACCESS_RECORD_COLUMNS} from access_record where ${ALIASED} and ${ON_CONSENT}`,
};

/**
 * Access of third-party portals (decisions A/B, 3). A portal receives no access key and no Controller's reference: it addresses a record
 * by an alias that expires after an hour and can only withdraw consent.
 */
export class PortalAccessRepository {
  constructor(
    private readonly database: Database,
    private readonly recordQueries: AccessRecordQueries,
    private readonly hashOfAlias: KeyedHash,
  ) {}

  /**
   * Returns a page of all records at a meter point. The token is redeemed in the same transaction; PRM003 if it was redeemed or has
   * expired.
   */
  async page(
    accountId: string,
    token: RedeemedToken,
    filter: AccessRecordFilter,
    page: PageRequest,
  ): Promise<AccessRecordPage> {
    try {
      return await inTransaction(this.database.pool, async (session) => {
        await consumeToken(session, token);
        const rows = await this.recordQueries.rows(session, filter, page, accountId);
        const aliases = await this.addAliases(session, accountId, rows.slice(0, fitting(page, rows).first));
        const recordOf = (row: ListedRow) =>
          new StoredAccessRecord(withoutControllerReference(row), aliases.get(row.id));
        return this.recordQueries.listed(filter, page, rows, recordOf);
      });
    } catch (error) {
      throw isTokenRejected(error) ? new RegisterError('PRM003') : error;
    }
  }

  /** Withdraws consent by alias and returns when; undefined if the record could not be changed, AUT001 if the portal is no longer active. */
  async withdraw(
    accountId: string,
    alias: string,
    reason: RevocationReason,
    ifVersions: number[] | null,
  ): Promise<Date | undefined> {
    const values = [this.hashOfAlias(alias), accountId, reason, ifVersions];
    const [row] = await changedBy<{ revoked_at: Date }>(accountId, { ...WITHDRAW, values }, this.database.pool);
    return row?.revoked_at;
  }

  /** Returns the state of the record on consent with this alias; undefined without one. */
  async stateOf(accountId: string, alias: string): Promise<AccessState | undefined> {
    const values = [this.hashOfAlias(alias), accountId];
    const { rows } = await this.database.pool.query<{ state: AccessState }>({ ...STATE, values });
    return rows[0]?.state;
  }

  private async addAliases(
    session: Session,
    accountId: string,
    rows: readonly ListedRow[],
  ): Promise<ReadonlyMap<string, string>> {
    const aliases = new Map(rows.map(({ id }) => [id, newIdentifier('ak')]));
    const hashes = [...aliases.values()].map(this.hashOfAlias);
    await session.query({ ...ADD_ALIASES, values: [hashes, [...aliases.keys()], accountId] });
    return aliases;
  }
}
