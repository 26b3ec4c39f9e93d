import { DURATION_MESSAGE, DURATION_PATTERN } from '../../../../schema/duration';
import type { ErrorCode } from '../../../../schema/error-catalogue';
import { POSTCODE_PATTERN } from '../../../../schema/identifiers';
import type { Violation } from '../../../../schema/register-error';
import { UNSTORABLE_MESSAGE, isWellFormed } from '../../../../schema/well-formed-text';
import { hasVisibleCharacter } from '../../../../schema/visible-text';
import type { RegistrationRule } from './registration-rule';

/** A field with a value, and its path. */
interface FieldAt {
  readonly path: (string | number)[];
  readonly value: unknown;
}

/** Returns the fields with a value (not null) that match a template such as `processing.recipients[].name`, with their paths. */
export function fieldsAt(root: object, template: string): FieldAt[] {
  return template
    .split('.')
    .reduce<FieldAt[]>((fields, step) => fields.flatMap((field) => stepInto(field, step)), [{ path: [], value: root }]);
}

function stepInto({ path, value }: FieldAt, step: string): FieldAt[] {
  const name = step.replace('[]', '');
  const member = (value as Record<string, unknown>)[name];
  if (member == null) return [];
  if (!step.endsWith('[]')) return [{ path: [...path, name], value: member }];
  return (member as unknown[]).map((item, index) => ({ path: [...path, name, index], value: item }));
}

const CONTROLLERS = 'recordMetadata.controllerArrangement.controllers[]';

/** Minimum and maximum length in characters (specification, Limits; decisions A/B, 3). A required text has at least 1. */
const TEXT_LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  'recordMetadata.schemaVersion': [1, 20],
  'recordMetadata.controllerArrangement.art26Reference': [0, 500],
  [`${CONTROLLERS}.name`]: [1, 255],
  [`${CONTROLLERS}.liaReference`]: [0, 255],
  [`${CONTROLLERS}.statutoryReference`]: [0, 500],
  [`${CONTROLLERS}.address.addressLine1`]: [1, 100],
  [`${CONTROLLERS}.address.addressLine2`]: [0, 100],
  [`${CONTROLLERS}.address.townCity`]: [1, 100],
  [`${CONTROLLERS}.address.county`]: [0, 100],
  [`${CONTROLLERS}.storageConditions.retentionPeriod`]: [0, 50],
  'notice.sharedNotice.noticeVersion': [1, 50],
  'notice.notices[].noticeVersion': [1, 50],
  'notice.notices[].controllerName': [1, 255],
  'processing.purpose': [1, 500],
  'processing.dataSource': [0, 255],
  'processing.recipients[].name': [1, 255],
  'processing.recipients[].role': [1, 100],
  'accessEvent.controllerReference': [0, 255],
  'accessEvent.consent.method': [0, 100],
};

/** Minimum and maximum number of items of a list. */
const LIST_LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  'recordMetadata.controllerArrangement.controllers': [1, 100],
  'notice.notices': [2, 100],
  'processing.recipients': [0, 100],
  'processing.dataTypes': [1, 8],
};

/** Patterns: codes of ISO 639-1 and ISO 3166-1 alpha-2, postcode, duration. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'notice.sharedNotice.noticeLanguage': /^[a-z]{2}$/,
  'notice.notices[].noticeLanguage': /^[a-z]{2}$/,
  [`${CONTROLLERS}.address.postcode`]: POSTCODE_PATTERN,
  [`${CONTROLLERS}.storageConditions.location`]: /^[A-Z]{2}$/,
  [`${CONTROLLERS}.storageConditions.retentionPeriod`]: DURATION_PATTERN,
};

/** Lengths and patterns; the REST contract has the same limits, but GraphQL callers do not pass it. */
export const fieldLimits: RegistrationRule = (input) => [
  ...unstorableTexts(input),
  ...within(input, TEXT_LENGTHS, (value) => [...String(value)].length, 'characters'),
  ...blankTexts(input),
  ...within(input, LIST_LENGTHS, (value) => (value as unknown[]).length, 'entries'),
  ...patterns(input),
  ...uniqueDataTypes(input.processing.dataTypes),
];

function unstorableTexts(input: object): Violation[] {
  return Object.keys(TEXT_LENGTHS)
    .flatMap((template) => fieldsAt(input, template))
    .filter(({ value }) => !isWellFormed(String(value)))
    .map(({ path }) => violation('VAL001', path, UNSTORABLE_MESSAGE));
}

/** A required text needs a visible character; empty texts violate the minimum length already. */
function blankTexts(input: object): Violation[] {
  return Object.entries(TEXT_LENGTHS)
    .filter(([, [min]]) => min > 0)
    .flatMap(([template]) => fieldsAt(input, template))
    .filter(({ value }) => value !== '' && isWellFormed(String(value)) && !hasVisibleCharacter(String(value)))
    .map(({ path }) => violation('VAL003', path, 'must have a visible character'));
}

function within(
  input: object,
  limits: typeof TEXT_LENGTHS,
  length: (value: unknown) => number,
  unit: string,
): Violation[] {
  return Object.entries(limits).flatMap(([template, [min, max]]) =>
    fieldsAt(input, template)
      .filter(({ value }) => length(value) < min || length(value) > max)
      .map(({ path }) => violation('VAL003', path, `must have ${min} to ${max} ${unit}`)),
  );
}

function patterns(input: object): Violation[] {
  return Object.entries(PATTERNS).flatMap(([template, pattern]) =>
    fieldsAt(input, template)
      .filter(({ value }) => !pattern.test(String(value)))
      .map(({ path }) => violation('VAL001', path, patternMessage(pattern))),
  );
}

function patternMessage(pattern: RegExp): string {
  return pattern === DURATION_PATTERN ? DURATION_MESSAGE : `must match ${pattern.source}`;
}

function uniqueDataTypes(dataTypes: readonly string[]): Violation[] {
  return new Set(dataTypes).size === dataTypes.length
    ? []
    : [violation('VAL003', ['processing', 'dataTypes'], 'must not name a data type twice')];
}

function violation(code: ErrorCode, path: (string | number)[], message: string): Violation {
  return { code, path, message };
}
