import { type DefinedError, type ErrorObject } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { fullFormats } from 'ajv-formats/dist/formats';
import { isDate, parseDateTime } from '../schema/date-time';
import type { ErrorCode } from '../schema/error-catalogue';
import { UUID_PATTERN } from '../schema/identifiers';
import { MPXN_PROFILE, mpxnFault } from '../schema/mpxn';
import type { ContractSchema } from './contract';
import { pointerToken } from './request-binding';
import { requestSchema } from './request-schema';

/** One thing wrong with a request: the message never echoes the value. */
export interface Fault {
  readonly code: ErrorCode;
  /** JSON pointer of the field, or the spoken name of a parameter. */
  readonly pointer: string;
  /** Name of the parameter, if it is one. */
  readonly parameter?: string;
  readonly message: string;
}

/** Everything in a value that does not fit its schema; empty when it fits. */
export type Validator = (value: unknown) => readonly Fault[];

/** Most faults told at once (2-decisions-a-b.md, section 7). */
export const MOST_FAULTS = 100;

const NO_FAULTS: readonly Fault[] = [];
const LONGEST_EMAIL = 320;
const EMAIL = fullFormats.email as RegExp;

/** Compiles validators of requests; one for all operations of a contract. */
export function requestValidators(): (schema: ContractSchema, takesNullAsAbsent: boolean) => Validator {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true, addUsedSchema: false });
  ajv.addFormat('date-time', (text: string) => parseDateTime(text) !== undefined);
  ajv.addFormat('date', isDate);
  ajv.addFormat('uuid', UUID_PATTERN);
  ajv.addFormat('email', (text: string) => text.length <= LONGEST_EMAIL && EMAIL.test(text.trim()));
  ajv.removeKeyword('readOnly');
  ajv.addKeyword({ keyword: 'readOnly', validate: () => false });
  ajv.addKeyword({ keyword: 'mpxn', type: 'string', errors: true, compile: mpxnCheck });
  return (schema, takesNullAsAbsent) => {
    const validate = ajv.compile(requestSchema(schema, takesNullAsAbsent));
    return (value) => (validate(value) ? NO_FAULTS : onePerField(validate.errors ?? []));
  };
}

interface KeywordCheck {
  (value: string): boolean;
  errors?: Partial<ErrorObject>[];
}

/** By the profile, and by the pattern of the interface. */
function mpxnCheck(pattern: string): KeywordCheck {
  const ofInterface = new RegExp(pattern);
  const check: KeywordCheck = (value) => {
    const message = mpxnFault(value, MPXN_PROFILE, ofInterface);
    if (message === undefined) return true;
    check.errors = [{ keyword: 'mpxn', message, params: {} }];
    return false;
  };
  return check;
}

/** Of a text that is too long and does not match its pattern, the pattern is told. */
function onePerField(errors: readonly ErrorObject[]): readonly Fault[] {
  const faults = new Map<string, Fault>();
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const fault = faultOf(error);
    const known = faults.get(fault.pointer);
    if (!known || (known.code === 'VAL003' && fault.code === 'VAL001')) faults.set(fault.pointer, fault);
    if (faults.size === MOST_FAULTS) break;
  }
  return [...faults.values()];
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  pattern: 'VAL001',
  format: 'VAL001',
  mpxn: 'VAL001',
  required: 'VAL002',
  readOnly: 'VAL004',
};

function faultOf(error: ErrorObject): Fault {
  const code = CODES[error.keyword] ?? 'VAL003';
  const { keyword, params, instancePath } = error as DefinedError;
  switch (keyword) {
    case 'required':
      return { code, pointer: `${instancePath}/${pointerToken(params.missingProperty)}`, message: 'is required' };
    case 'additionalProperties':
      return {
        code,
        pointer: `${instancePath}/${pointerToken(params.additionalProperty)}`,
        message: 'is not a field of the contract',
      };
    case 'enum':
      return { code, pointer: instancePath, message: `must be one of ${params.allowedValues.map(String).join(', ')}` };
    default:
      return { code, pointer: instancePath, message: wordsOf(error) };
  }
}

function wordsOf({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'readOnly') return 'is assigned by the register and must not be supplied';
  if (keyword === 'format') return `must be of the format ${String((params as { format: string }).format)}`;
  return message ?? 'does not fit the contract';
}
