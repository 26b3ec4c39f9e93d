import { copied } from './rdf-names';

/** Identifiers that have been met, compared without regard to case. */
export interface MetIdentifiers {
  /** Remembers an identifier; false when it was met before. */
  isFirst(identifier: string): boolean;
}

/** Words of 32 bits of a UUID. */
const WORDS = 4;
const FIRST_CAPACITY = 256;
const HYPHEN = 0x2d;
const NO_DIGIT = 255;

/** The value of each hexadecimal digit by its character code. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, digit] of [...'0123456789abcdef'].entries())
  for (const spelling of [digit, digit.toUpperCase()]) DIGITS[spelling.charCodeAt(0)] = value;

/**
 * A set of identifiers. UUIDs, which they nearly all are, take 16 bytes of a table and hold on to no text; a large file has hundreds of
 * thousands. A place of the table that is all zero is free: the nil UUID stands among the others.
 */
export function metIdentifiers(): MetIdentifiers {
  const uuid = new Int32Array(WORDS);
  const others = new Set<string>();
  const hashOf = seededHash();
  let table = new Int32Array(FIRST_CAPACITY * WORDS);
  let count = 0;
  const grow = () => {
    const larger = new Int32Array(table.length * 2);
    for (let from = 0; from < table.length; from += WORDS)
      if (!isFree(table, from)) copy(table, from, larger, placeOf(table, from, larger, hashOf(table, from)));
    table = larger;
  };
  return {
    isFirst: (identifier) => {
      if (!readUuid(identifier, uuid) || isFree(uuid, 0)) return isNew(others, identifier.toLowerCase());
      if (count * WORDS * 2 >= table.length) grow();
      const place = placeOf(uuid, 0, table, hashOf(uuid, 0));
      if (!isFree(table, place)) return false;
      copy(uuid, 0, table, place);
      count += 1;
      return true;
    },
  };
}

function isFree(table: Int32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}

function copy(from: Int32Array, at: number, to: Int32Array, place: number): void {
  for (let word = 0; word < WORDS; word += 1) to[place + word] = from[at + word] as number;
}

/** Where a UUID stands in the table, or the free place where it belongs. */
function placeOf(from: Int32Array, at: number, table: Int32Array, hash: number): number {
  const last = table.length - WORDS;
  let place = (hash * WORDS) & last;
  while (!isFree(table, place) && !isSame(from, at, table, place)) place = (place + WORDS) & last;
  return place;
}

function isSame(one: Int32Array, at: number, other: Int32Array, place: number): boolean {
  for (let word = 0; word < WORDS; word += 1) if (one[at + word] !== other[place + word]) return false;
  return true;
}

/** A hash that differs from file to file, so that nobody can write identifiers that all meet in one place. */
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

/** Reads the form `8-4-4-4-12`; false when the text has another. */
function readUuid(text: string, words: Int32Array): boolean {
  if (text.length !== 36) return false;
  let digits = 0;
  let word = 0;
  for (let index = 0; index < 36; index += 1) {
    const code = text.charCodeAt(index);
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== HYPHEN) return false;
      continue;
    }
    const digit = code < 128 ? (DIGITS[code] as number) : NO_DIGIT;
    if (digit === NO_DIGIT) return false;
    word = (word << 4) | digit;
    digits += 1;
    if (digits % 8 === 0) words[digits / 8 - 1] = word;
  }
  return true;
}

function isNew(texts: Set<string>, text: string): boolean {
  const { size } = texts;
  texts.add(copied(text));
  return texts.size > size;
}
