import { MessageType, parseMessage } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { NOT_LET_IN, NO_MESSAGE, type SocketClosing, TOO_LONG } from './connection-end';

/** What a client's messages are for. */
export interface MessageSteps {
  isLetIn(): boolean;
  /** Resolves when a message, and for an operation all of it, has been handled and answered. */
  handle(text: string): Promise<void>;
  refuse(closing: SocketClosing): void;
}

/** Message of a client in bytes, as the body of a request (2-decisions-a-b.md, section 7). */
export const MESSAGE_LIMIT = 256 * 1024;
/** The first message in bytes, as the head of a request: it has a token, but nobody knows yet of whom. */
const FIRST_MESSAGE_LIMIT = 16 * 1024;
/** Characters of the id that a client gives an operation: every answer repeats it. */
const ID_LIMIT = 256;
/** Operations of one connection at once. */
export const OPERATIONS_AT_ONCE = 50;

/**
 * Takes the messages of a socket one after the other: the next when the one before has been answered and the answer has left this process.
 * Until then nothing is read, so that what a client sends without reading stays with the client. Operations go on side by side, up to
 * their limit, and the one that is refused for it.
 */
export function takeMessages(socket: WebSocket, steps: MessageSteps): void {
  const waiting: Buffer[] = [];
  const operations = underWay();
  let isTaking = false;
  const take = async () => {
    isTaking = true;
    socket.pause();
    for (let data = waiting.shift(); data; data = waiting.shift()) {
      if (socket.readyState === socket.OPEN) await taken(data, steps, operations);
    }
    isTaking = false;
    socket.resume();
  };
  socket.on('message', (data: Buffer) => {
    waiting.push(data);
    if (!isTaking) void take();
  });
}

/** Resolves when the next message may come. */
async function taken(data: Buffer, { isLetIn, handle, refuse }: MessageSteps, operations: UnderWay): Promise<void> {
  if (!isLetIn() && data.length > FIRST_MESSAGE_LIMIT) return refuse(TOO_LONG);
  const text = data.toString('utf8');
  const message = parsed(text);
  if (!message) return refuse(NO_MESSAGE);
  if (!isLetIn() && message.type !== MessageType.ConnectionInit) return refuse(NOT_LET_IN);
  if (message.type !== MessageType.Subscribe) return handle(text);
  if (message.id.length > ID_LIMIT) return refuse(NO_MESSAGE);
  return operations.begin(handle(text));
}

function parsed(text: string): ReturnType<typeof parseMessage> | undefined {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}

/** Operations that have not ended. */
interface UnderWay {
  /** Resolves when another may begin, be it to be refused. */
  begin(operation: Promise<void>): Promise<void>;
}

function underWay(): UnderWay {
  let count = 0;
  let oneHasEnded: (() => void) | undefined;
  return {
    begin(operation) {
      count += 1;
      void operation.finally(() => {
        count -= 1;
        oneHasEnded?.();
      });
      if (count <= OPERATIONS_AT_ONCE) return Promise.resolve();
      return new Promise((resolve) => {
        oneHasEnded = resolve;
      });
    },
  };
}
