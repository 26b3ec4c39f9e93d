import type { Violation } from '../../../schema/register-error';

/** UserStatus, of suppliers and RTI Users (1-specification.md, Interface D). Only `active` obtains consumer data. */
export const REGISTER_ENTRY_STATUSES = ['active', 'suspended', 'disabled', 'removed'] as const;
/** A value of {@link REGISTER_ENTRY_STATUSES}. */
export type RegisterEntryStatus = (typeof REGISTER_ENTRY_STATUSES)[number];

/** The one transition table (3-decisions-c-d.md, D.2): active ⇄ suspended; either → disabled; disabled → active; any → removed, finally. */
const STATUS_TRANSITIONS: Readonly<Record<RegisterEntryStatus, readonly RegisterEntryStatus[]>> = {
  active: ['suspended', 'disabled', 'removed'],
  suspended: ['active', 'disabled', 'removed'],
  disabled: ['active', 'removed'],
  removed: [],
};

/** Whether a status leads to another; to itself it does not: then nothing changes. */
export function mayBecome(from: RegisterEntryStatus, to: RegisterEntryStatus): boolean {
  return STATUS_TRANSITIONS[from].includes(to);
}

/** Why a status cannot be set (CNF001); the status that an entry has already is no fault. */
export function statusViolations(from: RegisterEntryStatus, to: RegisterEntryStatus): Violation[] {
  if (from === to || mayBecome(from, to)) return [];
  return [{ code: 'CNF001', path: ['status'], message: `cannot become ${to}: it is ${from}` }];
}

/** The statuses that `active` asks for (3-decisions-c-d.md, D.1): only active entries, only others, or all, which is null. */
export function statusesOf(active: boolean | null | undefined): readonly RegisterEntryStatus[] | null {
  return active == null ? null : REGISTER_ENTRY_STATUSES.filter((status) => (status === 'active') === active);
}
