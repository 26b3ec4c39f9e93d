import { copied } from './rdf-names';

/** A set of identifiers, compared case-insensitively. */
export interface IdentifierSet {
  /** Adds an identifier. Returns false if the set already contains it. */
  add(identifier: string): boolean;
}

/** 32-bit words of a UUID, and the hexadecimal digits of a word. */
const WORDS = 4;
const DIGITS_PER_WORD = 8;
/** UUIDs; a power of two. */
const INITIAL_CAPACITY = 256;
const HYPHEN = 0x2d;
const NO_DIGIT = 0xff;

/** The value of each hexadecimal digit by its UTF-16 code unit. */
const DIGITS = new Uint8Array(1 << 16).fill(NO_DIGIT);
for (const [value, digit] of [...'0123456789abcdef'].entries())
  for (const spelling of [digit, digit.toUpperCase()]) DIGITS[spelling.charCodeAt(0)] = value;

/** Indices of the digits and of the hyphens in a UUID of the form `8-4-4-4-12`. */
const FORM = [...'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'];
const indicesOf = (wanted: string) => Uint8Array.from(FORM.flatMap((each, index) => (each === wanted ? [index] : [])));
const DIGIT_INDICES = indicesOf('x');
const HYPHEN_INDICES = indicesOf('-');

/**
 * Creates an empty set. UUIDs occupy 16 bytes of an open-addressing table and retain no string: a large file has hundreds of thousands.
 * Other identifiers go into a `Set`. An all-zero entry of the table is free, so the `Set` also stores the nil UUID.
 */
export function identifierSet(): IdentifierSet {
  const uuid = new Int32Array(WORDS);
  const others = new Set<string>();
  const hashOf = seededHash();
  let table = new Int32Array(INITIAL_CAPACITY * WORDS);
  let count = 0;
  const grow = () => {
    const larger = new Int32Array(table.length * 2);
    for (let from = 0; from < table.length; from += WORDS)
      if (!isFree(table, from)) copy(table, from, larger, entryOf(table, from, larger, hashOf(table, from)));
    table = larger;
  };
  return {
    add: (identifier) => {
      if (!readUuid(identifier, uuid) || isFree(uuid, 0)) return isNew(others, identifier.toLowerCase());
      if (count * WORDS * 2 >= table.length) grow();
      const entry = entryOf(uuid, 0, table, hashOf(uuid, 0));
      if (!isFree(table, entry)) return false;
      copy(uuid, 0, table, entry);
      count += 1;
      return true;
    },
  };
}

function isFree(table: Int32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}

function copy(from: Int32Array, at: number, to: Int32Array, entry: number): void {
  for (let word = 0; word < WORDS; word += 1) to[entry + word] = from[at + word] as number;
}

/** Returns the index of the entry of a UUID, or of the free entry for it. */
function entryOf(from: Int32Array, at: number, table: Int32Array, hash: number): number {
  const last = table.length - WORDS;
  let entry = (hash * WORDS) & last;
  while (!isFree(table, entry) && !isSame(from, at, table, entry)) entry = (entry + WORDS) & last;
  return entry;
}

function isSame(one: Int32Array, at: number, other: Int32Array, entry: number): boolean {
  for (let word = 0; word < WORDS; word += 1) if (one[at + word] !== other[entry + word]) return false;
  return true;
}

/** Creates a hash function with random factors per file, so that an author cannot construct identifiers that all collide. */
function seededHash(): (table: Int32Array, at: number) => number {
  const factors = Int32Array.from({ length: WORDS }, () => (Math.random() * 0xffffffff) | 1);
  return (table, at) => {
    let hash = 0;
    for (let word = 0; word < WORDS; word += 1) {
      hash = Math.imul(hash ^ (table[at + word] as number), factors[word] as number);
      hash ^= hash >>> 15;
    }
    return hash >>> 1;
  };
}

/** Parses a UUID of the form `8-4-4-4-12` into `words`; returns false for any other text. */
function readUuid(text: string, words: Int32Array): boolean {
  if (text.length !== FORM.length) return false;
  for (const index of HYPHEN_INDICES) if (text.charCodeAt(index) !== HYPHEN) return false;
  let union = 0;
  for (let word = 0; word < WORDS; word += 1) {
    let value = 0;
    const end = (word + 1) * DIGITS_PER_WORD;
    for (let place = end - DIGITS_PER_WORD; place < end; place += 1) {
      const digit = DIGITS[text.charCodeAt(DIGIT_INDICES[place] as number)] as number;
      union |= digit;
      value = (value << 4) | digit;
    }
    words[word] = value;
  }
  return union < 16;
}

function isNew(texts: Set<string>, text: string): boolean {
  const { size } = texts;
  texts.add(copied(text));
  return texts.size > size;
}
