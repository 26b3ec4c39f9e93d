import type { Language } from '../request/languages';
import { dateInWords, dayOf, hourInWords } from './dates';
import { grouped } from './grouped';
import type { AccessLook, IdentityLook } from './register-answers';

/** What somebody did, and how often. */
export interface LookCount {
  readonly kind: AccessLook['kind'] | IdentityLook['kind'];
  readonly count: number;
}

/** Who looked within an hour. */
export interface HourOfLooks {
  readonly hour: string;
  /** Undefined for a holder of the key who did not say who they are. */
  readonly organisation: string | undefined;
  readonly looks: readonly LookCount[];
}

/** The looks of a day. */
export interface DayOfLooks {
  /** The day in words. */
  readonly day: string;
  readonly hours: readonly HourOfLooks[];
}

interface Look extends LookCount {
  readonly organisation: string | undefined;
  readonly hour: string;
}

/**
 * Everything that was looked at, whatever part of the register counted it: by day, hour and organisation, newest first
 * (2-decisions-a-b.md, section 10).
 */
export function looksByDay(
  accessLooks: readonly AccessLook[],
  identityLooks: readonly IdentityLook[],
  language: Language,
): DayOfLooks[] {
  const looks = [...accessLooks.map(lookOf), ...identityLooks.map(identityLookOf)].toSorted(newestFirst);
  const days = grouped(looks, ({ hour }) => dayOf(hour));
  return [...days].map(([day, own]) => ({
    day: dateInWords(day, language),
    hours: [...grouped(own, ({ hour, organisation }) => `${hour} ${organisation ?? ''}`).values()].map((same) =>
      hourOf(same, language),
    ),
  }));
}

function hourOf(looks: readonly Look[], language: Language): HourOfLooks {
  const [{ hour, organisation }] = looks as [Look, ...Look[]];
  const kinds = grouped(looks, ({ kind }) => kind);
  return {
    hour: hourInWords(hour, language),
    organisation,
    looks: [...kinds].map(([kind, same]) => ({ kind, count: same.reduce((sum, { count }) => sum + count, 0) })),
  };
}

function lookOf({ organisation, kind, hour, count }: AccessLook): Look {
  return { organisation: organisation ?? undefined, kind, hour, count };
}

function identityLookOf({ dataUser, kind, hour, count }: IdentityLook): Look {
  return { organisation: dataUser?.displayName, kind, hour, count };
}

function newestFirst(one: Look, other: Look): number {
  return (
    Date.parse(other.hour) - Date.parse(one.hour) || (one.organisation ?? '').localeCompare(other.organisation ?? '')
  );
}
