import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { CimFile, DifferenceItem, DifferenceModelHeader, DifferenceSection, Fault } from './difference-model';
import {
  MAX_DEPTH,
  MAX_NAMESPACES,
  MAX_TEXT,
  type ModelSink,
  type Bindings,
  type Reading,
  STOP,
  newReading,
  shown,
  stopAt,
  tellFault,
} from './difference-model-reading';
import { checkHeader, headerOf } from './read-header';
import { ITEM, acceptText, closeElement, openElement } from './read-outline';
import { type Namespaces, sameUri } from './rdf-names';
import { utf8Pieces } from './utf8-pieces';

export type { ModelSink };

/** How the messages of the XML parser begin. */
const NOT_WELL_FORMED = 'not well formed';

/** Whatever the file says, it is read as XML 1.0 (fifth edition, 2.8). */
const AS_STRICT_XML = {
  xmlns: true,
  fileName: NOT_WELL_FORMED,
  position: false,
  forceXMLVersion: true,
  defaultXMLVersion: '1.0',
} as const;

/** Reads one difference model from bytes that come in any cuts. */
export interface DifferenceModelReader {
  /** Reads on; false when no more is read, because too much is wrong or what follows cannot be understood. */
  write(chunk: Uint8Array): boolean;
  /** The file has ended: tells the last faults, and the header. */
  end(): void;
  /** The namespaces of the names that were told so far, by their prefixes: what writing the model needs. */
  readonly namespaces: Namespaces;
}

/** A difference model in memory: what a file says, and what is wrong with it. */
export interface ReadModel {
  readonly header: DifferenceModelHeader | null;
  readonly namespaces: Namespaces;
  /** Undefined when the file has no such section. */
  readonly forward: DifferenceItem[] | undefined;
  readonly reverse: DifferenceItem[] | undefined;
  readonly faults: readonly Fault[];
}

/**
 * A reader of RDF/XML difference models (IEC 61970-552): it tells items as they end and keeps only the one at hand, and the `rdf:ID`s of
 * the section. With `file` the profile must be that of the member. Sloppy files yield items and faults; a file that is not well formed, has a
 * DTD or is no difference model is read as far as it can be.
 */
export function differenceModelReader(sink: ModelSink, file?: CimFile): DifferenceModelReader {
  const parser = new SaxesParser(AS_STRICT_XML);
  const reading = newReading(sink, file, () => parser.line);
  listen(parser, reading);
  const pieces = utf8Pieces(
    (text) => {
      parser.write(text);
      reading.untold += text.length;
      if (reading.untold > 2 * MAX_TEXT)
        stopAt(reading, `a text, a comment or a tag has more than ${MAX_TEXT} characters`);
    },
    () => stopAt(reading, 'the file is not UTF-8'),
  );
  let goesOn = true;
  const proceed = (step: () => void) => {
    if (goesOn) goesOn = reachesEnd(reading, step);
    return goesOn;
  };
  return {
    namespaces: reading.names.namespaces,
    write: (chunk) => proceed(() => pieces.write(chunk)),
    end: () => {
      proceed(() => {
        pieces.end();
        parser.close();
        if (!reading.model) tellFault(reading, 'the file has no difference model', null);
        else checkHeader(reading, reading.model);
      });
      sink.header(reading.model ? headerOf(reading.model) : null);
    },
  };
}

/** Reads a whole difference model; values of its items may be parts of longer texts. */
export function readDifferenceModel(bytes: Uint8Array | Iterable<Uint8Array>, file?: CimFile): ReadModel {
  const sections: Partial<Record<DifferenceSection, DifferenceItem[]>> = {};
  const faults: Fault[] = [];
  let read: DifferenceModelHeader | null = null;
  const sink: ModelSink = {
    section: (section) => void (sections[section] ??= []),
    item: (section, item) => void sections[section]?.push(item),
    header: (header) => void (read = header),
    fault: (fault) => void faults.push(fault),
  };
  const reader = differenceModelReader(sink, file);
  for (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) if (!reader.write(chunk)) break;
  reader.end();
  return { header: read, namespaces: reader.namespaces, forward: sections.forward, reverse: sections.reverse, faults };
}

function reachesEnd(reading: Reading, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error !== STOP) tellMalformed(reading, error);
    return false;
  }
}

/** What the parser throws begins with the words that it was given; what else is thrown is passed on. */
function tellMalformed(reading: Reading, error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith(NOT_WELL_FORMED)) throw error;
  reading.sink.fault({ line: reading.line(), message: error.message.replace(/\.$/, '') });
}

type Parser = SaxesParser<{ xmlns: true }>;

/** Six handlers, and no `error`, which would be one too many: with seven V8 keeps the parser as a slow dictionary, five times as slow. */
function listen(parser: Parser, reading: Reading): void {
  parser.on('opentag', (element) => {
    reading.untold = 0;
    reading.depth += 1;
    if (reading.depth === 1) checkDeclaration(reading, parser.xmlDecl.encoding);
    if (reading.skipped === 0) {
      shortenLookUps(reading, element);
      openElement(reading, element);
    } else if (reading.depth > MAX_DEPTH) stopAt(reading, `elements stand more than ${MAX_DEPTH} deep`);
    reading.declares = false;
    while (reading.attributes.length > 0) reading.attributes.pop();
  });
  parser.on('closetag', () => {
    reading.untold = 0;
    if (reading.skipped === 0) closeElement(reading);
    else if (reading.skipped === reading.depth) reading.skipped = 0;
    reading.depth -= 1;
  });
  const text = (piece: string) => {
    reading.untold = 0;
    if (reading.skipped === 0) acceptText(reading, piece);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('attribute', (attribute) => {
    if (attribute.prefix === 'xmlns') declare(reading, attribute.local, attribute.value);
    else if (attribute.name === 'xmlns') declare(reading, '', attribute.value);
    else reading.attributes.push(attribute);
  });
  parser.on('doctype', () => stopAt(reading, 'a DTD is not allowed'));
}

function declare(reading: Reading, prefix: string, uri: string): void {
  reading.declares = true;
  if (reading.names.declare(prefix, uri.trim()) > MAX_NAMESPACES)
    stopAt(reading, `there are more than ${MAX_NAMESPACES} namespaces`);
}

/**
 * The parser looks for a prefix in each element around a name. Sections are given all bindings in scope, and items those of their section,
 * so that the first element around a name knows it.
 */
function shortenLookUps(reading: Reading, element: SaxesTagNS): void {
  const { depth, scopes, declares } = reading;
  const around = scopes[depth - 1];
  if (depth < ITEM && (declares || around === undefined)) {
    reading.outerBindings += Object.keys(element.ns).length;
    if (reading.outerBindings > MAX_NAMESPACES)
      stopAt(reading, `there are more than ${MAX_NAMESPACES} declarations of namespaces around the items`);
    element.ns = scopes[depth] = inScope(around, element.ns);
  } else if (depth <= ITEM && !declares) element.ns = scopes[depth] = around as Bindings;
}

function inScope(around: Bindings | undefined, declared: Bindings): Bindings {
  const bindings = Object.assign(Object.create(null) as Bindings, around);
  for (const [prefix, uri] of Object.entries(declared)) bindings[prefix] = sameUri(uri);
  return bindings;
}

/** An XML declaration stands in the first line. */
function checkDeclaration(reading: Reading, encoding: string | undefined): void {
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
    stopAt(reading, `the file says that it is ${shown(encoding)}, only UTF-8 is read`, 1);
}
