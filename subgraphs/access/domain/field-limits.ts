import type { ErrorCode } from '../../../schema/error-catalogue';
import { POSTCODE_PATTERN } from '../../../schema/identifiers';
import type { Violation } from '../../../schema/register-error';
import { isStorable } from '../../../schema/storable-text';
import { hasVisibleCharacter } from '../../../schema/visible-text';
import { fieldsAt } from './field-paths';
import type { RegistrationRule } from './registration-rules';

const CONTROLLERS = 'recordMetadata.controllerArrangement.controllers[]';

/** Shortest and longest length in characters (1-specification.md, Limits; 2-decisions-a-b.md, section 3). A required text has at least 1. */
export const TEXT_LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  'recordMetadata.schemaVersion': [1, 20],
  'recordMetadata.controllerArrangement.art26Reference': [0, 500],
  [`${CONTROLLERS}.name`]: [1, 255],
  [`${CONTROLLERS}.liaReference`]: [0, 255],
  [`${CONTROLLERS}.statutoryReference`]: [0, 500],
  [`${CONTROLLERS}.address.addressLine1`]: [1, 100],
  [`${CONTROLLERS}.address.addressLine2`]: [0, 100],
  [`${CONTROLLERS}.address.townCity`]: [1, 100],
  [`${CONTROLLERS}.address.county`]: [0, 100],
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

/** Most items of a list. */
export const LIST_LENGTHS: Readonly<Record<string, readonly [number, number]>> = {
  'recordMetadata.controllerArrangement.controllers': [1, 100],
  'notice.notices': [2, 100],
  'processing.recipients': [0, 100],
  'processing.dataTypes': [1, 8],
};

/** Patterns: the form of a code of ISO 639-1 and of ISO 3166-1 alpha-2, ISO 8601 duration, postcode. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'notice.sharedNotice.noticeLanguage': /^[a-z]{2}$/,
  'notice.notices[].noticeLanguage': /^[a-z]{2}$/,
  [`${CONTROLLERS}.address.postcode`]: POSTCODE_PATTERN,
  [`${CONTROLLERS}.storageConditions.location`]: /^[A-Z]{2}$/,
  [`${CONTROLLERS}.storageConditions.retentionPeriod`]:
    /^P(?!$)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/,
};

/** Lengths and patterns, for callers that come past the REST contract. */
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
    .filter(({ value }) => !isStorable(String(value)))
    .map(({ path }) => violation('VAL001', path, 'contains a character that cannot be stored'));
}

/** Characters that nobody sees are no answer to a required text; an empty one is too short already. */
function blankTexts(input: object): Violation[] {
  return Object.entries(TEXT_LENGTHS)
    .filter(([, [least]]) => least > 0)
    .flatMap(([template]) => fieldsAt(input, template))
    .filter(({ value }) => value !== '' && isStorable(String(value)) && !hasVisibleCharacter(String(value)))
    .map(({ path }) => violation('VAL003', path, 'must have a visible character'));
}

function within(
  input: object,
  limits: typeof TEXT_LENGTHS,
  length: (value: unknown) => number,
  unit: string,
): Violation[] {
  return Object.entries(limits).flatMap(([template, [least, most]]) =>
    fieldsAt(input, template)
      .filter(({ value }) => length(value) < least || length(value) > most)
      .map(({ path }) => violation('VAL003', path, `must have ${least} to ${most} ${unit}`)),
  );
}

function patterns(input: object): Violation[] {
  return Object.entries(PATTERNS).flatMap(([template, pattern]) =>
    fieldsAt(input, template)
      .filter(({ value }) => !pattern.test(String(value)))
      .map(({ path }) => violation('VAL001', path, `must match ${pattern.source}`)),
  );
}

function uniqueDataTypes(dataTypes: readonly string[]): Violation[] {
  return new Set(dataTypes).size === dataTypes.length
    ? []
    : [violation('VAL003', ['processing', 'dataTypes'], 'must not name a data type twice')];
}

function violation(code: ErrorCode, path: (string | number)[], message: string): Violation {
  return { code, path, message };
}
