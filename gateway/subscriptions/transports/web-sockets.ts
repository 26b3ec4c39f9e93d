import { MessageType, type Server, handleProtocols, makeServer, stringifyMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RequestMetadata } from '../../client/graph-client';
import { endsBefore } from '../../../subgraphs/server/graceful-stop';
import { STALL_CHECK_INTERVAL_MS, type CloseFrame, SLOW_CLIENT_TIMEOUT_MS, closeFrameFor } from '../connection-end';
import type { Connection } from '../open-connections';
import { MAX_MESSAGE_BYTES, processMessages } from './socket-messages';
import { ResultsInMessages } from './results-in-messages';
import { SocketEnd } from './socket-end';
import { type UnsentBytes, socketWriter } from './socket-writer';
import { type Client, protocolSteps } from './socket-protocol';
import type { StreamingDependencies } from './started-operation';
import type { Upgrade } from './upgrades';

/** GraphQL over WebSocket (protocol `graphql-transport-ws`) for all operations. */
interface WebSockets {
  /** Throws the error that rejects the connection. */
  accept(upgrade: Upgrade, metadata: RequestMetadata): void;
  /** Ends each WebSocket once its operations with one result have ended, or when `forced` aborts. */
  close(forced: AbortSignal): Promise<void>;
}

/** Interval of pings. A client without a pong before the next ping is disconnected. */
const PING_INTERVAL_MS = 20_000;
/** Maximum wait for clients to confirm the close before their connections are cut. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Pong without the payload of the ping. */
const PONG = stringifyMessage({ type: MessageType.Pong });

/** Serves accepted WebSockets. `ws` itself disconnects a client that leaves 60 pongs unread. */
export function webSockets(dependencies: StreamingDependencies): WebSockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, handleProtocols });
  const protocol = makeServer(protocolSteps(dependencies));
  const alive = new WeakSet<WebSocket>();
  const clients = new Set<Client>();
  const unsentBytes: UnsentBytes = { ofAll: 0 };
  let closing: Promise<void> | undefined;
  const pings = setInterval(() => pingAll(server, alive), PING_INTERVAL_MS).unref();
  const stalls = setInterval(() => endStalled(clients), STALL_CHECK_INTERVAL_MS).unref();
  return {
    accept({ raw, socket, head }, metadata) {
      if (socket.destroyed) return;
      let end: Connection['end'] = () => socket.destroy();
      const connection = dependencies.subscriptions.connect(metadata.clientAddress, 'websocket', (reason) =>
        end(reason),
      );
      socket.once('close', () => connection.closed());
      server.handleUpgrade(raw, socket, head, (opened) => {
        alive.add(opened);
        opened.on('pong', () => alive.add(opened));
        const writer = socketWriter(opened, unsentBytes, () => connection.end('too-slow'));
        const socketEnd = new SocketEnd(opened, writer);
        end = (reason) => socketEnd.begin(reason);
        const inMessages = new ResultsInMessages();
        const client: Client = { socket: opened, connection, writer, end: socketEnd, metadata, inMessages };
        clients.add(client);
        opened.once('close', () => clients.delete(client));
        serve(client, protocol, dependencies);
      });
    },
    close(forced) {
      clearInterval(pings);
      clearInterval(stalls);
      server.close();
      return (closing ??= endAll([...clients], forced));
    },
  };
}

async function endAll(clients: readonly Client[], forced: AbortSignal): Promise<void> {
  for (const { connection } of clients) connection.end('closing');
  await endsBefore(forced, Promise.all(clients.map(({ end }) => end.frameSent)));
  for (const { end } of clients) end.stopWaiting();
  const cut = setTimeout(() => clients.forEach(({ socket }) => socket.terminate()), CLOSE_TIMEOUT_MS);
  await Promise.all(clients.map(({ socket }) => closed(socket)));
  clearTimeout(cut);
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
  for (const { socket, writer, connection } of clients) {
    if (socket.readyState === socket.OPEN && writer.stalledMs() > SLOW_CLIENT_TIMEOUT_MS) connection.end('too-slow');
  }
}

/** Connects a client to the protocol handler. */
function serve(client: Client, protocol: Server<Client>, { report }: StreamingDependencies): void {
  const { socket, writer, end, inMessages } = client;
  let handle: (text: string) => Promise<void>;
  const ended = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => {
        const message = inMessages.complete(text);
        return end.admits(text) ? writer.send(message) : undefined;
      },
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handler) => {
        handle = handler;
      },
      onPing: () => writer.sendFirst(PONG),
    },
    client,
  );
  processMessages(socket, {
    isInitialised: () => client.stopRevalidation !== undefined,
    handle: (text) =>
      handle(text).catch((error: unknown) => {
        report(error, client.metadata.transactionId);
        close(socket, closeFrameFor(error));
      }),
    isEnding: () => end.isWaiting(),
    ended: (id) => end.ended(id),
    close: (frame) => close(socket, frame),
  });
  socket.on('error', () => socket.terminate());
  socket.once('close', (code, reason) => {
    client.stopRevalidation?.();
    void ended(code, String(reason));
  });
}

function close(socket: WebSocket, { code, text }: CloseFrame): void {
  socket.close(code, text);
}
