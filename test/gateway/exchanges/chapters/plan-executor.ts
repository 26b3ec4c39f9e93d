import { type ExecutionResult, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import pino from 'pino';
import { prepareOperation } from '../../../../gateway/requests/prepared-operation';
import { formatError } from '../../../../gateway/requests/error-format';
import { type LoadedSupergraph, loadSupergraph } from '../../../../gateway/supergraph';
import type { CallContext } from '../../../../subgraphs/server/callers/caller';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { CLIENT_SDL, KEYS, counted, twoSubgraphs, unreachable } from '../../../support/two-subgraphs';

export function planExecutor(): void {
  const logger = pino({ level: 'silent' });

  const SIGNED_IN: CallContext = {
    caller: { accountId: 'acc_1', role: 'data_user', duid: `duid_${'a'.repeat(24)}`, mpid: null },
    service: null,
    transactionId: 'tid_1',
    clientAddress: '127.0.0.1',
  };
  const ANONYMOUS: CallContext = { ...SIGNED_IN, caller: null };

  const BY_KEY = 'query Verify($key: AccessKey!)';
  const DOCUMENTS: Record<string, string> = {
    'a record alone': `${BY_KEY} { accessRecord(key: $key) { state processing { dataTypes purpose } } }`,
    'aliases, fragments and fields that are merged': `${BY_KEY} {
    record: accessRecord(key: $key) { ...state what: processing { why: purpose } what: processing { dataTypes } }
  } fragment state on AccessRecord { ... on AccessRecord { now: state } state }`,
    '__typename at every level': `${BY_KEY} { __typename accessRecord(key: $key) { __typename processing { kind: __typename purpose } } }`,
    'the response key __proto__, which the general executor runs': `${BY_KEY} {
    accessRecord(key: $key) { __proto__: __typename state identityRecord { hasEmail } }
  }`,
    'a record with its Data User and Identity Record': `${BY_KEY} {
    accessRecord(key: $key) { state identityRecord { hasEmail address { postcode } } dataUser { displayName } }
  }`,
    'the key of the other subgraph under an alias': `${BY_KEY} {
    accessRecord(key: $key) { identityRecord { key: id mail: hasEmail __typename } }
  }`,
    'fields in an order other than that of the plan': `${BY_KEY} {
    accessRecord(key: $key) { identityRecord { address { postcode } id hasEmail } state id }
  }`,
    'a list whose entries lead to the other subgraph': `query List($first: Int) {
    accessRecords(first: $first) { totalCount nodes { id identityRecord { id address { postcode } } dataUser { displayName } } }
  }`,
    'a list whose entries lead to nullable fields of the other subgraph only': `query List($first: Int) {
    accessRecords(first: $first) { nodes { identityRecord { address { postcode } } } }
  }`,
    'three stages: meter point, its records, their Identity Records': `query Stages($mpxn: MPxN!, $first: Int! = 4) {
    meterPoint(mpxn: $mpxn) { kind page: accessRecords(first: $first) { nodes { state identityRecord { hasEmail } } totalCount } }
  }`,
    'two root fields of two subgraphs': `query Both($mpxn: MPxN!, $key: AccessKey!) {
    meterPoint(mpxn: $mpxn) { id kind } accessRecord(key: $key) { state }
    other: accessRecord(key: "${KEYS.own}") { identityRecord { hasEmail } }
  }`,
    'two root fields of two subgraphs, for signed-in callers': `query Both($first: Int) {
    page: accessRecords(first: $first) { totalCount } own: ownIdentityRecord { hasEmail }
  }`,
    'a mutation whose answer leads to the other subgraph': `mutation Register($input: RecordInput!) {
    registerAccessRecord(input: $input) { controllerCount record { identityRecord { address { postcode } } } }
  }`,
    'conditions, which the general executor runs': `query Conditional($key: AccessKey!, $with: Boolean! = false) {
    accessRecord(key: $key) { state identityRecord @include(if: $with) { hasEmail } }
  }`,
    'conditions on a variable that may be absent, which the general executor runs': `query Conditional($key: AccessKey!, $first: Int, $with: Boolean = true) {
    accessRecord(key: $key) { state id @skip(if: $with) } accessRecords(first: $first) { totalCount @include(if: $with) }
  }`,
    'conditions on a required variable, which the general executor runs': `query Conditional($key: AccessKey!, $has: Boolean!) {
    accessRecord(key: $key) { state id @skip(if: $has) identityRecord @include(if: $has) { hasEmail } }
  }`,
    'a fragment that is spread with a condition and without, which the general executor runs': `query Conditional($key: AccessKey!, $has: Boolean!) {
    accessRecord(key: $key) { summary: processing { dataTypes ...why @skip(if: $has) } processing { ...why } }
  } fragment why on Processing { purpose about: dataTypes }`,
    'a variable within an object that may be absent': `mutation Register($counted: Boolean) {
    registerAccessRecord(input: { purpose: "p", controllers: [{ name: "c" }], areCounted: $counted }) { controllerCount }
  }`,
  };

  const INPUT = { purpose: 'p', controllers: [{ name: 'c' }] };
  const VARIABLES: Record<string, unknown>[] = [
    ...Object.values(KEYS).map((key) => ({ key, mpxn: '1234567890', first: 2, input: INPUT, has: true })),
    { key: KEYS.own, mpxn: 'AB12345678', first: 500, input: { ...INPUT, purpose: 'refused' }, with: true, has: false },
  ];

  /** A response as the client sees it; the general executor's errors of parallel fetches have no defined order. */
  function seen({ data, errors }: ExecutionResult) {
    const texts = errors?.map((error) => JSON.stringify(formatError(error))).toSorted();
    return { text: JSON.stringify(data), errors: texts };
  }

  function operationOf(source: string, name: string) {
    const document = parse(source, { noLocation: true });
    const operation = document.definitions.find(
      (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
    );
    if (!operation) throw new Error('no operation');
    return { document, source, operation, operationName: operation.name?.value, queryHash: name };
  }

  async function prepare(supergraph: LoadedSupergraph, name: string, isTrusted = true) {
    const operation = operationOf(DOCUMENTS[name] ?? '', name);
    expect(validate(supergraph.apiSchema, operation.document)).toEqual([]);
    const prepared = prepareOperation(operation, { supergraph, audiences: {}, introspection: [], logger }, isTrusted);
    return { operation, prepared };
  }

  async function supergraphOver(change: (links: SubgraphLink[]) => SubgraphLink[]): Promise<LoadedSupergraph> {
    const { supergraphSdl, links } = await twoSubgraphs(logger);
    return loadSupergraph(supergraphSdl, CLIENT_SDL, change(links), logger);
  }

  describe('a compiled plan returns the same result as the federation gateway', () => {
    const settings: [string, (links: SubgraphLink[]) => SubgraphLink[], CallContext][] = [
      ['a signed-in caller', (links) => links, SIGNED_IN],
      ['a caller without a token', (links) => links, ANONYMOUS],
      ['subgraph identity unavailable', ([access]) => [access as SubgraphLink, unreachable('identity')], SIGNED_IN],
      ['subgraph access unavailable', (links) => [unreachable('access'), links[1] as SubgraphLink], SIGNED_IN],
    ];
    describe.each(settings)('with %s', (_, change, context) => {
      it.each(Object.keys(DOCUMENTS))('for the document %s', async (name) => {
        const supergraph = await supergraphOver(change);
        const { operation, prepared } = await prepare(supergraph, name);
        for (const variables of VARIABLES) {
          const general = await supergraph
            .execute(operation, variables, context)
            .catch((error: Error) => ({ errors: [error as never] }));
          const compiled = await prepared.execute(variables, context);
          expect(seen(compiled)).toEqual(seen(general));
        }
      });
    });
  });

  describe('an operation that is not a trusted document', () => {
    /** More executions than those after which subgraphs compile a document. */
    const OFTEN = 101;

    it.each(Object.keys(DOCUMENTS))('returns the same result however often it is executed: %s', async (name) => {
      const supergraph = await supergraphOver((links) => links);
      const { prepared } = await prepare(supergraph, name, false);
      const resultsOf = async () => {
        const results = [];
        for (const variables of VARIABLES)
          for (const context of [SIGNED_IN, ANONYMOUS]) results.push(seen(await prepared.execute(variables, context)));
        return results;
      };
      const first = await resultsOf();
      for (let count = 0; count < OFTEN; count += 1) await prepared.execute(VARIABLES[0] ?? {}, SIGNED_IN);
      expect(await resultsOf()).toEqual(first);
    });
  });

  describe('plans of trusted documents', () => {
    it('are compiled, except with conditions', async () => {
      const supergraph = await supergraphOver((links) => links);
      const compiled = await Promise.all(
        Object.keys(DOCUMENTS).map(async (name) => [name, (await prepare(supergraph, name)).prepared.plan()]),
      );
      const general = compiled.filter(([, isCompiled]) => !isCompiled).map(([name]) => name);
      expect(general).toEqual(
        Object.keys(DOCUMENTS).filter((name) => name.includes('which the general executor runs')),
      );
    });

    it('query a subgraph once for all entities of a list, with one reference for each entity', async () => {
      const sent: { query: string; variables?: unknown }[][] = [];
      const supergraph = await supergraphOver((links) =>
        links.map((link) => {
          const way = counted(link);
          sent.push(way.sent);
          return way;
        }),
      );
      const { prepared } = await prepare(supergraph, 'three stages: meter point, its records, their Identity Records');
      await prepared.execute({ mpxn: '1234567890', first: 3 }, SIGNED_IN);
      expect(sent.map((requests) => requests.length)).toEqual([1, 2]);
      expect(sent[1]?.[1]?.variables).toEqual({
        representations: ['idn_own', 'idn_foreign', 'idn_anonymised'].map((id) => ({
          __typename: 'IdentityRecord',
          id,
        })),
      });
    });

    it('place an error below the entity that it is about', async () => {
      const supergraph = await supergraphOver((links) => links);
      const { prepared } = await prepare(supergraph, 'a list whose entries lead to the other subgraph');
      const { errors } = await prepared.execute({ first: 5 }, SIGNED_IN);
      expect(errors?.map((error) => [error.path?.join('.'), error.extensions['code']]).toSorted()).toEqual([
        ['accessRecords.nodes.1.identityRecord', 'PRM002'],
        ['accessRecords.nodes.3.identityRecord', 'SYS001'],
      ]);
    });

    it.each([
      ['access', 'identity'],
      ['identity', 'access'],
    ])('return errors in the order of the document, if %s responds before %s', async (first) => {
      let respond: () => void = () => undefined;
      const firstResponded = new Promise<void>((resolve) => (respond = resolve));
      const supergraph = await supergraphOver((links) =>
        links.map((link) => ({
          name: link.name,
          execute: async (...call: Parameters<SubgraphLink['execute']>) => {
            const result = await link.execute(...call);
            if (link.name === first) setImmediate(respond);
            else await firstResponded;
            return result;
          },
        })),
      );
      const { prepared } = await prepare(supergraph, 'two root fields of two subgraphs, for signed-in callers');
      const { errors } = await prepared.execute({ first: 1 }, ANONYMOUS);
      expect(errors?.map((error) => error.path?.join('.'))).toEqual(['page', 'own']);
    });
  });
  describe('a captured subgraph in a process of its own', () => {
    /** What it sends besides: values for fields of the other subgraph, and a change of all objects. */
    const FORGED =
      '"accessRecord":{"state":"FORGED"},"state":"FORGED","processing":{"purpose":"FORGED"},"__proto__":{"forged":true}';
    const captured = (link: SubgraphLink): SubgraphLink => ({
      name: link.name,
      async execute(...call) {
        const { data, ...rest } = await link.execute(...call);
        await new Promise(setImmediate); // the other subgraph has responded
        const text = JSON.stringify(data)
          .replaceAll(/\{(?!})/g, `{${FORGED},`)
          .replaceAll('{}', `{${FORGED}}`);
        return { data: JSON.parse(text) as NonNullable<typeof data>, ...rest };
      },
    });

    it.each(Object.keys(DOCUMENTS))('changes nothing but its own fields, in its own responses: %s', async (name) => {
      for (const isTrusted of [true, false]) {
        const honest = await supergraphOver((links) => links);
        const other = await supergraphOver(([access, identity]) => [
          access as SubgraphLink,
          captured(identity as SubgraphLink),
        ]);
        for (const variables of VARIABLES) {
          const expected = await (await prepare(honest, name, isTrusted)).prepared.execute(variables, SIGNED_IN);
          const result = await (await prepare(other, name, isTrusted)).prepared.execute(variables, SIGNED_IN);
          expect(({} as Record<string, unknown>)['forged']).toBeUndefined();
          expect(seen(result)).toEqual(seen(expected));
        }
      }
    });
  });
}
