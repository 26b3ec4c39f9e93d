import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import { presented } from '../presentation';

/** What is wrong with the credential of a connection that may not go on: which one, and why, it is told in words of the catalogue. */
const CREDENTIAL_FAULTS = ['AUT001', 'AUT002', 'AUT003'] as const;

/** The account is not what it was, its token has expired, or its API key was replaced. */
type CredentialFault = (typeof CREDENTIAL_FAULTS)[number];

/**
 * Why the register ends a connection: the caller may not go on, does not keep up, or has too many of them, or the gateway itself ends.
 */
export type ConnectionEnd = CredentialFault | 'too-slow' | 'too-many' | 'closing';

/** Whether something ends a connection because its caller may not go on. */
export function isCredentialFault(reason: ConnectionEnd | ErrorCode): reason is CredentialFault {
  return (CREDENTIAL_FAULTS as readonly string[]).includes(reason);
}

/** Milliseconds in which a client takes what is sent: the connection of one that does not is ended. */
export const TAKEN_WITHIN = 10_000;

/** Milliseconds between looks for clients that take nothing. */
export const STALLS_LOOKED_AT = 1_000;

/** How a WebSocket is closed: a code that clients of graphql-transport-ws know, and at most 123 bytes of text. */
export interface SocketClosing {
  readonly code: number;
  readonly text: string;
}

const RESUME = 'connect again, with after: the last cursor';

/** Clients of the protocol do not try again by themselves after 4401 and 4429, and do after the others. */
export const SOCKET_CLOSINGS: Readonly<Record<ConnectionEnd, SocketClosing>> = {
  AUT001: { code: 4401, text: `AUT001: ${errorCatalogue.AUT001.meaning}` },
  AUT002: { code: 4403, text: `AUT002: ${errorCatalogue.AUT002.meaning} Get a new one and ${RESUME}.` },
  AUT003: { code: 4401, text: `AUT003: ${errorCatalogue.AUT003.meaning}` },
  'too-slow': { code: 4408, text: `Too slow: what was sent has not been read. Please ${RESUME}.` },
  'too-many': { code: 4429, text: 'LIM002: Too many connections: this account holds too many open. Close one first.' },
  closing: { code: 1001, text: `The gateway ends: ${RESUME}.` },
};

/** When the register has no time for another connection or cannot say yet whose it is. */
export const TRY_AGAIN_LATER: SocketClosing = { code: 1013, text: 'Not now: try again in a moment.' };
/** When a message could not be handled. */
export const INTERNAL_ERROR: SocketClosing = { code: 4500, text: `SYS001: ${errorCatalogue.SYS001.meaning}` };
/** When a message is none of the protocol. */
export const NO_MESSAGE: SocketClosing = { code: 4400, text: 'This is no message of graphql-transport-ws.' };
/** When something else comes before `connection_init`. */
export const NOT_LET_IN: SocketClosing = { code: 4401, text: 'AUT001: connection_init comes first.' };
/** When a message is longer than it may be. */
export const TOO_LONG: SocketClosing = { code: 1009, text: 'LIM001: the message is too long.' };

/** What a connection is closed for when it could not be let in: limits and outages pass, so that the client may try again by itself. */
export function closingFor(error: unknown): SocketClosing {
  const { code } = presented(error).extensions;
  if (isCredentialFault(code)) return SOCKET_CLOSINGS[code];
  if (code === 'RTI001') return { code: 4401, text: `${code}: ${errorCatalogue[code].meaning}` };
  return code === 'LIM002' || code === 'SYS002' ? TRY_AGAIN_LATER : INTERNAL_ERROR;
}
