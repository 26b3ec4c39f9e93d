/** Namespaces with a fixed prefix in output (decisions C.2). */
export const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const MD = 'http://iec.ch/TC57/61970-552/ModelDescription/1#';
export const DM = 'http://iec.ch/TC57/61970-552/DifferenceModel/1#';

/** Namespace of `xml:base` and `xml:lang`, bound without a declaration (Namespaces in XML 1.0, section 3). */
export const XML = 'http://www.w3.org/XML/1998/namespace';

/** Namespaces of each fixed prefix. The first one is written; the others are accepted when reading. */
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

/** Namespaces of one file by prefix. */
export type Namespaces = ReadonlyMap<string, string>;

const KNOWN_URIS: ReadonlyMap<string, string> = new Map([...KNOWN_PREFIXES.keys()].map((uri) => [uri, uri]));

/** Returns the constant that equals a known namespace, so that later comparisons are pointer comparisons. */
export function sameUri(uri: string): string {
  return KNOWN_URIS.get(uri) ?? uri;
}

/** Returns the fixed prefix of a namespace, including older namespaces. */
export function knownPrefixOf(uri: string): string | undefined {
  return KNOWN_PREFIXES.get(uri);
}

/** The namespace written for each fixed prefix. */
export const KNOWN_NAMESPACES: Namespaces = new Map(Object.entries(KNOWN).map(([prefix, [uri]]) => [prefix, uri]));

/** A name from an XML parser that resolves namespaces. */
export interface QualifiedName {
  /** As written in the file: prefix and local part. */
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
}

/** Converts the names of one file to prefixed names. */
export interface RdfNames {
  /** Namespaces of the names returned so far, by their prefix in output. */
  readonly namespaces: Namespaces;
  /** Registers a declaration. Returns the number of namespaces declared so far. */
  declare(prefix: string, uri: string): number;
  /** Returns the name with the output prefix of its namespace. */
  nameOf(name: QualifiedName): string;
  /**
   * Returns the prefixed name of a URI if its part up to `#` is a known namespace, or one declared in the file so far, and no UUID follows.
   */
  nameOfUri(uri: string): string | undefined;
}

/** Names, and values of enumerations, in a cache. A usual file has some hundreds. */
const MAX_CACHED_NAMES = 10_000;

/**
 * Creates the names of a file. Prefixes depend on the namespace, not on the prefix in the file. An unknown namespace keeps the prefix of
 * the file, unless that is a fixed prefix or taken: then it becomes `ns1`, `ns2`, and so on.
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
  /** Returns the output prefix of a namespace. `written` is the prefix of a name whose namespace has no registered declaration. */
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

/** A cached element name, and the name that last followed it: items of one class have the same sequence of elements. */
interface CachedName {
  readonly name: string;
  readonly uri: string;
  readonly prefixed: string;
  next: CachedName | undefined;
}

function elementNames(prefixes: FilePrefixes): RdfNames['nameOf'] {
  const cache = new Map<string, CachedName>();
  let last: CachedName = { name: '', uri: '', prefixed: '', next: undefined };
  return (element) => {
    const { name, uri } = element;
    let found = last.next;
    if (found === undefined || found.name !== name || found.uri !== uri) {
      found = cache.get(name);
      if (found === undefined || found.uri !== uri) {
        const prefixed = copied(`${prefixes.of(uri, element.prefix)}:${element.local}`);
        found = { name: copied(name), uri: copied(uri), prefixed, next: undefined };
        addToCache(cache, found.name, found);
      }
      last.next = found;
    }
    last = found;
    return found.prefixed;
  };
}

/** Fragment of a URI that identifies an object, so that the URI is never the value of an enumeration. */
const OBJECT_FRAGMENT = /^_?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function enumerationValues(prefixes: FilePrefixes): RdfNames['nameOfUri'] {
  const cache = new Map<string, string>();
  return (uri) => {
    const cached = cache.get(uri);
    if (cached !== undefined) return cached;
    const local = uri.indexOf('#') + 1;
    const namespace = uri.slice(0, local);
    if (local === 0 || local === uri.length || OBJECT_FRAGMENT.test(uri.slice(local))) return undefined;
    if (knownPrefixOf(namespace) === undefined && !prefixes.isDeclared(namespace)) return undefined;
    const prefixed = copied(`${prefixes.of(namespace, '')}:${uri.slice(local)}`);
    addToCache(cache, copied(uri), prefixed);
    return prefixed;
  };
}

/** Copies a text, so that it does not retain the longer string of which V8 made it a slice. */
export function copied(text: string): string {
  return Buffer.from(text).toString();
}

function addToCache<Value>(cache: Map<string, Value>, key: string, value: Value): void {
  if (cache.size >= MAX_CACHED_NAMES) cache.clear();
  cache.set(key, value);
}

function freePrefix(taken: Namespaces, written: string): string {
  if (written !== '' && !Object.hasOwn(KNOWN, written) && !taken.has(written)) return written;
  for (let number = 1; ; number += 1) {
    const prefix = `ns${number}`;
    if (!taken.has(prefix)) return prefix;
  }
}
