/**
 * Numbers of the advisory locks of the database; each number is unique. A lock on one row or process uses a hash of its
 * name instead (`hashtextextended`).
 */
export const ADVISORY_LOCKS = {
  /**
   * Held by the process that migrates, or by a restore while it drops the remains of an unfinished one. Backups
   * share it while they lock the tables.
   */
  migration: 7_423_001,
  /** Held by the transaction that moves the clock. */
  clock: 7_423_002,
  /** Held by the transaction that applies due scheduled changes, so that such transactions run one after the other. */
  effects: 7_423_003,
  /** Held by the process that extends the list of anonymised records. */
  anonymisedList: 7_423_004,
  /** Held by the transaction that starts an epoch of an event log. */
  eventEra: 7_423_005,
  /** Held by the transaction that rebuilds the function of terminations (migration 0013 of `access`). */
  terminations: 7_423_006,
  /** Held by a restore from its start to its end: a second one in the same database fails. */
  restore: 7_423_007,
} as const;
