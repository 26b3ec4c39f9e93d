import type { DifferenceItem, DifferenceModelHeader, Statement } from './difference-model';
import { type Namespaces, DM, MD, RDF, type RdfNames, KNOWN_NAMESPACES, rdfNames } from './rdf-names';
import { enumerationOf, modelReferenceTo, referenceTo } from './rdf-resources';

/** A difference model to write. */
export interface WritableModel {
  /** Null and empty fields are not written. They occur only in models that were parsed with faults. */
  readonly header: DifferenceModelHeader | null;
  /** Namespaces by prefix, as a reader returns them; undefined if the model uses only fixed prefixes. */
  readonly namespaces?: Namespaces | undefined;
  /** Undefined if the model has no such section. */
  readonly forward?: Iterable<DifferenceItem> | undefined;
  readonly reverse?: Iterable<DifferenceItem> | undefined;
  /** Not written if empty. */
  readonly preconditions?: readonly DifferenceItem[] | undefined;
}

/** Namespaces and names of the written file. */
interface Writing {
  readonly namespaces: Namespaces;
  /** Names as a reader of the written file resolves them. */
  readonly names: RdfNames;
}

/** Characters after which a piece ends at the next item. */
const PIECE_LENGTH = 16_384;

/**
 * Yields a difference model as RDF/XML in pieces, so that the whole text is never in memory. Parsing it returns the same header, items,
 * statements and names.
 */
export function* writeDifferenceModel(model: WritableModel): Generator<string> {
  const writing = writingOf(model.namespaces);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${declarations(writing.namespaces)}>\n`;
  yield `  <dm:DifferenceModel${model.header?.mRID ? ` rdf:about="${attribute(modelReferenceTo(model.header.mRID))}"` : ''}>\n`;
  if (model.header) yield headerRdf(model.header);
  if (model.preconditions?.length) yield* sectionRdf('dm:preconditions', model.preconditions, writing);
  if (model.reverse) yield* sectionRdf('dm:reverseDifferences', model.reverse, writing);
  if (model.forward) yield* sectionRdf('dm:forwardDifferences', model.forward, writing);
  yield '  </dm:DifferenceModel>\n</rdf:RDF>\n';
}

/** A full model to write. */
export interface WritableFullModel extends Pick<WritableModel, 'namespaces'> {
  readonly header: DifferenceModelHeader;
  readonly items: Iterable<DifferenceItem>;
}

/** Yields a full model (`md:FullModel`, CGMES) as RDF/XML in pieces: its header, and its objects beside it. */
export function* writeFullModel({ header, items, namespaces }: WritableFullModel): Generator<string> {
  const writing = writingOf(namespaces);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${declarations(writing.namespaces)}>\n`;
  yield `  <md:FullModel rdf:about="${attribute(modelReferenceTo(header.mRID))}">\n${headerRdf(header)}  </md:FullModel>\n`;
  yield* itemsRdf(items, writing);
  yield '</rdf:RDF>\n';
}

function writingOf(namespacesOfModel: Namespaces = KNOWN_NAMESPACES): Writing {
  const namespaces = new Map([['rdf', RDF], ['md', MD], ['dm', DM], ...namespacesOfModel]);
  return { namespaces, names: rdfNames() };
}

function declarations(namespaces: Namespaces): string {
  return [...namespaces].map(([prefix, uri]) => `\n    xmlns:${prefix}="${attribute(uri)}"`).join('');
}

function headerRdf(header: DifferenceModelHeader): string {
  const texts: (readonly [string, string])[] = [
    ['created', header.created],
    ['scenarioTime', header.scenarioTime],
    ['description', header.description],
    ['modelingAuthoritySet', header.modelingAuthoritySet],
    ...header.profile.map((profile) => ['profile', profile] as const),
    ['version', header.version],
  ];
  const references = [
    ...header.dependentOn.map((mRID) => ['DependentOn', mRID] as const),
    ...header.supersedes.map((mRID) => ['Supersedes', mRID] as const),
  ];
  return [
    ...texts
      .filter(([name, value]) => value !== '' || name === 'description' || name === 'profile')
      .map(([name, value]) => `    <md:Model.${name}>${content(value)}</md:Model.${name}>\n`),
    ...references.map(
      ([name, mRID]) => `    <md:Model.${name} rdf:resource="${attribute(modelReferenceTo(mRID))}"/>\n`,
    ),
  ].join('');
}

function* sectionRdf(name: string, items: Iterable<DifferenceItem>, writing: Writing): Generator<string> {
  yield `    <${name} rdf:parseType="Statements">\n`;
  yield* itemsRdf(items, writing);
  yield `    </${name}>\n`;
}

function* itemsRdf(items: Iterable<DifferenceItem>, writing: Writing): Generator<string> {
  let piece = '';
  for (const item of items) {
    piece += itemRdf(item, writing);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function itemRdf(item: DifferenceItem, writing: Writing): string {
  const type = named(item.type, writing);
  const identifier = item.isObject
    ? `rdf:ID="_${attribute(item.mRID)}"`
    : `rdf:about="${attribute(referenceTo(item.mRID))}"`;
  if (item.statements.length === 0) return `      <${type} ${identifier}/>\n`;
  const statements = item.statements.map((statement) => statementRdf(statement, writing)).join('');
  return `      <${type} ${identifier}>\n${statements}      </${type}>\n`;
}

function statementRdf({ name, kind, value }: Statement, writing: Writing): string {
  const written = named(name, writing);
  if (kind === 'text') return `        <${written}>${content(value)}</${written}>\n`;
  const reference = kind === 'enumeration' ? uriOf(value, writing) : targetOf(value, writing);
  return `        <${written} rdf:resource="${attribute(reference)}"/>\n`;
}

/** Writes a target that would be parsed as the value of an enumeration as a reference within the model. */
function targetOf(mRID: string, { names }: Writing): string {
  const reference = referenceTo(mRID);
  return enumerationOf(reference, names) === undefined ? reference : `#_${mRID}`;
}

function uriOf(name: string, writing: Writing): string {
  const { namespaces } = writing;
  const colon = name.indexOf(':');
  const prefix = name.slice(0, colon);
  return `${namespaces.get(prefix)}${named(name, writing).slice(colon + 1)}`;
}

function named(name: string, { namespaces }: Writing): string {
  if (!namespaces.has(name.slice(0, name.indexOf(':')))) throw new RangeError(`the prefix of ${name} has no namespace`);
  return name;
}

/**
 * Escapes an attribute. XML normalises unescaped line feeds and tabs in attributes, and carriage returns everywhere (XML 1.0, 2.11, 3.3.3).
 */
function attribute(text: string): string {
  return content(text).replace(/["\t\n]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function content(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`) : text;
}
