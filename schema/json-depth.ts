/** Maximum levels of objects and arrays in the JSON of a request, far above any request of the contracts. */
export const MAX_JSON_DEPTH = 64;

/** Returns whether objects and arrays are nested more than `levels` deep; reads at most one level more. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each));
}
