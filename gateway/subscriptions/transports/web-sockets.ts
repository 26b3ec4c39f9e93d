import { MessageType, type Server, handleProtocols, makeServer, stringifyMessage } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RequestMetadata } from '../../client/graph-client';
import {
  CLOSE_FRAMES,
  STALL_CHECK_INTERVAL_MS,
  type CloseFrame,
  SLOW_CLIENT_TIMEOUT_MS,
  closeFrameFor,
} from '../connection-end';
import type { Connection } from '../open-connections';
import { MAX_MESSAGE_BYTES, processMessages } from './socket-messages';
import { ResultsInMessages } from './results-in-messages';
import { type UnsentBytes, socketWriter } from './socket-writer';
import { type Client, protocolSteps } from './socket-protocol';
import type { StreamingDependencies } from './started-operation';
import type { Upgrade } from './upgrades';

/** GraphQL over WebSocket (protocol `graphql-transport-ws`) for all operations. */
interface WebSockets {
  /** Throws the error that rejects the connection. */
  accept(upgrade: Upgrade, metadata: RequestMetadata): void;
  close(): Promise<void>;
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
        end = (reason) => {
          if (reason === 'too-slow') writer.drop();
          else writer.flush();
          close(opened, CLOSE_FRAMES[reason]);
        };
        const client: Client = { socket: opened, connection, writer, metadata, inMessages: new ResultsInMessages() };
        clients.add(client);
        opened.once('close', () => clients.delete(client));
        serve(client, protocol, dependencies);
      });
    },
    async close() {
      clearInterval(pings);
      clearInterval(stalls);
      server.close();
      for (const { writer } of clients) writer.flush();
      const open = [...server.clients];
      for (const socket of open) close(socket, CLOSE_FRAMES.closing);
      const cut = setTimeout(() => open.forEach((socket) => socket.terminate()), CLOSE_TIMEOUT_MS);
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
  for (const { socket, writer, connection } of clients) {
    if (socket.readyState === socket.OPEN && writer.stalledMs() > SLOW_CLIENT_TIMEOUT_MS) connection.end('too-slow');
  }
}

/** Connects a client to the protocol handler. */
function serve(client: Client, protocol: Server<Client>, { report }: StreamingDependencies): void {
  const { socket, writer, inMessages } = client;
  let handle: (text: string) => Promise<void>;
  const ended = protocol.opened(
    {
      protocol: socket.protocol,
      send: (text) => writer.send(inMessages.complete(text)),
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
