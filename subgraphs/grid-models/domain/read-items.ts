import type { DifferenceSection } from './difference-model';
import {
  MAX_ITEMS,
  MAX_NAME,
  MAX_STATEMENTS,
  type Reading,
  shown,
  skip,
  stopAt,
  tellFault,
} from './difference-model-reading';
import { type QualifiedName, RDF, XML } from './rdf-names';
import { enumerationOf, mRIDOf } from './rdf-resources';

/** Places for statements that are kept from one item to the next. */
const KEPT = 100;

/** An item begins: what it is about, and whether it is written whole. */
export function openItem(reading: Reading, element: QualifiedName): void {
  const { item } = reading;
  if (item.count >= MAX_ITEMS) stopAt(reading, `there are more than ${MAX_ITEMS} items`);
  item.count += 1;
  if (lacksNamespace(reading, element)) return;
  item.type = nameOf(reading, element);
  item.mRID = '';
  item.isObject = false;
  item.length = 0;
  identify(reading);
  if (item.isObject && item.mRID !== '') demandFirst(reading);
}

function identify(reading: Reading): void {
  const { item } = reading;
  let identifiers = 0;
  for (const attribute of reading.attributes) {
    if (attribute.uri === RDF && (attribute.local === 'ID' || attribute.local === 'about')) {
      identifiers += 1;
      item.isObject = attribute.local === 'ID';
      item.mRID = mRIDOf(attribute.value);
    } else if (attribute.uri !== XML) refuseAttribute(reading, item.type, attribute.name);
  }
  if (identifiers > 1) tellFault(reading, `${item.type} has both rdf:ID and rdf:about`);
  if (item.mRID === '') tellFault(reading, `${item.type} has no identifier (rdf:ID or rdf:about)`);
  else if (item.mRID.length > MAX_NAME) {
    tellFault(reading, `an identifier has more than ${MAX_NAME} characters: ${shown(item.mRID)}`);
    item.mRID = '';
  }
}

function demandFirst(reading: Reading): void {
  const { objects, mRID } = reading.item;
  if (!objects.isFirst(mRID))
    tellFault(reading, `rdf:ID of ${mRID} stands twice in the ${reading.section} differences`);
}

/** An item has ended; one without identifier is not told. */
export function closeItem(reading: Reading): void {
  const { item } = reading;
  const statements = item.statements.slice(0, item.length);
  if (item.length > KEPT) item.statements.length = 0;
  if (item.mRID === '') return;
  const { mRID, type, isObject } = item;
  reading.sink.item(reading.section as DifferenceSection, { mRID, type, isObject, statements });
}

/** A statement begins: an attribute, whose text follows, or what its `rdf:resource` says. */
export function openStatement(reading: Reading, element: QualifiedName): void {
  const { item, attributes } = reading;
  if (item.length >= MAX_STATEMENTS) stopAt(reading, `an item has more than ${MAX_STATEMENTS} statements`);
  if (lacksNamespace(reading, element)) return;
  item.statement = nameOf(reading, element);
  item.kind = 'text';
  reading.text = '';
  for (const attribute of attributes) {
    if (attribute.uri === RDF && attribute.local === 'resource') refer(reading, attribute.value);
    else if (!isHarmless(attribute.uri, attribute.local)) refuseAttribute(reading, item.statement, attribute.name);
  }
}

function refer(reading: Reading, reference: string): void {
  const { item } = reading;
  const enumeration = enumerationOf(reference, reading.names);
  const value = enumeration ?? mRIDOf(reference);
  if (value === '') tellFault(reading, `${item.statement} names no resource`);
  if (value.length > MAX_NAME) tellFault(reading, `a resource has more than ${MAX_NAME} characters: ${shown(value)}`);
  item.kind = enumeration === undefined ? 'association' : 'enumeration';
  item.value = value;
}

/** A language, a base or a datatype does not change what a statement says here. */
function isHarmless(uri: string, local: string): boolean {
  return uri === XML || (uri === RDF && local === 'datatype');
}

/** A statement has ended. */
export function closeStatement(reading: Reading): void {
  const { item } = reading;
  const value = item.kind === 'text' ? reading.text : item.value;
  item.statements[item.length] = { name: item.statement, kind: item.kind, value };
  item.length += 1;
}

/** Elements in a statement are another way of writing RDF, which difference models do not use. */
export function refuseNested(reading: Reading, element: QualifiedName, within: string): void {
  tellFault(reading, `${shown(element.name)} stands within ${within}, where no element belongs`);
  skip(reading);
}

function refuseAttribute(reading: Reading, owner: string, name: string): void {
  tellFault(reading, `${shown(owner)} has an attribute that does not belong there: ${shown(name)}`);
}

/** An element without a namespace says nothing of this world: it is a fault, and passed over with its contents. */
function lacksNamespace(reading: Reading, element: QualifiedName): boolean {
  if (element.uri !== '') return false;
  tellFault(reading, `${shown(element.name)} has no namespace`);
  skip(reading);
  return true;
}

/** The prefixed name of an element that has a namespace. */
function nameOf(reading: Reading, element: QualifiedName): string {
  const name = reading.names.nameOf(element);
  if (name.length > MAX_NAME) tellFault(reading, `a name has more than ${MAX_NAME} characters: ${shown(name)}`);
  return name;
}
