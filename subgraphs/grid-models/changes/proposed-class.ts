import type { Statement } from '../rdf/difference-model';
import { superclassesOf } from './cim-superclasses';

/** The superclass of nearly all classes, so that its attributes do not indicate the class of an object. */
const ROOT_CLASS = 'cim:IdentifiedObject';

/**
 * Returns the class that the names of statements suggest: the most special of the classes to which their attributes and associations
 * belong. Null if there is none, or if two of them exclude each other as far as the register knows.
 */
export function proposedClass(statements: readonly Pick<Statement, 'name'>[]): string | null {
  const domains = [...new Set(statements.map(({ name }) => domainOf(name)))].filter(
    (domain) => domain !== undefined && domain !== ROOT_CLASS,
  ) as string[];
  const above = new Set(domains.flatMap((domain) => [...superclassesOf(domain)]));
  const special = domains.filter((domain) => !above.has(domain));
  return special.length === 1 ? (special[0] as string) : null;
}

/** Returns the class of a property: `cim:ACLineSegment` of `cim:ACLineSegment.r`; undefined if the name states none. */
function domainOf(name: string): string | undefined {
  return /^([^:]+:[^.]+)\../.exec(name)?.[1];
}
