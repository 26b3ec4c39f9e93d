import type { DifferenceSection } from './difference-model';
import { MAX_TEXT, type ModelReading, type Reading, shown, skip, stopAt, tellFault } from './difference-model-reading';
import { closeField, isHeaderField, openField } from './read-header';
import { closeItem, closeStatement, openItem, openStatement, refuseNested } from './read-items';
import { metIdentifiers } from './met-identifiers';
import { type QualifiedName, MD, RDF, XML, knownPrefixOf } from './rdf-names';
import { mRIDOf } from './rdf-resources';

/** The depth at which each part of a file stands: rdf:RDF, the model, its sections and header fields, items, statements. */
const ROOT = 1;
const MODEL = 2;
const PART = 3;
const STATEMENT = 5;

/** The depth at which items stand. */
export const ITEM = 4;

const SECTIONS: Readonly<Record<string, DifferenceSection>> = {
  forwardDifferences: 'forward',
  reverseDifferences: 'reverse',
};

/** Any element begins. */
export function openElement(reading: Reading, element: QualifiedName): void {
  const { depth, section } = reading;
  if (depth === STATEMENT) openStatement(reading, element);
  else if (depth === ITEM && section !== undefined) openItem(reading, element);
  else if (depth === PART) openPart(reading, reading.model as ModelReading, element);
  else if (depth === MODEL) openModel(reading, element);
  else if (depth === ROOT) openRoot(reading, element);
  else refuseNested(reading, element, section === undefined ? `md:${reading.model?.field}` : reading.item.statement);
}

/** Any element has ended. */
export function closeElement(reading: Reading): void {
  const { depth, model } = reading;
  if (depth === STATEMENT) closeStatement(reading);
  else if (depth === ITEM) closeItem(reading);
  else if (depth === PART && model?.field !== undefined) closeField(reading, model);
  else if (depth === PART) closeSection(reading);
}

/** Text, or a piece of it: of a statement or of a header field; elsewhere it must be blank. */
export function acceptText(reading: Reading, text: string): void {
  const { depth, item, model } = reading;
  if (depth === STATEMENT ? item.kind === 'text' : depth === PART && model?.field !== undefined) {
    reading.text = reading.text === '' ? text : reading.text + text;
    if (reading.text.length > MAX_TEXT) stopAt(reading, `a text has more than ${MAX_TEXT} characters`);
  } else if (!isBlank(text)) refuseText(reading, text);
}

/** White space of XML, which is less than that of JavaScript. */
function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) return false;
  }
  return true;
}

function refuseText(reading: Reading, text: string): void {
  tellFault(reading, `a text stands where none belongs: ${shown(text.trim())}`);
}

function openRoot(reading: Reading, { name, uri, local }: QualifiedName): void {
  if (uri !== RDF || local !== 'RDF') stopAt(reading, `the root is ${shown(name)}, not rdf:RDF`);
}

function openModel(reading: Reading, element: QualifiedName): void {
  const { uri, local, name } = element;
  if (knownPrefixOf(uri) === 'dm' && local === 'DifferenceModel') {
    if (!reading.model) return beginModel(reading);
    tellFault(reading, 'there is a second difference model');
  } else if (uri === MD && local === 'FullModel') stopAt(reading, 'this is a full model, not a difference model');
  else tellFault(reading, `${shown(name)} stands outside of the difference model`);
  skip(reading);
}

function beginModel(reading: Reading): void {
  let mRID = '';
  for (const { uri, local, name, value } of reading.attributes) {
    if (uri === RDF && (local === 'about' || local === 'ID')) mRID = mRIDOf(value);
    else if (uri !== XML)
      tellFault(reading, `dm:DifferenceModel has an attribute that does not belong there: ${shown(name)}`);
  }
  reading.model = { mRID, line: reading.line(), field: undefined, resource: undefined, fields: new Map() };
}

function openPart(reading: Reading, model: ModelReading, element: QualifiedName): void {
  const { uri, local } = element;
  const prefix = knownPrefixOf(uri);
  if (isHeaderField(element)) return openField(reading, model, element);
  if (prefix === 'dm') {
    const section = Object.hasOwn(SECTIONS, local) ? SECTIONS[local] : undefined;
    if (section !== undefined) return openSection(reading, section, local);
    if (local !== 'preconditions') tellFault(reading, `dm:${shown(local)} is no part of a difference model`);
  } else if (uri === '' || (prefix !== undefined && prefix !== 'md'))
    tellFault(reading, `${shown(element.name)} stands outside of the forward and reverse differences`);
  skip(reading);
}

function openSection(reading: Reading, section: DifferenceSection, local: string): void {
  if (reading.sections.has(section)) {
    tellFault(reading, `dm:${local} stands twice`);
    return skip(reading);
  }
  reading.sections.add(section);
  reading.section = section;
  if (!reading.attributes.some((each) => each.uri === RDF && each.local === 'parseType' && each.value === 'Statements'))
    tellFault(reading, `dm:${local} must have rdf:parseType="Statements"`);
  reading.sink.section(section);
}

function closeSection(reading: Reading): void {
  reading.section = undefined;
  reading.item.objects = metIdentifiers();
}
