import { type DifferenceSection, TYPE_STATEMENT, UNKNOWN_CLASS } from './difference-model';
import { MAX_CLASSES, MAX_NAME_LENGTH, MAX_STATEMENTS } from './model-limits';
import { type ItemSection, type Reading, shown, skip, stopWithFault, reportFault } from './model-reading';
import { type QualifiedName, RDF, XML, copied } from './rdf-names';
import { enumerationOf, mRIDOf } from './rdf-resources';

/** Characters of the names and values of one item (8 Mi). */
const MAX_ITEM_LENGTH = 8 << 20;

/** Length of the statements array up to which it is reused for the next item. */
const MAX_REUSED_LENGTH = 100;

/** Handles the start of an item: its class, identifier and form. */
export function openItem(reading: Reading, element: QualifiedName): void {
  const { item, outline } = reading;
  if (item.count >= outline.maxItems) stopWithFault(reading, `there are more than ${outline.maxItems} items`);
  item.count += 1;
  if (lacksNamespace(reading, element)) return;
  item.type = nameOf(reading, element);
  item.mRID = '';
  item.isObject = false;
  item.length = 0;
  item.characters = 0;
  identify(reading);
  if (item.isObject && item.mRID !== '') checkUnique(reading);
}

function identify(reading: Reading): void {
  const { item } = reading;
  let identifiers = 0;
  for (const attribute of reading.attributes) {
    if (attribute.uri === RDF && (attribute.local === 'ID' || attribute.local === 'about')) {
      identifiers += 1;
      item.isObject = attribute.local === 'ID';
      item.mRID = mRIDOf(attribute.value);
    } else if (attribute.uri !== XML) rejectAttribute(reading, item.type, attribute.name);
  }
  if (identifiers > 1) reportFault(reading, `${item.type} has both rdf:ID and rdf:about`);
  if (item.mRID === '') reportFault(reading, `${item.type} has no identifier (rdf:ID or rdf:about)`);
  else if (isRejected(reading, item.mRID, 'an identifier')) item.mRID = '';
}

/** JavaScript and each locale of PostgreSQL convert only the letters of ASCII to lower case alike, by which identifiers are compared. */
const OUTSIDE_ASCII = /[\u0080-\uffff]/;

/** Reports an identifier, or a resource, that is too long; an identifier, or a reference to one, also for a character outside ASCII. */
function isRejected(reading: Reading, value: string, name: string, isIdentifier = true): boolean {
  if (value.length > MAX_NAME_LENGTH)
    reportFault(reading, `${name} has more than ${MAX_NAME_LENGTH} characters: ${shown(value)}`);
  else if (isIdentifier && OUTSIDE_ASCII.test(value))
    reportFault(reading, `${name} has a character outside ASCII: ${shown(value)}`);
  else return false;
  return true;
}

const SECTION_NAMES: Readonly<Record<ItemSection, string>> = {
  forward: 'forward differences',
  reverse: 'reverse differences',
  preconditions: 'preconditions',
  whole: 'full model',
};

function checkUnique(reading: Reading): void {
  const { objects, mRID } = reading.item;
  if (!objects.add(mRID))
    reportFault(reading, `rdf:ID of ${mRID} occurs twice in the ${SECTION_NAMES[reading.section as ItemSection]}`);
}

/** Handles the end of an item. An item without an identifier is not reported. */
export function closeItem(reading: Reading): void {
  const { item } = reading;
  const statements = item.statements.slice(0, item.length);
  if (item.length > MAX_REUSED_LENGTH) item.statements.length = 0;
  if (item.mRID === '') return;
  const { mRID, type, isObject } = item;
  const { section, sink } = reading;
  countClass(reading, type);
  if (section === 'preconditions') sink.precondition({ mRID, type, isObject, statements });
  else sink.item(section as DifferenceSection, { mRID, type, isObject, statements });
}

/** Limits the classes of a file, because every list of class counts contains all of them. */
function countClass(reading: Reading, type: string): void {
  const { classes } = reading.item;
  if (classes.has(type)) return;
  if (classes.size >= MAX_CLASSES) stopWithFault(reading, `the items have more than ${MAX_CLASSES} classes`);
  classes.add(copied(type));
}

/** Handles the start of a statement: an attribute, whose text follows, or a reference in `rdf:resource`. */
export function openStatement(reading: Reading, element: QualifiedName): void {
  const { item, attributes } = reading;
  if (item.length >= MAX_STATEMENTS) stopWithFault(reading, `an item has more than ${MAX_STATEMENTS} statements`);
  if (lacksNamespace(reading, element)) return;
  item.statement = nameOf(reading, element);
  item.kind = 'text';
  reading.text = '';
  for (const attribute of attributes) {
    if (attribute.uri === RDF && attribute.local === 'resource') refer(reading, attribute.value);
    else if (!isHarmless(attribute.uri, attribute.local)) rejectAttribute(reading, item.statement, attribute.name);
  }
}

function refer(reading: Reading, reference: string): void {
  const { item } = reading;
  const enumeration =
    item.statement === TYPE_STATEMENT ? reading.names.nameOfClass(reference) : enumerationOf(reference, reading.names);
  const value = enumeration ?? mRIDOf(reference);
  if (value === '') reportFault(reading, `${item.statement} has an empty rdf:resource`);
  isRejected(reading, value, 'a resource', enumeration === undefined);
  item.kind = enumeration === undefined ? 'association' : 'enumeration';
  item.value = value;
}

/** Returns whether an attribute may be ignored: `xml:lang`, `xml:base` and `rdf:datatype` do not change the value of a statement. */
function isHarmless(uri: string, local: string): boolean {
  return uri === XML || (uri === RDF && local === 'datatype');
}

/**
 * Handles the end of a statement. `rdf:type` states the class of an item whose element does not (`rdf:Description`), as in files of general RDF
 * libraries. A second class stays a statement, and so does one in the reverse differences of an item with `rdf:about`: it is deleted, whereas
 * the element of such an item deletes no class.
 */
export function closeStatement(reading: Reading): void {
  const { item, section } = reading;
  const isClass =
    item.statement === TYPE_STATEMENT && item.kind === 'enumeration' && (section !== 'reverse' || item.isObject);
  if (isClass && [UNKNOWN_CLASS, item.value].includes(item.type)) {
    item.type = item.value;
    return;
  }
  const value = item.kind === 'text' ? reading.text : item.value;
  item.characters += item.statement.length + value.length;
  if (item.characters > MAX_ITEM_LENGTH) stopWithFault(reading, `an item has more than ${MAX_ITEM_LENGTH} characters`);
  item.statements[item.length] = { name: item.statement, kind: item.kind, value };
  item.length += 1;
}

/** Reports and skips an element inside a statement: valid RDF/XML, but difference models do not use it. */
export function rejectNested(reading: Reading, element: QualifiedName, within: string): void {
  reportFault(reading, `${shown(element.name)} is inside ${within}, which must not contain elements`);
  skip(reading);
}

function rejectAttribute(reading: Reading, owner: string, name: string): void {
  reportFault(reading, `${shown(owner)} has an attribute that is not allowed: ${shown(name)}`);
}

/** Reports and skips an element without a namespace, because its name has no defined meaning. */
function lacksNamespace(reading: Reading, element: QualifiedName): boolean {
  if (element.uri !== '') return false;
  reportFault(reading, `${shown(element.name)} has no namespace`);
  skip(reading);
  return true;
}

/** Returns the prefixed name of an element with a namespace. */
function nameOf(reading: Reading, element: QualifiedName): string {
  const name = reading.names.nameOf(element);
  if (name.length > MAX_NAME_LENGTH)
    reportFault(reading, `a name has more than ${MAX_NAME_LENGTH} characters: ${shown(name)}`);
  return name;
}
