import { type ExecutionArgs, GraphQLError } from 'graphql';
import type { ServerOptions } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { errorCatalogue } from '../../../schema/error-catalogue';
import { newIdentifier } from '../../../schema/identifiers';
import { RegisterError } from '../../../schema/register-error';
import { type RequestMetadata, SUPPLIER_KEY_HEADER } from '../../client/graph-client';
import type { JsonText } from '../../../subgraphs/server/graph/json-text';
import { errorsOf, formatError } from '../../requests/error-format';
import { graphRequest, isTrusted } from '../../requests/graph-request';
import { logRequest } from '../../requests/request-log';
import { isCredentialError } from '../connection-end';
import type { Connection } from '../open-connections';
import type { ResultsInMessages } from './results-in-messages';
import { MAX_CONCURRENT_OPERATIONS } from './running-operations';
import type { SocketEnd } from './socket-end';
import type { SocketWriter } from './socket-writer';
import { type StartedOperation, type StreamingDependencies, startOperation } from './started-operation';

/** One client. Its credential is in `connection_init`, or in the headers of the upgrade request. */
export interface Client {
  readonly socket: WebSocket;
  readonly connection: Connection;
  readonly writer: SocketWriter;
  readonly end: SocketEnd;
  readonly inMessages: ResultsInMessages;
  metadata: RequestMetadata;
  /** Set once the connection is admitted. */
  stopRevalidation?: () => void;
}

const TOO_MANY_OPERATIONS = `This connection already runs ${MAX_CONCURRENT_OPERATIONS} operations, the maximum. End one, or open another connection.`;

type ProtocolOptions = ServerOptions<Record<string, unknown> | undefined, Client>;

/** Handlers of the protocol. The credential is checked when the connection opens and again for every operation. */
export function protocolSteps(dependencies: StreamingDependencies): ProtocolOptions {
  return {
    async onConnect({ extra: client, connectionParams }) {
      client.metadata = { ...client.metadata, ...credentialsIn(connectionParams) };
      const stopRevalidation = await dependencies.subscriptions.admitConnection(client.metadata, client.connection);
      if (client.socket.readyState === client.socket.OPEN) client.stopRevalidation = stopRevalidation;
      else stopRevalidation();
    },
    async onSubscribe({ extra: client, subscriptions }, id, payload) {
      const startedAt = performance.now();
      const metadata = { ...client.metadata, transactionId: newIdentifier('tid') };
      try {
        if (Object.keys(subscriptions).length > MAX_CONCURRENT_OPERATIONS)
          throw new RegisterError('LIM002', TOO_MANY_OPERATIONS);
        const args = await startedArgs(payload, metadata, client.connection, dependencies);
        if ((args.contextValue as StartedOperation).once) client.end.waitFor(id);
        return args;
      } catch (error) {
        return rejected(error, { client, metadata, startedAt }, dependencies);
      }
    },
    subscribe: ({ contextValue }) => (contextValue as StartedOperation).stream as never,
    execute: ({ contextValue }) => (contextValue as StartedOperation).once?.() as never,
    onNext: ({ extra }, _, __, ___, result) => extra.inMessages.standInFor(result as unknown as JsonText) as never,
    onError: (_, __, ___, errors) => errors.map(formatError),
  };
}

/** Starts an operation; throws the error that rejects it. */
async function startedArgs(
  payload: unknown,
  metadata: RequestMetadata,
  connection: Connection,
  dependencies: StreamingDependencies,
): Promise<ExecutionArgs> {
  const request = graphRequest(payload);
  if (isTrusted(request))
    throw new RegisterError('VAL003', 'Over WebSocket, send the text of an operation instead of a documentId.');
  const started = await startOperation(request, metadata, connection, dependencies);
  return {
    document: started.document,
    operationName: started.stream ? null : request.operationName,
    contextValue: started,
  } as ExecutionArgs;
}

interface RejectedOperation {
  readonly client: Client;
  readonly metadata: RequestMetadata;
  readonly startedAt: number;
}

/** Reports and logs the failure of a rejected operation, and ends the connection if its credential is rejected. `onError` formats its errors. */
function rejected(
  failure: unknown,
  { client, metadata, startedAt }: RejectedOperation,
  { report, logger }: StreamingDependencies,
): GraphQLError[] {
  const errors = errorsOf(failure);
  const { code } = formatError(errors[0]).extensions;
  for (const error of errors) report(error, metadata.transactionId);
  const response = { operation: undefined, status: errorCatalogue[code].status, outcome: code };
  logRequest(logger, metadata, response, startedAt);
  if (isCredentialError(code)) client.connection.end(code);
  return errors.map((error) =>
    error instanceof GraphQLError ? error : new GraphQLError('', { originalError: error as Error }),
  );
}

/**
 * Returns credentials from `connection_init`, under their header names, for clients that cannot set headers. They
 * override the headers of the upgrade request.
 */
function credentialsIn(
  params: Record<string, unknown> | undefined,
): Pick<RequestMetadata, 'authorization' | 'supplierKey'> {
  const named = (header: string): string | undefined => {
    const given = Object.entries(params ?? {}).find(([name]) => name.toLowerCase() === header)?.[1];
    return typeof given === 'string' ? given : undefined;
  };
  const given = { authorization: named('authorization'), supplierKey: named(SUPPLIER_KEY_HEADER) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
