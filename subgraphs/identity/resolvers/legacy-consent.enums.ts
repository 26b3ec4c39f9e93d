import { registerEnumType } from 'type-graphql';
import { DATA_TYPES, type DataType } from '../../../schema/data-types';
import { enumName } from '../../../schema/naming';

/** DataType of the graph; `access` has the same enum, and they compose only while they are the same. */
export const DataTypeEnum = Object.fromEntries(DATA_TYPES.map((value) => [enumName(value), value])) as Record<
  string,
  DataType
>;
registerEnumType(DataTypeEnum, {
  name: 'DataType',
  description: 'A category of meter data.',
  valuesConfig: Object.fromEntries(
    DATA_TYPES.map((value) => [enumName(value), { description: `Data category ${value}.` }]),
  ),
});
