import { cimName, className, fileName } from './labels';
import type { Finding, UnfittingObject } from './operation-results';

/** How a statement does not fit, in words for network engineers. */
interface FindingWords {
  readonly title: string;
  /** What it means, and its usual cause. */
  readonly meaning: string;
}

/** Words of each kind of finding, in the order of the pages. */
export const FINDING_WORDS: Readonly<Record<Finding['kind'], FindingWords>> = {
  MISSING_STATEMENT: {
    title: 'Deletes what is not there',
    meaning:
      'The project deletes a value or an object that the base model does not have. Often the project was made from another base model.',
  },
  DANGLING_ASSOCIATION: {
    title: 'Refers to nothing',
    meaning:
      'An association refers to an object that does not exist after the project: it is missing from the archive, the project removes it, or it is part of a model outside the base model, such as a boundary set.',
  },
  ADDED_TWICE: {
    title: 'Adds what exists',
    meaning: 'The project adds an object that exists already. Often the base model contains the project.',
  },
};

/** The statement of the class of an object. */
const TYPE_STATEMENT = 'rdf:type';

/**
 * Returns the findings of an object by kind. For an object that the base model lacks as a whole, one entry represents all its statements; an
 * object that exists there can lack its class as well, since it has another one.
 */
export function findingGroups({
  mRID: own,
  existed,
  findings,
}: Pick<UnfittingObject, 'mRID' | 'existed' | 'findings'>) {
  return Object.entries(FINDING_WORDS).flatMap(([kind, words]) => {
    const ofKind = findings.filter((finding) => finding.kind === kind);
    const isAbsent = kind === 'MISSING_STATEMENT' && !existed;
    const whole = isAbsent ? ofKind.find(({ name }) => name === TYPE_STATEMENT) : undefined;
    const entries =
      whole === undefined
        ? ofKind.map((finding) => entryOf(finding, { mRID: own, existed }))
        : [{ ...entryOf(whole, { mRID: own, existed }), others: ofKind.length - 1 }];
    return entries.length === 0 ? [] : [{ ...words, entries }];
  });
}

function entryOf(
  { kind, file, mRID, name, value, instead }: Finding,
  { mRID: own, existed }: Pick<UnfittingObject, 'mRID' | 'existed'>,
) {
  const isObject = name === TYPE_STATEMENT && !(kind === 'MISSING_STATEMENT' && existed);
  const valueOf = (each: string) => (name === TYPE_STATEMENT ? className(each) : each);
  return {
    name: isObject ? undefined : cimName(name), // undefined for the object itself
    fullName: name,
    value: valueOf(value),
    file: fileName(file),
    from: mRID.toLowerCase() === own.toLowerCase() ? undefined : mRID, // of the object that refers to this one
    instead: instead.map(valueOf),
    others: 0, // statements of an object that is missing as a whole
  };
}

/** Returns the effect of a project on an object as a whole, in words. */
export function fateOf({ existed, exists }: Pick<UnfittingObject, 'existed' | 'exists'>, isTouched: boolean): string {
  if (existed && exists)
    return isTouched ? 'in the base model, and changed by the project' : 'not changed by the project';
  if (exists) return 'added by the project';
  return existed ? 'removed by the project' : 'neither in the base model nor added by the project';
}
