import { MAX_TEXT_LENGTH } from './model-limits';
import {
  type ItemSection,
  type ModelOutline,
  type ModelReading,
  type Reading,
  shown,
  skip,
  stopWithFault,
  reportFault,
} from './model-reading';
import { closeField, isHeaderField, openField } from './read-header';
import { closeItem, closeStatement, openItem, openStatement, rejectNested } from './read-items';
import { identifierSet } from './identifier-set';
import { type QualifiedName, MD, RDF, XML, knownPrefixOf } from './rdf-names';
import { mRIDOf } from './rdf-resources';

/** Depths of rdf:RDF, of the model, of its sections and header fields, and of statements. */
const ROOT = 1;
const MODEL = 2;
const PART = 3;
const STATEMENT = 5;

/** Depth of items. */
const ITEM = 4;

/** The form of a difference model (IEC 61970-552). */
export const DIFFERENCE_MODEL: ModelOutline = {
  name: 'difference model',
  itemDepth: ITEM,
  maxItems: 1_000_000,
  open: openElement,
  close: closeElement,
};

const SECTIONS: Readonly<Record<string, ItemSection>> = {
  forwardDifferences: 'forward',
  reverseDifferences: 'reverse',
  preconditions: 'preconditions',
};

function openElement(reading: Reading, element: QualifiedName): void {
  const { depth, section } = reading;
  if (depth === STATEMENT) openStatement(reading, element);
  else if (depth === ITEM && section !== undefined) openItem(reading, element);
  else if (depth === PART) openPart(reading, reading.model as ModelReading, element);
  else if (depth === MODEL) openModel(reading, element);
  else if (depth === ROOT) openRoot(reading, element);
  else rejectNested(reading, element, section === undefined ? `md:${reading.model?.field}` : reading.item.statement);
}

function closeElement(reading: Reading): void {
  const { depth, model } = reading;
  if (depth === STATEMENT) closeStatement(reading);
  else if (depth === ITEM) closeItem(reading);
  else if (depth === PART && model?.field !== undefined) closeField(reading, model);
  else if (depth === PART) closeSection(reading);
}

/** Appends text to a statement or header field. Elsewhere text must be white space. */
export function acceptText(reading: Reading, text: string): void {
  const { depth, item, model, outline } = reading;
  if (model?.field !== undefined || (depth === outline.itemDepth + 1 && item.kind === 'text')) {
    reading.text = reading.text === '' ? text : reading.text + text;
    if (reading.text.length > MAX_TEXT_LENGTH)
      stopWithFault(reading, `a text has more than ${MAX_TEXT_LENGTH} characters`);
  } else if (!isBlank(text)) rejectText(reading, text);
}

/** Returns whether a text is XML white space (XML 1.0, section 2.3); JavaScript counts more characters. */
function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) return false;
  }
  return true;
}

function rejectText(reading: Reading, text: string): void {
  reportFault(reading, `text is not allowed here: ${shown(text.trim())}`);
}

/** Handles the root element. */
export function openRoot(reading: Reading, { name, uri, local }: QualifiedName): void {
  if (uri !== RDF || local !== 'RDF') stopWithFault(reading, `the root element is ${shown(name)}, not rdf:RDF`);
}

function openModel(reading: Reading, element: QualifiedName): void {
  const { uri, local, name } = element;
  if (knownPrefixOf(uri) === 'dm' && local === 'DifferenceModel') {
    if (!reading.model) return startModel(reading, 'dm:DifferenceModel');
    reportFault(reading, 'the file contains a second difference model');
  } else if (uri === MD && local === 'FullModel')
    stopWithFault(reading, 'the file contains a full model, not a difference model');
  else reportFault(reading, `${shown(name)} is outside the difference model`);
  skip(reading);
}

/** Handles the start of the element of the model. */
export function startModel(reading: Reading, element: string): void {
  let mRID = '';
  for (const { uri, local, name, value } of reading.attributes) {
    if (uri === RDF && (local === 'about' || local === 'ID')) mRID = mRIDOf(value);
    else if (uri !== XML) reportFault(reading, `${element} has an attribute that is not allowed: ${shown(name)}`);
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
    reportFault(reading, `dm:${shown(local)} is not a part of a difference model`);
  } else if (prefix === 'md') {
    if (!local.startsWith('Model.')) reportFault(reading, `md:${shown(local)} is not a part of a difference model`);
  } else if (uri === '' || prefix !== undefined || isPartOfModel(reading))
    reportFault(reading, `${shown(element.name)} is outside the forward and reverse differences`);
  skip(reading);
}

/**
 * Returns whether the current element contains statements or is an object (RDF/XML: `rdf:parseType`, `rdf:ID`, `rdf:about`). In a namespace
 * that no rule knows it may be a section of the model; header fields of a vendor have none of these attributes.
 */
function isPartOfModel({ attributes }: Reading): boolean {
  return attributes.some(({ uri, local }) => uri === RDF && ['parseType', 'ID', 'about'].includes(local));
}

function openSection(reading: Reading, section: ItemSection, local: string): void {
  if (reading.sections.has(section)) {
    reportFault(reading, `dm:${local} occurs twice`);
    return skip(reading);
  }
  reading.sections.add(section);
  reading.section = section;
  if (!reading.attributes.some((each) => each.uri === RDF && each.local === 'parseType' && each.value === 'Statements'))
    reportFault(reading, `dm:${local} must have rdf:parseType="Statements"`);
  if (section === 'forward' || section === 'reverse') reading.sink.section(section);
}

function closeSection(reading: Reading): void {
  reading.section = undefined;
  reading.item.objects = identifierSet();
}
