import type { DifferenceItem, DifferenceModelHeader, DifferenceSection } from './difference-model';
import { DESCRIPTION_ATTRIBUTE, NAME_ATTRIBUTE } from '../changes/object-changes';

/** An item of the JSON view (specification, Interface C: difference-model file). */
interface ItemJson {
  mRID: string;
  type: string;
  /** Absent if the item has none. Always a text, even if it has the form of a number. */
  name?: string;
  description?: string;
  attributes: Record<string, number | string>;
  /** mRID of the target by name of the association. */
  associations: Record<string, string>;
  /** Number of statements that are omitted because a later one of the item has the same name; absent if zero. */
  repeated?: number;
}

/** Writes the JSON view of one model piece by piece. Each method returns the next part of the text. */
interface DifferenceModelJsonWriter {
  start(header: DifferenceModelHeader | null): string;
  /** Starts a section, which may stay empty. Must be called at most once per section. */
  section(section: DifferenceSection): string;
  /** Writes the next item of the section that was started last. */
  item(item: DifferenceItem): string;
  end(): string;
}

/** A number of the JSON view (decisions C.3). */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const MAX_DIGITS = 15;

/** The smallest number with full precision (IEEE 754, binary64): smaller ones lose digits, or are zero. */
const MIN_NORMAL = 2 ** -1022;

/**
 * Returns the text of an attribute as a number if it is finite, has at most 15 significant digits and is not too small, so that no digit is
 * lost.
 */
export function numberOf(text: string): number | undefined {
  const last = text.charCodeAt(text.length - 1);
  if (!(last >= 0x30 && last <= 0x39) || !NUMBER.test(text)) return undefined;
  const number = Number(text);
  const isPrecise = Math.abs(number) >= MIN_NORMAL || digitsOf(text) === 0;
  return Number.isFinite(number) && isPrecise && (text.length <= MAX_DIGITS || digitsOf(text) <= MAX_DIGITS)
    ? number
    : undefined;
}

/** Counts the significant digits of the mantissa: all except leading zeros. */
function digitsOf(text: string): number {
  const mantissa = text.split(/[eE]/, 1)[0] as string;
  return mantissa.replace(/[-.]/g, '').replace(/^0+/, '').length;
}

/** Returns an item of the JSON view. Of statements with the same name it contains the last one and counts the others. */
export function itemJson({ mRID, type, statements }: DifferenceItem): ItemJson {
  const attributes: Record<string, number | string> = {};
  const associations: Record<string, string> = {};
  const lifted: { name?: string; description?: string } = {};
  for (const { name, kind, value } of statements) {
    if (kind === 'association') associations[name] = value;
    else if (kind === 'enumeration') attributes[name] = value;
    else if (name === NAME_ATTRIBUTE) lifted.name = value;
    else if (name === DESCRIPTION_ATTRIBUTE) lifted.description = value;
    else attributes[name] = numberOf(value) ?? value;
  }
  const shown = [attributes, associations, lifted].reduce((count, each) => count + Object.keys(each).length, 0);
  const repeated = statements.length - shown;
  return { mRID, type, ...lifted, attributes, associations, ...(repeated === 0 ? {} : { repeated }) };
}

/** Members of the header that the specification lists: it has no `supersedes`. */
const HEADER_MEMBERS: (keyof DifferenceModelHeader)[] = [
  ...(['mRID', 'created', 'scenarioTime', 'modelingAuthoritySet'] as const),
  ...(['profile', 'description', 'version', 'dependentOn'] as const),
];

/** Creates a writer of the JSON view. It buffers nothing, so that a file of any size can be written while it is parsed. */
export function differenceModelJsonWriter(): DifferenceModelJsonWriter {
  let open = false;
  let first = true;
  return {
    start: (header) => `{"header":${JSON.stringify(header, HEADER_MEMBERS)}`,
    section: (section) => {
      const start = `${open ? ']' : ''},"${section}Differences":[`;
      [open, first] = [true, true];
      return start;
    },
    item: (item) => {
      const text = JSON.stringify(itemJson(item));
      if (!first) return `,${text}`;
      first = false;
      return text;
    },
    end: () => (open ? ']}' : '}'),
  };
}
