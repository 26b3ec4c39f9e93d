import { isInTime } from '../../server/database/register-clock';
import type { Database } from '../../server/database/database';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import { type Purge, expiredRows, rowsAhead } from '../../server/retention';
import { encryptValue, decryptValue } from '../../server/encryption';
import type { Session } from '../../server/database/transaction';
import { LIVE } from '../occupancy/meter-point-records.sql';
import type { SignInOrigin } from './sign-in-hint';
import { type IdentityKeys, newSecret } from '../keys';

/** A mailed link that is neither used nor expired. */
interface StoredSignInLink extends SignInOrigin {
  readonly recordId: string;
  readonly expiresAt: Date;
}

/** Data of a sign-in attempt that the register stores until the browser returns. */
interface AttemptContent {
  /** The WebAuthn challenge. */
  readonly passkey: { readonly challenge: string };
  /** Values with which the supplier's response is checked (OpenID Connect, PKCE). */
  readonly supplier: SignInOrigin & {
    readonly mpid: string;
    /** Null if the hints contained no known meter point; the response then proves nothing. */
    readonly mpxn: string | null;
    /** Days of the Changes of Tenancy in effect at the meter point at the start; absent in attempts of the previous release. */
    readonly changedOn?: readonly string[];
    readonly state: string;
    readonly nonce: string;
    readonly codeVerifier: string;
  };
}

/** Methods of sign-in that have attempts. */
type AttemptKind = keyof AttemptContent;

const MINUTES: Readonly<Record<AttemptKind, number>> = { passkey: 5, supplier: 10 };

/** The lifetime that the table gives a link, an SQL interval. */
const LINK_LIFETIME = `interval '10 minutes'`;

const ADD_LINK = {
  name: 'add_sign_in_link',
  text: `insert into sign_in_link (secret_hash, record_id, sealed)
    select $1, r.id, $2 from identity_record r
    where r.id = $3 and ${LIVE} for share returning expires_at as "expiresAt"`,
};
const LINK = {
  name: 'sign_in_link',
  text: `select record_id as "recordId", sealed, expires_at as "expiresAt" from sign_in_link
    where secret_hash = $1 and used_at is null and ${isInTime('expires_at', LINK_LIFETIME)}`,
};
/** Of concurrent uses of a link, one succeeds. */
const USE_LINK = {
  name: 'use_sign_in_link',
  text: `update sign_in_link set used_at = register_now()
    where secret_hash = $1 and used_at is null and ${isInTime('expires_at', LINK_LIFETIME)}`,
};
const IS_USED = {
  name: 'is_used_sign_in_link',
  text: `select from sign_in_link where secret_hash = $1 and used_at is not null and expires_at > register_now()`,
};
const ADD_ATTEMPT = {
  name: 'add_sign_in_attempt',
  text: `insert into sign_in_attempt (secret_hash, kind, sealed, expires_at)
    values ($1, $2, $3, register_now() + $4 * interval '1 minute')`,
};
const ATTEMPT = {
  name: 'sign_in_attempt',
  text: `select sealed from sign_in_attempt
    where secret_hash = $1 and kind = $2 and ${isInTime('expires_at', `$3 * interval '1 minute'`)}`,
};
/** Of concurrent responses to an attempt, one deletes it. */
const TAKE_ATTEMPT = {
  name: 'take_sign_in_attempt',
  text: 'delete from sign_in_attempt where secret_hash = $1 and kind = $2',
};

/** Mailed links and sign-in attempts, found by the keyed hash of their secret. Each can be used once. */
export class SignInRepository {
  /** Deletes expired links and attempts, and those that were added while the clock was ahead. */
  readonly purgeExpired: readonly Purge[];
  private readonly hashOfLink: KeyedHash;
  private readonly hashOfAttempt: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly keys: IdentityKeys,
  ) {
    const lifetime = LINK_LIFETIME; // that of an attempt is at most as long
    this.purgeExpired = ['sign_in_link', 'sign_in_attempt'].flatMap((table) => [
      expiredRows(database.pool, { table, column: 'expires_at', through: 'register_now()' }),
      rowsAhead(database.pool, { table, column: 'expires_at', lifetime }),
    ]);
    this.hashOfLink = keyedHash(keys.hashKey, 'sign-in-link');
    this.hashOfAttempt = keyedHash(keys.hashKey, 'sign-in-attempt');
  }

  /** Adds a link that signs in by a live Identity Record within ten minutes. Only the mail contains its secret. */
  async addLink(session: Session, recordId: string, { ir, returnUrl }: SignInOrigin) {
    const secret = newSecret();
    const hash = this.hashOfLink(secret);
    const values = [hash, this.sealed('sign_in_link', hash, { ir, returnUrl }), recordId];
    const { rows } = await session.query<{ expiresAt: Date }>({ ...ADD_LINK, values });
    return rows[0] && { secret, expiresAt: rows[0].expiresAt };
  }

  /** Returns a link that can be used; undefined otherwise. */
  async link(secret: string): Promise<StoredSignInLink | undefined> {
    type Row = { recordId: string; sealed: Buffer; expiresAt: Date };
    const hash = this.hashOfLink(secret);
    const [row] = await this.database.reads.rows<Row>(LINK, [hash]);
    if (row === undefined) return undefined;
    const { sealed, ...link } = row;
    return { ...link, ...this.opened<SignInOrigin>('sign_in_link', hash, sealed) };
  }

  /** Uses a link; returns false if it was used or has expired. */
  async useLink(session: Session, secret: string): Promise<boolean> {
    return (await session.query({ ...USE_LINK, values: [this.hashOfLink(secret)] })).rowCount === 1;
  }

  /** Returns whether a link was used and has not expired. */
  async isUsed(secret: string): Promise<boolean> {
    return (await this.database.pool.query({ ...IS_USED, values: [this.hashOfLink(secret)] })).rowCount === 1;
  }

  /** Stores the data of an attempt and returns the secret by which the browser completes it. */
  async addAttempt<Kind extends AttemptKind>(kind: Kind, content: AttemptContent[Kind]): Promise<string> {
    const secret = newSecret();
    const hash = this.hashOfAttempt(secret);
    const values = [hash, kind, this.sealed('sign_in_attempt', hash, content), MINUTES[kind]];
    await this.database.pool.query({ ...ADD_ATTEMPT, values });
    return secret;
  }

  /**
   * Takes the attempt to which a response belongs, which can be used once; undefined if there is none or it has expired. The response to an
   * attempt of another tab, whose secret the browser has replaced, leaves the newer attempt. The content of an attempt never changes.
   */
  async takeAttempt<Kind extends AttemptKind>(
    kind: Kind,
    secret: string,
    isAnswered: (attempt: AttemptContent[Kind]) => boolean,
  ): Promise<AttemptContent[Kind] | undefined> {
    const hash = this.hashOfAttempt(secret);
    const { rows } = await this.database.pool.query<{ sealed: Buffer }>({
      ...ATTEMPT,
      values: [hash, kind, MINUTES[kind]],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const attempt = this.opened<AttemptContent[Kind]>('sign_in_attempt', hash, row.sealed);
    if (!isAnswered(attempt)) return undefined;
    const taken = await this.database.pool.query({ ...TAKE_ATTEMPT, values: [hash, kind] });
    return taken.rowCount === 1 ? attempt : undefined;
  }

  private sealed(table: string, hash: Buffer, content: object): Buffer {
    return encryptValue(this.keys.encryptionKey, JSON.stringify(content), boundTo(table, hash));
  }

  private opened<Content>(table: string, hash: Buffer, sealed: Buffer): Content {
    return JSON.parse(decryptValue(this.keys.encryptionKey, sealed, boundTo(table, hash)).toString('utf8')) as Content;
  }
}

const boundTo = (table: string, hash: Buffer): string => `${table} ${hash.toString('base64url')}`;
