/** Data categories (1-specification.md, "Interface B: consent registration data"), for access records as well: each value once, here. */
export const DATA_TYPES = [
  'HH-CONSUMPTION',
  'HH-EXPORT',
  'MTH-CONSUMPTION',
  'MTH-EXPORT',
  'ANNUAL-CONSUMPTION',
  'ANNUAL-EXPORT',
  'TARIFF-IMPORT',
  'TARIFF-EXPORT',
] as const;

/** A category of meter data. */
export type DataType = (typeof DATA_TYPES)[number];
