/** Namespaces that have a prefix of their own wherever names are shown (3-decisions-c-d.md, C.2). */
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const MD = 'http://iec.ch/TC57/61970-552/ModelDescription/1#';
export const DM = 'http://iec.ch/TC57/61970-552/DifferenceModel/1#';

/** The namespace of `xml:base` and `xml:lang`, which is bound without being declared. */
export const XML = 'http://www.w3.org/XML/1998/namespace';

/** The namespace of each known prefix; where there are several, the first is written. */
const KNOWN: Readonly<Record<string, readonly [string, ...string[]]>> = {
  rdf: [RDF],
  md: [MD],
  dm: [DM, 'http://iec.ch/2002/schema/CIM_difference_model#'],
  cim: ['http://iec.ch/TC57/CIM100#', 'http://iec.ch/TC57/2013/CIM-schema-cim16#'],
  eu: ['http://iec.ch/TC57/CIM100-European#'],
  gb: ['http://ofgem.gov.uk/ns/CIM/LTDS/Extensions#'],
  nc: ['https://cim4.eu/ns/nc#'],
};

const KNOWN_PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries(KNOWN).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix] as const)),
);

/** Prefixes, and the namespace that each stands for in one file. */
export type Namespaces = ReadonlyMap<string, string>;

const KNOWN_URIS: ReadonlyMap<string, string> = new Map([...KNOWN_PREFIXES.keys()].map((uri) => [uri, uri]));

/** The same text as the constant of a known namespace, so that comparing the two takes no time. */
export function sameUri(uri: string): string {
  return KNOWN_URIS.get(uri) ?? uri;
}

/** The known prefix of a namespace, older spellings included. */
export function knownPrefixOf(uri: string): string | undefined {
  return KNOWN_PREFIXES.get(uri);
}

/** The namespaces of the known prefixes, as they are written today. */
export const KNOWN_NAMESPACES: Namespaces = new Map(Object.entries(KNOWN).map(([prefix, [uri]]) => [prefix, uri]));

/** A name as an XML parser that resolves namespaces tells it. */
export interface QualifiedName {
  /** As written: prefix and local part. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
}

/** The names of one file. */
export interface RdfNames {
  /** The namespaces of the names that were asked for, by the prefixes they are shown with. */
  readonly namespaces: Namespaces;
  /** A declaration is met; how many namespaces have been declared so far. */
  declare(prefix: string, uri: string): number;
  /** The name with the prefix that stands for its namespace; the same string each time. */
  nameOf(name: QualifiedName): string;
  /** The name that a URI is when its part up to `#` is a namespace that is known, or declared in the file so far, and no UUID follows. */
  nameOfUri(uri: string): string | undefined;
}

/** Names that are remembered, and values of enumerations: a file has some hundreds, and one that has more gains nothing from it. */
const REMEMBERED = 10_000;

/**
 * Names by namespace, never by the prefix that a file happens to use. An unknown namespace keeps the file's prefix, unless that is one of
 * ours or taken: then it is `ns1`, `ns2`, and so on.
 */
export function rdfNames(): RdfNames {
  const prefixes = filePrefixes();
  return {
    namespaces: prefixes.namespaces,
    declare: prefixes.declare,
    nameOf: elementNames(prefixes),
    nameOfUri: enumerationValues(prefixes),
  };
}

interface FilePrefixes {
  readonly namespaces: Namespaces;
  declare(prefix: string, uri: string): number;
  isDeclared(uri: string): boolean;
  /** The prefix that stands for a namespace, which is written so where no declaration is known. */
  of(uri: string, written: string): string;
}

function filePrefixes(): FilePrefixes {
  const namespaces = new Map<string, string>();
  const prefixes = new Map<string, string>();
  const declared = new Map<string, string>();
  return {
    namespaces,
    declare: (prefix, uri) => {
      if (!declared.has(uri)) declared.set(copied(uri), copied(prefix));
      return declared.size;
    },
    isDeclared: (uri) => declared.has(uri),
    of: (uri, written) => {
      const prefix = prefixes.get(uri) ?? knownPrefixOf(uri) ?? freePrefix(namespaces, declared.get(uri) ?? written);
      prefixes.set(copied(uri), prefix);
      if (!namespaces.has(prefix)) namespaces.set(prefix, copied(uri));
      return prefix;
    },
  };
}

/** A name of an element that has been met, and the one that followed it last: items of one class are alike. */
interface MetName {
  readonly name: string;
  readonly uri: string;
  readonly shown: string;
  next: MetName | undefined;
}

function elementNames(prefixes: FilePrefixes): RdfNames['nameOf'] {
  const met = new Map<string, MetName>();
  let last: MetName = { name: '', uri: '', shown: '', next: undefined };
  return (element) => {
    const { name, uri } = element;
    let found = last.next;
    if (found === undefined || found.name !== name || found.uri !== uri) {
      found = met.get(name);
      if (found === undefined || found.uri !== uri) {
        const shown = copied(`${prefixes.of(uri, element.prefix)}:${element.local}`);
        found = { name: copied(name), uri: copied(uri), shown, next: undefined };
        remember(met, found.name, found);
      }
      last.next = found;
    }
    last = found;
    return found.shown;
  };
}

/** What follows `#` where a URI names an object: that is no value of an enumeration, whatever its namespace. */
const OF_AN_OBJECT = /^_?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function enumerationValues(prefixes: FilePrefixes): RdfNames['nameOfUri'] {
  const met = new Map<string, string>();
  return (uri) => {
    const known = met.get(uri);
    if (known !== undefined) return known;
    const local = uri.indexOf('#') + 1;
    const namespace = uri.slice(0, local);
    if (local === 0 || local === uri.length || OF_AN_OBJECT.test(uri.slice(local))) return undefined;
    if (knownPrefixOf(namespace) === undefined && !prefixes.isDeclared(namespace)) return undefined;
    const shown = copied(`${prefixes.of(namespace, '')}:${uri.slice(local)}`);
    remember(met, copied(uri), shown);
    return shown;
  };
}

/** A copy of a text that does not hold on to the longer text it was cut from. */
export function copied(text: string): string {
  return Buffer.from(text).toString();
}

function remember<Value>(remembered: Map<string, Value>, key: string, value: Value): void {
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(key, value);
}

function freePrefix(taken: Namespaces, written: string): string {
  if (written !== '' && !Object.hasOwn(KNOWN, written) && !taken.has(written)) return written;
  for (let number = 1; ; number += 1) {
    const prefix = `ns${number}`;
    if (!taken.has(prefix)) return prefix;
  }
}
