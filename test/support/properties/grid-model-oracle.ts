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
};

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/**
 * Parses a file in which the product finds no fault; the result is correct only for such a file. Throws `MalformedXml` if the file is not
 * well formed.
 */
export function oracleModel(bytes: Uint8Array): OracleModel {
  const root = parseXml(bytes);
  const names = new OracleNames();
  names.declareOf(root);
  const sections: Record<string, DifferenceItem[]> = {};
  const header: Record<string, string | string[]> = {};
  for (const model of elementsIn(root)) {
    names.declareOf(model);
    header['mRID'] ??= identifierOf(model) ?? '';
    for (const part of elementsIn(model)) {
      names.declareOf(part);
      const field = /^Model\.(\w+)$/.exec(part.local)?.[1];
      if (part.local.endsWith('Differences'))
        sections[part.local] = elementsIn(part).map((item) => itemOf(item, names));
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

function itemOf(element: XmlElement, names: OracleNames): DifferenceItem {
  names.declareOf(element);
  const type = names.nameOf(element);
  const statements = elementsIn(element).map((statement) => statementOf(statement, names));
  const isObject = attributeOf(element, 'ID') !== undefined;
  return { mRID: identifierOf(element) ?? '', type, isObject, statements };
}

function statementOf(element: XmlElement, names: OracleNames): Statement {
  names.declareOf(element);
  const name = names.nameOf(element);
  const resource = attributeOf(element, 'resource');
  if (resource === undefined) return { name, kind: 'text', value: textOf(element) };
  const value = names.enumerationOf(resource);
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

/** Prefixed names by namespace. Unknown namespaces keep the prefix of their first declaration, or get a number. */
class OracleNames {
  private readonly declared: [prefix: string, uri: string][] = [];
  private readonly given: [prefix: string, uri: string][] = [];

  declareOf({ declarations }: XmlElement): void {
    this.declared.push(...declarations);
  }

  nameOf({ uri, local, prefix }: XmlElement): string {
    return `${this.prefixOf(uri, prefix)}:${local}`;
  }

  enumerationOf(resource: string): string | undefined {
    const [, namespace = '', local = ''] = /^([^#]*#)(.+)$/s.exec(resource) ?? [];
    const isValue = !/^urn:uuid:/i.test(resource) && local !== '' && !new RegExp(`^_?${UUID}$`).test(local);
    if (namespace === '#' || !isValue) return undefined;
    if (!(namespace in PREFIXES) && !this.declared.some(([, uri]) => uri === namespace)) return undefined;
    return `${this.prefixOf(namespace, '')}:${local}`;
  }

  private prefixOf(uri: string, written: string): string {
    const known = PREFIXES[uri] ?? this.given.find(([, given]) => given === uri)?.[0];
    if (known !== undefined) return known;
    const own = this.declared.find(([, declared]) => declared === uri)?.[0] ?? written;
    const isFree = (prefix: string) =>
      prefix !== '' && !Object.values(PREFIXES).includes(prefix) && !this.given.some(([given]) => given === prefix);
    let prefix = own;
    for (let number = 1; !isFree(prefix); number += 1) prefix = `ns${number}`;
    this.given.push([prefix, uri]);
    return prefix;
  }
}
