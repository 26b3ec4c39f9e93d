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

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const NAME = new RegExp(`^${TOKEN}`);
/** A preference with its value, a token or a quoted string; parameters follow a semicolon (RFC 7240 section 2). */
const PREFERENCE = new RegExp(String.raw`^${TOKEN}(?:[ \t]*=[ \t]*(?:(${TOKEN})|"((?:[^"\\]|\\.)*)"))?[ \t]*(?:;|$)`);

/** Value of a `handling` that cannot be parsed, or that a quoted string without end may contain. No token equals it. */
const UNREADABLE = '"';

/**
 * Returns the value of the preference `handling` in lower case, undefined without one. The first one counts. Other
 * preferences are ignored, also malformed ones.
 */
function handlingOf({ prefer }: IncomingHttpHeaders): string | undefined {
  if (prefer === undefined) return undefined;
  const { members, isUnterminated } = listMembers(String(prefer));
  const handling = members.find((member) => NAME.exec(member)?.[0].toLowerCase() === 'handling');
  if (handling === undefined) return isUnterminated ? UNREADABLE : undefined;
  const found = PREFERENCE.exec(handling);
  if (!found) return UNREADABLE;
  const [, token, quoted] = found;
  return (token ?? quoted?.replace(/\\(.)/g, '$1') ?? '').toLowerCase();
}

/** Splits a header at the commas outside quoted strings, in linear time. */
function listMembers(header: string): { members: string[]; isUnterminated: boolean } {
  const members: string[] = [];
  let [start, isQuoted] = [0, false];
  for (let at = 0; at < header.length; at++) {
    const character = header[at];
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\\' && isQuoted) at++;
    else if (character === ',' && !isQuoted) {
      members.push(header.slice(start, at).trim());
      start = at + 1;
    }
  }
  return { members: [...members, header.slice(start).trim()], isUnterminated: isQuoted };
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
