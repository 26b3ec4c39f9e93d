import type {
  CimFile,
  DifferenceItem,
  DifferenceModelHeader,
  DifferenceSection,
  Fault,
  Statement,
} from './difference-model';
import { type MetIdentifiers, metIdentifiers } from './met-identifiers';
import { type RdfNames, rdfNames } from './rdf-names';

/** What is told of a difference model while it is read; nothing of it is kept by the reader. */
export interface ModelSink {
  /** A section begins, which may stay empty; a section that is not told is absent. */
  section(section: DifferenceSection): void;
  /**
   * An item has ended; in the order of the file. Its values may be parts of a longer text in memory (64 KiB): who keeps a few of many
   * copies them.
   */
  item(section: DifferenceSection, item: DifferenceItem): void;
  /** Once, when the file has ended: null when it has no header; fields that are missing are empty (and faults). */
  header(header: DifferenceModelHeader | null): void;
  /** At most {@link MAX_FAULTS} times; the file has been read to its end, unless the last fault says that it could not be. */
  fault(fault: Fault): void;
}

/** Faults of one file that are told; then reading stops. */
export const MAX_FAULTS = 100;

/** Statements of one item. */
export const MAX_STATEMENTS = 10_000;

/** Items of one file. */
export const MAX_ITEMS = 1_000_000;

/** Characters of a text, a comment or a tag: 1 Mi. */
export const MAX_TEXT = 1 << 20;

/** Characters of a name, or of an identifier. */
export const MAX_NAME = 512;

/** Elements within each other; a difference model has five. */
export const MAX_DEPTH = 32;

/** Namespaces that one file declares. */
export const MAX_NAMESPACES = 1_000;

/** Thrown to leave the XML parser when no more is to be read. */
export const STOP = new Error('no more of the file is read');

/** An attribute of the element that begins; its namespace is known when the element is. */
export interface ElementAttribute {
  readonly name: string;
  readonly local: string;
  readonly uri: string;
  readonly value: string;
}

/** Prefixes and their namespaces, as the XML parser keeps them. */
export type Bindings = Record<string, string>;

/** The state of reading one file. */
export interface Reading {
  readonly sink: ModelSink;
  readonly file: CimFile | undefined;
  readonly names: RdfNames;
  /** The line that is being read, from 1. */
  readonly line: () => number;
  faults: number;
  /** Attributes of the element that begins, without declarations of namespaces. */
  readonly attributes: ElementAttribute[];
  /** Whether the element that begins declares namespaces. */
  declares: boolean;
  /** The prefixes in scope in elements that are open, by depth, down to the section. */
  readonly scopes: Bindings[];
  /** Declarations of namespaces outside of items so far: each is copied into the scopes within. */
  outerBindings: number;
  /** Elements that are open. */
  depth: number;
  /** The depth of the element whose contents are passed over; 0 when nothing is. */
  skipped: number;
  /** The text of the element that is open. */
  text: string;
  /** Characters read since the parser told something. */
  untold: number;
  model: ModelReading | undefined;
  section: DifferenceSection | undefined;
  readonly sections: Set<DifferenceSection>;
  readonly item: ItemReading;
}

/** The model that is being read. */
export interface ModelReading {
  readonly mRID: string;
  readonly line: number;
  /** The header field that is open, and what its `rdf:resource` says. */
  field: string | undefined;
  resource: string | undefined;
  readonly fields: Map<string, string[]>;
}

/** The item that is being read. */
export interface ItemReading {
  mRID: string;
  type: string;
  isObject: boolean;
  /** Those of the item are the first `length` ones; places are used again, which spares an array that grows for each item. */
  readonly statements: Statement[];
  length: number;
  /** Name, kind and value of the statement that is open; a text comes with the contents of its element. */
  statement: string;
  kind: Statement['kind'];
  value: string;
  /** All items so far. */
  count: number;
  /** The `rdf:ID`s of the section so far. */
  objects: MetIdentifiers;
}

/** Reading at the begin of a file. */
export function newReading(sink: ModelSink, file: CimFile | undefined, line: () => number): Reading {
  return {
    sink,
    file,
    names: rdfNames(),
    line,
    faults: 0,
    attributes: [],
    declares: false,
    scopes: [],
    outerBindings: 0,
    depth: 0,
    skipped: 0,
    text: '',
    untold: 0,
    model: undefined,
    section: undefined,
    sections: new Set(),
    item: {
      mRID: '',
      type: '',
      isObject: false,
      statements: [],
      length: 0,
      statement: '',
      kind: 'text',
      value: '',
      count: 0,
      objects: metIdentifiers(),
    },
  };
}

/** Tells a fault of the line that is being read, or of another. */
export function tellFault(reading: Reading, message: string, line: number | null = reading.line()): void {
  reading.faults += 1;
  reading.sink.fault({ line, message });
  if (reading.faults >= MAX_FAULTS) throw STOP;
}

/** Tells a fault after which the rest of the file cannot be read. */
export function stopAt(reading: Reading, message: string, line: number | null = reading.line()): never {
  tellFault(reading, message, line);
  throw STOP;
}

/** Passes over the contents of the element that begins. */
export function skip(reading: Reading): void {
  reading.skipped = reading.depth;
}

/** A text from the file as a message shows it. */
export function shown(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
