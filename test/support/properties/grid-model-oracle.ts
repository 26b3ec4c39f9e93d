import { createHash } from 'node:crypto';
import type {
  DifferenceItem,
  DifferenceModelHeader,
  Statement,
} from '../../../subgraphs/grid-models/rdf/difference-model';
import { type XmlElement, parseXml } from './strict-xml';

/** Contents of a difference model, parsed slowly from a tree, without code of the product. */
export interface OracleModel {
  readonly header: Partial<DifferenceModelHeader>;
  readonly forward: DifferenceItem[] | undefined;
  readonly reverse: DifferenceItem[] | undefined;
}

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const PREFIXES: Readonly<Record<string, string>> = {
  [RDF]: 'rdf',
  'http://iec.ch/TC57/61970-552/ModelDescription/1#': 'md',
  'http://iec.ch/TC57/61970-552/DifferenceModel/1#': 'dm',
  'http://iec.ch/2002/schema/CIM_difference_model#': 'dm',
  'http://iec.ch/TC57/CIM100#': 'cim',
  'http://iec.ch/TC57/2013/CIM-schema-cim16#': 'cim',
  'http://iec.ch/TC57/CIM100-European#': 'eu',
  'http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#': 'gb',
  'https://cim4.eu/ns/nc#': 'nc',
  'http://entsoe.eu/CIM/SchemaExtension/3/1#': 'entsoe',
};

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/**
 * Parses a file in which the product finds no fault; the result is correct only for such a file. Throws `MalformedXml` if the file is not
 * well formed.
 */
export function oracleModel(bytes: Uint8Array): OracleModel {
  const root = parseXml(bytes);
  const sections: Record<string, DifferenceItem[]> = {};
  const header: Record<string, string | string[]> = {};
  for (const model of elementsIn(root)) {
    header['mRID'] ??= identifierOf(model) ?? '';
    for (const part of elementsIn(model)) {
      const field = /^Model\.(\w+)$/.exec(part.local)?.[1];
      if (part.local.endsWith('Differences')) sections[part.local] = elementsIn(part).map(itemOf);
      else if (field !== undefined) addField(header, field, part);
    }
  }
  return { header, forward: sections['forwardDifferences'], reverse: sections['reverseDifferences'] };
}

function addField(header: Record<string, string | string[]>, field: string, part: XmlElement): void {
  if (field === 'profile')
    header['profile'] = [...((header['profile'] as string[] | undefined) ?? []), textOf(part).trim()];
  else if (field === 'DependentOn' || field === 'Supersedes') {
    const name = field === 'DependentOn' ? 'dependentOn' : 'supersedes';
    header[name] = [...((header[name] as string[] | undefined) ?? []), mRIDOf(attributeOf(part, 'resource') ?? '')];
  } else header[field] = textOf(part).trim();
}

function itemOf(element: XmlElement): DifferenceItem {
  const type = nameOf(element);
  const statements = elementsIn(element).map(statementOf);
  const isObject = attributeOf(element, 'ID') !== undefined;
  return { mRID: identifierOf(element) ?? '', type, isObject, statements };
}

function statementOf(element: XmlElement): Statement {
  const name = nameOf(element);
  const resource = attributeOf(element, 'resource');
  if (resource === undefined) return { name, kind: 'text', value: textOf(element) };
  const value = enumerationOf(resource);
  return value === undefined
    ? { name, kind: 'association', value: mRIDOf(resource) }
    : { name, kind: 'enumeration', value };
}

function identifierOf(element: XmlElement): string | undefined {
  const identifier = attributeOf(element, 'ID') ?? attributeOf(element, 'about');
  return identifier === undefined ? undefined : mRIDOf(identifier);
}

function mRIDOf(reference: string): string {
  const based = new RegExp(`^https?://[^#]*#_?(${UUID})$`, 'i').exec(reference);
  return based ? (based[1] as string) : reference.replace(/^(urn:uuid:|#)/i, '').replace(/^_/, '');
}

function attributeOf({ attributes }: XmlElement, local: string): string | undefined {
  return attributes.find((attribute) => attribute.uri === RDF && attribute.local === local)?.value;
}

function elementsIn({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

function textOf({ children }: XmlElement): string {
  return children.filter((child) => typeof child === 'string').join('');
}

const nameOf = ({ uri, local }: XmlElement): string => `${prefixOf(uri)}:${local}`;

function enumerationOf(resource: string): string | undefined {
  const [, namespace = '', local = ''] = /^([^#]*#)(.+)$/s.exec(resource) ?? [];
  const isValue = !/^urn:uuid:/i.test(resource) && local !== '' && !new RegExp(`^(\\w+\\.)?_?${UUID}$`).test(local);
  if (namespace === '#' || !isValue) return undefined;
  if (!(namespace in PREFIXES) && !(/^[A-Z]\w*\.[\w-]+$/.test(local) && /\.[^.]*[A-Za-z_]/.test(local)))
    return undefined;
  return `${prefixOf(namespace)}:${local}`;
}

/** Returns the prefix of a namespace; that of an unknown one has the last word of the URI and 8 digits of its SHA-256. */
function prefixOf(uri: string): string {
  const digits = createHash('sha256').update(uri).digest('hex').slice(0, 8);
  const word = (uri.match(/[A-Za-z][A-Za-z0-9]*/g) ?? []).at(-1)?.slice(0, 32) ?? 'ns';
  return PREFIXES[uri] ?? `${word}-${digits}`;
}
