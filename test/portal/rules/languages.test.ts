import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, type Language, TEXTS, languageOf, translatorFor } from '../../../web/portal/request/languages';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { generatedSchema } from '../../../schema/generated-schema';

const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Returns all keys of a language, groups joined by dots. */
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

  it('differ in every text, except for names and symbols', () => {
    const english = new Map(texts.en);
    const same = texts.cy.filter(([key, text]) => english.get(key) === text).map(([key]) => key);
    expect(same.toSorted()).toEqual(['download.dataTypes', 'frame.languageName.cy', 'frame.languageName.en']);
  });

  it('have the same variables in each text', () => {
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

  it('use the plural forms correctly', () => {
    const [en, cy] = [translatorFor('en'), translatorFor('cy')];
    expect(en('access.count', { count: 0 })).toContain('No organisation is');
    expect(en('access.count', { count: 1 })).toContain('1 organisation is');
    expect(en('access.count', { count: 2 })).toContain('2 organisations are');
    expect(cy('access.count', { count: 0 })).toContain('Nid oes');
    expect(cy('whoLooked.VERIFICATION', { count: 2 })).toBe('Gwirio mynediad, ddwywaith');
  });
});

describe('the texts', () => {
  const folder = join(REPOSITORY_ROOT, 'web', 'portal');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(njk|ts)$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
  const known = new Set(keysOf('en'));
  /** Prefixes of keys that end with a value, such as `state.`. */
  const openKeys = [...sources.matchAll(/\b(?:t|translate)\(\s*['`]([\w.]+\.)(?:'\s*\+|\$\{)/g)].map(
    ([, key = '']) => key,
  );
  const wholeKeys = [...sources.matchAll(/'((?:\w+\.)+\w+)'/g)]
    .map(([, key = '']) => key)
    .filter((key) => known.has(key));

  it('that pages use all exist', () => {
    const usedKeys = [...sources.matchAll(/\b(?:t|translate)\(\s*'([\w.]+)'/g)].map(([, key = '']) => key);
    expect(usedKeys.length).toBeGreaterThan(100);
    expect(usedKeys.filter((key) => !known.has(key) && !openKeys.includes(key))).toEqual([]);
  });

  it('are all used by a page', () => {
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
  ])('is %s if %j is requested, %j stored and %j preferred', (expected, requested, stored, accepted) => {
    expect(languageOf(requested, stored, accepted)).toBe(expected);
  });
});
