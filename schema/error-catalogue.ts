/**
 * All errors of the register (decisions A/B, 7; decisions D.2). GraphQL returns the code in `extensions.code`, REST in `error-code` with
 * the HTTP status.
 */
export const errorCatalogue = {
  VAL001: { status: 400, meaning: 'A value does not match its pattern or format.' },
  VAL002: { status: 400, meaning: 'A required field is missing.' },
  VAL003: { status: 400, meaning: 'Wrong type, enum value, range or length, or an unknown field.' },
  VAL004: { status: 400, meaning: 'A read-only field was supplied.' },
  VAL005: { status: 400, meaning: 'identity-record-ref together with reidentification-token, or neither.' },
  VAL006: { status: 400, meaning: 'The controller arrangement is broken.' },
  VAL007: { status: 400, meaning: 'Legal basis against notice and consent.' },
  VAL008: { status: 400, meaning: 'A URL is not allowed, or not registered for the account.' },
  VAL009: { status: 400, meaning: 'The re-identification token is not confirmed, has expired or was consumed.' },
  VAL010: { status: 400, meaning: 'The body is not valid JSON.' },
  VAL011: { status: 415, meaning: 'The media type of the body is not supported: send Content-Type: application/json.' },
  AUT001: { status: 401, meaning: 'Credentials or token missing or invalid.' },
  AUT002: { status: 401, meaning: 'The token has expired.' },
  AUT003: { status: 401, meaning: 'The supplier API key is invalid.' },
  PRM001: { status: 403, meaning: 'The role of the account does not allow this.' },
  PRM002: { status: 403, meaning: 'The account is not the owner.' },
  PRM003: {
    status: 403,
    meaning: 'Proof of re-identification is missing, unconfirmed, expired, used, or of another meter point or account.',
  },
  RTI001: { status: 403, meaning: 'The RTI User is not active.' },
  RTI002: { status: 403, meaning: 'The consumer has not consented.' },
  NTF001: { status: 404, meaning: 'Not found.' },
  NTF002: { status: 404, meaning: 'The supplier is not known.' },
  NTF003: { status: 404, meaning: 'The tariff is not known.' },
  NTF004: { status: 404, meaning: 'The RTI User is not known.' },
  NTF005: { status: 404, meaning: 'The registration is not known.' },
  NTF006: { status: 404, meaning: 'The webhook is not known.' },
  MET001: { status: 405, meaning: 'The method is not allowed on this path.' },
  ACC001: { status: 406, meaning: 'None of the accepted media types is available.' },
  CNF001: { status: 409, meaning: 'The state does not allow this.' },
  CNF002: { status: 409, meaning: 'A duplicate callback URL, or too many rotations.' },
  CNF003: {
    status: 409,
    meaning: 'A linked access record is ACTIVE, or the identity record is closing or anonymised.',
  },
  CNF004: { status: 409, meaning: 'The idempotency key was used with another body.' },
  CNF005: { status: 409, meaning: 'A change of price or time needs a new tariff.' },
  CND001: { status: 412, meaning: 'If-Match does not name the current version.' },
  LIM001: { status: 413, meaning: 'The body is larger than 256 KiB.' },
  LIM002: { status: 429, meaning: 'Too many requests.' },
  REI001: { status: 422, meaning: 'The re-identification method is unavailable for this identity record.' },
  SYS001: { status: 500, meaning: 'Internal error.' },
  SYS002: { status: 503, meaning: 'A dependency is unavailable.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

/** A code of the catalogue. */
export type ErrorCode = keyof typeof errorCatalogue;

/** Returns whether a value is a code of the catalogue. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}
