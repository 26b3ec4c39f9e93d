import { DUID_PATTERN } from '../../../schema/identifiers';
import { type EventType, isEventType } from './event-types';

/** Selects the events of the page; without types, all. */
export interface EventFilter {
  readonly types: readonly EventType[];
  readonly duid?: string;
}

/** Reads the filter from the query string of the live page. Malformed types and identifiers count as absent. */
export function filterOfQuery({ types, duid }: Readonly<Record<string, unknown>>): EventFilter {
  const requested = (Array.isArray(types) ? types : [types]).filter(isEventType);
  const input = dataUserInput(duid);
  return { types: [...new Set(requested)], ...(DUID_PATTERN.test(input) ? { duid: input } : {}) };
}

/** Returns the entered Data User if it is not an identifier, so that the form can show an error. */
export function unreadableDataUser({ duid }: Readonly<Record<string, unknown>>): string | undefined {
  const input = dataUserInput(duid);
  return input === '' || DUID_PATTERN.test(input) ? undefined : input;
}

function dataUserInput(duid: unknown): string {
  return typeof duid === 'string' ? duid.trim().toLowerCase() : '';
}

/** Returns the filter as variables of an operation. */
export function filterVariables({ types, duid }: EventFilter): Record<string, unknown> {
  return { types: types.length === 0 ? null : types, duid: duid ?? null };
}

/** Returns the filter as a query string. */
export function queryOfFilter({ types, duid }: EventFilter): string {
  const query = new URLSearchParams(types.map((type): [string, string] => ['types', type]));
  if (duid !== undefined) query.append('duid', duid);
  return query.toString();
}
