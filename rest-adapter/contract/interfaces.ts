import { type TimeField, decodedPath, resourceOf } from '../responses/envelope';
import { type ErrorForm, errorEnvelope, statusAndMessage, codeAndDetails } from '../responses/error-forms';
import type { Installation, PublicAddresses } from './installation';
import { successionHeaders } from './succession';

/** An interface of the specification: the properties in which the adapter's interfaces differ. */
export interface RestInterface {
  /** Name in the specification. */
  readonly name: string;
  /** Name of the file in `schema/openapi`, from which `npm run schema` generates the one that the adapter reads. */
  readonly contract: string;
  /** Prefix of the paths of its contract. */
  readonly basePath: string;
  /** Path prefixes of the interface; they select the form of errors. All other paths belong to Interface A. */
  readonly pathPrefixes: readonly string[];
  /**
   * Public address, the server in the contract. For Interface D only the default of `registerUrl` and `supplierUrl`.
   */
  readonly publicAddress: (addresses: PublicAddresses) => string;
  /** Path of the served contract. */
  readonly documentPath: string;
  /** Path of the page for reading and trying the contract. */
  readonly referencePath: string;
  /** Name of the response time in the response metadata. */
  readonly timeField: TimeField;
  readonly errorForm: ErrorForm;
  /** Headers of all its responses, besides those of every response of the register. */
  readonly headers: (installation: Installation) => Readonly<Record<string, string>>;
  /** Verifies every credential sent, also for operations that need none. */
  readonly verifiesEveryCredential: boolean;
  /** Accepts the API key of a supplier as a credential; otherwise ignores it. */
  readonly acceptsSupplierKeys: boolean;
  /** Rejects unknown query parameters; otherwise ignores them. */
  readonly rejectsUnknownParameters: boolean;
  /** Null for an optional member of a body means the same as its absence. */
  readonly takesNullAsAbsent: boolean;
  /** Pages of any origin may read what needs no credential (Fetch Standard, CORS protocol). */
  readonly allowsPublicReadsFromAnyOrigin: boolean;
  /** Maximum size of a body. Above {@link USUAL_BODY_MIB}, a body is read only after its caller is admitted. */
  readonly maxBodyMiB: number;
}

/** Maximum size in MiB of the body of a caller that has not been admitted (decisions A/B, 7). */
export const USUAL_BODY_MIB = 1 / 4;

const originOf = ({ baseUrl }: PublicAddresses) => new URL(baseUrl).origin;

/** Properties of most interfaces. */
const USUAL = {
  basePath: '',
  timeField: 'timestamp',
  headers: () => ({}),
  verifiesEveryCredential: false,
  acceptsSupplierKeys: false,
  rejectsUnknownParameters: true,
  takesNullAsAbsent: false,
  allowsPublicReadsFromAnyOrigin: false,
  maxBodyMiB: USUAL_BODY_MIB,
} as const;

/** The versioned register interface. */
export const INTERFACE_A: RestInterface = {
  ...USUAL,
  name: 'Interface A',
  contract: 'a',
  basePath: '/v1',
  pathPrefixes: ['/'],
  publicAddress: ({ baseUrl }) => baseUrl,
  documentPath: '/openapi.json',
  referencePath: '/docs',
  errorForm: errorEnvelope,
  rejectsUnknownParameters: false,
  takesNullAsAbsent: true,
};

/** The earlier, unversioned consent interface; Interface A is its successor. */
export const INTERFACE_B: RestInterface = {
  ...USUAL,
  name: 'Interface B',
  contract: 'b',
  pathPrefixes: ['/login/', '/register-consent/', '/show-consents/'],
  publicAddress: (addresses) => addresses.legacyBaseUrl ?? originOf(addresses),
  documentPath: '/openapi/b.json',
  referencePath: '/docs/b',
  timeField: 'response-time-stamp',
  errorForm: errorEnvelope,
  headers: successionHeaders,
  takesNullAsAbsent: true,
};

/** Retrieval of grid-change difference models. Its contract contains whole paths, because its base is a host. */
export const INTERFACE_C: RestInterface = {
  ...USUAL,
  name: 'Interface C',
  contract: 'c',
  pathPrefixes: ['/grid-modelling/'],
  publicAddress: originOf,
  documentPath: '/openapi/c.json',
  referencePath: '/docs/c',
  errorForm: statusAndMessage,
};

/** Tariff interoperability. Its contract contains whole paths, because they belong to two servers (decisions D.1). */
export const INTERFACE_D: RestInterface = {
  ...USUAL,
  name: 'Interface D',
  contract: 'd',
  pathPrefixes: ['/v1/suppliers/', '/v1/users/', '/v1/tariff/', '/v1/consent/', '/v1/webhook/', '/v1/report/'],
  publicAddress: originOf,
  documentPath: '/openapi/d.json',
  referencePath: '/docs/d',
  errorForm: codeAndDetails,
  verifiesEveryCredential: true,
  acceptsSupplierKeys: true,
  allowsPublicReadsFromAnyOrigin: true,
  maxBodyMiB: 2,
};

/** All interfaces of the adapter. */
export const INTERFACES: readonly RestInterface[] = [INTERFACE_A, INTERFACE_B, INTERFACE_C, INTERFACE_D];

/** Returns the interface to which a URL belongs, whether or not an operation exists there. */
export function interfaceAt(url: string): RestInterface {
  const resource = resourceOf(url);
  const path = `${decodedPath(resource) ?? resource}/`;
  const matchLength = ({ pathPrefixes }: RestInterface) =>
    Math.max(...pathPrefixes.map((prefix) => (path.startsWith(prefix) ? prefix.length : 0)));
  return INTERFACES.reduce((best, each) => (matchLength(each) > matchLength(best) ? each : best), INTERFACE_A);
}
