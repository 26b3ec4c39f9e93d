import { LEGACY_PURPOSE } from '../../../schema/legacy-consent';
import { type Language, translatorFor } from '../request/languages';

/** Returns a purpose as its organisation wrote it, or in the customer's language if the register wrote it. */
export function purposeInWords(purpose: string | null, language: Language): string | null {
  return purpose === LEGACY_PURPOSE ? translatorFor(language)('record.legacyPurpose') : purpose;
}
