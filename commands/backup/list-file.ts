import { createReadStream } from 'node:fs';
import { ifExists, textOf, writeWhole } from './stored-files';

/** Takes an entry of a stored list: its part, an internal id and an instant. */
type AddEntry = (part: string, id: string, at: string) => void;

/** The part of all entries in a list of 0.1.0, which has no parts and no format. */
const ONLY_PART = 'anonymised';
/** Lines of a list, which is JSON with an indent of two spaces. */
const ENTRY = /^( {2}| {4})"([^"\\]+)": "([^"\\]*)",?$/;
const START_OF_PART = /^ {2}"(\w+)": \{(\},?)?$/;
const END_OF_PART = /^ {2}\},?$/;
const FORMAT = /^ {2}"format": \d+,?$/;

/** Characters of a list that are written at once. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Reads a list entry by entry, so that memory does not hold the file. A list in which entries are not lines, as this register never writes
 * it, is read at once. Returns false if there is no file; throws if it is damaged.
 */
export async function readListFile(path: string, add: AddEntry): Promise<boolean> {
  const isRead = await ifExists(path, (existing) => readLines(existing, add));
  if (isRead === undefined) return false;
  if (!isRead) readText((await textOf(path)) ?? '', path, add);
  return true;
}

/** Reads the lines of a list; returns false at a line that is none of a list, and at a missing end. */
async function readLines(path: string, add: AddEntry): Promise<boolean> {
  let part: string | undefined;
  let state: 'before' | 'within' | 'after' = 'before';
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      const [, indent, id = '', at = ''] = ENTRY.exec(line) ?? [];
      const [, name, end] = START_OF_PART.exec(line) ?? [];
      if (state === 'before' && line === '{') state = 'within';
      else if (state !== 'within') return false;
      else if (indent?.length === (part === undefined ? 2 : 4)) add(part ?? ONLY_PART, id, at);
      else if (part === undefined && name !== undefined) part = end === undefined ? name : undefined;
      else if (part === undefined && line === '}') state = 'after';
      else if (part !== undefined && END_OF_PART.test(line)) part = undefined;
      else if (!FORMAT.test(line)) return false;
    }
  }
  return state === 'after';
}

/** Reads the lines of a file, those of one chunk at a time. */
async function* linesOf(path: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}

function readText(text: string, path: string, add: AddEntry): void {
  try {
    const { format, ...parts } = JSON.parse(text) as Record<string, Record<string, string>>;
    const given = format === undefined ? { [ONLY_PART]: parts as unknown as Record<string, string> } : parts;
    for (const [part, ids] of Object.entries(given)) for (const [id, at] of Object.entries(ids)) add(part, id, at);
  } catch {
    throw new Error(`${path} is damaged: it is not a list of anonymised records`);
  }
}

/** Writes a list as JSON with an entry on each line. */
export function writeListFile(
  path: string,
  parts: Readonly<Record<string, ReadonlyMap<string, string>>>,
): Promise<void> {
  return writeWhole(path, chunksOf(textsOf(parts)));
}

function* textsOf(parts: Readonly<Record<string, ReadonlyMap<string, string>>>): Generator<string> {
  yield '{\n  "format": 2';
  for (const [part, instants] of Object.entries(parts)) {
    yield `,\n  "${part}": {`;
    let separator = '\n';
    for (const [id, at] of instants) {
      yield `${separator}    ${JSON.stringify(id)}: ${JSON.stringify(at)}`;
      separator = ',\n';
    }
    yield instants.size === 0 ? '}' : '\n  }';
  }
  yield '\n}';
}

function* chunksOf(texts: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
