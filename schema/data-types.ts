/** Data categories of access records and of consents (specification, Interface B: consent registration data). */
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
