/** Types of difference models (IEC 61970-552), named as in the specification, Interface C: difference-model file. */

/** The files in the archive of a development project, in order. */
export const CIM_FILES = ['EQ', 'SC', 'GL'] as const;

/** EQ: equipment; SC: short circuit; GL: geographical location. */
export type CimFile = (typeof CIM_FILES)[number];

/** `forward`: statements to add to the base model; `reverse`: statements to delete from it. */
export type DifferenceSection = 'forward' | 'reverse';

/** The header of a difference model. */
export interface DifferenceModelHeader {
  readonly mRID: string;
  /** As written in the file: an ISO 8601 instant. */
  readonly created: string;
  readonly scenarioTime: string;
  readonly modelingAuthoritySet: string;
  /** URIs; at least one. */
  readonly profile: readonly string[];
  readonly description: string;
  /** A text such as "001" or "1.0". Independent of the version of the archive. */
  readonly version: string;
  /** mRIDs of the models that this one depends on. */
  readonly dependentOn: readonly string[];
  /** mRIDs of the models that this one replaces. */
  readonly supersedes: readonly string[];
}

/**
 * A statement about the subject of an item. Its value is the text of an attribute (`text`), the prefixed value of an enumeration
 * (`enumeration`: `cim:PhaseCode.ABC`), or the mRID of a target (`association`).
 */
export interface Statement {
  /** Prefixed name: `cim:ACLineSegment.r`. */
  readonly name: string;
  readonly kind: 'text' | 'enumeration' | 'association';
  readonly value: string;
}

/** An object, or a change of one, in a section of a difference model. */
export interface DifferenceItem {
  /** As in the file, without `urn:uuid:`, `#` and one leading `_`. Compared case-insensitively. */
  readonly mRID: string;
  /** Prefixed class, or `rdf:Description` if the file does not state it. */
  readonly type: string;
  /** True if written with `rdf:ID`: the item is the whole object. Otherwise it changes statements of an existing object. */
  readonly isObject: boolean;
  /** In the order of the file, including repetitions. */
  readonly statements: readonly Statement[];
}

/** A reason why a file cannot be published as a difference model. */
export interface Fault {
  /** From 1; null if the fault concerns no line. */
  readonly line: number | null;
  readonly message: string;
}

/** The class of an item of unknown class. */
export const UNKNOWN_CLASS = 'rdf:Description';

/** The name of the statement that an object is of a class. */
export const TYPE_STATEMENT = 'rdf:type';

/** Returns the statement that an object is of a class. */
export function typeStatement(value: string): Statement {
  return { name: TYPE_STATEMENT, kind: 'enumeration', value };
}

/** Returns the number of attributes and associations of an object: of its statements without those of its class. */
export function valueCount(statements: readonly Statement[]): number {
  return statements.filter(({ name }) => name !== TYPE_STATEMENT).length;
}

/**
 * Returns whether items of one object in a file, of a full model or of the forward differences, introduce it: one states its class, and in SC,
 * which describes objects of EQ, one is the whole object.
 */
export function declares(file: CimFile, items: readonly Pick<DifferenceItem, 'type' | 'isObject'>[]): boolean {
  return items.some(({ type }) => type !== UNKNOWN_CLASS) && (file !== 'SC' || items.some(({ isObject }) => isObject));
}

/** Returns whether a reverse item deletes its object as a whole, or the statement of its class. */
export function deletesObject({ isObject, statements }: DifferenceItem): boolean {
  return isObject || statements.some(({ name }) => name === TYPE_STATEMENT);
}
