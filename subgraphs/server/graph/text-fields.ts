import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type DocumentNode,
  type GraphQLFieldConfig,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  OperationTypeNode,
  getNamedType,
  isObjectType,
  visit,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields';
import type { CallContext } from '../callers/caller';
import { JSON_TEXT } from './json-text';
import type { WrittenField } from './list-writer';

/** Name of the extension of a field that {@link textSchema} turned into a text: the type of the list. */
const LIST_TYPE = 'listType';

/**
 * Returns the schema that executes the operations of callers that accept {@link JsonText}: the fields `Type.field` of `textFields`, which
 * are lists of objects, return one text each. Arguments and resolvers stay; documents are validated against `schema`.
 */
export function textSchema(schema: GraphQLSchema, textFields: readonly string[]): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (
      field: GraphQLFieldConfig<unknown, CallContext>,
      name: string,
      type: string,
    ): GraphQLFieldConfig<unknown, CallContext> =>
      textFields.includes(`${type}.${name}`)
        ? { ...field, type: JSON_TEXT, extensions: { ...field.extensions, [LIST_TYPE]: field.type } }
        : field,
  });
}

/** Returns true if a document of queries selects a field with the name of a text field, whatever its type. */
export function selectsTextField(document: DocumentNode, textFields: readonly string[]): boolean {
  const names = textFields.map((field) => field.split('.')[1]);
  let [isQuery, found] = [true, false];
  visit(document, {
    OperationDefinition: ({ operation }) => void (isQuery &&= operation === OperationTypeNode.QUERY),
    Field: ({ name }) => void (found ||= names.includes(name.value)),
  });
  return isQuery && found;
}

/**
 * Returns the selected fields of a list for {@link listWriter}; undefined if the caller of the operation does not accept a {@link
 * JsonText}.
 */
export function textFieldsOf(info: GraphQLResolveInfo): readonly WrittenField[] | undefined {
  const listType = info.parentType.getFields()[info.fieldName]?.extensions[LIST_TYPE];
  return listType === undefined ? undefined : selectedFields(info, listType as never, info.fieldNodes);
}

function selectedFields(
  info: GraphQLResolveInfo,
  type: GraphQLOutputType,
  nodes: GraphQLResolveInfo['fieldNodes'],
): WrittenField[] {
  const { schema, fragments, variableValues } = info;
  const object = schema.getType(getNamedType(type).name); // types of fragments are those of the executed schema
  if (!isObjectType(object)) throw new Error('a text field is a list of objects');
  const collected = collectSubfields(schema, fragments, variableValues, object, nodes);
  return Array.from(collected, ([key, fieldNodes]): WrittenField => {
    const name = fieldNodes[0]?.name.value ?? '';
    const field = object.getFields()[name];
    if (field === undefined) return { key, name, constant: object.name };
    const isObject = isObjectType(getNamedType(field.type));
    return { key, name, ...(isObject ? { fields: selectedFields(info, field.type, fieldNodes) } : {}) };
  });
}
