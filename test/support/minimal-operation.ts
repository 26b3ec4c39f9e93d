import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

/** Arbitrary well-formed values of the register's scalars. */
const SCALARS: Readonly<Record<string, string>> = {
  AccessKey: `"ak_${'0'.repeat(24)}"`,
  ConsentKey: `"ck_${'0'.repeat(24)}"`,
  IdentityRecordKey: `"ir_${'0'.repeat(24)}"`,
  DUID: `"duid_${'0'.repeat(24)}"`,
  CredentialId: `"cred_${'0'.repeat(24)}"`,
  TokenRef: `"mlr_${'0'.repeat(24)}"`,
  WebhookId: `"wid_${'0'.repeat(24)}"`,
  EventId: `"evt_${'0'.repeat(24)}"`,
  MPxN: '"1012345678"',
  ProjectId: '"P1"',
  PublicationPeriod: '"01"',
  Date: '"2026-01-05"',
  DateTime: '"2026-01-05T00:00:00Z"',
  URI: '"nowhere"',
  Int: '0',
  Float: '0',
  Boolean: 'false',
  JSONObject: '{}',
};

/**
 * Returns the smallest operation of a root field such as `Query.accessRecords`: required arguments only, one leaf
 * selected.
 */
export function minimalOperation(schema: GraphQLSchema, rootField: string): string {
  const [root = '', name = ''] = rootField.split('.');
  const type = schema.getType(root);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) throw new Error(`the API schema has no ${rootField}`);
  return `${root.toLowerCase()} { ${name}${argumentsOf(field)}${selectionOf(field.type)} }`;
}

function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${literal(type)}`);
  return required.length === 0 ? '' : `(${required.join(', ')})`;
}

function literal(given: GraphQLInputType): string {
  const type = getNullableType(given);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? '""';
  const required = Object.values(type.getFields()).filter(isRequiredInputField);
  return `{ ${required.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')} }`;
}

function selectionOf(type: GraphQLOutputType): string {
  return isLeafType(getNamedType(type)) ? '' : ' { __typename }';
}
