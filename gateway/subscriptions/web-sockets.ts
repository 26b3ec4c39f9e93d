import { type ExecutionArgs, GraphQLError } from 'graphql';
import {
  MessageType,
  type Server,
  type ServerOptions,
  handleProtocols,
  makeServer,
  stringifyMessage,
} from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { errorCatalogue } from '../../schema/error-catalogue';
import { newIdentifier } from '../../schema/identifiers';
import { RegisterError } from '../../schema/register-error';
import { type RequestFacts, SUPPLIER_KEY_HEADER } from '../client/graph-client';
import { graphRequest, isTrusted } from '../graph-request';
import { presented } from '../presentation';
import { logRequest } from '../request-log';
import {
  SOCKET_CLOSINGS,
  STALLS_LOOKED_AT,
  type SocketClosing,
  TAKEN_WITHIN,
  closingFor,
  isCredentialFault,
} from './connection-end';
import type { Connection } from './open-connections';
import { type BegunOperation, type OperationParts, beginOperation } from './operations';
import { MESSAGE_LIMIT, OPERATIONS_AT_ONCE, takeMessages } from './socket-messages';
import { type Outbox, socketOutbox } from './socket-outbox';
import type { Upgrade } from './upgrades';

/** GraphQL over WebSocket (protocol `graphql-transport-ws`): subscriptions, and every other operation. */
export interface WebSockets {
  /** Throws what refuses the connection. */
  accept(upgrade: Upgrade, facts: RequestFacts): void;
  close(): Promise<void>;
}

/** One client; its token is that of the connection's first message, or of the upgrade's `Authorization` header. */
interface Client {
  readonly socket: WebSocket;
  readonly connection: Connection;
  readonly outbox: Outbox;
  facts: RequestFacts;
  /** Set when it has been let in. */
  stopWatching?: () => void;
}

type Options = ServerOptions<Record<string, unknown> | undefined, Client>;

/** Milliseconds between pings; a client that answered none until the next one is gone. */
const PING_EVERY = 20_000;
/** Milliseconds for closing in agreement before connections are cut. */
const CLOSING_GRACE = 1_000;
/** The answer to a ping repeats nothing of it. */
const PONG = stringifyMessage({ type: MessageType.Pong });

/** Serves WebSockets that the gateway's server has accepted; `ws` itself cuts those that do not read the answers to its own pings. */
export function webSockets(parts: OperationParts): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_LIMIT, handleProtocols });
  const protocol = makeServer(protocolSteps(parts));
  const alive = new WeakSet<WebSocket>();
  const clients = new Set<Client>();
  const pings = setInterval(() => pingAll(server, alive), PING_EVERY).unref();
  const stalls = setInterval(() => endStalled(clients), STALLS_LOOKED_AT).unref();
  return {
    accept({ raw, socket, head }, facts) {
      if (socket.destroyed) return;
      let end: Connection['end'] = () => socket.destroy();
      const connection = parts.subscriptions.connect(facts.clientAddress, 'websocket', (reason) => end(reason));
      socket.once('close', () => connection.closed());
      server.handleUpgrade(raw, socket, head, (opened) => {
        end = (reason) => close(opened, SOCKET_CLOSINGS[reason]);
        alive.add(opened);
        opened.on('pong', () => alive.add(opened));
        const outbox = socketOutbox(opened, () => connection.end('too-slow'));
        const client: Client = { socket: opened, connection, outbox, facts };
        clients.add(client);
        opened.once('close', () => clients.delete(client));
        serve(client, protocol, parts);
      });
    },
    async close() {
      clearInterval(pings);
      clearInterval(stalls);
      server.close();
      const open = [...server.clients];
      for (const socket of open) close(socket, SOCKET_CLOSINGS.closing);
      const cut = setTimeout(() => open.forEach((socket) => socket.terminate()), CLOSING_GRACE);
      await Promise.all(open.map(closed));
      clearTimeout(cut);
    },
  };
}

function closed(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.readyState === socket.CLOSED) resolve();
    else socket.once('close', () => resolve());
  });
}

function pingAll(server: WebSocketServer, alive: WeakSet<WebSocket>): void {
  for (const socket of server.clients) {
    if (!alive.delete(socket)) socket.terminate();
    else socket.ping();
  }
}

function endStalled(clients: ReadonlySet<Client>): void {
  for (const { socket, outbox, connection } of clients) {
    if (socket.readyState === socket.OPEN && outbox.stalledFor() > TAKEN_WITHIN) connection.end('too-slow');
  }
}

/** Connects a client to the protocol. */
function serve(client: Client, protocol: Server<Client>, { report }: OperationParts): void {
  const { socket, outbox } = client;
  let handle: (text: string) => Promise<void>;
  const ended = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => outbox.send(text),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handler) => {
        handle = handler;
      },
      onPing: () => outbox.send(PONG),
    },
    client,
  );
  takeMessages(socket, {
    isLetIn: () => client.stopWatching !== undefined,
    handle: (text) =>
      handle(text).catch((error: unknown) => {
        report(error, client.facts.transactionId);
        close(socket, closingFor(error));
      }),
    refuse: (closing) => close(socket, closing),
  });
  socket.on('error', () => socket.terminate());
  socket.once('close', (code, reason) => {
    client.stopWatching?.();
    void ended(code, String(reason));
  });
}

function close(socket: WebSocket, { code, text }: SocketClosing): void {
  socket.close(code, text);
}

/** What happens with a connection's messages: the token is checked first, then again with each operation. */
function protocolSteps(parts: OperationParts): Options {
  return {
    async onConnect({ extra: client, connectionParams }) {
      client.facts = { ...client.facts, ...credentialsIn(connectionParams) };
      const stopWatching = await parts.subscriptions.letIn(client.facts, client.connection);
      if (client.socket.readyState === client.socket.OPEN) client.stopWatching = stopWatching;
      else stopWatching();
    },
    async onSubscribe({ extra: client, subscriptions }, _, payload) {
      const begin = performance.now();
      const facts = { ...client.facts, transactionId: newIdentifier('tid') };
      try {
        if (Object.keys(subscriptions).length > OPERATIONS_AT_ONCE) throw new RegisterError('LIM002');
        const request = graphRequest(payload);
        if (isTrusted(request)) throw new RegisterError('VAL003', 'Over WebSocket the text of an operation is sent');
        const begun = await beginOperation(request, facts, client.connection, parts);
        return { document: begun.document, operationName: request.operationName, contextValue: begun } as ExecutionArgs;
      } catch (error) {
        const { message, extensions } = presented(error);
        const { code } = extensions;
        parts.report(error, facts.transactionId);
        logRequest(
          parts.logger,
          facts,
          { operation: undefined, status: errorCatalogue[code].status, outcome: code },
          begin,
        );
        if (isCredentialFault(code)) client.connection.end(code);
        return [new GraphQLError(message, { extensions: { ...extensions } })];
      }
    },
    subscribe: ({ contextValue }) => (contextValue as BegunOperation).stream as never,
    execute: ({ contextValue }) => (contextValue as BegunOperation).once() as never,
    onNext: (_, __, ___, ____, result) => result,
    onError: (_, __, ___, errors) => errors.map(presented),
  };
}

/** What a client that cannot send headers says of itself, under the names of those; it counts before the headers of the connection. */
function credentialsIn(
  params: Record<string, unknown> | undefined,
): Pick<RequestFacts, 'authorization' | 'supplierKey'> {
  const named = (header: string): string | undefined => {
    const given = Object.entries(params ?? {}).find(([name]) => name.toLowerCase() === header)?.[1];
    return typeof given === 'string' ? given : undefined;
  };
  const given = { authorization: named('authorization'), supplierKey: named(SUPPLIER_KEY_HEADER) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
