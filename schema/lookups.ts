/** Bound of the lookups that `access` and `identity` each return for one page of "Who looked" (decisions A/B, 10). */
export const MAX_LOOKUPS = 500;
