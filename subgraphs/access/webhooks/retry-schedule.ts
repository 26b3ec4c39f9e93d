import type { RetrySchedule } from '../../delivery/schedule';

/** When a webhook is tried again: after 1 minute, 5 minutes, 30 minutes, 2 hours and 24 hours (2-decisions-a-b.md, section 6). */
export const WEBHOOK_SCHEDULE: RetrySchedule = { delays: [60, 300, 1_800, 7_200, 86_400] };
