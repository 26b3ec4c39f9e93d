import type { DefinedError, ErrorObject, ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { isDate, parseDateTime } from '../../schema/date-time';
import { emailInputViolation } from '../../schema/email-address';
import type { ErrorCode } from '../../schema/error-catalogue';
import { UUID_PATTERN } from '../../schema/identifiers';
import { MPXN_PROFILE, mpxnViolation } from '../../schema/mpxn';
import { MAX_VIOLATIONS } from '../../schema/register-error';
import { pointerToken } from './request-binding';
import { requestSchema } from './request-schema';
import { violationMessage } from './violation-message';
import type { ContractSchema } from '../contract/contract-schema';

/** One violation of the contract by a request. The message never contains the value. */
export interface RequestViolation {
  readonly code: ErrorCode;
  /** JSON pointer of the field, or the label of the parameter. */
  readonly pointer: string;
  /** Name of the parameter, if the violation concerns one. */
  readonly parameter?: string;
  readonly message: string;
}

/** Returns the violations of a schema by a value; empty if it is valid. */
export type Validator = (value: unknown) => readonly RequestViolation[];

const NO_VIOLATIONS: readonly RequestViolation[] = [];

/** Returns a compiler of request validators, one for all contracts. A validator is compiled when it is first used. */
export function requestValidators(): (schema: ContractSchema, takesNullAsAbsent: boolean) => Validator {
  const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true, addUsedSchema: false });
  ajv.addFormat('date-time', (text: string) => parseDateTime(text) !== undefined);
  ajv.addFormat('date', isDate);
  ajv.addFormat('uuid', UUID_PATTERN);
  ajv.addFormat('email', (text: string) => emailInputViolation(text)?.code !== 'VAL001');
  ajv.removeKeyword('readOnly');
  ajv.addKeyword({ keyword: 'readOnly', validate: () => false });
  ajv.addKeyword({ keyword: 'mpxn', type: 'string', errors: true, compile: mpxnCheck });
  return (schema, takesNullAsAbsent) => {
    let compiled: ValidateFunction | undefined;
    return (value) => {
      const validate = (compiled ??= ajv.compile(requestSchema(schema, takesNullAsAbsent)));
      return validate(value) ? NO_VIOLATIONS : onePerField(validate.errors ?? []);
    };
  };
}

interface KeywordCheck {
  (value: string): boolean;
  errors?: Partial<ErrorObject>[];
}

/** Checks an MPxN by the profile and by the pattern of the interface. */
function mpxnCheck(pattern: string): KeywordCheck {
  const interfacePattern = new RegExp(pattern);
  const check: KeywordCheck = (value) => {
    const message = mpxnViolation(value, MPXN_PROFILE, interfacePattern);
    if (message === undefined) return true;
    check.errors = [{ keyword: 'mpxn', message, params: {} }];
    return false;
  };
  return check;
}

/** Returns one violation per field. A violated pattern takes precedence over a violated length. */
function onePerField(errors: readonly ErrorObject[]): readonly RequestViolation[] {
  const violations = new Map<string, RequestViolation>();
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    const violation = violationOf(error);
    const existing = violations.get(violation.pointer);
    if (!existing || (existing.code === 'VAL003' && violation.code === 'VAL001'))
      violations.set(violation.pointer, violation);
    if (violations.size === MAX_VIOLATIONS) break;
  }
  return [...violations.values()];
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  pattern: 'VAL001',
  format: 'VAL001',
  mpxn: 'VAL001',
  required: 'VAL002',
  readOnly: 'VAL004',
};

function violationOf(error: ErrorObject): RequestViolation {
  const { keyword, params, instancePath } = error as DefinedError;
  const code = CODES[error.keyword] ?? 'VAL003';
  const message = violationMessage(error);
  switch (keyword) {
    case 'required':
      return { code, pointer: `${instancePath}/${pointerToken(params.missingProperty)}`, message };
    case 'additionalProperties':
      return { code, pointer: `${instancePath}/${pointerToken(params.additionalProperty)}`, message };
    default:
      return { code, pointer: instancePath, message };
  }
}
