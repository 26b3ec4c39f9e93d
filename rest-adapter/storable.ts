import { isStorable } from '../schema/storable-text';
import { pointerToken } from './request-binding';
import type { Fault } from './validation';

/** Levels and values of a body; no request of the contract comes near them. They bound the work of all that follows. */
const DEEPEST = 64;
const MOST_VALUES = 20_000;

/** What of a JSON value cannot be kept, whatever the contract says of it: texts, depth, number of values. */
export function storabilityFaults(body: unknown): Fault[] {
  const faults: Fault[] = [];
  let values = 0;
  const walk = (value: unknown, pointer: string, level: number): void => {
    values += 1;
    if (typeof value === 'string') {
      if (!isStorable(value)) faults.push(unstorable(pointer));
    } else if (typeof value === 'object' && value !== null && values <= MOST_VALUES) {
      if (level > DEEPEST)
        faults.push({ code: 'VAL003', pointer: '', message: `is nested more than ${DEEPEST} levels deep` });
      else for (const name of Object.keys(value)) member(value as Record<string, unknown>, name, pointer, level);
    }
  };
  const member = (object: Record<string, unknown>, name: string, pointer: string, level: number): void => {
    const place = `${pointer}/${pointerToken(name)}`;
    if (name === '__proto__') faults.push({ code: 'VAL003', pointer: place, message: 'is not an allowed name' });
    else if (!isStorable(name)) faults.push(unstorable(`${pointer}/*`));
    else walk(object[name], place, level + 1);
  };
  walk(body, '', 1);
  if (values > MOST_VALUES) return [{ code: 'VAL003', pointer: '', message: `has more than ${MOST_VALUES} values` }];
  return faults;
}

function unstorable(pointer: string): Fault {
  return { code: 'VAL001', pointer, message: 'contains a character that cannot be stored' };
}
