import type { Violation } from '../../../schema/register-error';

/** Statuses of suppliers and RTI Users (specification, Interface D: UserStatus). Only `active` entries exchange data of consumers. */
export const REGISTER_ENTRY_STATUSES = ['active', 'suspended', 'disabled', 'removed'] as const;
/** A value of {@link REGISTER_ENTRY_STATUSES}. */
export type RegisterEntryStatus = (typeof REGISTER_ENTRY_STATUSES)[number];

/** Allowed transitions (decisions C/D, D.2): active ⇄ suspended; either → disabled; disabled → active; each → removed, which is final. */
const STATUS_TRANSITIONS: Readonly<Record<RegisterEntryStatus, readonly RegisterEntryStatus[]>> = {
  active: ['suspended', 'disabled', 'removed'],
  suspended: ['active', 'disabled', 'removed'],
  disabled: ['active', 'removed'],
  removed: [],
};

/** Whether the transition table leads from one status to another. It has no transition from a status to itself. */
export function mayBecome(from: RegisterEntryStatus, to: RegisterEntryStatus): boolean {
  return STATUS_TRANSITIONS[from].includes(to);
}

/** Returns CNF001 if the transition table forbids a change. Setting the current status is no violation. */
export function statusViolations(from: RegisterEntryStatus, to: RegisterEntryStatus): Violation[] {
  if (from === to || mayBecome(from, to)) return [];
  return [{ code: 'CNF001', path: ['status'], message: `cannot become ${to}: it is ${from}` }];
}

/** The statuses that the REST parameter `active` selects (decisions C/D, D.1): `active` alone, all others, or null for every status. */
export function statusesOf(active: boolean | null | undefined): readonly RegisterEntryStatus[] | null {
  return active == null ? null : REGISTER_ENTRY_STATUSES.filter((status) => (status === 'active') === active);
}
