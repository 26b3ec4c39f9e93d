/** Live Identity Records that a Data User may have for a meter point and occupancy (2-decisions-a-b.md, section 4). */
export const MOST_RECORDS_OF_DATA_USER = 5;
