import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import type { PageRequest } from '../../server/connection';
import type { Database } from '../../server/database';
import type { KeyedHash } from '../../server/keyed-hash';
import { type Session, inTransaction } from '../../server/transaction';
import type { AccessState, RevocationReason } from '../domain/access-record';
import type { AccessRecordFilter, AccessRecordLists, AccessRecordPage, ListedRow } from './access-record-lists';
import { withdrawal } from './consent-withdrawal';
import { type RedeemedToken, consumeToken, isSpentToken } from './consumed-token';
import { ON_CONSENT } from './record-state';
import { ACCESS_RECORD_COLUMNS, StoredAccessRecord } from './stored-access-record';

const ADD_ALIASES = {
  name: 'add_portal_aliases',
  text: `insert into portal_alias (alias_hash, record_id, account_id)
    select alias_hash, record_id, $3 from unnest($1::bytea[], $2::uuid[]) as listed (alias_hash, record_id)`,
};

/** The record of an alias that this account was given, within its hour. */
const ALIASED = `id = (
  select record_id from portal_alias where alias_hash = $1 and account_id = $2 and expires_at > register_now())`;

const WITHDRAW = {
  name: 'withdraw_by_alias',
  text: withdrawal(`${ALIASED} and ($4::int[] is null or version = any($4))`, { account: '$2', reason: '$3' }),
};

const STATE = {
  name: 'state_by_alias',
  text: `select ${ACCESS_RECORD_COLUMNS} from access_record where ${ALIASED} and ${ON_CONSENT}`,
};

/**
 * What a third party's portal may do (2-decisions-a-b.md, section 3). It never receives an access key: it knows a record by an alias of
 * its own, that lives an hour and works for the withdrawal of consent only.
 */
export class PortalAccessRepository {
  constructor(
    private readonly database: Database,
    private readonly lists: AccessRecordLists,
    private readonly hashOfAlias: KeyedHash,
  ) {}

  /** A page of all records at a meter point; the token is redeemed if and only if it is answered, else PRM003. */
  async page(
    accountId: string,
    token: RedeemedToken,
    filter: AccessRecordFilter,
    page: PageRequest,
  ): Promise<AccessRecordPage> {
    try {
      return await inTransaction(this.database.pool, async (session) => {
        await consumeToken(session, token);
        const rows = await this.lists.rows(session, filter, page, accountId);
        const aliases = await this.giveAliases(session, accountId, rows.slice(0, page.first));
        const recordOf = (row: ListedRow) => new StoredAccessRecord(row, aliases.get(row.id));
        return this.lists.listed(filter, page, rows, recordOf);
      });
    } catch (error) {
      throw isSpentToken(error) ? new RegisterError('PRM003') : error;
    }
  }

  /** Withdraws consent by alias: when; undefined when the record could not be changed. */
  async withdraw(
    accountId: string,
    alias: string,
    reason: RevocationReason,
    ifVersions: number[] | null,
  ): Promise<Date | undefined> {
    const values = [this.hashOfAlias(alias), accountId, reason, ifVersions];
    const { rows } = await this.database.pool.query<{ revoked_at: Date }>({ ...WITHDRAW, values });
    return rows[0]?.revoked_at;
  }

  /** The state of the consent record that an alias stands for; undefined when it stands for none. */
  async stateOf(accountId: string, alias: string): Promise<AccessState | undefined> {
    const values = [this.hashOfAlias(alias), accountId];
    const { rows } = await this.database.pool.query<{ state: AccessState }>({ ...STATE, values });
    return rows[0]?.state;
  }

  private async giveAliases(
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
