import { DatabaseError, type Pool } from 'pg';
import { RegisterError, refuse } from '../../../schema/register-error';
import { inTransaction } from '../../server/transaction';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type { Supplier, SupplierInput } from '../domain/supplier';
import { type EntryKind, setEntryStatus } from './entry-status';
import { SUPPLIER_COLUMNS } from './supplier-lists';

const KIND: EntryKind = { table: 'supplier', key: 'mpid', unknown: 'NTF002' };

/** What is equal leaves the entry as it is, also its last_modified. */
const SAVE = `
  insert into supplier as kept (mpid, name, display_name, support, api_url, oauth_url, issuer, audience)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (mpid) do update
    set (name, display_name, support, api_url, oauth_url, issuer, audience, last_modified) =
      (excluded.name, excluded.display_name, excluded.support, excluded.api_url, excluded.oauth_url, excluded.issuer, excluded.audience,
        case when (kept.name, kept.display_name, kept.support, kept.api_url, kept.oauth_url, kept.issuer, kept.audience)
            is distinct from (excluded.name, excluded.display_name, excluded.support, excluded.api_url, excluded.oauth_url,
              excluded.issuer, excluded.audience)
          then register_now() else kept.last_modified end)
    where kept.status <> 'removed'
  returning ${SUPPLIER_COLUMNS}, xmax = 0 as "isNew"`;

/** Entries of suppliers, as admins write them (3-decisions-c-d.md, D.1). */
export class SupplierRepository {
  constructor(private readonly pool: Pool) {}

  /** Makes or corrects an entry; CNF001 when it was removed, or when another supplier has the same issuer and audience. */
  async save(input: SupplierInput): Promise<{ readonly supplier: Supplier; readonly isNew: boolean }> {
    const { mpid, name, displayName, support, apiUrl, oauthUrl = null, issuer = null, audience = null } = input;
    const values = [mpid, name, displayName, support, apiUrl, oauthUrl, issuer, audience];
    const { rows } = await this.pool.query<Supplier & { isNew: boolean }>(SAVE, values).catch(refuseSameIssuer);
    const [row] = rows;
    if (row === undefined) throw new RegisterError('CNF001', 'The supplier was removed');
    const { isNew, ...supplier } = row;
    return { supplier, isNew };
  }

  /** Sets the status of an entry; NTF002 when there is none, CNF001 where its status does not lead there. */
  setStatus(mpid: string, status: RegisterEntryStatus, accountId: string): Promise<void> {
    return inTransaction(this.pool, (session) => setEntryStatus(session, KIND, mpid, status, accountId));
  }
}

function refuseSameIssuer(error: unknown): never {
  if (error instanceof DatabaseError && error.constraint === 'supplier_issuer') {
    const message = 'another supplier has this issuer and audience';
    refuse([{ code: 'CNF001', path: ['issuer'], message }]);
  }
  throw error;
}
