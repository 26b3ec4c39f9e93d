import type { DataType } from '../../../schema/data-types';
import { graphqlEnum } from './graphql.enums';

/** DataType of the graph, which is one enum of all subgraphs that have it: they compose only while it is the same. */
export const DataTypeEnum = graphqlEnum('DataType', 'A category of meter data.', {
  'HH-CONSUMPTION': 'Energy consumed in each half-hour.',
  'HH-EXPORT': 'Energy exported in each half-hour.',
  'MTH-CONSUMPTION': 'Energy consumed in each month.',
  'MTH-EXPORT': 'Energy exported in each month.',
  'ANNUAL-CONSUMPTION': 'Energy consumed in each year.',
  'ANNUAL-EXPORT': 'Energy exported in each year.',
  'TARIFF-IMPORT': 'The tariff for consumed energy.',
  'TARIFF-EXPORT': 'The tariff for exported energy.',
} satisfies Record<DataType, string>);
