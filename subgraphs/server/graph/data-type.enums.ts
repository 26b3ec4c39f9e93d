import { type DataType, DATA_TYPE_DESCRIPTIONS } from '../../../schema/data-types';
import { graphqlEnum } from './graphql.enums';

/** DataType of the graph, which is one enum of all subgraphs that have it: they compose only while it is the same. */
export const DataTypeEnum = graphqlEnum<DataType>('DataType', 'A category of meter data.', DATA_TYPE_DESCRIPTIONS);
