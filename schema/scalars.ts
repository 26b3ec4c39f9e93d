import { GraphQLScalarType, Kind } from 'graphql';
import { isDate, parseDateTime } from './date-time';
import { type ErrorCode } from './error-catalogue';
import { INEXACT_NUMBER, isExactNumber } from './exact-number';
import {
  ACCESS_KEY_PATTERN,
  CONSENT_KEY_PATTERN,
  CREDENTIAL_ID_PATTERN,
  DUID_PATTERN,
  EVENT_ID_PATTERN,
  IDENTITY_RECORD_KEY_PATTERN,
  PROJECT_ID_PATTERN,
  TOKEN_REF_PATTERN,
  WEBHOOK_ID_PATTERN,
} from './identifiers';
import { MPXN_PROFILE, mpxnViolation } from './mpxn';
import { RegisterError } from './register-error';

/** Creates a scalar of strings. `violationOf` returns what is wrong with a value, without the value itself. */
function stringScalar(
  name: string,
  description: string,
  violationOf: (value: string) => string | undefined = () => undefined,
  code: ErrorCode = 'VAL001',
) {
  const parse = (value: unknown): string => {
    if (typeof value !== 'string') throw new RegisterError('VAL003', `${name} must be a string`);
    const reason = violationOf(value);
    if (reason !== undefined) throw new RegisterError(code, `${name} ${reason}`);
    return value;
  };
  return new GraphQLScalarType<string, string>({
    name,
    description,
    serialize: String,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  });
}

const patternScalar = (name: string, pattern: RegExp, description: string) =>
  stringScalar(name, description, (value) => (pattern.test(value) ? undefined : `does not match ${pattern.source}`));

/** Access key (specification, Common types): the credential of an access record, a secret. */
export const AccessKey = patternScalar(
  'AccessKey',
  ACCESS_KEY_PATTERN,
  'The key of an access record, `ak_` and 24 hexadecimal digits. It is a credential: treat it as a secret.',
);

/** Consent key of Interface B (specification, Common types): a secret with the digits of the access key. */
export const ConsentKey = patternScalar(
  'ConsentKey',
  CONSENT_KEY_PATTERN,
  'The key of a consent that was registered through Interface B, `ck_` and 24 hexadecimal digits. It is a credential: treat it as a secret.',
);

/** Key of an Identity Record (specification, Common types). */
export const IdentityRecordKey = patternScalar(
  'IdentityRecordKey',
  IDENTITY_RECORD_KEY_PATTERN,
  'The key of an Identity Record, `ir_` and 24 hexadecimal digits.',
);

/** Identifier of a Data User (specification, Common types). */
export const Duid = patternScalar(
  'DUID',
  DUID_PATTERN,
  'The identifier of a Data User, `duid_` and 24 hexadecimal digits, issued at onboarding.',
);

/** Identifier of a passkey credential (specification, Common types). */
export const CredentialId = patternScalar(
  'CredentialId',
  CREDENTIAL_ID_PATTERN,
  'The identifier of a passkey credential, `cred_` and 24 hexadecimal digits.',
);

/** Identifier of a webhook subscription (specification, Common types). */
export const WebhookId = patternScalar(
  'WebhookId',
  WEBHOOK_ID_PATTERN,
  'The identifier of a webhook subscription, `wid_` and 24 hexadecimal digits.',
);

/** Identifier of an event. */
export const EventId = patternScalar(
  'EventId',
  EVENT_ID_PATTERN,
  'The identifier of an event, `evt_` and 24 hexadecimal digits: the same in webhooks, subscriptions and lists.',
);

/**
 * Reference of a re-identification (decisions A/B, 4). The initiator receives it; it does not prove the re-identification.
 */
export const TokenRef = patternScalar(
  'TokenRef',
  TOKEN_REF_PATTERN,
  'The reference of a re-identification, `mlr_` and 24 hexadecimal digits. It does not prove the re-identification.',
);

/** MPxN of Interface A (specification, Common types), in the profile of this process. */
export const Mpxn = stringScalar('MPxN', 'A meter point number: MPAN or MPRN.', (value) =>
  mpxnViolation(value, MPXN_PROFILE),
);

/** Identifier of a development project (Interface C). */
export const ProjectId = patternScalar(
  'ProjectId',
  PROJECT_ID_PATTERN,
  'The identifier of a development project in its licence area: at most 24 letters, digits, full stops, underscores and hyphens.',
);

/** Publication cycle (Interface C). */
export const PublicationPeriod = stringScalar(
  'PublicationPeriod',
  'The cycle of a publication in its year: `01` is the May cycle, `02` the November cycle.',
  (value) => (value === '01' || value === '02' ? undefined : 'is not 01 or 02'),
  'VAL003',
);

/** Calendar date. */
export const CalendarDate = stringScalar('Date', 'A calendar date, `YYYY-MM-DD`.', (value) =>
  isDate(value) ? undefined : 'is not a calendar date YYYY-MM-DD such as 2026-01-31',
);

/** URI. The scalar accepts any string; a domain rule checks the form (VAL008), so that all violations are returned together. */
export const Uri = stringScalar('URI', 'A URI: https, without credentials, at most 2,048 characters.');

/** E-mail address. The scalar accepts any string; a domain rule checks the form (VAL001), so that all violations are returned together. */
export const EmailAddress = stringScalar('EmailAddress', 'An e-mail address, at most 254 characters.');

/** Date-time. Input with any RFC 3339 offset; output in UTC with milliseconds and `Z`. A `Date` in resolvers. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant, RFC 3339. Results are in UTC with milliseconds and `Z`.',
  serialize: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
});

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' ? parseDateTime(value) : undefined;
  if (!instant) throw new RegisterError('VAL001', 'DateTime is not an RFC 3339 date-time such as 2026-01-31T09:30:00Z');
  return instant;
}

/** JSON object of any form, only as a variable. */
export const JsonObject = new GraphQLScalarType<unknown, unknown>({
  name: 'JSONObject',
  description:
    'A JSON object of any form. Its numbers are from -9007199254740991 to 9007199254740991, and are read as IEEE 754 double precision numbers.',
  parseValue: parseJsonObject,
  parseLiteral: () => {
    throw new RegisterError('VAL003', 'JSONObject must be given as a variable');
  },
});

function parseJsonObject(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RegisterError('VAL003', 'JSONObject must be an object');
  requireExactNumbers(value);
  return value;
}

/** Reads values without recursion, because their depth is not limited yet. */
function requireExactNumbers(object: object): void {
  const remaining: unknown[] = [object];
  while (remaining.length > 0) {
    const value = remaining.pop();
    if (typeof value === 'number' && !isExactNumber(value))
      throw new RegisterError('VAL003', `JSONObject has a member that ${INEXACT_NUMBER}`);
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) remaining.push(part);
  }
}
