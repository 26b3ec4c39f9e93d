import { newIdentifier } from '../../../schema/identifiers';
import type { Database } from '../../server/database/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { NamedStatement } from '../../server/database/short-reads';
import { addAuditEntry } from '../../server/audit/audit.repository';
import { type Session, inTransaction, onlyRow } from '../../server/database/transaction';
import type { PasskeyCredential } from '../records/identity-record';
import type { NewPasskey, PasskeyMaterial } from './passkey';
import type { RelyingParty } from './webauthn.flow';
import type { PersonalDataCipher } from '../records/personal-data-cipher';
import type { Contact } from '../contacts/contact';
import { LIVE } from '../occupancy/meter-point-records.sql';
import { distrustPasskey } from '../contacts/contact.repository';
import { keepConnections } from '../contacts/kept-connections.repository';
import type { IdentityKeys } from '../keys';

/** Conditions on an assertion. */
interface AssertionDemand {
  /** The only record whose passkeys are accepted, if set. */
  readonly recordId?: string;
  /** Whether the options named no passkey: the authenticator discovered one, and the response must contain its user handle. */
  readonly isDiscovered: boolean;
}

/** An asserted passkey. */
interface AssertedPasskey {
  readonly recordId: string;
  readonly credentialId: string;
  /** The passkey as a contact of the customer. */
  readonly contact: Contact;
}

interface EncryptedPasskey {
  readonly id: string;
  readonly recordId: string;
  readonly sealed: Buffer;
  readonly backupEligible: boolean;
  readonly wrappedKey: Buffer;
}

const OF_LIVE_RECORD = `
  select p.id, p.record_id as "recordId", p.sealed, p.backup_eligible as "backupEligible", k.wrapped as "wrappedKey"
  from passkey p join identity_record r on r.id = p.record_id join identity_keys.data_key k on k.record_id = r.id
  where p.removed_at is null and ${LIVE}`;
const BY_HASH: NamedStatement = { name: 'passkey_by_hash', text: `${OF_LIVE_RECORD} and p.credential_hash = $1` };
const OF_RECORD: NamedStatement = {
  name: 'passkeys_of_record',
  text: `${OF_LIVE_RECORD} and p.record_id = $1 order by p.registered_at`,
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

/**
 * The signature counter must increase, or stay 0 for an authenticator without counter (WebAuthn Level 3 section 6.1.1). Of two concurrent
 * assertions with one counter, one fails.
 */
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
const COUNT_OF_RECORD = 'select count(*)::int as count from passkey where record_id = $1 and removed_at is null';
const LOCK =
  'select registered_at as "registeredAt" from passkey where id = $1 and record_id = $2 and removed_at is null for update';
const REMOVE = `
  update passkey set removed_at = register_now(), credential_hash = null, sealed = null where id = $1`;

/** Passkeys of Identity Records, found by keyed hash and encrypted under the data key of their record. */
export class PasskeyRepository {
  private readonly hash: KeyedHash;
  private readonly credentialsOf: (recordId: string) => Promise<CredentialsRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly cipher: PersonalDataCipher,
    private readonly party: RelyingParty,
    { hashKey }: Pick<IdentityKeys, 'hashKey'>,
  ) {
    this.hash = keyedHash(hashKey, 'passkey');
    this.credentialsOf = database.reads.byKey(CREDENTIALS, (row: CredentialsRow) => row.recordId, String);
  }

  /**
   * Verifies an assertion for a challenge, which the caller must not use again. Returns undefined for an unknown or removed passkey, a
   * passkey of another record than required, a closed or anonymised record, an invalid response, or a signature counter that did not
   * increase, which is recorded.
   */
  async assert(
    response: unknown,
    challenge: string,
    { recordId, isDiscovered }: AssertionDemand,
  ): Promise<AssertedPasskey | undefined> {
    const id = (response as { readonly id?: unknown } | null)?.id;
    if (typeof id !== 'string') return undefined;
    const [passkey] = await this.database.reads.rows<EncryptedPasskey>(BY_HASH, [this.hash(id)]);
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

  /** Returns the WebAuthn ids of a live record's passkeys. */
  async webauthnIds(recordId: string): Promise<string[]> {
    const passkeys = await this.database.reads.rows<EncryptedPasskey>(OF_RECORD, [recordId]);
    return passkeys.map((passkey) => this.open(passkey).webauthnId);
  }

  /** Returns the passkeys of a record, without key material, for its Data User. */
  async credentials(recordId: string): Promise<PasskeyCredential[]> {
    const row = await this.credentialsOf(recordId);
    return (row?.credentials ?? []).map((passkey) => ({ ...passkey, registeredAt: new Date(passkey.registeredAt) }));
  }

  /** Stores a passkey of a record, with its entry in the audit, in the transaction of its ceremony; returns false if it is already registered. */
  async add(session: Session, recordId: string, passkey: NewPasskey): Promise<boolean> {
    const id = newIdentifier('cred');
    const { webauthnId, publicKey, transports, backupEligible, backedUp, signCount } = passkey;
    const material: PasskeyMaterial = { webauthnId, publicKey };
    const wrappedKey = await wrappedKeyOf(session, recordId);
    const sealed = this.cipher.encryptFurther(recordId, wrappedKey, JSON.stringify(material), `passkey ${id}`);
    const values = [id, recordId, this.hash(webauthnId), sealed, transports, backupEligible, backedUp, signCount];
    if ((await session.query(INSERT, values)).rowCount !== 1) return false;
    const detail = { from: null, to: { status: 'registered' } };
    await addAuditEntry(session, { actor: 'customer', action: 'register-credential', subject: id, detail });
    return true;
  }

  /** Returns the number of passkeys of a record that the transaction has locked. */
  async countOf(session: Session, recordId: string): Promise<number> {
    return onlyRow(await session.query<{ count: number }>(COUNT_OF_RECORD, [recordId])).count;
  }

  /**
   * Removes a passkey of a record, with its entry in the audit; returns false if the record has no such passkey. Contacts that it connected
   * stay connected; a passkey that is registered later with its id is a new contact.
   */
  async remove(recordId: string, credentialId: string, actor: string): Promise<boolean> {
    return inTransaction(this.database.pool, async (session) => {
      await keepConnections(session, this.cipher, recordId, credentialId);
      const { rows } = await session.query<{ registeredAt: Date }>(LOCK, [credentialId, recordId]);
      if (rows[0] === undefined) return false;
      await distrustPasskey(session, credentialId);
      await session.query(REMOVE, [credentialId]);
      const detail = { from: { status: 'registered', registeredAt: rows[0].registeredAt }, to: { status: 'removed' } };
      await addAuditEntry(session, { actor, action: 'remove-credential', subject: credentialId, detail });
      return true;
    });
  }

  /** Returns a passkey as a contact of the customer: its keyed hash in hexadecimal. */
  contactOf(webauthnId: string): Contact {
    return this.hash(webauthnId).toString('hex');
  }

  private open({ id, recordId, wrappedKey, sealed }: EncryptedPasskey): PasskeyMaterial {
    return JSON.parse(this.cipher.openFurther(recordId, wrappedKey, sealed, `passkey ${id}`)) as PasskeyMaterial;
  }
}

/** Returns the wrapped data key of a record that the transaction has locked. */
async function wrappedKeyOf(session: Session, recordId: string): Promise<Buffer> {
  const { rows } = await session.query<{ wrapped: Buffer }>(
    'select wrapped from identity_keys.data_key where record_id = $1',
    [recordId],
  );
  const [key] = rows;
  if (!key) throw new Error('the data key of an identity record is missing');
  return key.wrapped;
}
