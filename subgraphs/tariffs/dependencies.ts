import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { CallbackUrlPolicy } from '../delivery/requests/callback-url';
import type { Database } from '../server/database/database';
import type { Limits, RateLimitStore } from '../server/callers/rate-limits';
import type { RegisterClock } from '../server/database/register-clock';
import type { ReferenceResolver } from '../server/graph/subgraph-schema';
import type { TariffQueries } from './catalogue/tariff.queries';
import type { ContactCipher } from './register-entries/rti-user';
import type { RtiUserQueries } from './register-entries/rti-user.queries';
import type { SupplierQueries } from './register-entries/supplier.queries';
import type { MpxnCipher } from './occupancies/mpxn-cipher.repository';
import type { TariffKeys } from './keys';

/** Dependencies that the modules of `tariffs` share. */
export interface TariffDependencies {
  readonly database: Database;
  readonly keys: TariffKeys;
  readonly mpxns: MpxnCipher;
  readonly contacts: ContactCipher;
  readonly suppliers: SupplierQueries;
  readonly rtiUsers: RtiUserQueries;
  readonly tariffQueries: TariffQueries;
  readonly clock: RegisterClock;
  readonly rateLimits: RateLimitStore;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly production: boolean;
  readonly callbackUrlPolicy: CallbackUrlPolicy;
  readonly metrics: Registry | undefined;
}

/** Resolvers of entities by type name. */
export type References = Readonly<Record<string, ReferenceResolver>>;

/** A module of the subgraph: its resolver instances and background work. */
export interface SubgraphModule {
  readonly resolvers: readonly object[];
  /** Entities of the module. */
  readonly references?: References;
  /** Starts no more deliveries; resolves when those under way have ended. */
  endWork?(forced?: AbortSignal): Promise<void>;
  /** Stops the background work. */
  stop?(forced?: AbortSignal): Promise<void>;
}
