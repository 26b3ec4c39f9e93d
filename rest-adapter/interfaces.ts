import { resourceOf, responseMetadata } from './envelope';
import type { ToldRefusal } from './refusal';

/** The body in which an interface tells of an error. */
export type ErrorForm = (refusal: ToldRefusal, url: string, transactionId: string) => unknown;

/** An interface of the register (1-specification.md): what its contract, and nothing else, decides of the adapter. */
export interface RestInterface {
  /** As the specification calls it. */
  readonly name: string;
  /** Its file in `schema/openapi`. */
  readonly contract: string;
  /** What comes before the paths of its contract. */
  readonly basePath: string;
  /** Its paths begin so, and are told of errors in its form; whatever no interface claims is Interface A's. */
  readonly claims: string;
  /** Where the adapter serves its contract. */
  readonly documentPath: string;
  /** Where the adapter serves a page to read and try it. */
  readonly referencePath: string;
  readonly errorForm: ErrorForm;
}

/** The error envelope (1-specification.md, Errors). */
const errorEnvelope: ErrorForm = ({ errors }, url, transactionId) => ({
  response: responseMetadata(resourceOf(url), transactionId),
  errors,
});

/** `{code, message}`: the status, and a line for each reason. */
const codeAndMessage: ErrorForm = ({ status, errors }) => ({
  code: status,
  message: errors.map(({ message }) => message).join('\n'),
});

/** The versioned register interface. */
export const INTERFACE_A: RestInterface = {
  name: 'Interface A',
  contract: 'a.yaml',
  basePath: '/v1',
  claims: '/',
  documentPath: '/openapi.json',
  referencePath: '/docs',
  errorForm: errorEnvelope,
};

/** Retrieval of grid-change difference models; its contract writes whole paths, for its base is a host. */
export const INTERFACE_C: RestInterface = {
  name: 'Interface C',
  contract: 'c.yaml',
  basePath: '',
  claims: '/grid-modelling/',
  documentPath: '/openapi/c.json',
  referencePath: '/docs/c',
  errorForm: codeAndMessage,
};

/** The interfaces that the adapter serves. */
export const INTERFACES: readonly RestInterface[] = [INTERFACE_A, INTERFACE_C];

/** The form in which an error at an address is told, whether something is served there or not. */
export function errorFormAt(url: string): ErrorForm {
  const claiming = INTERFACES.filter(({ claims }) => `${resourceOf(url)}/`.startsWith(claims));
  const [closest = INTERFACE_A] = claiming.toSorted((one, other) => other.claims.length - one.claims.length);
  return closest.errorForm;
}
