import { newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { NamedStatement } from '../../server/short-reads';
import type { Session } from '../../server/transaction';
import type { Contact } from '../domain/contacts';
import type { PasskeyCredential } from '../domain/identity-record';
import type { NewPasskey, PasskeyMaterial } from '../domain/passkey';
import type { IdentityKeys } from '../foundation';
import type { RelyingParty } from '../reidentification/webauthn';
import type { PersonalDataVault } from './personal-data-vault';

/** Which passkeys may assert, and whether the register named them to the browser. */
export interface AssertionDemand {
  /** The only record whose passkeys will do. */
  readonly recordId?: string;
  /** Whether no passkey was named: the authenticator found one, and the response must name its user. */
  readonly isDiscovered: boolean;
}

/** A passkey that was asserted. */
export interface AssertedPasskey {
  readonly recordId: string;
  readonly credentialId: string;
  /** The passkey as a contact of the customer. */
  readonly contact: Contact;
}

interface SealedPasskey {
  readonly id: string;
  readonly recordId: string;
  readonly sealed: Buffer;
  readonly backupEligible: boolean;
  readonly wrappedKey: Buffer;
}

const LIVE = `
  select p.id, p.record_id as "recordId", p.sealed, p.backup_eligible as "backupEligible", k.wrapped as "wrappedKey"
  from passkey p join identity_record r on r.id = p.record_id join identity_keys.data_key k on k.record_id = r.id
  where p.removed_at is null and r.anonymised_at is null and r.closing_at is null`;
const BY_HASH: NamedStatement = { name: 'passkey_by_hash', text: `${LIVE} and p.credential_hash = $1` };
const OF_RECORD: NamedStatement = {
  name: 'passkeys_of_record',
  text: `${LIVE} and p.record_id = $1 order by p.registered_at`,
};

const CREDENTIALS: NamedStatement = {
  name: 'credentials_of_records',
  text: `select record_id as "recordId", json_agg(json_build_object('credentialId', id, 'registeredAt', registered_at, 'transports', transports)
      order by registered_at, id) as credentials
    from passkey where removed_at is null and record_id = any($1) group by record_id`,
};

interface CredentialsRow {
  readonly recordId: string;
  readonly credentials: readonly (Omit<PasskeyCredential, 'registeredAt'> & { readonly registeredAt: string })[];
}

/** The counter goes forward, or stays 0 for an authenticator that does not count (WebAuthn, section 6.1.1); two at once: one passes. */
const COUNT = `
  update passkey set sign_count = $2, backed_up = $3
  where id = $1 and removed_at is null and (sign_count < $2 or (sign_count = 0 and $2 = 0))`;
const RECORD_REGRESSION = `
  insert into passkey_regression (passkey_id, sign_count, presented)
  select id, sign_count, $2 from passkey where id = $1 and removed_at is null`;
const INSERT = `
  insert into passkey (id, record_id, credential_hash, sealed, transports, backup_eligible, backed_up, sign_count)
  select $1, k.record_id, $3, $4, $5, $6, $7, $8 from identity_keys.data_key k where k.record_id = $2
  on conflict (credential_hash) do nothing`;
const HAS_ANY = 'select from passkey where record_id = $1 and removed_at is null limit 1';
const REMOVE = `
  update passkey set removed_at = register_now(), credential_hash = null, sealed = null
  where id = $1 and record_id = $2 and removed_at is null`;

/** The passkeys of Identity Records: found by a keyed hash, opened with the data key of their record. */
export class PasskeyRepository {
  private readonly hash: KeyedHash;
  private readonly credentialsOf: (recordId: string) => Promise<CredentialsRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly vault: PersonalDataVault,
    private readonly party: RelyingParty,
    { hashKey }: Pick<IdentityKeys, 'hashKey'>,
  ) {
    this.hash = keyedHash(hashKey, 'passkey');
    this.credentialsOf = database.reads.byKey(CREDENTIALS, (row: CredentialsRow) => row.recordId, String);
  }

  /**
   * Verifies an assertion made with a challenge, which must not be used again whatever comes of it. Undefined when it is refused:
   * unknown or removed passkey, one of another record than demanded, a record that is closing or anonymised, a wrong response, or a
   * signature counter that has not gone forward, which is recorded.
   */
  async assert(
    response: unknown,
    challenge: string,
    { recordId, isDiscovered }: AssertionDemand,
  ): Promise<AssertedPasskey | undefined> {
    const id = (response as { readonly id?: unknown } | null)?.id;
    if (typeof id !== 'string') return undefined;
    const [passkey] = await this.database.reads.rows<SealedPasskey>(BY_HASH, [this.hash(id)]);
    if (!passkey || (recordId !== undefined && passkey.recordId !== recordId)) return undefined;
    const stored = { ...this.open(passkey), ...passkey, isDiscovered };
    const assertion = await this.party.verifyAssertion(response, challenge, stored);
    if (!assertion) return undefined;
    const { signCount, backedUp } = assertion;
    const counted = await this.database.pool.query(COUNT, [passkey.id, signCount, backedUp]);
    if (counted.rowCount === 1)
      return { recordId: passkey.recordId, credentialId: passkey.id, contact: this.contactOf(id) };
    await this.database.pool.query(RECORD_REGRESSION, [passkey.id, signCount]);
    return undefined;
  }

  /** WebAuthn ids of a live record's passkeys. */
  async webauthnIds(recordId: string): Promise<string[]> {
    const passkeys = await this.database.reads.rows<SealedPasskey>(OF_RECORD, [recordId]);
    return passkeys.map((passkey) => this.open(passkey).webauthnId);
  }

  /** What a Data User may know of a record's passkeys. */
  async credentials(recordId: string): Promise<PasskeyCredential[]> {
    const row = await this.credentialsOf(recordId);
    return (row?.credentials ?? []).map((passkey) => ({ ...passkey, registeredAt: new Date(passkey.registeredAt) }));
  }

  /** Stores a passkey of a record in the transaction of its ceremony; false when that very passkey is registered already. */
  async add(session: Session, recordId: string, passkey: NewPasskey): Promise<boolean> {
    const id = newIdentifier('cred');
    const { webauthnId, publicKey, transports, backupEligible, backedUp, signCount } = passkey;
    const material: PasskeyMaterial = { webauthnId, publicKey };
    const wrappedKey = await wrappedKeyOf(session, recordId);
    const sealed = this.vault.sealFurther(recordId, wrappedKey, JSON.stringify(material), `passkey ${id}`);
    const values = [id, recordId, this.hash(webauthnId), sealed, transports, backupEligible, backedUp, signCount];
    return (await session.query(INSERT, values)).rowCount === 1;
  }

  /** Whether a record that the transaction holds has a passkey. */
  async hasAny(session: Session, recordId: string): Promise<boolean> {
    return (await session.query(HAS_ANY, [recordId])).rowCount === 1;
  }

  /** Removes a passkey of a record: from now on it can assert nothing. False when the record has no such passkey. */
  async remove(recordId: string, credentialId: string): Promise<boolean> {
    return (await this.database.pool.query(REMOVE, [credentialId, recordId])).rowCount === 1;
  }

  /** A passkey as a contact of the customer: the form of its keyed hash that the domain compares. */
  contactOf(webauthnId: string): Contact {
    return this.hash(webauthnId).toString('hex');
  }

  private open({ id, recordId, wrappedKey, sealed }: SealedPasskey): PasskeyMaterial {
    return JSON.parse(this.vault.openFurther(recordId, wrappedKey, sealed, `passkey ${id}`)) as PasskeyMaterial;
  }
}

/** The data key of a record whose row the transaction holds. */
async function wrappedKeyOf(session: Session, recordId: string): Promise<Buffer> {
  const { rows } = await session.query<{ wrapped: Buffer }>(
    'select wrapped from identity_keys.data_key where record_id = $1',
    [recordId],
  );
  const [key] = rows;
  if (!key) throw new Error('the data key of an identity record is missing');
  return key.wrapped;
}
