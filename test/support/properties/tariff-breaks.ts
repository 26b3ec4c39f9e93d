import fc from 'fast-check';
import type { DaysAndHours, HourlyRate, TariffScheduleEntry } from '../../../subgraphs/tariffs/catalogue/tariff';
import { type RatesTree, lawfulRates, timeOf } from './tariff-values';

/** A lawful tree with one fault, and all violations that the register must report, as `CODE path`. */
export interface BrokenRates {
  readonly kind: string;
  readonly rates: RatesTree;
  readonly expected: readonly string[];
}

/** A window of a tree, chosen at random, with its group and its entry. */
interface Place {
  readonly rates: RatesTree;
  readonly entry: TariffScheduleEntry;
  readonly group: DaysAndHours;
  readonly window: HourlyRate;
  readonly isLastEntry: boolean;
  readonly isLastGroup: boolean;
  /** Paths of the entry, the group and the window. */
  readonly at: { readonly entry: string; readonly group: string; readonly window: string };
}

/**
 * Inserts a fault into a tree and returns the violations that the register must report; undefined if this window cannot
 * have the fault.
 */
type Break = (place: Place) => string[] | undefined;

const BREAKS: Readonly<Record<string, Break>> = {
  'a removed window': ({ group, window, at }) => {
    // Removing a part after midnight leaves a gap on the next day, which may be anywhere in the tree.
    if (endsOnNextDay(window)) return undefined;
    group.hours.splice(group.hours.indexOf(window), 1);
    return [`VAL003 ${at.group}/hours`];
  },
  'a duplicate window': ({ group, window, at }) => {
    const count = group.hours.push(structuredClone(window));
    return [`VAL003 ${at.group}/hours/${count - 1}`];
  },
  'a window that begins a minute early': ({ group, window, at }) => {
    const before = group.hours.findIndex(
      (other) => other.validTo === window.validFrom && other.validFrom < other.validTo,
    );
    if (before < 0) return undefined;
    window.validFrom = minutesLater(window.validFrom, -1);
    // A window of the whole day would overlap all others.
    if (window.validFrom === window.validTo) return undefined;
    return [`VAL003 ${at.group}/hours/${Math.max(before, group.hours.indexOf(window))}`];
  },
  'a window that ends a minute late on the next day': ({ window, at }) => {
    const isUntilNextDay = window.validTo < window.validFrom; // a whole day becomes a minute
    window.validTo = minutesLater(window.validTo, 1);
    return isUntilNextDay && window.validTo <= window.validFrom ? [`VAL003 ${at.window}`] : undefined;
  },
  'a begin that is not on a minute': ({ window, at }) => {
    window.validFrom = window.validFrom.replace(/:\d\d$/, ':01');
    return [`VAL003 ${at.window}/validFrom`];
  },
  'an end that is not on a minute': ({ window, at }) => {
    window.validTo = window.validTo.replace(/:\d\d$/, ':15');
    return [`VAL003 ${at.window}/validTo`];
  },
  'a time that is none': ({ window, at }) => {
    [window.validFrom, window.validTo] = ['24:00:00', '7:00'];
    return [`VAL001 ${at.window}/validFrom`, `VAL001 ${at.window}/validTo`];
  },
  'an entry after the one for all days': ({ rates, entry }) => {
    const count = rates.push(structuredClone({ ...entry, months: ['All'], dates: null }));
    return [`VAL003 rates/${count - 1}`];
  },
  'an entry for all days before the others': ({ rates, entry }) => {
    rates.unshift(structuredClone({ ...entry, months: ['All'], dates: null }));
    return [...rates.keys()].slice(1).map((index) => `VAL003 rates/${index}`);
  },
  'a days group after the one for all days': ({ entry, group, at }) => {
    const count = entry.daysAndHours.push(structuredClone(group));
    return [`VAL003 ${at.entry}/daysAndHours/${count - 1}`];
  },
  'no entry for what is left of the days': ({ rates }) => {
    if (hasNights(rates)) return undefined;
    rates.pop();
    return ['VAL003 rates'];
  },
  'no days group for what is left of the week': ({ rates, entry, at }) => {
    if (hasNights(rates)) return undefined;
    entry.daysAndHours.pop();
    return [`VAL003 ${at.entry}/daysAndHours`];
  },
  'no days groups': ({ rates, entry, at }) => {
    if (hasNights(rates)) return undefined;
    entry.daysAndHours = [];
    return [`VAL003 ${at.entry}/daysAndHours`];
  },
  'no months': ({ rates, entry, isLastEntry, at }) => {
    if (hasNights(rates)) return undefined;
    entry.months = [];
    return [`VAL003 ${at.entry}/months`, ...(isLastEntry ? ['VAL003 rates'] : [])];
  },
  'a month twice': ({ entry, at }) => {
    entry.months.push(entry.months[0] ?? 'Jan');
    return [`VAL003 ${at.entry}/months`];
  },
  'All beside other months': ({ entry, isLastEntry, at }) => {
    if (!isLastEntry) return undefined;
    entry.months.push(entry.months.includes('All') ? 'Jan' : 'All');
    return [`VAL003 ${at.entry}/months`];
  },
  'a date out of range': ({ entry, at }) => {
    if (entry.dates == null) return undefined;
    const count = entry.dates.push(0, 32, 1.5);
    return [3, 2, 1].map((back) => `VAL003 ${at.entry}/dates/${count - back}`);
  },
  'a date that its months do not have': ({ entry, at }) => {
    const isShort = entry.months.every((month) => ['Feb', 'Apr', 'Jun', 'Sep', 'Nov'].includes(month));
    if (entry.dates == null || !isShort) return undefined;
    const count = entry.dates.push(31);
    return [`VAL003 ${at.entry}/dates/${count - 1}`];
  },
  'a date twice': ({ entry, at }) => {
    if (entry.dates == null) return undefined;
    entry.dates.push(entry.dates[0] as number);
    return [`VAL003 ${at.entry}/dates`];
  },
  'no dates': ({ rates, entry, isLastEntry, at }) => {
    if (hasNights(rates)) return undefined;
    entry.dates = [];
    return [`VAL003 ${at.entry}/dates`, ...(isLastEntry ? ['VAL003 rates'] : [])];
  },
  'a day of the week twice': ({ group, at }) => {
    group.days.push(group.days[0] ?? 'Mon');
    return [`VAL003 ${at.group}/days`];
  },
  'All beside other days': ({ group, isLastGroup, at }) => {
    if (!isLastGroup) return undefined;
    group.days.push(group.days.includes('All') ? 'Sun' : 'All');
    return [`VAL003 ${at.group}/days`];
  },
  'a price of another form': ({ window, at }) => {
    for (const [index, price] of ['1', '.25', '0.1', '0.123456', '-0.25', '0.25 '].entries())
      window.rate.unshift({ unitPrice: price, toKwh: `0.0${6 - index}` });
    return [0, 1, 2, 3, 4, 5].map((index) => `VAL001 ${at.window}/rate/${index}/unitPrice`);
  },
  'no tiers': ({ window, at }) => {
    window.rate = [];
    return [`VAL003 ${at.window}/rate`];
  },
  'an unbounded tier before the last': ({ window, at }) => {
    window.rate.unshift({ unitPrice: '0.10', toKwh: null });
    return [`VAL003 ${at.window}/rate/0/toKwh`];
  },
  'tiers that do not ascend': ({ window, at }) => {
    const last = window.rate.length - 1;
    const amount = window.rate[last - 1]?.toKwh ?? '0.00';
    window.rate.splice(last, 0, { unitPrice: '0.10', toKwh: amount });
    window.rate.push({ unitPrice: '0.10', toKwh: '99999' });
    return [
      `VAL003 ${at.window}/rate/${last}/toKwh`,
      `VAL003 ${at.window}/rate/${last + 1}/toKwh`,
      `VAL003 ${at.window}/rate/${last + 2}/toKwh`,
    ];
  },
};

function endsOnNextDay({ validFrom, validTo }: HourlyRate): boolean {
  return validTo <= validFrom && validTo !== '00:00:00';
}

/** Returns whether windows run on into the next day: a gap on one day is then a gap on the next one, too. */
function hasNights(rates: RatesTree): boolean {
  return rates.some(({ daysAndHours }) => daysAndHours.some(({ hours }) => hours.some(endsOnNextDay)));
}

function minutesLater(time: string, minutes: number): string {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return timeOf((hour * 60 + minute + minutes + 24 * 60) % (24 * 60));
}

/** The kinds of faults. */
export const BREAK_KINDS: readonly string[] = Object.keys(BREAKS);

/** Generates lawful trees with one fault of a kind, at a random window that can have it. */
export function brokenRates(kind: string): fc.Arbitrary<BrokenRates> {
  return fc
    .tuple(lawfulRates, fc.nat())
    .map(([lawful, choice]) => broken(lawful, choice, kind))
    .filter((tree) => tree !== undefined);
}

type Indices = readonly [entry: number, group: number, window: number];

function broken(lawful: RatesTree, choice: number, kind: string): BrokenRates | undefined {
  const places = lawful.flatMap(({ daysAndHours }, entry) =>
    daysAndHours.flatMap(({ hours }, group) => hours.map((_, window): Indices => [entry, group, window])),
  );
  const first = choice % places.length;
  for (const indices of [...places.slice(first), ...places.slice(0, first)]) {
    const rates = structuredClone(lawful);
    const expected = BREAKS[kind]?.(placeAt(rates, indices));
    if (expected) return { kind, rates, expected };
  }
  return undefined;
}

function placeAt(rates: RatesTree, [entryIndex, groupIndex, windowIndex]: Indices): Place {
  const entry = rates[entryIndex] as TariffScheduleEntry;
  const group = entry.daysAndHours[groupIndex] as DaysAndHours;
  const window = group.hours[windowIndex] as HourlyRate;
  const [isLastEntry, isLastGroup] = [entry === rates.at(-1), group === entry.daysAndHours.at(-1)];
  const ofEntry = `rates/${entryIndex}`;
  const ofGroup = `${ofEntry}/daysAndHours/${groupIndex}`;
  const at = { entry: ofEntry, group: ofGroup, window: `${ofGroup}/hours/${windowIndex}` };
  return { rates, entry, group, window, isLastEntry, isLastGroup, at };
}
