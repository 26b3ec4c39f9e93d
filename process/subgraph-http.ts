import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Kind, type OperationDefinitionNode, parse } from 'graphql';
import { admit, audienceOf } from '../gateway/callers/audiences';
import { type CallerSources, type Identification, authentication } from '../gateway/callers/authentication';
import { MAX_BODY_BYTES } from '../gateway/requests/body-sender';
import { formatError } from '../gateway/requests/error-format';
import { requestMetadata } from '../gateway/requests/request-metadata';
import { generatedSchema } from '../schema/generated-schema';
import { RegisterError } from '../schema/register-error';
import type { CallContext, ServiceName } from '../subgraphs/server/callers/caller';
import { SERVICE_RIGHTS } from '../subgraphs/server/callers/service-rights';
import { jsonBody, sendable } from '../subgraphs/server/graph/json-text';
import { fragmentsOf } from '../subgraphs/server/graph/root-fields';
import type { SubgraphLink, SubgraphRequest } from '../subgraphs/server/graph/subgraph-link';
import { withinTrace } from '../subgraphs/server/observability/tracing';

/** A subgraph that serves routers other than the gateway of the register. */
interface HttpSubgraph {
  readonly link: SubgraphLink;
  readonly sources: CallerSources;
  /** Returns the service whose key the sender of a request has proved. */
  readonly callerOf: (request: FastifyRequest) => ServiceName | undefined;
}

/** Path of GraphQL over HTTP on the port of a subgraph. */
const GRAPHQL_PATH = '/graphql';

/** Maximum size of a router's request: what the gateway accepts of a client, in the longer form of a query that a router prints again. */
const MAX_FORWARDED_BYTES = 2 * MAX_BODY_BYTES;

/**
 * Serves the subgraph as GraphQL over HTTP, with `_service` and `_entities` of Apollo Federation, to a router that holds
 * a key of the service `gateway`. The credential is that of the router's client and is verified here with each request,
 * as the gateway of the register does. A request has no other caller, and is never one of the service itself.
 */
export function serveGraphql(app: FastifyInstance, { link, sources, callerOf }: HttpSubgraph): void {
  const callers = authentication(sources);
  app.post(GRAPHQL_PATH, { bodyLimit: MAX_FORWARDED_BYTES }, async (request, reply) => {
    const from = callerOf(request);
    if (from === undefined || SERVICE_RIGHTS[from][sources.service] !== 'callers') return reply.code(403).send();
    const metadata = { ...requestMetadata(request), clientAddress: clientOfRouter(request) };
    reply.header('transaction-id', metadata.transactionId);
    return withinTrace(request.headers, async () => {
      try {
        const operation = requestOf(request.body);
        const identification = await callers.identify(metadata);
        const context = identification.error ? admittedContext(operation, identification) : identification.context;
        const { data, errors } = await link.execute({ ...operation, acceptsText: true }, context);
        const result = {
          ...(errors ? { errors: errors.map(formatError) } : {}),
          ...(data === undefined ? {} : { data }),
        };
        return reply.type('application/json; charset=utf-8').send(sendable(jsonBody(result)));
      } catch (error) {
        return { errors: [formatError(error)] };
      }
    });
  });
}

/** Returns the address of the router's client: the last one that the router has forwarded. */
function clientOfRouter({ headers, socket }: FastifyRequest): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim();
  return forwarded || (socket.remoteAddress ?? '');
}

/** Returns the operation of a body; throws VAL010 for a body that is not a GraphQL request. */
function requestOf(body: unknown): SubgraphRequest {
  const { query, variables, operationName } = (body ?? {}) as Record<string, unknown>;
  const isRequest =
    typeof query === 'string' &&
    (variables === undefined || variables === null || (typeof variables === 'object' && !Array.isArray(variables))) &&
    (operationName === undefined || operationName === null || typeof operationName === 'string');
  if (!isRequest) throw new RegisterError('VAL010');
  return {
    query,
    variables: (variables ?? {}) as Record<string, unknown>,
    ...(typeof operationName === 'string' ? { operationName } : {}),
  };
}

/**
 * Fields that a router adds to operations. A router reads entities for an operation whose root fields another subgraph
 * has authorised; with a rejected credential it reads them as an unauthenticated client.
 */
const ROUTER_FIELDS = { 'Query._service': ['anyone'], 'Query._entities': ['anyone'] };

/** Returns the context of an operation whose root fields all ignore the error of the credential, as the gateway does; otherwise throws it. */
function admittedContext({ query, operationName }: SubgraphRequest, identification: Identification): CallContext {
  const document = parse(query, { noLocation: true });
  const operation = document.definitions.find(
    (each): each is OperationDefinitionNode =>
      each.kind === Kind.OPERATION_DEFINITION && (operationName === undefined || each.name?.value === operationName),
  );
  if (operation === undefined) throw identification.error;
  return admit(
    audienceOf(operation, fragmentsOf(document), { ...generatedSchema().audiences, ...ROUTER_FIELDS }, []),
    identification,
  );
}
