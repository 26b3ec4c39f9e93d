import { DATA_TYPES } from '../../../schema/data-types';
import { described, graphqlEnum } from './graphql.enums';

/** DataType of the graph, which is one enum of all subgraphs that have it: they compose only while it is the same. */
export const DataTypeEnum = graphqlEnum(
  'DataType',
  'A category of meter data.',
  described(DATA_TYPES, (value) => `Data category ${value}.`),
);
