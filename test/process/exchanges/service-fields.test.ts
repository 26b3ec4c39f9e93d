import { join } from 'node:path';
import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { type GraphQLFieldConfig, GraphQLString, Kind } from 'graphql';
import { SERVICES, SUBGRAPHS, type Subgraph } from '../../../process/settings/keys';
import { operationsOf, parsedDocumentsIn } from '../../../schema/operation-documents';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { accessSchema } from '../../../subgraphs/access/schema';
import { gridModelSchema } from '../../../subgraphs/grid-models/schema';
import { identitySchema } from '../../../subgraphs/identity/schema';
import type { ServiceName } from '../../../subgraphs/server/callers/caller';
import { SERVICE_RIGHTS } from '../../../subgraphs/server/callers/service-rights';
import { remoteLink } from '../../../subgraphs/server/graph/remote-link';
import { subgraphCalls } from '../../../subgraphs/server/graph/subgraph-calls';
import { localLink } from '../../../subgraphs/server/graph/subgraph-link';
import type { SubgraphSchema } from '../../../subgraphs/server/graph/subgraph-schema';
import { tariffSchema } from '../../../subgraphs/tariffs/schema';
import { LinkedServices } from '../../support/linked-installation';

const SCHEMAS: Readonly<Record<Subgraph, () => Promise<SubgraphSchema>>> = {
  access: accessSchema,
  identity: identitySchema,
  'grid-models': gridModelSchema,
  tariffs: tariffSchema,
};

/** Operations with which the gateway identifies callers; each subgraph sends them for the clients of other routers. */
const IDENTIFYING: readonly string[] = ['admission', 'supplierAdmission', 'customerAdmission', 'consumerAdmission'];

/** An operation that the gateway sends in the name of a caller. */
const IN_THE_NAME_OF_CALLERS = 'tariffEventAdmission';

/**
 * Returns the root fields `Query.name` that a service selects in its operations on a subgraph, with the name of the
 * operation.
 */
function serviceQueriesOf(from: ServiceName, to: Subgraph): (readonly [field: string, operationName: string])[] {
  const folder = join(REPOSITORY_ROOT, from === 'gateway' ? '' : 'subgraphs', from, 'service-queries', to);
  const operations = [...operationsOf(parsedDocumentsIn(folder))].filter(([name]) => name !== IN_THE_NAME_OF_CALLERS);
  return operations.flatMap(([operationName, { operation, selectionSet }]) =>
    selectionSet.selections.map((selection) => {
      if (selection.kind !== Kind.FIELD) throw new Error(`${operationName} has a fragment`);
      return [`${operation === 'query' ? 'Query' : 'Mutation'}.${selection.name.value}`, operationName] as const;
    }),
  );
}

const CALLING_PAIRS: readonly (readonly [ServiceName, Subgraph])[] = [
  ['gateway', 'access'],
  ['gateway', 'identity'],
  ['gateway', 'tariffs'],
  ['access', 'identity'],
  ['identity', 'access'],
  ['grid-models', 'access'],
];

/** Returns which services need each field of a subgraph, as audiences. */
function neededOf(to: Subgraph): Record<string, string[]> {
  const needed: Record<string, Set<ServiceName>> = {};
  const identifying = SUBGRAPHS.filter((name) => name === to || SERVICE_RIGHTS[name][to] !== undefined);
  for (const [from] of CALLING_PAIRS.filter((pair) => pair[1] === to)) {
    for (const [field, operationName] of serviceQueriesOf(from, to)) {
      const others = IDENTIFYING.includes(operationName) ? identifying : [];
      for (const name of [from, ...others]) (needed[field] ??= new Set()).add(name);
    }
  }
  return Object.fromEntries(Object.entries(needed).map(([field, names]) => [field, audienceOf([...names])]));
}

const audienceOf = (names: readonly ServiceName[]) => names.map((name) => `service:${name}`).toSorted();

/** Returns the fields of a subgraph that services may call, with these services. */
function calledByServices({ audiences }: SubgraphSchema): Record<string, string[]> {
  const services = Object.entries(audiences).map(
    ([field, all]) => [field, all.filter((each) => each.startsWith('service')).toSorted()] as const,
  );
  return Object.fromEntries(services.filter(([, names]) => names.length > 0));
}

/** Fields that federation adds for routers. */
const FEDERATION_FIELDS = ['Query._entities', 'Query._service'];

/** Returns the same fields without arguments, so that a query consists of a name. Their resolvers need a database. */
function withoutArguments({ schema }: SubgraphSchema) {
  return mapSchema(schema, {
    [MapperKind.ROOT_FIELD]: (field: GraphQLFieldConfig<unknown, unknown>) => ({
      ...field,
      args: {},
      type: GraphQLString,
    }),
  });
}

describe.each(SUBGRAPHS)('The fields of %s that services may call', (to) => {
  let services: LinkedServices;
  let built: SubgraphSchema;
  beforeAll(async () => {
    services = new LinkedServices();
    built = await SCHEMAS[to]();
  });
  afterAll(() => services.close());

  it('name the services whose queries select them, and no other service', () => {
    expect(calledByServices(built)).toEqual(neededOf(to));
  });

  it('reject every other service, as all other root fields do, also those for unauthenticated clients and for routers', async () => {
    const fields = [...Object.keys(built.audiences), ...FEDERATION_FIELDS];
    const link = localLink(to, withoutArguments(built), services.logger);
    const verifier = { verify: () => Promise.reject(new Error('no bearer token is sent')) };
    const { url } = await services.serve(to, subgraphCalls({ name: to, link, verifier }));
    const callers = SERVICES.filter((from) => ['callers', 'own account'].includes(SERVICE_RIGHTS[from][to] ?? ''));
    for (const from of callers) {
      const remote = remoteLink(to, services.link(from, to, url));
      for (const field of fields) {
        services.lines.length = 0;
        const [type, name] = field.split('.');
        await remote.execute(
          { query: `${type?.toLowerCase()} { ${name} }` },
          { caller: null, service: from, transactionId: 'tid_1', clientAddress: '192.0.2.1' },
        );
        const isRejected = services.lines.join('').includes('"kind":"ServiceRefused"');
        const isCallable = built.audiences[field]?.includes(`service:${from}`) ?? false;
        expect([from, field, isRejected]).toEqual([from, field, !isCallable]);
      }
    }
  });
});
