import type { Logger } from 'pino';
import type { Database } from '../server/database';
import type { Idempotency } from '../server/idempotency';
import type { JobQueue, Task } from '../server/jobs';
import type { Limits, RateLimitStore } from '../server/rate-limits';
import type { RegisterClock } from '../server/register-clock';
import type { SubgraphLink } from '../server/subgraph-link';
import type { BlindIndexes } from './database/blind-index';
import type { PersonalDataVault } from './database/personal-data-vault';
import type { Mails } from './mails/mails';

/** Keys of `identity`, 32 bytes each; no other service has them. */
export interface IdentityKeys {
  /** Of the blind indexes: changing it makes every record unfindable. */
  readonly indexKey: Buffer;
  /** The key-encryption key of the records' data keys. */
  readonly encryptionKey: Buffer;
  /** Of the hashes of idempotency keys, request bodies and the secrets of links and sessions. */
  readonly hashKey: Buffer;
}

/** Where customers identify themselves, and how they are written to. */
export interface IdentityPlaces {
  /** Public address of the customer portal. */
  readonly portalUrl: string;
  /** Public address of the ceremony pages. */
  readonly identityRedirectUrl: string;
  /** Domain that passkeys belong to (WebAuthn relying party id). */
  readonly relyingPartyId: string;
  /** The mail server, `smtp://` or `smtps://`; undefined when there is none, which production refuses. */
  readonly smtpUrl: string | undefined;
  /** Address that the register's mails are from. */
  readonly mailFrom: string;
}

/** What every area of `identity` stands on. */
export interface Foundation {
  readonly database: Database;
  readonly keys: IdentityKeys;
  readonly indexes: BlindIndexes;
  readonly vault: PersonalDataVault;
  readonly idempotency: Idempotency;
  readonly clock: RegisterClock;
  readonly jobs: JobQueue;
  readonly mails: Mails;
  readonly rateLimits: RateLimitStore;
  readonly limits: Limits;
  /** The way to `access`, which knows organisations and their settings; it may start later than this subgraph. */
  readonly access: SubgraphLink;
  readonly places: IdentityPlaces;
  readonly logger: Logger;
  readonly production: boolean;
}

/** A part of the subgraph that stands by itself: its resolvers, as instances, and its jobs. */
export interface Area {
  readonly resolvers: readonly object[];
  /** What it does for its jobs, by their names. */
  readonly tasks?: Readonly<Record<string, Task>>;
  /** Ends what runs beside requests. */
  stop?(): Promise<void>;
}
