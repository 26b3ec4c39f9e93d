/** Data categories of access records and of consents (specification, Interface B: consent registration data), described. */
export const DATA_TYPE_DESCRIPTIONS = {
  'HH-CONSUMPTION': 'Energy consumed in each half-hour.',
  'HH-EXPORT': 'Energy exported in each half-hour.',
  'MTH-CONSUMPTION': 'Energy consumed in each month.',
  'MTH-EXPORT': 'Energy exported in each month.',
  'ANNUAL-CONSUMPTION': 'Energy consumed in each year.',
  'ANNUAL-EXPORT': 'Energy exported in each year.',
  'TARIFF-IMPORT': 'The tariff for consumed energy.',
  'TARIFF-EXPORT': 'The tariff for exported energy.',
} as const;

/** A category of meter data. */
export type DataType = keyof typeof DATA_TYPE_DESCRIPTIONS;

/** All data categories, in the order of the specification. */
export const DATA_TYPES = Object.keys(DATA_TYPE_DESCRIPTIONS) as readonly DataType[];
