/** Limits of the contents of one file, which is untrusted input (decisions C/D, C.1). */

/** Statements of one item. */
export const MAX_STATEMENTS = 10_000;

/** Characters of a text, a comment or a tag (1 Mi). */
export const MAX_TEXT_LENGTH = 1 << 20;

/** Characters of a name or an identifier. */
export const MAX_NAME_LENGTH = 512;

/** Nested elements. A difference model has five levels. */
export const MAX_DEPTH = 32;

/** Namespaces that one file may declare. */
export const MAX_NAMESPACES = 1_000;

/** Distinct classes of the items of one file. The whole Common Information Model has fewer. */
export const MAX_CLASSES = 1_000;

/** Values of a header field, such as the models on which a model depends. */
export const MAX_HEADER_VALUES = 1_000;

/** Characters of a value of the header, except its description. */
export const MAX_HEADER_VALUE_LENGTH = 1_000;

/** Characters of the description of a model. */
export const MAX_DESCRIPTION_LENGTH = 65_536;
