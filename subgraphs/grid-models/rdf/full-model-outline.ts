import {
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
import { openRoot, startModel } from './read-outline';
import { type QualifiedName, MD, knownPrefixOf } from './rdf-names';

/** Depths of rdf:RDF, of items and of the model, which are siblings, and of statements and header fields. */
const ROOT = 1;
const ITEM = 2;
const STATEMENT = 3;

/** The form of a full model (CGMES): `md:FullModel` has the header, and the objects follow it. */
export const FULL_MODEL: ModelOutline = {
  name: 'full model',
  itemDepth: ITEM,
  maxItems: 8_000_000,
  open(reading, element) {
    const { depth, section } = reading;
    if (depth === STATEMENT && section !== undefined) openStatement(reading, element);
    else if (depth === STATEMENT) openHeaderField(reading, element);
    else if (depth === ITEM) openModelOrItem(reading, element);
    else if (depth === ROOT) openRoot(reading, element);
    else rejectNested(reading, element, section === undefined ? `md:${reading.model?.field}` : reading.item.statement);
  },
  close(reading) {
    const { depth, section, model } = reading;
    if (depth === STATEMENT && section !== undefined) closeStatement(reading);
    else if (depth === STATEMENT) closeField(reading, model as ModelReading);
    else if (depth === ITEM && section !== undefined) closeItem(reading);
  },
};

function openModelOrItem(reading: Reading, element: QualifiedName): void {
  const { uri, local } = element;
  if (knownPrefixOf(uri) === 'dm' && local === 'DifferenceModel')
    stopWithFault(reading, 'the file contains a difference model, not a full model');
  if (uri !== MD || local !== 'FullModel') {
    reading.section = 'whole';
    openItem(reading, element);
    return;
  }
  reading.section = undefined;
  if (reading.model === undefined) return startModel(reading, 'md:FullModel');
  reportFault(reading, 'the file contains a second full model');
  skip(reading);
}

function openHeaderField(reading: Reading, element: QualifiedName): void {
  if (isHeaderField(element)) return openField(reading, reading.model as ModelReading, element);
  if (element.uri !== MD) reportFault(reading, `${shown(element.name)} is no field of the header`);
  skip(reading);
}
