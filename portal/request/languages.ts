import { type TFunction, createInstance } from 'i18next';
import cy from '../locales/cy.json';
import en from '../locales/en.json';

/** Languages of the pages, in the order of the language switch. */
export const LANGUAGES = ['en', 'cy'] as const;

/** A language of the pages. */
export type Language = (typeof LANGUAGES)[number];

/** The wording of a page: the text of a key in the page's language. */
export type Wording = TFunction;

/** Texts by their keys, in groups. */
export const TEXTS = { en, cy };

/** Texts are plain: the templates escape them, so the wording must not do it as well. */
const i18n = createInstance({
  resources: { en: { translation: en }, cy: { translation: cy } },
  fallbackLng: false,
  interpolation: { escapeValue: false },
  initAsync: false,
});
void i18n.init();

/** The wording in a language. */
export function wordingIn(language: Language): Wording {
  return i18n.getFixedT(language);
}

/** Whether a value names a language of the pages. */
export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.includes(value as Language);
}

/** What was asked for goes before what was chosen earlier, and that before what the browser prefers. */
export function languageOf(asked: unknown, chosen: unknown, accepted: string | undefined): Language {
  if (isLanguage(asked)) return asked;
  if (isLanguage(chosen)) return chosen;
  return /^\s*cy\b/i.test(accepted ?? '') ? 'cy' : 'en';
}
