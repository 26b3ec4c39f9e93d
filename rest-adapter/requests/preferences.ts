import type { OperationDefinitionNode } from 'graphql';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestViolation } from './validation';

/** Variable of an operation that turns it into a check. */
export const DRY_RUN = 'dryRun';

/** Header that states that a preference was applied (RFC 7240 section 3), with its value for a check. */
export const CHECK_APPLIED = { 'preference-applied': 'handling=check' } as const;

const CHECK = 'check';
/** Values of `handling` that RFC 7240 section 4.4 defines. Every request is handled strictly. */
const STANDARD_VALUES = ['strict', 'lenient'];

/** Returns the value of the preference `handling` in lower case, undefined without one. The first one counts. */
function handlingOf({ prefer }: IncomingHttpHeaders): string | undefined {
  if (prefer === undefined) return undefined;
  for (const preference of String(prefer).split(',')) {
    const [statement = ''] = preference.split(';'); // parameters follow
    const [name, ...value] = statement.split('=');
    if (name?.trim().toLowerCase() === 'handling') return value.join('=').trim().replaceAll('"', '').toLowerCase();
  }
  return undefined;
}

/** Returns true if `Prefer` requests a check: all violations are reported, and nothing is stored. */
export function wantsCheck(headers: IncomingHttpHeaders): boolean {
  return handlingOf(headers) === CHECK;
}

/** Kind of an operation: a read, a write, or a write that can be checked. */
export type CheckSupport = 'read' | 'write' | 'checkable';

/** Returns the kind of an operation by its document. */
export function checkSupportOf({ operation, variableDefinitions = [] }: OperationDefinitionNode): CheckSupport {
  if (operation !== 'mutation') return 'read';
  return variableDefinitions.some(({ variable }) => variable.name.value === DRY_RUN) ? 'checkable' : 'write';
}

const violation = (message: string): RequestViolation[] => [
  { code: 'VAL003', pointer: 'header Prefer', parameter: 'Prefer', message },
];

/** Rejects a check of a write that cannot be checked, and an unknown `handling`: neither request may be executed. */
export function preferenceViolations(headers: IncomingHttpHeaders, support: CheckSupport): RequestViolation[] {
  const handling = handlingOf(headers);
  if (support === 'read' || handling === undefined || STANDARD_VALUES.includes(handling)) return [];
  if (handling !== CHECK) return violation('has an unknown value of handling; known are check, strict and lenient');
  return support === 'checkable' ? [] : violation('requests a check, but this operation has no check');
}
