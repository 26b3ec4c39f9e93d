/** Difference models (IEC 61970-552), as 1-specification.md, "Interface C: difference-model file", names their parts. */

/** A member of the archive of a development project. */
export const CIM_FILES = ['EQ', 'SC', 'GL'] as const;

/** EQ equipment, SC short circuit, GL geographical location. */
export type CimFile = (typeof CIM_FILES)[number];

/** What is added to the base model (`forward`), or deleted from it (`reverse`). */
export type DifferenceSection = 'forward' | 'reverse';

/** The header of a difference model, in the words of the specification. */
export interface DifferenceModelHeader {
  readonly mRID: string;
  /** As written in the file: an instant in a form of ISO 8601. */
  readonly created: string;
  readonly scenarioTime: string;
  readonly modelingAuthoritySet: string;
  /** URIs, at least one. */
  readonly profile: readonly string[];
  readonly description: string;
  /** A text: "001", "1.0". It is not the version of the archive. */
  readonly version: string;
  /** mRIDs of the models that this one is a difference to. */
  readonly dependentOn: readonly string[];
  /** mRIDs of the models that this one replaces. */
  readonly supersedes: readonly string[];
}

/**
 * What one item says of its subject: an attribute (`text`), an attribute that is a value of an enumeration (`enumeration`, prefixed:
 * `cim:PhaseCode.ABC`), or an association (the mRID of its target).
 */
export interface Statement {
  /** Prefixed: `cim:ACLineSegment.r`. */
  readonly name: string;
  readonly kind: 'text' | 'enumeration' | 'association';
  readonly value: string;
}

/** One object, or what changes of it, in a section of a difference model. */
export interface DifferenceItem {
  /** Spelled as in the file, without `urn:uuid:`, `#` and one leading `_`; compared without regard to case. */
  readonly mRID: string;
  /** Prefixed class, or `rdf:Description` where the class is not known. */
  readonly type: string;
  /** Written with `rdf:ID`: the whole object; else it is there before, and statements of it change. */
  readonly isObject: boolean;
  /** In the order of the file, repetitions included. */
  readonly statements: readonly Statement[];
}

/** A reason why a file is not a difference model that can be published. */
export interface Fault {
  /** From 1; null when it concerns no place of the file. */
  readonly line: number | null;
  readonly message: string;
}

/** The class of an item of unknown class. */
export const UNKNOWN_CLASS = 'rdf:Description';
