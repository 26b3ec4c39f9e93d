import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Database } from '../server/database';
import type { Limits, RateLimitStore } from '../server/rate-limits';
import type { RegisterClock } from '../server/register-clock';
import type { ReferenceResolver } from '../server/subgraph-schema';
import type { ContactVault } from './database/contact-vault';
import type { MpxnVault } from './database/mpxn-vault';

/** Keys of `tariffs`, 32 bytes each; no other service has them. */
export interface TariffKeys {
  /** Of everything that is looked up by its hash and is no personal data; it makes the subgraph's login. */
  readonly hashKey: Buffer;
  /** Of the blind index of MPxNs and consumers: changing it makes them unfindable. */
  readonly indexKey: Buffer;
  /** Seals MPxNs, contacts and signing secrets. */
  readonly encryptionKey: Buffer;
}

/** What every area of `tariffs` stands on. */
export interface Foundation {
  readonly database: Database;
  readonly keys: TariffKeys;
  readonly mpxns: MpxnVault;
  readonly contacts: ContactVault;
  readonly clock: RegisterClock;
  /** Where limits are counted. */
  readonly rateLimits: RateLimitStore;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly production: boolean;
  /** Whether webhooks may be delivered to this machine: in development only. */
  readonly allowLoopback: boolean;
  readonly metrics: Registry | undefined;
}

/** How entities are found by their keys: name of the type to resolver. */
export type References = Readonly<Record<string, ReferenceResolver>>;

/** A part of the subgraph that stands by itself: its resolvers, as instances, and what runs beside requests. */
export interface Area {
  readonly resolvers: readonly object[];
  /** The entities that it owns. */
  readonly references?: References;
  /** Ends what runs beside requests. */
  stop?(): Promise<void>;
}
