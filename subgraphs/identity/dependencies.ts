import type { Logger } from 'pino';
import type { Database } from '../server/database/database';
import type { Idempotency } from '../server/idempotency';
import type { JobQueue, Task } from '../server/jobs/jobs';
import type { Limits, RateLimitStore } from '../server/callers/rate-limits';
import type { OccupancyKeys } from '../server/occupancy-keys';
import type { RegisterClock } from '../server/database/register-clock';
import type { SubgraphLink } from '../server/graph/subgraph-link';
import type { BlindIndexes } from './records/blind-index';
import type { PersonalDataCipher } from './records/personal-data-cipher';
import type { Mails } from './mails/mail-queue.flow';
import type { IdentityKeys } from './keys';
import type { OccupancyRepository } from './occupancy/occupancy.repository';
import type { PasskeyRepository } from './passkeys/passkey.repository';
import type { RelyingParty } from './passkeys/webauthn.flow';
import type { IdentityRecordRepository } from './records/identity-record.repository';

/** Public addresses of the register and its mail settings. */
export interface IdentityUrls {
  /** Public URL of the customer portal. */
  readonly portalUrl: string;
  /** Public URL of the ceremony pages. */
  readonly identityRedirectUrl: string;
  /** Relying party id of passkeys: a domain (WebAuthn Level 3 section 5.4.2). */
  readonly relyingPartyId: string;
  /** URL of the mail server, `smtp://` or `smtps://`; undefined without one, which production rejects at start. */
  readonly smtpUrl: string | undefined;
  /** Sender address of the register's mails. */
  readonly mailFrom: string;
}

/** Dependencies that the modules of `identity` share. */
export interface IdentityDependencies {
  readonly database: Database;
  readonly keys: IdentityKeys;
  readonly indexes: BlindIndexes;
  readonly cipher: PersonalDataCipher;
  /** Data keys of MPxNs that belong to no Identity Record. */
  readonly occupancyKeys: OccupancyKeys;
  readonly records: IdentityRecordRepository;
  readonly occupants: OccupancyRepository;
  readonly party: RelyingParty;
  readonly passkeys: PasskeyRepository;
  readonly idempotency: Idempotency;
  readonly clock: RegisterClock;
  readonly jobs: JobQueue;
  readonly mails: Mails;
  readonly rateLimits: RateLimitStore;
  readonly limits: Limits;
  /** Link to `access`, which stores organisations; it may start later than this subgraph. */
  readonly access: SubgraphLink;
  readonly urls: IdentityUrls;
  readonly logger: Logger;
  readonly production: boolean;
}

/** A module of the subgraph: its resolver instances, jobs and periodic work. */
export interface SubgraphModule {
  readonly resolvers: readonly object[];
  /** Tasks of the job queue by name. */
  readonly tasks?: Readonly<Record<string, Task>>;
  /** Stops its periodic work. */
  stop?(): Promise<void>;
}
