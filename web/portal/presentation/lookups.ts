import { MAX_LOOKUPS } from '../../../schema/lookups';
import type { Language } from '../request/languages';
import { MS_PER_HOUR, dateInWords, dayOf, hourInWords } from './dates';
import { groupBy } from './group-by';
import type { AccessLookup, IdentityLookup } from './operation-results';

/** Lookups of one kind by one organisation within one hour. */
interface Lookup {
  readonly kind: AccessLookup['kind'] | IdentityLookup['kind'];
  readonly count: number;
  /** Undefined for an unauthenticated caller with the access key. */
  readonly organisation: string | undefined;
  readonly hour: string;
}

/**
 * Groups all lookups, of access records and of Identity Records, by day, hour and organisation, newest first (decisions
 * A/B, 10).
 */
export function lookupsByDay(
  accessLooks: readonly AccessLookup[],
  identityLooks: readonly IdentityLookup[],
  language: Language,
) {
  const lookups = [...accessLooks.map(accessLookup), ...identityLooks.map(identityLookup)].toSorted(newestFirst);
  const days = groupBy(lookups, ({ hour }) => dayOf(hour));
  return [...days].map(([day, own]) => ({
    day: dateInWords(day, language),
    hours: [...groupBy(own, ({ hour, organisation }) => `${hour} ${organisation ?? ''}`).values()].map((same) =>
      hourOf(same),
    ),
  }));
}

/** Hours of which lists of lookups contain everything. */
interface CompleteHours {
  /** Start of the earliest one; undefined if no list ends at its bound. */
  readonly since: string | undefined;
  /** Whether that hour has more lookups than a list may have: it is shown as far as it is read. */
  readonly isIncomplete: boolean;
}

/**
 * Returns the hours from which on all lists are complete. A list that ends at its bound may lack lookups of its earliest hour, which is
 * shown only if it is the only one.
 */
export function completeSince(...lists: readonly (readonly { readonly hour: string }[])[]): CompleteHours {
  const bounded = lists.filter(({ length }) => length >= MAX_LOOKUPS);
  const since = bounded
    .map((list) => completeHour(list))
    .toSorted()
    .at(-1);
  return { since, isIncomplete: bounded.some((list) => list.at(-1)?.hour === since) };
}

function completeHour(list: readonly { readonly hour: string }[]): string | undefined {
  const [latest, earliest] = [list[0]?.hour, list.at(-1)?.hour];
  if (earliest === undefined || earliest === latest) return latest;
  return new Date(Date.parse(earliest) + MS_PER_HOUR).toISOString();
}

function hourOf(lookups: readonly Lookup[]) {
  const [{ hour, organisation }] = lookups as [Lookup, ...Lookup[]];
  const kinds = groupBy(lookups, ({ kind }) => kind);
  return {
    hour: hourInWords(hour),
    organisation,
    lookups: [...kinds].map(([kind, same]) => ({ kind, count: countOf(kind, same) })),
  };
}

/** One read of a list is counted on each record that it contains, so the maximum is at least the number of reads of one list. */
function countOf(kind: Lookup['kind'], lookups: readonly Lookup[]): number {
  const counts = lookups.map(({ count }) => count);
  return kind === 'LISTING' ? Math.max(...counts) : counts.reduce((sum, count) => sum + count, 0);
}

function accessLookup({ organisation, kind, hour, count }: AccessLookup): Lookup {
  return { organisation: organisation ?? undefined, kind, hour, count };
}

function identityLookup({ dataUser, kind, hour, count }: IdentityLookup): Lookup {
  return { organisation: dataUser?.displayName, kind, hour, count };
}

function newestFirst(one: Lookup, other: Lookup): number {
  return (
    Date.parse(other.hour) - Date.parse(one.hour) || (one.organisation ?? '').localeCompare(other.organisation ?? '')
  );
}
