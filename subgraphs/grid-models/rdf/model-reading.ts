import type { DifferenceSection, Statement } from './difference-model';
import { type IdentifierSet, identifierSet } from './identifier-set';
import { type ExpectedMember, MAX_FAULTS, type ModelSink } from './model-sink';
import { type QualifiedName, type RdfNames, rdfNames } from './rdf-names';

/** Thrown inside a callback of the XML parser to stop parsing. Its fault is already reported. */
export const STOP = new Error('parsing has stopped');

/** An attribute of the current start tag. The parser sets `uri` after it has parsed the whole tag. */
interface ElementAttribute {
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly value: string;
}

/** Namespaces by prefix, in the form of the XML parser. */
export type Bindings = Record<string, string>;

/** The part of a model that contains items; `whole`: a full model, whose items are in no section. */
export type ItemSection = DifferenceSection | 'preconditions' | 'whole';

/** The form of a kind of model: which elements are where in its file. Depths count from 1, the root. */
export interface ModelOutline {
  /** The kind of model, for messages. */
  readonly name: string;
  readonly itemDepth: number;
  /** Items of one file. */
  readonly maxItems: number;
  /** Handles the start of any element. */
  open(reading: Reading, element: QualifiedName): void;
  /** Handles the end of any element. */
  close(reading: Reading): void;
}

/** State of parsing one file. */
export interface Reading {
  readonly outline: ModelOutline;
  readonly sink: ModelSink;
  readonly expected: ExpectedMember | undefined;
  readonly names: RdfNames;
  /** Number of the current line, from 1. */
  readonly line: () => number;
  faults: number;
  /** Attributes of the current start tag, without declarations of namespaces. */
  readonly attributes: ElementAttribute[];
  /** Whether the current start tag declares namespaces. */
  declares: boolean;
  /** Namespaces in scope, by depth of the open element, down to the items. */
  readonly scopes: Bindings[];
  /** Namespace declarations outside items so far. Each is copied into the inner scopes, so their number is limited. */
  outerBindings: number;
  /** Number of open elements. */
  depth: number;
  /** Depth of the element whose contents are skipped; 0 if none. */
  skippedDepth: number;
  /** Text of the open element so far. */
  text: string;
  /** Characters passed to the parser since its last event. */
  lengthSinceEvent: number;
  model: ModelReading | undefined;
  section: ItemSection | undefined;
  readonly sections: Set<ItemSection>;
  readonly item: ItemReading;
}

/** The model that is being parsed. */
export interface ModelReading {
  readonly mRID: string;
  readonly line: number;
  /** The open header field, and the value of its `rdf:resource`. */
  field: string | undefined;
  resource: string | undefined;
  readonly fields: Map<string, string[]>;
}

/** The item that is being parsed. */
interface ItemReading {
  mRID: string;
  type: string;
  isObject: boolean;
  /** The first `length` entries belong to the item. The array is reused, which avoids growing a new one for each item. */
  readonly statements: Statement[];
  length: number;
  /** Characters of the names and values of the item so far. */
  characters: number;
  /** Name, kind and value of the open statement. The value of a text is `Reading.text`. */
  statement: string;
  kind: Statement['kind'];
  value: string;
  /** Number of items in the file so far. */
  count: number;
  /** `rdf:ID`s of the section so far. */
  objects: IdentifierSet;
  /** Classes of the items of the file so far. */
  readonly classes: Set<string>;
}

/** Returns the state at the start of a file. */
export function newReading(
  outline: ModelOutline,
  sink: ModelSink,
  expected: ExpectedMember | undefined,
  line: () => number,
): Reading {
  return {
    outline,
    sink,
    expected,
    names: rdfNames(),
    line,
    faults: 0,
    attributes: [],
    declares: false,
    scopes: [],
    outerBindings: 0,
    depth: 0,
    skippedDepth: 0,
    text: '',
    lengthSinceEvent: 0,
    model: undefined,
    section: undefined,
    sections: new Set(),
    item: {
      mRID: '',
      type: '',
      isObject: false,
      statements: [],
      length: 0,
      characters: 0,
      statement: '',
      kind: 'text',
      value: '',
      count: 0,
      objects: identifierSet(),
      classes: new Set(),
    },
  };
}

/** Reports a fault of the current line, or of another one. Throws {@link STOP} at the last permitted fault. */
export function reportFault(reading: Reading, message: string, line: number | null = reading.line()): void {
  reading.faults += 1;
  reading.sink.fault({ line, message });
  if (reading.faults >= MAX_FAULTS) throw STOP;
}

/** Reports a fault after which the rest of the file cannot be parsed, and throws {@link STOP}. */
export function stopWithFault(reading: Reading, message: string, line: number | null = reading.line()): never {
  reportFault(reading, message, line);
  throw STOP;
}

/** Skips the contents of the current element. */
export function skip(reading: Reading): void {
  reading.skippedDepth = reading.depth;
}

/** Shortens a text of the file to 100 characters for a message. */
export function shown(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
