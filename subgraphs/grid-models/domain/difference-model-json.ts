import type { DifferenceItem, DifferenceModelHeader, DifferenceSection } from './difference-model';
import { DESCRIPTION_ATTRIBUTE, NAME_ATTRIBUTE } from './object-changes';

/** A difference item of the JSON view (1-specification.md, "Interface C: difference-model file"). */
export interface ItemJson {
  mRID: string;
  type: string;
  /** Absent when the item says none; a text, also when it looks like a number. */
  name?: string;
  description?: string;
  attributes: Record<string, number | string>;
  /** The mRID of each target. */
  associations: Record<string, string>;
  /** How many statements are not shown because a later one of the item has the same name; absent when there are none. */
  repeated?: number;
}

/** A difference model as the JSON view shows it. */
export interface DifferenceModelJson {
  header: DifferenceModelHeader | null;
  /** Absent when the file has no such section. */
  forwardDifferences?: ItemJson[];
  reverseDifferences?: ItemJson[];
}

/** Writes the JSON view of one model piece by piece: each answer is the text that comes next. */
export interface DifferenceModelJsonWriter {
  start(header: DifferenceModelHeader | null): string;
  /** A section begins, which may stay empty. Sections are written in the order of the calls, each at most once. */
  section(section: DifferenceSection): string;
  /** The next item of the section that was begun last. */
  item(item: DifferenceItem): string;
  end(): string;
}

/** A number as the JSON view writes it (3-decisions-c-d.md, C.3). */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const MOST_DIGITS = 15;

/** The number that an attribute's text is: finite and of at most 15 significant digits, so that nothing of it is lost. */
export function numberOf(text: string): number | undefined {
  const last = text.charCodeAt(text.length - 1);
  if (!(last >= 0x30 && last <= 0x39) || !NUMBER.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) && (text.length <= MOST_DIGITS || digitsOf(text) <= MOST_DIGITS) ? number : undefined;
}

/** Significant digits of the mantissa: all but leading zeros. */
function digitsOf(text: string): number {
  const mantissa = text.split(/[eE]/, 1)[0] as string;
  return mantissa.replace(/[-.]/g, '').replace(/^0+/, '').length;
}

/** One item of the JSON view: of statements with one name the last is shown, and the others are counted. */
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

/** A writer of the JSON view that keeps nothing, so that a file of any size is written as it is read. */
export function differenceModelJsonWriter(): DifferenceModelJsonWriter {
  let open = false;
  let first = true;
  return {
    start: (header) => `{"header":${JSON.stringify(header)}`,
    section: (section) => {
      const begin = `${open ? ']' : ''},"${section}Differences":[`;
      [open, first] = [true, true];
      return begin;
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
