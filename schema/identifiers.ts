import { randomFillSync } from 'node:crypto';

/** Patterns of the specification, Common types, exactly as written there. */
export const ACCESS_KEY_PATTERN = /^ak_[0-9a-f]{24}$/;
export const IDENTITY_RECORD_KEY_PATTERN = /^ir_[0-9a-f]{24}$/;
export const CREDENTIAL_ID_PATTERN = /^cred_[0-9a-f]{24}$/;
export const DUID_PATTERN = /^duid_[0-9a-f]{24}$/;
export const WEBHOOK_ID_PATTERN = /^wid_[0-9a-f]{24}$/;
export const CONSENT_KEY_PATTERN = /^ck_[0-9a-f]{24}$/;
export const MPXN_PATTERN = /^(?:[0-9A-HJ-NPR-Z]{2}[0-9]{8,10}|[0-9]{10})$/;

/** Identifier of an account. */
export const ACCOUNT_ID_PATTERN = /^acc_[0-9a-f]{24}$/;

/** Identifier of an event, the same in deliveries, subscriptions and on the dashboards (decisions A/B, 1). */
export const EVENT_ID_PATTERN = /^evt_[0-9a-f]{24}$/;

/** Reference of a re-identification (decisions A/B, 4). */
export const TOKEN_REF_PATTERN = /^mlr_[0-9a-f]{24}$/;

/** Identifier of a development project (decisions C.1). */
export const PROJECT_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,23}$/;

/** Identifiers of Interface D (specification, Interface D: tariff interoperability data; decisions D.1). */
export const TARIFF_ID_PATTERN = /^trf_[0-9a-f]{32}$/;
export const RTI_USER_ID_PATTERN = /^usr_[0-9a-f]{32}$/;
export const MPID_PATTERN = /^[A-Z0-9]{4}$/;
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The UUID before all others: start of a walk by id. */
export const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/** Decimal string in pounds: `unit_price`, `standing_charge` (specification, Interface D). */
export const UNIT_PRICE_PATTERN = /^\d+\.\d{2,5}$/;

/** Bearer token of a customer's session: opaque, 256 bits. Only `identity` issues and verifies it. */
export const CUSTOMER_TOKEN_PATTERN = /^cst_[A-Za-z0-9_-]{43}$/;

/** Postcode of a UKAddress (decisions A/B, 3). */
export const POSTCODE_PATTERN = /^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$/;

/** Returns whether a text is a UUID, in either case. Check client input: PostgreSQL rejects any other text as a `uuid`. */
export function isUuid(text: string): boolean {
  return UUID_PATTERN.test(text);
}

/** Returns the consent key of an access record of Interface B: the same digits with another prefix (decisions A/B, 8). */
export function consentKeyOf(accessKey: string): string {
  return accessKey.replace(/^ak_/, 'ck_');
}

/** Returns the access key under which a consent is verified. Both are secrets; only the registrant receives the consent key. */
export function accessKeyOf(consentKey: string): string {
  return consentKey.replace(/^ck_/, 'ak_');
}

/** Prefixes of the identifiers that the register issues. */
type IdentifierPrefix = 'ak' | 'ir' | 'duid' | 'wid' | 'cred' | 'tid' | 'evt' | 'acc' | 'mlr';

/** Random bytes of one identifier. */
const BYTES = 12;
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/**
 * Returns a new identifier: prefix, underscore, 24 random hexadecimal digits. Draws 256 at a time, because a call of the CSPRNG costs 2 µs.
 */
export function newIdentifier(prefix: IdentifierPrefix): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const digits = pool.toString('hex', used, used + BYTES);
  pool.fill(0, used, used + BYTES); // erases the digits, which may be a secret
  used += BYTES;
  return `${prefix}_${digits}`;
}
