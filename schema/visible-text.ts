/**
 * A visible letter, number, punctuation mark or symbol. Excludes letters that are blank by definition, such as the Hangul fillers, and the
 * Braille pattern without dots, which is a symbol.
 */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns whether a text has at least one visible character, as every required text must (decisions A/B, 1). */
export function hasVisibleCharacter(text: string): boolean {
  return VISIBLE.test(text);
}

/**
 * Returns a text without characters that change the direction of the text around it (Unicode Standard Annex #9, section 2), so that a name
 * does not reverse the sentence of a page or mail that contains it.
 */
export function withoutBidiControls(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, '');
}
