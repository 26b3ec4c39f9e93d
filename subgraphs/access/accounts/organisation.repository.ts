import type { Database } from '../../server/database/database';
import { decryptValue } from '../../server/encryption';
import type { AccountStatus } from './account';

/** An organisation with a DUID, as other services of the register read it. */
export interface Organisation {
  readonly duid: string;
  readonly displayName: string;
  readonly status: AccountStatus;
  /** The URLs to which the register may redirect customers. */
  readonly returnUrls: readonly string[];
  /** Whether it may assert that it verified a customer's identity. */
  readonly mayAssertVerified: boolean;
  /** Series of the valid bearer tokens of its account; null before their first revocation. */
  readonly tokenSeries: string | null;
}

/** A supplier at which customers can sign in. */
export interface SupplierSignInOption {
  readonly mpid: string;
  readonly displayName: string;
}

/** The register's OpenID Connect client at a supplier. */
export interface SupplierClient extends SupplierSignInOption {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const ORGANISATION_BY_DUID = {
  name: 'organisation_by_duid',
  text: `select duid, display_name as "displayName", status, return_urls as "returnUrls",
      verification_withdrawn_at is null as "mayAssertVerified", token_series as "tokenSeries" from account where duid = any($1)`,
};

/** Active suppliers whose OpenID Connect client is complete. */
const OFFERED = `role = 'supplier' and status = 'active'
  and oauth_issuer is not null and oauth_client_id is not null and oauth_client_secret is not null`;

const SUPPLIER_CLIENT = {
  name: 'supplier_client',
  text: `select account_id as "accountId", mpid, display_name as "displayName", oauth_issuer as issuer,
      oauth_client_id as "clientId", oauth_client_secret as "sealedSecret"
    from account where mpid = $1 and ${OFFERED}`,
};

const SUPPLIERS = {
  name: 'supplier_sign_in_options',
  text: `select mpid, display_name as "displayName" from account where ${OFFERED} order by display_name, mpid`,
};

type SupplierClientRow = Omit<SupplierClient, 'clientSecret'> & {
  readonly accountId: string;
  readonly sealedSecret: Buffer;
};

/** Organisations as customers read them. Nothing is cached: a suspension or a changed return URL applies to the next request. */
export class OrganisationRepository {
  /** Returns the organisation with a DUID. */
  readonly byDuid: (duid: string) => Promise<Organisation | undefined>;

  constructor(
    private readonly database: Database,
    private readonly encryptionKey: Buffer,
  ) {
    this.byDuid = database.reads.byKey(ORGANISATION_BY_DUID, (row: Organisation) => row.duid, String);
  }

  /** Returns the register's client at a supplier; null if customers cannot sign in there. */
  async supplierClient(mpid: string): Promise<SupplierClient | null> {
    const [row] = await this.database.reads.rows<SupplierClientRow>(SUPPLIER_CLIENT, [mpid]);
    if (row === undefined) return null;
    const { accountId, sealedSecret, ...client } = row;
    return { ...client, clientSecret: decryptValue(this.encryptionKey, sealedSecret, accountId).toString('utf8') };
  }

  /** Returns the suppliers at which customers can sign in, by name. */
  suppliers(): Promise<SupplierSignInOption[]> {
    return this.database.reads.rows<SupplierSignInOption>(SUPPLIERS, []);
  }
}
