import { SaxesParser } from 'saxes';
import { MAX_DEPTH, MAX_TEXT_LENGTH } from './model-limits';
import { type ModelOutline, type Reading, STOP, newReading, shown, stopWithFault, reportFault } from './model-reading';
import type { ExpectedMember, ModelSink } from './model-sink';
import { checkHeader, headerOf } from './read-header';
import { acceptText } from './read-outline';
import { declareNamespace, shortenLookUps } from './read-namespaces';
import type { Namespaces } from './rdf-names';
import { utf8Pieces } from './utf8-pieces';

/** Prefix of the messages of the XML parser, set as its file name. */
const NOT_WELL_FORMED = 'not well formed';

/** Parses as XML 1.0, whatever version the file declares (XML 1.0, fifth edition, section 2.8). */
const PARSER_OPTIONS = {
  xmlns: true,
  fileName: NOT_WELL_FORMED,
  position: false,
  forceXMLVersion: true,
  defaultXMLVersion: '1.0',
} as const;

/** Parses one model from chunks of bytes. */
export interface ModelReader {
  /** Parses the next chunk. Returns false if parsing has stopped, because of too many faults or one that prevents it. */
  write(chunk: Uint8Array): boolean;
  /** Ends the file: reports the last faults, and the header. */
  end(): void;
  /** Namespaces of the names reported so far, by prefix. Needed to write the model. */
  readonly namespaces: Namespaces;
}

/**
 * Creates a streaming reader of models in RDF/XML (IEC 61970-552). It retains only the current item and the `rdf:ID`s of the section.
 * `expected` demands a profile of that member. Parsing continues after most faults; it stops at a file that is not well formed, has a DTD or
 * is not a model of the outline.
 */
export function modelReader(outline: ModelOutline, sink: ModelSink, expected?: ExpectedMember): ModelReader {
  const parser = new SaxesParser(PARSER_OPTIONS);
  const reading = newReading(outline, sink, expected, () => parser.line);
  listen(parser, reading);
  const pieces = utf8Pieces(
    (text) => {
      parser.write(text);
      reading.lengthSinceEvent += text.length;
      if (reading.lengthSinceEvent > 2 * MAX_TEXT_LENGTH)
        stopWithFault(reading, `a text, a comment or a tag has more than ${MAX_TEXT_LENGTH} characters`);
    },
    () => stopWithFault(reading, 'the file is not UTF-8'),
  );
  let isReading = true;
  const proceed = (step: () => void) => {
    if (isReading) isReading = completes(reading, step);
    return isReading;
  };
  return {
    namespaces: reading.names.namespaces,
    write: (chunk) => proceed(() => pieces.write(chunk)),
    end: () => {
      proceed(() => {
        pieces.end();
        parser.close();
        if (!reading.model) reportFault(reading, `the file contains no ${outline.name}`, null);
        else checkHeader(reading, reading.model);
      });
      sink.header(reading.model ? headerOf(reading.model) : null);
    },
  };
}

function completes(reading: Reading, step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error !== STOP) reportMalformed(reading, error);
    return false;
  }
}

/** Reports an error of the parser, which starts with the configured prefix, as a fault. Rethrows any other error. */
function reportMalformed(reading: Reading, error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith(NOT_WELL_FORMED)) throw error;
  reading.sink.fault({ line: reading.line(), message: error.message.replace(/\.$/, '') });
}

type Parser = SaxesParser<{ xmlns: true }>;

/** Registers no handler for `error`: with a seventh handler V8 stores the parser in dictionary mode, which is five times as slow. */
function listen(parser: Parser, reading: Reading): void {
  parser.on('opentag', (element) => {
    reading.lengthSinceEvent = 0;
    reading.depth += 1;
    if (reading.depth === 1) checkDeclaration(reading, parser.xmlDecl.encoding);
    if (reading.skippedDepth === 0) {
      shortenLookUps(reading, element);
      reading.outline.open(reading, element);
    } else if (reading.depth > MAX_DEPTH) stopWithFault(reading, `elements are nested more than ${MAX_DEPTH} deep`);
    reading.declares = false;
    while (reading.attributes.length > 0) reading.attributes.pop();
  });
  parser.on('closetag', () => {
    reading.lengthSinceEvent = 0;
    if (reading.skippedDepth === 0) reading.outline.close(reading);
    else if (reading.skippedDepth === reading.depth) reading.skippedDepth = 0;
    reading.depth -= 1;
  });
  const text = (piece: string) => {
    reading.lengthSinceEvent = 0;
    if (reading.skippedDepth === 0) acceptText(reading, piece);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('attribute', (attribute) => {
    if (attribute.prefix === 'xmlns' || attribute.name === 'xmlns') declareNamespace(reading, attribute.value);
    else reading.attributes.push(attribute);
  });
  parser.on('doctype', () => stopWithFault(reading, 'a DTD is not allowed'));
}

/** Reports a declared encoding other than UTF-8, in line 1, where the XML declaration must be. */
function checkDeclaration(reading: Reading, encoding: string | undefined): void {
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
    stopWithFault(reading, `the file declares the encoding ${shown(encoding)}; it must be UTF-8`, 1);
}
