import { DUID_PATTERN } from '../../schema/identifiers';
import { type EventType, isEventType } from './event-types';

/** Which events are looked at; without types, all of them. */
export interface EventFilter {
  readonly types: readonly EventType[];
  readonly duid?: string;
}

/** A filter as the address of the live page carries it; a type or an identifier that is malformed counts as absent. */
export function filterOfQuery({ types, duid }: Readonly<Record<string, unknown>>): EventFilter {
  const asked = (Array.isArray(types) ? types : [types]).filter(isEventType);
  const typed = typedDataUser(duid);
  return { types: [...new Set(asked)], ...(DUID_PATTERN.test(typed) ? { duid: typed } : {}) };
}

/** What was typed as a Data User, if it is no identifier: told to whoever typed it. */
export function unreadableDataUser({ duid }: Readonly<Record<string, unknown>>): string | undefined {
  const typed = typedDataUser(duid);
  return typed === '' || DUID_PATTERN.test(typed) ? undefined : typed;
}

function typedDataUser(duid: unknown): string {
  return typeof duid === 'string' ? duid.trim().toLowerCase() : '';
}

/** The filter as variables of an operation. */
export function filterVariables({ types, duid }: EventFilter): Record<string, unknown> {
  return { types: types.length === 0 ? null : types, duid: duid ?? null };
}

/** The filter as the query string of an address. */
export function queryOfFilter({ types, duid }: EventFilter): string {
  const query = new URLSearchParams(types.map((type): [string, string] => ['types', type]));
  if (duid !== undefined) query.append('duid', duid);
  return query.toString();
}
