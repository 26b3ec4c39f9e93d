import { hash } from 'node:crypto';

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
  entsoe: ['http://entsoe.eu/CIM/SchemaExtension/3/1#'],
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

/** Hexadecimal digits that distinguish the prefixes of unknown namespaces with the same last word. */
const PREFIX_DIGITS = 8;
const MAX_WORD_LENGTH = 32;

/**
 * Returns the prefix of a namespace, which is the same in every file: names of different files are compared with it. That of an unknown
 * namespace consists of the last word and a digest of its URI: `nc-a20e8db7` for `http://entsoe.eu/ns/nc#`.
 */
function prefixOf(uri: string): string {
  const known = knownPrefixOf(uri);
  if (known !== undefined) return known;
  const word =
    uri
      .match(/[A-Za-z][A-Za-z0-9]*/g)
      ?.at(-1)
      ?.slice(0, MAX_WORD_LENGTH) ?? 'ns';
  return `${word}-${hash('sha256', uri, 'hex').slice(0, PREFIX_DIGITS)}`;
}

/** The namespace written for each fixed prefix. */
export const KNOWN_NAMESPACES: Namespaces = new Map(Object.entries(KNOWN).map(([prefix, [uri]]) => [prefix, uri]));

/** A name from an XML parser that resolves namespaces. */
export interface QualifiedName {
  /** As written in the file: prefix and local part. */
  readonly name: string;
  readonly local: string;
  readonly uri: string;
}

/** Converts the names of one file to prefixed names. */
export interface RdfNames {
  /** Namespaces of the names returned so far, by their prefix in output. */
  readonly namespaces: Namespaces;
  /** Registers a declaration. Returns the number of namespaces declared so far. */
  declare(uri: string): number;
  /** Returns the name with the prefix of its namespace. */
  nameOf(name: QualifiedName): string;
  /**
   * Returns the prefixed name of a URI that is the value of an enumeration: no UUID follows its `#`, and its part up to there is a known
   * namespace, or the rest has the form of a value: `Kind.a`. It does not depend on what the file declares.
   */
  nameOfUri(uri: string): string | undefined;
  /** Returns the prefixed name of a class; undefined if the URI cannot be the name of an XML element. */
  nameOfClass(uri: string): string | undefined;
}

/** Names, and values of enumerations, in a cache. A usual file has some hundreds. */
const MAX_CACHED_NAMES = 10_000;

/** Creates the names of a file. Prefixes depend on the namespace, not on the prefix in the file. */
export function rdfNames(): RdfNames {
  const prefixes = filePrefixes();
  const declared = new Set<string>();
  return {
    namespaces: prefixes.namespaces,
    declare: (uri) => {
      if (!declared.has(uri)) declared.add(copied(uri));
      return declared.size;
    },
    nameOf: elementNames(prefixes),
    nameOfUri: enumerationValues(prefixes),
    nameOfClass: (uri) => {
      const [, namespace, local] = CLASS_URI.exec(uri) ?? [];
      return namespace === undefined || OBJECT_FRAGMENT.test(String(local))
        ? undefined
        : copied(`${prefixes.of(namespace)}:${local}`);
    },
  };
}

interface FilePrefixes {
  readonly namespaces: Namespaces;
  /** Returns the prefix of a namespace, and adds it to `namespaces`. */
  of(uri: string): string;
}

function filePrefixes(): FilePrefixes {
  const namespaces = new Map<string, string>();
  const prefixes = new Map<string, string>();
  return {
    namespaces,
    of: (uri) => {
      const found = prefixes.get(uri);
      if (found !== undefined) return found;
      const prefix = copied(prefixOf(uri));
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
        const prefixed = copied(`${prefixes.of(uri)}:${element.local}`);
        found = { name: copied(name), uri: copied(uri), prefixed, next: undefined };
        addToCache(cache, found.name, found);
      }
      last.next = found;
    }
    last = found;
    return found.prefixed;
  };
}

/** Fragment of a URI that identifies an object, with or without its class, so that the URI is never the value of an enumeration. */
const OBJECT_FRAGMENT = /^(?:\w+\.)?_?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The namespace of a class and its local name. */
const CLASS_URI = /^([^#]+#)([\p{L}_][\p{L}\p{N}_.-]*)$/u;

/**
 * Class and value of an enumeration, after the `#` of its URI. A value of an own namespace may begin with a digit (`VoltageKind.11kV`), but a
 * number identifies an object (`Substation.12`).
 */
const ENUMERATION_FRAGMENT = /^[A-Z]\w*\.(?=[\d-]*[A-Za-z_])[\w-]+$/;

function enumerationValues(prefixes: FilePrefixes): RdfNames['nameOfUri'] {
  const cache = new Map<string, string>();
  return (uri) => {
    const cached = cache.get(uri);
    if (cached !== undefined) return cached;
    const local = uri.indexOf('#') + 1;
    const namespace = uri.slice(0, local);
    if (local === 0 || local === uri.length || OBJECT_FRAGMENT.test(uri.slice(local))) return undefined;
    if (knownPrefixOf(namespace) === undefined && !ENUMERATION_FRAGMENT.test(uri.slice(local))) return undefined;
    const prefixed = copied(`${prefixes.of(namespace)}:${uri.slice(local)}`);
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
