import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  buildSchema,
  isSpecifiedScalarType,
  parse,
  specifiedDirectives,
  validate,
} from 'graphql';
import { SERVICES } from '../../process/settings/keys';
import { CONSUMER_SCOPES } from '../../schema/consumer-claims';
import { ACCOUNT_ROLES } from '../../schema/roles';
import { SAMPLE_QUERIES, VERIFY_QUERY } from '../../gateway/explorer/landing-pages';
import { apiSchemaOf } from '../../gateway/supergraph';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { validateDocuments, writeGenerated } from '../../schema/build/compose';

const GENERATED = join(REPOSITORY_ROOT, 'schema', 'generated');

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');
const contents = (folder: string) => Object.fromEntries(readdirSync(folder).map((file) => [file, read(folder, file)]));
const apiSchema = (): GraphQLSchema => apiSchemaOf(read(GENERATED, 'supergraph.graphql'));
const audiences = () => JSON.parse(read(GENERATED, 'audiences.json')) as Record<string, string[]>;

function rootFieldsOf(schema: GraphQLSchema): string[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.flatMap((root) => Object.keys(root?.getFields() ?? {}).map((field) => `${root?.name}.${field}`));
}

const ROOTS = { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' } as const;

/** Root fields of the operation of a trusted document. */
function rootNamesOf({ definitions }: DocumentNode): string[] {
  const operation = definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION) as OperationDefinitionNode;
  const selected = operation.selectionSet.selections as readonly FieldNode[];
  return selected.map(({ name }) => `${ROOTS[operation.operation]}.${name.value}`);
}

function undescribedIn(schema: GraphQLSchema): string[] {
  const named = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
  );
  return named.flatMap((type) => {
    const isRoot = rootFieldsOf(schema).some((field) => field.startsWith(`${type.name}.`));
    const fields: (GraphQLField<unknown, unknown> | GraphQLInputField)[] =
      isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
    const bare = fields.filter((field) => !field.description).map((field) => `${type.name}.${field.name}`);
    return type.description || isRoot ? bare : [type.name, ...bare];
  });
}

/** Returns an input type and the input types of its members. */
function inputsOf(type: GraphQLInputType): GraphQLInputObjectType[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return [];
  return [named, ...Object.values(named.getFields()).flatMap((member) => inputsOf(member.type))];
}

/** Defaults that have been part of the hash of a body from the first release of their operation. Do not add to this list. */
const FORMER_DEFAULTS = [
  'IdentityRecordInput.initiatePasskeyRegistration = false',
  'WebhookInput.notifyDaysBefore = 30',
];

describe('the generated schema', () => {
  it('is up to date with subgraphs and operations: run `npm run schema` after a change', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'generated-schema-'));
    try {
      await writeGenerated(fresh);
      expect(readdirSync(GENERATED).toSorted()).toEqual(readdirSync(fresh).toSorted());
      expect(contents(GENERATED)).toEqual(contents(fresh));
    } finally {
      rmSync(fresh, { recursive: true });
    }
  });

  it('is not generated while a trusted document does not match it: all problems are listed', () => {
    const documents = { Broken: 'query Broken { nothing }', Empty: 'query Empty { accessRecord { nothing } }' };
    expect(() => validateDocuments(apiSchema(), documents)).toThrow(
      /Broken: Cannot query field "nothing"[^]*Empty: Cannot query field "nothing"/,
    );
  });

  it('states for every root field who may call it', () => {
    const declared = audiences();
    const byScope = CONSUMER_SCOPES.map((scope) => `consumer:${scope}`);
    const byService = SERVICES.map((name) => `service:${name}`);
    const known = [
      ...ACCOUNT_ROLES,
      'customer',
      'consumer',
      ...byScope,
      'inactive_consumer',
      'anyone',
      'public',
      ...byService,
    ];
    const undeclared = rootFieldsOf(apiSchema()).filter((field) => !declared[field]?.length);
    expect(undeclared).toEqual([]);
    expect(
      Object.values(declared)
        .flat()
        .filter((role) => !known.includes(role)),
    ).toEqual([]);
  });

  it('names in the description of each field of clients the roles that may call it', () => {
    const schema = apiSchema();
    const described = (name: string) => {
      const [root, field] = name.split('.') as [string, string];
      return (schema.getType(root) as GraphQLObjectType).getFields()[field]?.description ?? '';
    };
    const openTo = (roles: readonly string[]) => roles.includes('anyone') || roles.includes('public');
    const missing = Object.entries(audiences()).flatMap(([name, roles]) => {
      if (!rootFieldsOf(schema).includes(name)) return [];
      const named = roles.filter((role) => !/^(service|inactive_)/.test(role)).map((role) => role.split(':').at(-1));
      const expected = openTo(roles) ? ['all, also without a token'] : named;
      return expected
        .filter((role) => !/ Roles: (.*)\.$/.exec(described(name))?.[1]?.includes(role as string))
        .map((role) => `${name}: ${role}`);
    });
    expect(missing).toEqual([]);
  });

  it('has no field for services only in the client schema', () => {
    const internal = Object.entries(audiences()).filter(([, roles]) =>
      roles.every((role) => role.startsWith('service:')),
    );
    expect(internal.length).toBeGreaterThan(0);
    const shown = rootFieldsOf(apiSchema());
    expect(internal.map(([field]) => field).filter((field) => shown.includes(field))).toEqual([]);
  });

  it.each([...new Set(Object.values(SAMPLE_QUERIES)), VERIFY_QUERY])(
    'accepts the first queries of the pages for developers',
    (query) => {
      expect(validate(apiSchema(), parse(query))).toEqual([]);
    },
  );

  describe('for clients', () => {
    const client = buildSchema(read(GENERATED, 'client-schema.graphql'));
    const fields = rootFieldsOf(client);

    it('has exactly the operations that a client outside the back office and the portal may call', () => {
      const clients = ACCOUNT_ROLES.filter((role) => role !== 'admin' && role !== 'analyst');
      const others = new Set<string>([...clients, 'consumer', 'anyone', 'public']);
      const expected = Object.entries(audiences()).flatMap(([field, roles]) =>
        roles.some((role) => others.has(role.split(':')[0] as string)) ? [field] : [],
      );
      expect(fields.toSorted()).toEqual(expected.toSorted());
    });

    it('does not show what only the back office or the portal uses', () => {
      for (const field of ['Query.accounts', 'Mutation.onboardAccount', 'Query.customerSession', 'Query.admission'])
        expect(fields).not.toContain(field);
      for (const type of ['Account', 'AuditEntry', 'RtiUserInput', 'CustomerSession'])
        expect(client.getType(type)).toBeUndefined();
    });

    it('is without directives of federation', () => {
      expect(client.getDirectives().map(({ name }) => name)).toEqual(specifiedDirectives.map(({ name }) => name));
    });

    it.each(['data_user', 'supplier'])('validates the operations of REST routes of the role %s', (role) => {
      const documents = JSON.parse(read(GENERATED, 'trusted-documents.json')) as Record<string, string>;
      const mine = Object.values(documents).filter((text) => {
        const names = rootNamesOf(parse(text));
        return names.every((name) => audiences()[name]?.includes(role));
      });
      expect(mine.length).toBeGreaterThan(2);
      expect(mine.flatMap((text) => validate(client, parse(text)).map(({ message }) => message))).toEqual([]);
    });
  });

  it('has a default for the size and the position of every page, and permits null there', () => {
    const types = Object.values(apiSchema().getTypeMap()).filter(isObjectType);
    const required = types.flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, args }) =>
        args
          .filter((each) => ['first', 'limit', 'offset'].includes(each.name))
          .filter((each) => typeof each.defaultValue !== 'number' || isNonNullType(each.type))
          .map((each) => `${type.name}.${name}(${each.name})`),
      ),
    );
    expect(required).toEqual([]);
  });

  it('describes every type and every field', () => {
    expect(undescribedIn(apiSchema())).toEqual([]);
  });

  it('has every field that a trusted document selects', () => {
    const schema = apiSchema();
    const documents = JSON.parse(read(GENERATED, 'trusted-documents.json')) as Record<string, string>;
    const faults = Object.entries(documents).flatMap(([name, text]) =>
      validate(schema, parse(text)).map((error) => `${name}: ${error.message}`),
    );
    expect(faults).toEqual([]);
  });

  /** An added member with another default would change the hash of a body that was sent before an upgrade (`contentText`). */
  it('has the default null for each new optional member of a body with an idempotency key', () => {
    const mutations = Object.values(apiSchema().getMutationType()?.getFields() ?? {});
    const repeatable = mutations.filter(({ args }) => args.some(({ name }) => name === 'idempotencyKey'));
    expect(repeatable.length).toBeGreaterThan(5);
    const inputs = new Set(repeatable.flatMap(({ args }) => args.flatMap(({ type }) => inputsOf(type))));
    const defaults = [...inputs].flatMap((input) =>
      Object.values(input.getFields())
        .filter(({ defaultValue }) => defaultValue != null)
        .map(({ name, defaultValue }) => `${input.name}.${name} = ${String(defaultValue)}`),
    );
    expect(defaults.toSorted()).toEqual(FORMER_DEFAULTS);
  });
});
