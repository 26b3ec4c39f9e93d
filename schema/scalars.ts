import { GraphQLScalarType, Kind } from 'graphql';
import { isDate, parseDateTime } from './date-time';
import { type ErrorCode } from './error-catalogue';
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
import { MPXN_PROFILE, mpxnFault } from './mpxn';
import { RegisterError } from './register-error';

/** A scalar whose values are strings; `fault` says what is wrong with one, never echoing it. */
function stringScalar(
  name: string,
  description: string,
  code: ErrorCode,
  fault: (value: string) => string | undefined,
) {
  const parse = (value: unknown): string => {
    if (typeof value !== 'string') throw new RegisterError('VAL003', `${name} must be a string`);
    const reason = fault(value);
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

const byPattern = (pattern: RegExp) => (value: string) =>
  pattern.test(value) ? undefined : `does not match ${pattern.source}`;

/** AccessKey: the credential of an access record, a secret (Common types). */
export const AccessKey = stringScalar(
  'AccessKey',
  'The key of an access record, `ak_` and 24 hexadecimal digits. It is a credential: treat it as a secret.',
  'VAL001',
  byPattern(ACCESS_KEY_PATTERN),
);

/** Consent key of Interface B (Common types): a secret, like the access key whose digits it shares. */
export const ConsentKey = stringScalar(
  'ConsentKey',
  'The key of a consent that was registered through Interface B, `ck_` and 24 hexadecimal digits. It is a credential: treat it as a secret.',
  'VAL001',
  byPattern(CONSENT_KEY_PATTERN),
);

/** IdentityRecordKey (Common types). */
export const IdentityRecordKey = stringScalar(
  'IdentityRecordKey',
  'The key of an Identity Record, `ir_` and 24 hexadecimal digits.',
  'VAL001',
  byPattern(IDENTITY_RECORD_KEY_PATTERN),
);

/** DUID (Common types). */
export const Duid = stringScalar(
  'DUID',
  'The identifier of a Data User, `duid_` and 24 hexadecimal digits, issued at onboarding.',
  'VAL001',
  byPattern(DUID_PATTERN),
);

/** Credential id (Common types). */
export const CredentialId = stringScalar(
  'CredentialId',
  'The identifier of a passkey credential, `cred_` and 24 hexadecimal digits.',
  'VAL001',
  byPattern(CREDENTIAL_ID_PATTERN),
);

/** Webhook id (Common types). */
export const WebhookId = stringScalar(
  'WebhookId',
  'The identifier of a webhook subscription, `wid_` and 24 hexadecimal digits.',
  'VAL001',
  byPattern(WEBHOOK_ID_PATTERN),
);

/** Identifier of an event. */
export const EventId = stringScalar(
  'EventId',
  'The identifier of an event, `evt_` and 24 hexadecimal digits: the same wherever the event is told.',
  'VAL001',
  byPattern(EVENT_ID_PATTERN),
);

/** The reference of a re-identification (2-decisions-a-b.md, section 4): known to its initiator, it confirms nothing by itself. */
export const TokenRef = stringScalar(
  'TokenRef',
  'The reference of a re-identification, `mlr_` and 24 hexadecimal digits. By itself it confirms nothing.',
  'VAL001',
  byPattern(TOKEN_REF_PATTERN),
);

/** MPxN of Interface A (Common types), in the profile of this process. */
export const Mpxn = stringScalar('MPxN', 'A meter point number: MPAN or MPRN.', 'VAL001', (value) =>
  mpxnFault(value, MPXN_PROFILE),
);

/** Identifier of a development project (Interface C). */
export const ProjectId = stringScalar(
  'ProjectId',
  'The identifier of a development project in its licence area: at most 24 letters, digits, full stops, underscores and hyphens.',
  'VAL001',
  byPattern(PROJECT_ID_PATTERN),
);

/** Cycle of publication (Interface C). */
export const PublicationPeriod = stringScalar(
  'PublicationPeriod',
  'The cycle of a publication in its year: `01` is the May cycle, `02` the November cycle.',
  'VAL003',
  (value) => (value === '01' || value === '02' ? undefined : 'is not 01 or 02'),
);

/** Calendar date. */
export const CalendarDate = stringScalar('Date', 'A calendar date, `YYYY-MM-DD`.', 'VAL001', (value) =>
  isDate(value) ? undefined : 'is not a calendar date YYYY-MM-DD',
);

/** URI: the form is a rule of the domain (VAL008), so that all violations are told together. */
export const Uri = stringScalar(
  'URI',
  'A URI: https, without credentials, at most 2,048 characters.',
  'VAL001',
  () => undefined,
);

/** E-mail address: the form is a rule of the domain (VAL001), so that all violations are told together. */
export const EmailAddress = stringScalar(
  'EmailAddress',
  'An e-mail address, at most 254 characters.',
  'VAL001',
  () => undefined,
);

/** Date-time: any RFC 3339 offset in, UTC with milliseconds and `Z` out. Internally a Date. */
export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'An instant, RFC 3339. Answers are in UTC with milliseconds and `Z`.',
  serialize: (value) => (value instanceof Date ? value : new Date(String(value))).toISOString(),
  parseValue: parseInstant,
  parseLiteral: (node) => parseInstant(node.kind === Kind.STRING ? node.value : undefined),
});

function parseInstant(value: unknown): Date {
  const instant = typeof value === 'string' ? parseDateTime(value) : undefined;
  if (!instant) throw new RegisterError('VAL001', 'DateTime is not an RFC 3339 date-time');
  return instant;
}

/** Free-form JSON object. */
export const JsonObject = new GraphQLScalarType<unknown, unknown>({
  name: 'JSONObject',
  description: 'A JSON object without a fixed form.',
  parseValue: parseJsonObject,
  parseLiteral: () => {
    throw new RegisterError('VAL003', 'JSONObject must be given as a variable');
  },
});

function parseJsonObject(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new RegisterError('VAL003', 'JSONObject must be an object');
}
