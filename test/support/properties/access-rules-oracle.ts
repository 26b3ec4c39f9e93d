import type { ErrorCode } from '../../../schema/error-catalogue';
import { CONSENT_BASES, type WireRecord } from './wire-record';

/**
 * A condition of the specification that a record violates: its code, and where the register must report at least one
 * violation (or below).
 */
export interface BrokenCondition {
  readonly code: ErrorCode;
  /** JSON pointer with the field names of the interface. */
  readonly at: string;
}

/** Inputs of the conditions of the specification, in addition to the record. */
export interface OracleFacts {
  readonly duid: string;
  readonly production: boolean;
  readonly now: Date;
  /** The linked Identity Record of the replaced record (PUT); undefined for a registration (POST). */
  readonly replaces?: string | null | undefined;
}

const METADATA = '/record-metadata';
const ARRANGEMENT = `${METADATA}/controller-arrangement`;
const CONTROLLERS = `${ARRANGEMENT}/controllers`;

/**
 * Checks the conditions of the specification (specification, Resources and Errors; decisions A/B, 1 and 3) in the order
 * of its sentences, written independently of the rules: slow, simple, with the field names of the interface.
 */
export function brokenConditions(record: WireRecord, facts: OracleFacts): BrokenCondition[] {
  return [
    ...neverSupplied(record, facts),
    ...identityLink(record, facts),
    ...arrangement(record),
    ...sections(record),
    ...state(record, facts),
    ...registration(record, facts),
    ...codes(record),
    ...addresses(record, facts),
    ...limits(record),
  ];
}

const is = (broken: boolean, code: ErrorCode, at: string): BrokenCondition[] => (broken ? [{ code, at }] : []);
const given = (value: unknown) => value !== undefined && value !== null;

/** "Supplying record-identifier, created-at or revoked-at in a request body"; a duid is only the caller's. */
function neverSupplied(record: WireRecord, { duid }: OracleFacts): BrokenCondition[] {
  const { 'record-metadata': metadata, 'access-event': event } = record;
  return [
    ...is(given(metadata['record-identifier']), 'VAL004', `${METADATA}/record-identifier`),
    ...is(given(metadata['created-at']), 'VAL004', `${METADATA}/created-at`),
    ...is(given(event['revoked-at']), 'VAL004', '/access-event/revoked-at'),
    ...is(given(metadata.duid) && metadata.duid !== duid, 'VAL004', `${METADATA}/duid`),
  ];
}

/**
 * POST: "identity-record-ref together with reidentification-token, or neither". PUT keeps the link and accepts no
 * token.
 */
function identityLink(record: WireRecord, { replaces }: OracleFacts): BrokenCondition[] {
  const ref = record['record-metadata']['identity-record-ref'];
  const token = record['reidentification-token'];
  const at = `${METADATA}/identity-record-ref`;
  if (replaces === undefined) return is(given(ref) === given(token), 'VAL005', at);
  return [
    ...is(given(ref) && ref !== replaces, 'VAL005', at),
    ...is(given(token), 'VAL005', '/reidentification-token'),
  ];
}

/**
 * "The token: not confirmed, expired or consumed is 400 VAL009", for a token that no customer confirmed. Beside an Identity
 * Record it is already wrong, and a PUT accepts none.
 */
export function unredeemableToken(record: WireRecord, { replaces }: OracleFacts): BrokenCondition[] {
  const ref = record['record-metadata']['identity-record-ref'];
  const token = record['reidentification-token'];
  return is(replaces === undefined && given(token) && !given(ref), 'VAL009', '/reidentification-token');
}

/**
 * "exactly one entry, with role sole"; "at least two, one lead and the others joint"; "exactly one lead, the others
 * member".
 */
function arrangement(record: WireRecord): BrokenCondition[] {
  const {
    'arrangement-type': type,
    'art26-reference': art26,
    controllers,
  } = record['record-metadata']['controller-arrangement'];
  const roles = controllers
    .map(({ role }) => role)
    .toSorted()
    .join(' ');
  const lawful = {
    sole: /^sole$/,
    joint: /^joint( joint)* lead$/,
    group: /^lead( member)*$/,
  };
  const missing = art26 === undefined || art26 === null || !isSeen(art26);
  return [
    ...is(type === 'joint' ? missing : given(art26), 'VAL006', `${ARRANGEMENT}/art26-reference`),
    ...is(!lawful[type].test(roles), 'VAL006', CONTROLLERS),
    ...controllers.flatMap(({ name }, index) =>
      is(
        controllers.slice(0, index).some((other) => other.name === name),
        'VAL006',
        `${CONTROLLERS}/${index}/name`,
      ),
    ),
    ...controllers.flatMap((controller, index) =>
      is(
        ['sole', 'lead'].includes(controller.role) && !given(controller['privacy-rights-url']),
        'VAL002',
        `${CONTROLLERS}/${index}/privacy-rights-url`,
      ),
    ),
  ];
}

/**
 * The table "Legal basis versus section population", and "exactly one of the two members", one entry per controller if
 * joint.
 */
function sections(record: WireRecord): BrokenCondition[] {
  const { notice, processing, 'access-event': event } = record;
  const consent = CONSENT_BASES.includes(processing['legal-basis']);
  const broken = [
    ...is(given(notice) !== consent, 'VAL007', '/notice'),
    ...is(given(event.consent) !== consent, 'VAL007', '/access-event/consent'),
  ];
  if (!consent || !notice) return broken;
  const { 'shared-notice': shared, notices } = notice;
  if (given(shared) === given(notices)) return [...broken, ...is(true, 'VAL007', '/notice')];
  if (!notices) return broken;
  const { 'arrangement-type': type, controllers } = record['record-metadata']['controller-arrangement'];
  const named = notices.map((entry) => entry['controller-name']).toSorted();
  const names = controllers.map(({ name }) => name).toSorted();
  const onePerController = JSON.stringify(named) === JSON.stringify(names);
  return [...broken, ...is(type !== 'joint' || notices.length < 2 || !onePerController, 'VAL007', '/notice/notices')];
}

/** ACTIVE; in POST also EXPIRED, which needs a past expiry. */
function state(
  { 'access-event': { state: requestedState, expiry } }: WireRecord,
  { now, replaces }: OracleFacts,
): BrokenCondition[] {
  const historic =
    requestedState === 'EXPIRED' && replaces === undefined && expiry !== null && Date.parse(expiry) <= now.getTime();
  return is(requestedState !== 'ACTIVE' && !historic, 'VAL003', '/access-event/state');
}

/** "not in the future (5 minutes of tolerance) and not after expiry". */
function registration({ 'access-event': event }: WireRecord, { now }: OracleFacts): BrokenCondition[] {
  const [at, end] = [event['registered-at'], event.expiry].map((text) => (text ? millisecondsOf(text) : Infinity));
  const isAhead = Number(at) - now.getTime() > 300_000;
  return is(isAhead || Number(at) > Number(end), 'VAL003', '/access-event/registered-at');
}

function millisecondsOf(instant: string): number {
  return Date.parse(instant.toUpperCase());
}

/**
 * "Language codes are ISO 639-1, countries ISO 3166-1": those with a name in Unicode, for the codes that the generated
 * records contain.
 */
function codes(record: WireRecord): BrokenCondition[] {
  const named = (type: 'language' | 'region', code: string) =>
    new Intl.DisplayNames('en', { type, fallback: 'none' }).of(code) !== undefined && code !== 'XX' && code !== 'UK';
  const all = [
    ...fieldsOf(record, `${CONTROLLERS}/*/storage-conditions/location`)
      .filter(([, code]) => /^[A-Z]{2}$/.test(code))
      .map(([at, code]) => [at, named('region', code)] as const),
    ...['/notice/shared-notice/notice-language', '/notice/notices/*/notice-language']
      .flatMap((template) => fieldsOf(record, template))
      .filter(([, code]) => /^[a-z]{2}$/.test(code))
      .map(([at, code]) => [at, named('language', code)] as const),
  ];
  return all.flatMap(([at, isKnown]) => is(!isKnown, 'VAL003', at));
}

/** "Every URI field: https (http too outside production), no credentials in it, at most 2,048 characters". */
function addresses(record: WireRecord, { production }: OracleFacts): BrokenCondition[] {
  const { 'record-metadata': metadata, notice, processing } = record;
  const all: [string, string | undefined | null][] = [
    ...metadata['controller-arrangement'].controllers.flatMap((controller, index): [string, string | undefined][] => [
      [`${CONTROLLERS}/${index}/contact-url`, controller['contact-url']],
      [`${CONTROLLERS}/${index}/privacy-rights-url`, controller['privacy-rights-url']],
    ]),
    ['/notice/shared-notice/terms-url', notice?.['shared-notice']?.['terms-url']],
    ...(notice?.notices ?? []).map((entry, index): [string, string] => [
      `/notice/notices/${index}/terms-url`,
      entry['terms-url'],
    ]),
    ...(processing.recipients ?? []).map((entry, index): [string, string | undefined] => [
      `/processing/recipients/${index}/privacy-url`,
      entry['privacy-url'],
    ]),
  ];
  return all.flatMap(([at, address]) =>
    is(given(address) && !isWebAddress(address as string, production), 'VAL008', at),
  );
}

function isWebAddress(address: string, production: boolean): boolean {
  if (address.length > 2048 || /[^\x21-\x7e]|["<>\\^`{|}]|%(?![0-9A-F]{2})/i.test(address)) return false;
  if (!(production ? /^https:\/\/[^/?#]/i : /^https?:\/\/[^/?#]/i).test(address) || !URL.canParse(address))
    return false;
  const { username, password } = new URL(address);
  return username === '' && password === '' && !(/^[^/]*\/\/([^/?#]*)/.exec(address)?.[1] ?? '').includes('@');
}

type Range = readonly [least: number, most: number];

/** The table of limits, with those of section 3 of the decisions; `*` means any entry. */
const TEXTS: readonly (readonly [string, Range])[] = [
  [`${METADATA}/schema-version`, [1, 20]],
  [`${ARRANGEMENT}/art26-reference`, [0, 500]],
  [`${CONTROLLERS}/*/name`, [1, 255]],
  [`${CONTROLLERS}/*/lia-reference`, [0, 255]],
  [`${CONTROLLERS}/*/statutory-reference`, [0, 500]],
  [`${CONTROLLERS}/*/address/addressLine1`, [1, 100]],
  [`${CONTROLLERS}/*/address/addressLine2`, [0, 100]],
  [`${CONTROLLERS}/*/address/townCity`, [1, 100]],
  [`${CONTROLLERS}/*/address/county`, [0, 100]],
  ['/notice/shared-notice/notice-version', [1, 50]],
  ['/notice/notices/*/notice-version', [1, 50]],
  ['/notice/notices/*/controller-name', [1, 255]],
  ['/processing/purpose', [1, 500]],
  ['/processing/data-source', [0, 255]],
  ['/processing/recipients/*/name', [1, 255]],
  ['/processing/recipients/*/role', [1, 100]],
  ['/access-event/controller-reference', [0, 255]],
  ['/access-event/consent/method', [0, 100]],
];
const FORMS: readonly (readonly [string, (text: string) => boolean])[] = [
  [`${CONTROLLERS}/*/address/postcode`, (text) => /^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$/.test(text)],
  [`${CONTROLLERS}/*/storage-conditions/location`, (text) => text.length === 2 && /^[A-Z]+$/.test(text)],
  [`${CONTROLLERS}/*/storage-conditions/retention-period`, isDuration],
  ['/notice/shared-notice/notice-language', (text) => text.length === 2 && /^[a-z]+$/.test(text)],
  ['/notice/notices/*/notice-language', (text) => text.length === 2 && /^[a-z]+$/.test(text)],
];

function limits(record: WireRecord): BrokenCondition[] {
  const tooLongOrShort = TEXTS.flatMap(([template, [least, most]]) =>
    fieldsOf(record, template).flatMap(([at, text]) => {
      const length = Array.from(text).length;
      return is(length < least || length > most || (least > 0 && !isSeen(text)), 'VAL003', at);
    }),
  );
  const malformed = FORMS.flatMap(([template, fits]) =>
    fieldsOf(record, template).flatMap(([at, text]) => is(!fits(text), 'VAL001', at)),
  );
  const types = record.processing['data-types'];
  const { controllers } = record['record-metadata']['controller-arrangement'];
  const { recipients } = record.processing;
  const notices = record.notice?.notices;
  return [
    ...tooLongOrShort,
    ...malformed,
    ...is(
      types.length < 1 || types.length > 8 || new Set(types).size < types.length,
      'VAL003',
      '/processing/data-types',
    ),
    ...is(controllers.length < 1 || controllers.length > 100, 'VAL003', CONTROLLERS),
    ...is(given(notices) && (notices?.length ?? 0) < 2, 'VAL003', '/notice/notices'),
    ...is((recipients?.length ?? 0) > 100, 'VAL003', '/processing/recipients'),
  ];
}

/** "A required string has at least one visible character." */
function isSeen(text: string): boolean {
  return /[^\p{C}\p{Z}\p{M}\p{DI}\u2800]/u.test(text);
}

/** ISO 8601: P, then numbers with their units in order; T before the units of time; at least one. */
function isDuration(text: string): boolean {
  const [, days, time] = /^P([^T]*)(?:T(.*))?$/.exec(text) ?? [];
  if (days === undefined || time === '') return false;
  const fractions = text.match(/[.,]/g) ?? [];
  if (fractions.length > 1 || (fractions.length === 1 && !/[0-9][.,][0-9]+[A-Z]$/.test(text))) return false;
  const inOrder = (part: string, units: string) => {
    const parts = part.match(/[0-9][0-9.,]*[A-Z]/g) ?? [];
    const places = parts.map((each) => units.indexOf(each.at(-1) as string));
    return parts.join('') === part && places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1));
  };
  return inOrder(days, 'YMWD') && inOrder(time ?? '', 'HMS') && days + (time ?? '') !== '';
}

function fieldsOf(root: unknown, template: string): [pointer: string, text: string][] {
  let found: [string, unknown][] = [['', root]];
  for (const step of template.split('/').slice(1)) {
    found = found.flatMap(([pointer, value]) => {
      if (!given(value)) return [];
      const members =
        step === '*' ? Object.entries(value as object) : [[step, (value as Record<string, unknown>)[step]] as const];
      return members.map(([name, member]): [string, unknown] => [`${pointer}/${name}`, member]);
    });
  }
  return found.filter((field): field is [string, string] => given(field[1]));
}

/** A reported violation, with the pointer of its field in the names of the interface. */
export interface ReportedViolation {
  readonly code: string;
  readonly pointer: string;
}

/**
 * Returns the differences between a verdict and the conditions: conditions without a report, and violations without a
 * condition.
 */
export function disagreements(reported: readonly ReportedViolation[], broken: readonly BrokenCondition[]): string[] {
  const below = (pointer: string, at: string) => `${pointer}/`.startsWith(`${at}/`);
  const explains = ({ code, at }: BrokenCondition, violation: ReportedViolation) =>
    code === violation.code && below(violation.pointer, at);
  const places = new Set(reported.map(({ pointer }) => pointer));
  const missing = broken.filter(
    (condition) =>
      !reported.some((violation) => explains(condition, violation)) &&
      // There is one entry per field: the register reported another condition of the same field.
      !(places.has(condition.at) && broken.some((other) => other.at === condition.at && other.code !== condition.code)),
  );
  const unexplained = reported.filter((violation) => !broken.some((condition) => explains(condition, violation)));
  return [
    ...missing.map(({ code, at }) => `not reported: ${code} ${at}`),
    ...unexplained.map(({ code, pointer }) => `reported without reason: ${code} ${pointer}`),
  ];
}
