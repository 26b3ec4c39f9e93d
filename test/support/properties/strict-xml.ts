/** An element with resolved names (XML 1.0 and Namespaces in XML). */
export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  readonly attributes: readonly XmlAttribute[];
  readonly declarations: readonly [prefix: string, uri: string][];
  readonly children: (XmlElement | string)[];
}

/** An attribute that is not a namespace declaration. */
export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  readonly value: string;
}

/** Thrown for a file that is not well-formed XML 1.0 in UTF-8, or has a DTD. */
export class MalformedXml extends Error {}

const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
const START =
  ':A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const NAME = `[${START}][${START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F-\\u2040]*`;
const SPACE = '[ \\t\\n]';
const VALUE = `"[^<"]*"|'[^<']*'`;
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${SPACE}*=${SPACE}*(?:"1\\.[0-9]+"|'1\\.[0-9]+')` +
    `(?:${SPACE}+encoding${SPACE}*=${SPACE}*(?:"([A-Za-z][\\w.-]*)"|'([A-Za-z][\\w.-]*)'))?` +
    `(?:${SPACE}+standalone${SPACE}*=${SPACE}*(?:"(?:yes|no)"|'(?:yes|no)'))?${SPACE}*\\?>`,
  'uy',
);
const COMMENT = /<!--(?:(?!--)[^])*-->/uy;
const INSTRUCTION = new RegExp(`<\\?(${NAME})(?:${SPACE}(?:(?!\\?>)[^])*)?\\?>`, 'uy');
const CDATA = /<!\[CDATA\[((?:(?!\]\]>)[^])*)\]\]>/uy;
const START_TAG = new RegExp(`<(${NAME})((?:${SPACE}+${NAME}${SPACE}*=${SPACE}*(?:${VALUE}))*)${SPACE}*(/?)>`, 'uy');
const ATTRIBUTE = new RegExp(`(${NAME})${SPACE}*=${SPACE}*(${VALUE})`, 'uy');
const END_TAG = new RegExp(`</(${NAME})${SPACE}*>`, 'uy');
const TEXT = /[^<]+/uy;
const BLANK = new RegExp(`${SPACE}+`, 'uy');
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Returns the root element of a file. Parses the whole text slowly, by patterns of the XML specification; rejects a
 * DTD.
 */
export function parseXml(bytes: Uint8Array): XmlElement {
  const text = new Source(decoded(bytes));
  const declaration = text.take(DECLARATION);
  const encoding = declaration?.[1] ?? declaration?.[2];
  if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw new MalformedXml(`encoding ${encoding}`);
  skipMisc(text);
  const root = element(text, new Map([['xml', XML]]));
  skipMisc(text);
  if (!text.isAtEnd()) throw new MalformedXml('more after the root');
  return root;
}

function decoded(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!FORBIDDEN.test(text)) return text.replace(/\r\n?/g, '\n');
  } catch {
    throw new MalformedXml('not UTF-8');
  }
  throw new MalformedXml('a character that XML does not have');
}

class Source {
  private at = 0;
  constructor(private readonly text: string) {}

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  isAtEnd(): boolean {
    return this.at === this.text.length;
  }
}

function skipMisc(text: Source): void {
  while (text.take(BLANK) ?? text.take(COMMENT) ?? instruction(text));
}

function instruction(text: Source): RegExpExecArray | null {
  const found = text.take(INSTRUCTION);
  const target = found?.[1] ?? '';
  if (/^xml$/i.test(target) || target.includes(':')) throw new MalformedXml(`instruction ${target}`);
  return found;
}

function element(text: Source, around: ReadonlyMap<string, string>): XmlElement {
  const [, name = '', written = '', empty] = text.take(START_TAG) ?? malformed('no element');
  const pairs = attributePairs(written);
  const declarations = pairs.flatMap(declarationOf);
  const scope = new Map([...around, ...declarations]);
  const { prefix, local, uri } = resolved(name, scope, scope.get('') ?? '');
  if (prefix === 'xmlns') malformed('an element of xmlns');
  const attributes = pairs
    .filter(([each]) => each !== 'xmlns' && !each.startsWith('xmlns:'))
    .map(([each, value]) => ({ ...resolved(each, scope, ''), value }));
  demandDifferent(pairs.map(([each]) => each));
  demandDifferent(attributes.map((each) => `${each.uri} ${each.local}`));
  const children = empty === '/' ? [] : contents(text, scope, name);
  return { prefix, local, uri, attributes, declarations, children };
}

function contents(text: Source, scope: ReadonlyMap<string, string>, name: string): (XmlElement | string)[] {
  const children: (XmlElement | string)[] = [];
  for (;;) {
    const end = text.take(END_TAG);
    if (end) return end[1] === name ? children : malformed(`</${end[1]}> ends ${name}`);
    const piece = text.take(TEXT);
    const data = piece ? null : text.take(CDATA);
    if (piece) children.push(unescaped(piece[0], ']]>'));
    else if (data) children.push(data[1] as string);
    else if (!text.take(COMMENT) && !instruction(text)) children.push(element(text, scope));
  }
}

function attributePairs(written: string): [name: string, value: string][] {
  const source = new Source(written);
  const pairs: [string, string][] = [];
  for (source.take(BLANK); !source.isAtEnd(); source.take(BLANK)) {
    const [, name = '', quoted = ''] = source.take(ATTRIBUTE) ?? malformed('no attribute');
    pairs.push([name, unescaped(quoted.slice(1, -1).replace(/[\t\n]/g, ' '), undefined)]);
  }
  return pairs;
}

function declarationOf([name, value]: readonly [string, string]): [prefix: string, uri: string][] {
  if (name !== 'xmlns' && !name.startsWith('xmlns:')) return [];
  const [prefix, uri] = [name.slice('xmlns:'.length), value.trim()];
  if (prefix !== '' && uri === '') malformed('a prefix for nothing');
  if (prefix === 'xmlns' || uri === XMLNS) malformed('xmlns is declared');
  if ((prefix === 'xml') !== (uri === XML)) malformed('xml is declared again');
  return [[prefix, uri]];
}

function resolved(name: string, scope: ReadonlyMap<string, string>, unprefixed: string) {
  const parts = name.split(':');
  if (parts.length > 2 || parts.includes('')) malformed(`the name ${name}`);
  if (parts.length === 1) return { prefix: '', local: name, uri: unprefixed };
  const [prefix = '', local = ''] = parts;
  return { prefix, local, uri: scope.get(prefix) ?? malformed(`the prefix ${prefix}`) };
}

function demandDifferent(names: readonly string[]): void {
  if (new Set(names).size < names.length) malformed('an attribute twice');
}

function unescaped(text: string, forbidden: string | undefined): string {
  if (forbidden !== undefined && text.includes(forbidden)) malformed(forbidden);
  return text.replace(/&([^;]*);|&/g, (_, entity: string | undefined) => {
    const code = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(entity ?? '');
    if (code) return character(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16));
    return (Object.hasOwn(ENTITIES, entity ?? '') ? ENTITIES[entity as string] : undefined) ?? malformed(`&${entity}`);
  });
}

function character(code: number): string {
  const text = code <= 0x10ffff ? String.fromCodePoint(code) : '\0';
  return FORBIDDEN.test(text) ? malformed(`character ${code}`) : text;
}

function malformed(why: string): never {
  throw new MalformedXml(why);
}
