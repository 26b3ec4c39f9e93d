import { type ErrorCode, errorCatalogue } from '../../schema/error-catalogue';
import { formatError } from '../requests/error-format';

/** Codes that end a connection because of its credential. */
const CREDENTIAL_ERRORS = ['AUT001', 'AUT002', 'AUT003'] as const;

/** AUT001: the account changed, or the token was revoked. AUT002: the token expired. AUT003: the API key was replaced. */
type CredentialError = (typeof CREDENTIAL_ERRORS)[number];

/**
 * Why the register ends a connection: invalid credential, client too slow, too many connections, or shutdown of the
 * gateway.
 */
export type ConnectionEnd = CredentialError | 'too-slow' | 'too-many' | 'closing';

/** Returns true for a code that ends a connection because of its credential. */
export function isCredentialError(reason: ConnectionEnd | ErrorCode): reason is CredentialError {
  return (CREDENTIAL_ERRORS as readonly string[]).includes(reason);
}

/** The gateway ends the connection of a client that leaves data unread for this time. */
export const SLOW_CLIENT_TIMEOUT_MS = 10_000;

/** Interval between checks for clients that leave data unread. */
export const STALL_CHECK_INTERVAL_MS = 1_000;

/**
 * Close frame of a WebSocket: a code of graphql-transport-ws and a reason of at most 123 bytes (RFC 6455 section 5.5).
 */
export interface CloseFrame {
  readonly code: number;
  readonly text: string;
}

const RESUME = 'connect again, with `after` set to the last cursor';

/** Close frames by reason. Clients of the protocol reconnect automatically, except after 4401 and 4429. */
export const CLOSE_FRAMES: Readonly<Record<ConnectionEnd, CloseFrame>> = {
  AUT001: { code: 4401, text: `AUT001: ${errorCatalogue.AUT001.meaning}` },
  AUT002: { code: 4403, text: `AUT002: ${errorCatalogue.AUT002.meaning} Get a new one and ${RESUME}.` },
  AUT003: { code: 4401, text: `AUT003: ${errorCatalogue.AUT003.meaning}` },
  'too-slow': { code: 4408, text: `Too slow: data was not read in time. Please ${RESUME}.` },
  'too-many': { code: 4429, text: 'LIM002: this account has too many open connections. Close one first.' },
  closing: { code: 1001, text: `The gateway is shutting down: ${RESUME}.` },
};

/** Sent when a limit is reached or authentication is unavailable. */
const TRY_AGAIN_LATER: CloseFrame = { code: 1013, text: 'Temporarily unavailable: try again in a moment.' };
/** Sent when the gateway fails to handle a message. */
const INTERNAL_ERROR: CloseFrame = { code: 4500, text: `SYS001: ${errorCatalogue.SYS001.meaning}` };
/** Sent for a message that graphql-transport-ws does not define. */
export const INVALID_MESSAGE: CloseFrame = { code: 4400, text: 'Not a message of graphql-transport-ws.' };
/** Sent when another message precedes `connection_init`. */
export const NOT_INITIALISED: CloseFrame = { code: 4401, text: 'AUT001: send connection_init first.' };
/** Sent for the id of an operation that the client has not completed. */
export const OPERATION_ACTIVE: CloseFrame = { code: 4409, text: 'An operation with this id is active.' };
/** Sent when a message exceeds its maximum size. */
export const MESSAGE_TOO_LONG: CloseFrame = { code: 1009, text: 'LIM001: the message is too long.' };

/**
 * Returns the close frame for a rejected connection. After limits and outages the client may reconnect automatically.
 */
export function closeFrameFor(error: unknown): CloseFrame {
  const { code } = formatError(error).extensions;
  if (isCredentialError(code)) return CLOSE_FRAMES[code];
  if (code === 'RTI001') return { code: 4401, text: `${code}: ${errorCatalogue[code].meaning}` };
  return code === 'LIM002' || code === 'SYS002' ? TRY_AGAIN_LATER : INTERNAL_ERROR;
}
