import { INEXACT_NUMBER, isExactNumber } from '../../schema/exact-number';
import { UNSTORABLE_MESSAGE, isWellFormed } from '../../schema/well-formed-text';
import { pointerToken } from './request-binding';
import type { RequestViolation } from './validation';

/**
 * Maximum depth and number of values of a body, far above any request of the contract. They bound the work of all later
 * steps.
 */
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;

/** Returns violations that hold for every JSON body: texts and numbers that cannot be stored, depth, number of values. */
export function boundViolations(body: unknown): RequestViolation[] {
  const violations: RequestViolation[] = [];
  let values = 0;
  const walk = (value: unknown, pointer: string, level: number): void => {
    values += 1;
    if (typeof value === 'string') {
      if (!isWellFormed(value)) violations.push(unstorable(pointer));
    } else if (typeof value === 'number') {
      if (!isExactNumber(value)) violations.push({ code: 'VAL003', pointer, message: INEXACT_NUMBER });
    } else if (typeof value === 'object' && value !== null && values <= MAX_VALUES) {
      if (level > MAX_DEPTH)
        violations.push({ code: 'VAL003', pointer: '', message: `is nested more than ${MAX_DEPTH} levels deep` });
      else for (const name of Object.keys(value)) member(value as Record<string, unknown>, name, pointer, level);
    }
  };
  const member = (object: Record<string, unknown>, name: string, pointer: string, level: number): void => {
    const memberPointer = `${pointer}/${pointerToken(name)}`;
    if (name === '__proto__')
      violations.push({ code: 'VAL003', pointer: memberPointer, message: 'is not an allowed name' });
    else if (!isWellFormed(name)) violations.push(unstorable(`${pointer}/*`));
    else walk(object[name], memberPointer, level + 1);
  };
  walk(body, '', 1);
  if (values > MAX_VALUES) return [{ code: 'VAL003', pointer: '', message: `has more than ${MAX_VALUES} values` }];
  return violations;
}

function unstorable(pointer: string): RequestViolation {
  return { code: 'VAL001', pointer, message: UNSTORABLE_MESSAGE };
}
