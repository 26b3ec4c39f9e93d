/** The least ratios that are accepted, baseline ÷ ours (issue 2, "Speed"); a measurement that is not named here is only reported. */
export const LIMITS: Readonly<Record<string, number>> = {
  /** At 32 connections. */
  verify: 1.0,
  /** At 1 connection: the p50 is at most 1.6 times the bare one. */
  'verify-p50': 1 / 1.6,
  register: 0.6,
  federated: 0.65,
  list: 0.6,
  /** Against 10 thousand records; and not further from it than the bare server's own ratio plus {@link BARE_MARGIN}. */
  'verify-1m': 0.85,
  'list-1m': 0.85,
  /** The time of a bare LISTEN and POST ÷ the time from commit to first POST, at a quarter of what the product can do. */
  'events-p50': 0.05,
  'events-p99': 0.04,
  deliveries: 0.4,
  /** The time in which a thousand deliveries are made ÷ the time from commit to arrival. */
  'withdrawals-beside-backlog': 1,
  /** The time to compile and to start PostgreSQL alone ÷ the time until `ready`. */
  'start-first': 0.4,
  'start-warm': 0.4,
  /** Processor time of counting alone ÷ that of reading (issue 5, "Measured"). */
  'grid-10': 0.7,
  'grid-50': 0.55,
  /** 150 MB ÷ what reading a streamed file of 50 MB adds to the idle process. */
  'grid-memory': 1,
  /** A file of 1 MB, at 32 connections (issue 5, "Measured"). */
  'grid-retrieval': 0.7,
  /** With three filters over 100,000 tariffs, at 32 connections (issue 6, "To show"). */
  tariffs: 0.7,
  /** The first page of 50,000 tariffs ÷ the last one. */
  'tariffs-deepest': 0.3,
  /** The processor time of London's time of 1,486 half-hours by Intl ÷ that of their prices. */
  'tariffs-prices-month': 1,
};

/** How much further than the bare server the product may fall when a table grows. */
export const BARE_MARGIN = 0.05;

/** The connections at which every comparison is made; the limits are those of the last. */
export const CONNECTIONS = [1, 8, 32] as const;

/** Interleaved rounds of a comparison. */
export const ROUNDS = 3;
