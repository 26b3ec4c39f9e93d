import { INEXACT_NUMBER, isExactNumber } from '../../schema/exact-number';
import { MAX_JSON_DEPTH } from '../../schema/json-depth';
import { UNSTORABLE_MESSAGE, isWellFormed } from '../../schema/well-formed-text';
import { pointerToken } from './request-binding';
import type { RequestViolation } from './validation';

/** Maximum number of values of a body, far above any request of the contract. It bounds the work of all later steps, as the depth does. */
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
      if (level > MAX_JSON_DEPTH)
        violations.push({ code: 'VAL003', pointer: '', message: `is nested more than ${MAX_JSON_DEPTH} levels deep` });
      else if (Array.isArray(value)) items(value, pointer, level);
      else members(value as Record<string, unknown>, pointer, level);
    }
  };
  const items = (list: readonly unknown[], pointer: string, level: number): void => {
    for (let index = 0; index < list.length && values <= MAX_VALUES; index += 1)
      walk(list[index], `${pointer}/${index}`, level + 1);
  };
  const members = (object: Record<string, unknown>, pointer: string, level: number): void => {
    for (const name of Object.keys(object)) if (values <= MAX_VALUES) member(object, name, pointer, level);
  };
  const member = (object: Record<string, unknown>, name: string, pointer: string, level: number): void => {
    const memberPointer = `${pointer}/${pointerToken(name)}`;
    const isForbidden = name === '__proto__';
    if (isForbidden || !isWellFormed(name)) values += 1; // a member that is not read counts, too
    if (isForbidden) violations.push({ code: 'VAL003', pointer: memberPointer, message: 'is not an allowed name' });
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
