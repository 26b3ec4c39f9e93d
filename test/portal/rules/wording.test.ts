import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, type Language, TEXTS, languageOf, wordingIn } from '../../../portal/request/languages';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { generatedSchema } from '../../../schema/generated-schema';

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Every text by its key, groups joined by dots. */
function textsOf(group: object, path = ''): [string, string][] {
  return Object.entries(group).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'string' ? [[`${path}${name}`, text]] : textsOf(text as object, `${path}${name}.`),
  );
}

const texts = Object.fromEntries(LANGUAGES.map((language) => [language, textsOf(TEXTS[language])])) as Record<
  Language,
  [string, string][]
>;
const keysOf = (language: Language) => [...new Set(texts[language].map(([key]) => key.replace(PLURAL, '')))].toSorted();
const valuesIn = (text: string) => (text.match(/\{\{\w+\}\}/g) ?? []).toSorted();

describe('the two languages', () => {
  it('have the same texts', () => {
    expect(keysOf('cy')).toEqual(keysOf('en'));
  });

  it('are two: no text stands in both, but names and what is not language', () => {
    const english = new Map(texts.en);
    const same = texts.cy.filter(([key, text]) => english.get(key) === text).map(([key]) => key);
    expect(same.toSorted()).toEqual(['download.dataTypes', 'frame.languageName.cy', 'frame.languageName.en']);
  });

  it('say the same values in a text', () => {
    const english = new Map(texts.en);
    const other = texts.cy.filter(
      ([key, text]) =>
        english.has(key) && `${valuesIn(text)}` !== `${valuesIn(english.get(key) ?? '')}` && !PLURAL.test(key),
    );
    expect(other).toEqual([]);
  });

  it('have every plural form of their language', () => {
    for (const language of LANGUAGES) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      const counted = texts[language].map(([key]) => key).filter((key) => PLURAL.test(key));
      const groups = [...new Set(counted.map((key) => key.replace(PLURAL, '')))];
      const missing = groups
        .flatMap((group) => forms.map((form) => `${group}_${form}`))
        .filter((key) => !counted.includes(key));
      expect([language, missing]).toEqual([language, []]);
    }
  });

  it('count as people do', () => {
    const [en, cy] = [wordingIn('en'), wordingIn('cy')];
    expect(en('access.count', { count: 0 })).toContain('No organisation is');
    expect(en('access.count', { count: 1 })).toContain('1 organisation is');
    expect(en('access.count', { count: 2 })).toContain('2 organisations are');
    expect(cy('access.count', { count: 0 })).toContain('Nid oes');
    expect(cy('whoLooked.VERIFICATION', { count: 2 })).toBe('Gwirio mynediad, ddwywaith');
  });
});

describe('the texts', () => {
  const folder = join(REPOSITORY_ROOT, 'portal');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(njk|ts)$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
  const known = new Set(keysOf('en'));
  /** Keys that end with a value, `state.` + the state. */
  const openKeys = [...sources.matchAll(/\b(?:t|wording)\(\s*['`]([\w.]+\.)(?:'\s*\+|\$\{)/g)].map(
    ([, key = '']) => key,
  );
  const wholeKeys = [...sources.matchAll(/'((?:\w+\.)+\w+)'/g)]
    .map(([, key = '']) => key)
    .filter((key) => known.has(key));

  it('that pages ask for are all there', () => {
    const asked = [...sources.matchAll(/\b(?:t|wording)\(\s*'([\w.]+)'/g)].map(([, key = '']) => key);
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter((key) => !known.has(key) && !openKeys.includes(key))).toEqual([]);
  });

  it('are all asked for by some page', () => {
    const used = (key: string) => wholeKeys.includes(key) || openKeys.some((open) => key.startsWith(open));
    expect([...known].filter((key) => !used(key))).toEqual([]);
  });

  it.each([
    ['LegalBasis', (value: string) => `legalBasis.${value}.name`],
    ['LegalBasis', (value: string) => `legalBasis.${value}.meaning`],
    ['DataType', (value: string) => `dataType.${value}`],
    ['AccessState', (value: string) => `state.${value}`],
    ['ControllerRole', (value: string) => `role.${value}`],
    ['AccessLookKind', (value: string) => `whoLooked.${value}`],
    ['IdentityLookKind', (value: string) => `whoLooked.${value}`],
  ])('have plain words for every %s of the register', (name, keyOf) => {
    const [, body = ''] =
      new RegExp(`\\nenum ${name}\\s[^{]*\\{([^}]*)\\}`).exec(generatedSchema().supergraphSdl) ?? [];
    const values = [...body.matchAll(/^ {2}(\w+) @join__enumValue/gm)].map(([, value = '']) => value);
    expect(values.length).toBeGreaterThan(1);
    expect(values.map(keyOf).filter((key) => !known.has(key))).toEqual([]);
  });
});

describe('the language of a page', () => {
  it.each([
    ['cy', 'cy', 'en', 'en-GB'],
    ['en', 'en', 'cy', 'cy'],
    ['cy', undefined, 'cy', 'en-GB'],
    ['cy', undefined, undefined, 'cy-GB,cy;q=0.9,en;q=0.8'],
    ['en', undefined, undefined, 'fr'],
    ['en', undefined, undefined, undefined],
    ['cy', 'fr', 'cy', undefined],
    ['en', ['cy'], undefined, undefined],
  ])('is %s when asked %j, chosen %j, preferred %j', (expected, asked, chosen, accepted) => {
    expect(languageOf(asked, chosen, accepted)).toBe(expected);
  });
});
