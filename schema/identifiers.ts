import { randomFillSync } from 'node:crypto';

/** Patterns of the specification (1-specification.md, "Common types"), exactly as written, each in this one place. */
export const ACCESS_KEY_PATTERN = /^ak_[0-9a-f]{24}$/;
export const IDENTITY_RECORD_KEY_PATTERN = /^ir_[0-9a-f]{24}$/;
export const CREDENTIAL_ID_PATTERN = /^cred_[0-9a-f]{24}$/;
export const DUID_PATTERN = /^duid_[0-9a-f]{24}$/;
export const WEBHOOK_ID_PATTERN = /^wid_[0-9a-f]{24}$/;
export const CONSENT_KEY_PATTERN = /^ck_[0-9a-f]{24}$/;
export const MPXN_PATTERN = /^(?:[0-9A-HJ-NPR-Z]{2}[0-9]{8,10}|[0-9]{10})$/;

/** Identifier of an event: the same in deliveries, in subscriptions and on the dashboards (2-decisions-a-b.md, section 1). */
export const EVENT_ID_PATTERN = /^evt_[0-9a-f]{24}$/;

/** Reference of a re-identification (2-decisions-a-b.md, section 4). */
export const TOKEN_REF_PATTERN = /^mlr_[0-9a-f]{24}$/;

/** Identifier of a development project (3-decisions-c-d.md, C.1). */
export const PROJECT_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$/;

/** Identifiers of Interface D (1-specification.md, "Interface D: tariff interoperability data"; 3-decisions-c-d.md, D.1). */
export const TARIFF_ID_PATTERN = /^trf_[0-9a-f]{32}$/;
export const RTI_USER_ID_PATTERN = /^usr_[0-9a-f]{32}$/;
export const MPID_PATTERN = /^[A-Z0-9]{4}$/;
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Decimal string in pounds: `unit_price`, `standing_charge` (1-specification.md, Interface D). */
export const UNIT_PRICE_PATTERN = /^\d+\.\d{2,5}$/;

/** Bearer token of a customer's session: opaque, 256 bits, issued and checked by `identity` alone. */
export const CUSTOMER_TOKEN_PATTERN = /^cst_[A-Za-z0-9_-]{43}$/;

/** Postcode of a UKAddress (2-decisions-a-b.md, section 3). */
export const POSTCODE_PATTERN = /^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$/;

/** Whether a text that somebody sent is a UUID, in either case: PostgreSQL fails at any other as a `uuid`. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** The consent key of the access record that was made of a consent: it shares the digits of the access key (2-decisions-a-b.md, section 8). */
export function consentKeyOf(accessKey: string): string {
  return accessKey.replace(/^ak_/, 'ck_');
}

/** The access key of a consent, under which it is verified: both are secrets, and a consent key goes only to its registrant. */
export function accessKeyOf(consentKey: string): string {
  return consentKey.replace(/^ck_/, 'ak_');
}

/** Prefixes of the identifiers that the register issues. */
export type IdentifierPrefix = 'ak' | 'ir' | 'duid' | 'wid' | 'cred' | 'tid' | 'evt' | 'acc' | 'mlr';

const BYTES = 12;
const drawn = Buffer.alloc(BYTES * 256);
let used = drawn.length;

/** A new identifier: prefix, underscore, 24 lower-case hexadecimal digits from a CSPRNG, asked for many at once: a draw costs 2 µs. */
export function newIdentifier(prefix: IdentifierPrefix): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const digits = drawn.toString('hex', used, used + BYTES);
  drawn.fill(0, used, used + BYTES); // what was handed out, perhaps a secret, does not stay here
  used += BYTES;
  return `${prefix}_${digits}`;
}
