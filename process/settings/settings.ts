import { type TrustProxy } from './environment';
import type { Keys, Subgraph } from './keys';
import type { ServiceKeys } from './service-keys';
import type { MemberProfiles } from '../../subgraphs/grid-models/rdf/member-profiles';
import type { ServiceName } from '../../subgraphs/server/callers/caller';
import type { Limits } from '../../subgraphs/server/callers/rate-limits';

/** Services that services of other processes call. */
export type CalledService = Exclude<ServiceName, 'rest-adapter' | 'portal' | 'console'>;

/** The configuration of this process, read once from the environment. main.ts passes it to the services. */
export interface Settings {
  readonly production: boolean;
  /** Services that this process runs. It calls all others over links: WebSockets over mutual TLS. */
  readonly services: ReadonlySet<ServiceName>;
  readonly host: string;
  readonly ports: Readonly<Record<ServiceName, number>>;
  /** Port on which the gateway serves services of other processes. */
  readonly gatewayLinkPort: number;
  /** Base URL of each service, for calls from other processes. */
  readonly serviceUrls: Readonly<Record<CalledService, string>>;
  /** URL of an existing PostgreSQL 15 to 18 with the login of its owner; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  /** URLs of the database with the login of a subgraph, which the migration job creates. */
  readonly serviceDatabaseUrls: Readonly<Partial<Record<Subgraph, string>>>;
  /** Maximum sessions of each pool of a subgraph. */
  readonly databasePool: number;
  readonly dataDir: string;
  /** Public URL of Interface A, with the version segment. */
  readonly baseUrl: string;
  /** Public URL of Interface B (`{legacy_base_url}`). */
  readonly legacyBaseUrl: string;
  /** End of service of Interface B, sent in the `Sunset` header of its responses. */
  readonly legacySunset: Date;
  /** Public URL of the lookups of Interface D (`{register_url}`), without the version segment. */
  readonly registerUrl: string;
  /** Public URL of the supplier endpoints of Interface D (`{supplier_url}`), without the version segment. */
  readonly supplierUrl: string;
  /** Public URL of the customer portal. */
  readonly portalUrl: string;
  /** Page with help and contact for customers, and the privacy notice; undefined for no link. */
  readonly supportUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  /** Public URL of the re-identification pages, which the portal serves. */
  readonly identityRedirectUrl: string;
  /** WebAuthn relying party id: the domain to which passkeys are bound. */
  readonly relyingPartyId: string;
  /** URL of the mail server. Undefined outside production selects the sandbox's mailbox. */
  readonly smtpUrl: string | undefined;
  /** Sender address of mails. */
  readonly mailFrom: string;
  /** Public URL of the back-office console. */
  readonly consoleUrl: string;
  /** Permits webhook URLs on loopback addresses, at any port and without TLS. Always false in production. */
  readonly webhookAllowLoopback: boolean;
  /** Days after `lastSeen` at which a discovered access expires; undefined for never. */
  readonly discoveredMaxAgeDays: number | undefined;
  /** Ports of the sandbox's mailbox and of its supplier sign-in. Not used in production. */
  readonly sandboxPorts: { readonly mailbox: number; readonly oidc: number };
  /** Code of the licence area for requests of Interface C that name none in host or query (decisions C.4). */
  readonly ltdsDefaultArea: string | undefined;
  /** Profiles of the members of grid archives that the file of GRID_PROFILES adds (decisions C/D, C.2). */
  readonly gridProfiles: Partial<MemberProfiles>;
  readonly rateLimitsOff: boolean;
  readonly limits: Limits;
  readonly trustProxy: TrustProxy;
  /**
   * Seconds added to the register's clock at start; an admin may change them. Undefined for a clock that cannot move,
   * as in production.
   */
  readonly clockOffsetSeconds: number | undefined;
  readonly logLevel: string;
  /** True if OTEL_EXPORTER_OTLP_ENDPOINT names a trace collector. */
  readonly exportTraces: boolean;
  /** Keys of the environment. Outside production `sandboxedSettings` adds those of the data folder. */
  readonly keys: Partial<Keys>;
  readonly serviceKeys: ServiceKeys;
}

/** Selects the settings of the REST adapter, which has no key and no database. */
export function restSettings({ ports, ...settings }: Settings) {
  const { host, production, trustProxy, ltdsDefaultArea, baseUrl, registerUrl, supplierUrl } = settings;
  const { legacyBaseUrl, legacySunset } = settings;
  const urls = { baseUrl, legacyBaseUrl, registerUrl, supplierUrl };
  return { port: ports['rest-adapter'], host, production, trustProxy, ltdsDefaultArea, legacySunset, ...urls };
}
