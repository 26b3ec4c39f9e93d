/** Minimum ratios, baseline ÷ product (issue 2, "Speed"); measurements without an entry are only reported. */
export const LIMITS: Readonly<Record<string, number>> = {
  /** At 32 connections and at one (issue 16, point 10). */
  verify: 1.6,
  'verify-alone': 0.75,
  /** At 1 connection: the p50 is at most 1.6 times that of the baseline. */
  'verify-p50': 1 / 1.6,
  /** Links between processes, at 32 connections and at one (issue 16, point 6). */
  'verify-two-processes': 1.0,
  'verify-two-processes-alone': 0.35,
  'verify-a-process-each': 0.6,
  'verify-a-process-each-alone': 0.2,
  /**
   * Processor time per request of one replica ÷ that of several on one PostgreSQL: constant within 5 % (issue 16, point
   * 9).
   */
  'replicas-2': 1 / 1.05,
  'replicas-4': 1 / 1.05,
  /** Against the same statements in a transaction, and against all rows in one statement (issue 16, point 10). */
  register: 0.6,
  'register-bare-one-statement': 0.9,
  federated: 0.65,
  /** Issue 16, point 10. */
  'federated-ad-hoc': 0.9,
  list: 0.8,
  /** Against a tenth of the records (issue 16, point 11). */
  'scale-verify': 0.9,
  'scale-list': 0.9,
  'scale-register': 0.9,
  'scale-revoke': 0.9,
  'scale-expiry-sweep': 0.9,
  'scale-event-log': 0.9,
  'scale-event-feed': 0.9,
  'scale-statistics': 0.9,
  'scale-total': 0.9,
  /**
   * The time of a bare LISTEN and POST ÷ the time from commit to first POST, at half of what the product can do (issue
   * 16, point 4).
   */
  'events-p99': 0.2,
  /** To one subscription and to twenty (issue 16, point 4). */
  'deliveries-one': 0.6,
  'deliveries-twenty': 0.8,
  /**
   * One second ÷ 99th percentile of the times from commit to arrival with a backlog of 100,000 (issue 16, point 3).
   */
  'withdrawals-beside-backlog': 1,
  /**
   * Statements with a thousand pending rows ÷ with a million; a withdrawal without subscriptions ÷ with ten thousand.
   */
  'delivery-claim': 0.5,
  'delivery-read': 0.5,
  'withdrawal-transaction': 0.8,
  /** Time to compile and to start PostgreSQL alone ÷ time until `ready`. */
  'start-first': 0.4,
  'start-warm': 0.4,
  /** Processor time of counting ÷ that of reading (issue 17, "Figures"). */
  'grid-10': 0.8,
  'grid-50': 0.8,
  /** 150 MB ÷ the memory that reading a streamed file of 50 MB adds to the idle process. */
  'grid-memory': 1,
  /** A project of 10 MB applied to a base model of 100 MB, and 400 MB ÷ its memory (issue 17, "Figures"). */
  'grid-base': 0.4,
  'grid-base-memory': 1,
  /** A file of 1 MB, at 32 connections (issue 5, "Measured") and at one (issue 17, "Figures"). */
  'grid-retrieval': 0.7,
  'grid-retrieval-alone': 0.8,
  /** With three filters over 100,000 tariffs, at 32 connections (issue 6, "To show"). */
  tariffs: 0.7,
  /** A page of 100 whole tariffs, at 32 connections (issue 17, "Figures"). */
  'tariffs-whole': 0.7,
  /** The first page of 50,000 tariffs ÷ the one in the middle, and ÷ the last one (issue 17, point 6). */
  'tariffs-middle': 0.7,
  'tariffs-deepest': 0.7,
  /** Processor time of the London time of 1,486 half-hours by Intl ÷ that of their prices. */
  'tariffs-prices-month': 1,
  /**
   * The p99 of verification at half of its maximum, alone ÷ beside two requests a second for a year of prices, cached and computed ones
   * (issue 17, point 5).
   */
  'prices-beside-verify': 1 / 1.2,
  'new-prices-beside-verify': 1 / 1.2,
};

/** The connections at which every comparison is made; the limits are those of the last. */
export const CONNECTIONS = [1, 8, 32] as const;

/** Number of interleaved rounds of a comparison. */
export const ROUNDS = 3;
