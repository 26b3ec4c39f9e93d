import type { DefinedError, ErrorObject } from 'ajv';
import { DURATION_MESSAGE } from '../../schema/duration';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

/** Messages of patterns of the contract that words state better. */
const PATTERN_MESSAGES: Readonly<Record<string, string>> = {
  '^P(?:[0-9]+(?:[.,][0-9]+)?[YMWD])*(?:T(?:[0-9]+(?:[.,][0-9]+)?[HMS])+)?$': DURATION_MESSAGE,
};

/** Returns what a value must be, in place of ajv's own words; the message never contains the value. */
export function violationMessage(error: ErrorObject): string {
  const { keyword, params, message = 'does not fit the contract' } = error as DefinedError;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of the contract';
    case 'enum':
      return `must be one of ${params.allowedValues.map(String).join(', ')}`;
    case 'pattern':
      return PATTERN_MESSAGES[params.pattern] ?? message;
    case 'format':
      return `must be of the format ${params.format}`;
    case 'type':
      return `must be ${[params.type]
        .flat()
        .map((type) => TYPE_NAMES[type] ?? type)
        .join(' or ')}`;
    case 'minLength':
      return `must have at least ${counted(params.limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${counted(params.limit, 'character')}`;
    case 'minItems':
      return `must have at least ${counted(params.limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${counted(params.limit, 'item')}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    default:
      return error.keyword === 'readOnly' ? 'is assigned by the register and must not be supplied' : message;
  }
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
