import { type TFunction, createInstance } from 'i18next';
import cy from '../locales/cy.json';
import en from '../locales/en.json';

/** Returns the name of a language in GraphQL. */
export function graphqlLanguage(language: Language): Uppercase<Language> {
  return language.toUpperCase() as Uppercase<Language>;
}

/** Languages of the pages, in the order of the language switch. */
export const LANGUAGES = ['en', 'cy'] as const;

/** A language of the pages. */
export type Language = (typeof LANGUAGES)[number];

/** Returns the text of a key in the page's language. */
export type Translate = TFunction;

/** Texts by language, group and key. */
export const TEXTS = { en, cy };

/** i18next must not escape values: the templates do. */
const i18n = createInstance({
  resources: { en: { translation: en }, cy: { translation: cy } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
  initAsync: false,
});
void i18n.init();

/** Returns the texts of a language. */
export function translatorFor(language: Language): Translate {
  return i18n.getFixedT(language);
}

/** Returns true if a value is the code of a language of the pages. */
export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/**
 * Returns the language of a page: the requested one, else the one in the cookie, else Welsh if the browser prefers it,
 * else English.
 */
export function languageOf(requested: unknown, stored: unknown, accepted: string | undefined): Language {
  if (isLanguage(requested)) return requested;
  if (isLanguage(stored)) return stored;
  return /^\s*cy\b/i.test(accepted ?? '') ? 'cy' : 'en';
}
