/** Half-hours of a local day by wall time. A day on which the clocks change has 46 or 50 elapsed half-hours. */
export const HALF_HOURS_PER_DAY = 48;

/** Length of a half-hour in milliseconds. */
export const HALF_HOUR_MS = 30 * 60 * 1_000;
