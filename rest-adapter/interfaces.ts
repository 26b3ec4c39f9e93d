import { type TimeField, decodedPath, resourceOf } from './envelope';
import { type ErrorForm, errorEnvelope, statusAndMessage, wordAndDetails } from './error-forms';
import type { Installation, PublicAddresses } from './installation';
import { successionHeaders } from './succession';

/** An interface of the register (1-specification.md): what its contract, and nothing else, decides of the adapter. */
export interface RestInterface {
  /** As the specification calls it. */
  readonly name: string;
  /** Its file in `schema/openapi`. */
  readonly contract: string;
  /** What comes before the paths of its contract. */
  readonly basePath: string;
  /** Its paths begin with one of these, and are told of errors in its form; whatever no interface claims is Interface A's. */
  readonly claims: readonly string[];
  /** Its public address, which its contract names as its server; of D, only the fallback of `registerUrl` and `supplierUrl`. */
  readonly publicAddress: (addresses: PublicAddresses) => string;
  /** Where the adapter serves its contract. */
  readonly documentPath: string;
  /** Where the adapter serves a page to read and try it. */
  readonly referencePath: string;
  /** What the metadata of its answers call the time of the answer. */
  readonly timeField: TimeField;
  readonly errorForm: ErrorForm;
  /** Headers that all its answers carry beside those of every answer of the register. */
  readonly headers: (installation: Installation) => Readonly<Record<string, string>>;
  /** Every credential that is sent is verified, also where none is asked for. */
  readonly verifiesEveryCredential: boolean;
  /** The API key of a supplier is a credential; else it is not read. */
  readonly takesSupplierKeys: boolean;
  /** A query parameter that an operation does not have is refused; else it is left aside. */
  readonly refusesUnknownParameters: boolean;
  /** A member of a body that the contract does not require may be null, which is the same as leaving it out. */
  readonly takesNullAsAbsent: boolean;
}

const originOf = ({ baseUrl }: PublicAddresses) => new URL(baseUrl).origin;
const noHeaders = () => ({});

/** The versioned register interface. */
export const INTERFACE_A: RestInterface = {
  name: 'Interface A',
  contract: 'a.yaml',
  basePath: '/v1',
  claims: ['/'],
  publicAddress: ({ baseUrl }) => baseUrl,
  documentPath: '/openapi.json',
  referencePath: '/docs',
  timeField: 'timestamp',
  errorForm: errorEnvelope,
  headers: noHeaders,
  verifiesEveryCredential: false,
  takesSupplierKeys: false,
  refusesUnknownParameters: false,
  takesNullAsAbsent: true,
};

/** The earlier, unversioned consent interface; Interface A is its successor. */
export const INTERFACE_B: RestInterface = {
  name: 'Interface B',
  contract: 'b.yaml',
  basePath: '',
  claims: ['/login/', '/register-consent/', '/show-consents/'],
  publicAddress: (addresses) => addresses.legacyBaseUrl ?? originOf(addresses),
  documentPath: '/openapi/b.json',
  referencePath: '/docs/b',
  timeField: 'response-time-stamp',
  errorForm: errorEnvelope,
  headers: successionHeaders,
  verifiesEveryCredential: false,
  takesSupplierKeys: false,
  refusesUnknownParameters: true,
  takesNullAsAbsent: true,
};

/** Retrieval of grid-change difference models; its contract writes whole paths, for its base is a host. */
export const INTERFACE_C: RestInterface = {
  name: 'Interface C',
  contract: 'c.yaml',
  basePath: '',
  claims: ['/grid-modelling/'],
  publicAddress: originOf,
  documentPath: '/openapi/c.json',
  referencePath: '/docs/c',
  timeField: 'timestamp',
  errorForm: statusAndMessage,
  headers: noHeaders,
  verifiesEveryCredential: false,
  takesSupplierKeys: false,
  refusesUnknownParameters: false,
  takesNullAsAbsent: false,
};

/** Tariff interoperability; its contract writes whole paths, for they stand at two servers (3-decisions-c-d.md, D.1). */
export const INTERFACE_D: RestInterface = {
  name: 'Interface D',
  contract: 'd.yaml',
  basePath: '',
  claims: ['/v1/suppliers/', '/v1/users/', '/v1/tariff/', '/v1/consent/', '/v1/webhook/', '/v1/report/'],
  publicAddress: originOf,
  documentPath: '/openapi/d.json',
  referencePath: '/docs/d',
  timeField: 'timestamp',
  errorForm: wordAndDetails,
  headers: noHeaders,
  verifiesEveryCredential: true,
  takesSupplierKeys: true,
  refusesUnknownParameters: true,
  takesNullAsAbsent: false,
};

/** The interfaces that the adapter serves. */
export const INTERFACES: readonly RestInterface[] = [INTERFACE_A, INTERFACE_B, INTERFACE_C, INTERFACE_D];

/** The interface to which an address belongs, whether something is served there or not. */
export function interfaceAt(url: string): RestInterface {
  const resource = resourceOf(url);
  const path = `${decodedPath(resource) ?? resource}/`;
  const claimOf = ({ claims }: RestInterface) =>
    Math.max(...claims.map((claim) => (path.startsWith(claim) ? claim.length : 0)));
  return INTERFACES.reduce((closest, each) => (claimOf(each) > claimOf(closest) ? each : closest), INTERFACE_A);
}
