/**
 * Every number of an advisory lock in the database: each names one lock, so the numbers are unique. Locks of one row or
 * process are named by a hash instead: `hashtextextended`.
 */
export const ADVISORY_LOCKS = {
  /** Held by the process that migrates, or restores. */
  migration: 7_423_001,
  /** Held by the transaction that moves the clock. */
  clock: 7_423_002,
  /** Held by the transaction that lets planned effects happen, one transaction after the other. */
  effects: 7_423_003,
  /** Held by the process that adds to the list of what was anonymised. */
  anonymisedList: 7_423_004,
  /** Held by the transaction that begins an era of an event log. */
  eventEra: 7_423_005,
} as const;
