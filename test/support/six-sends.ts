import type { RetrySchedule } from '../../subgraphs/delivery/schedule';

/** Six sends, as the register makes them (2-decisions-a-b.md, section 6). */
export const SIX_SENDS: RetrySchedule = { delays: [60, 300, 1800, 7200, 86_400] };
