import { MessageType, type SubscribeMessage, type SubscribePayload, parseMessage } from 'graphql-ws';
import type { WebSocket } from 'ws';
import {
  type CloseFrame,
  INVALID_MESSAGE,
  MESSAGE_TOO_LONG,
  NOT_INITIALISED,
  OPERATION_ACTIVE,
} from '../connection-end';
import { type RunningOperations, runningOperations } from './running-operations';

/** Handlers for a client's messages. */
interface MessageHandlers {
  isInitialised(): boolean;
  /** Resolves when a message is handled and its response is sent; for an operation, when it has ended. */
  handle(text: string): Promise<void>;
  /** Returns true if the connection ends and starts no operation any more. */
  isEnding(): boolean;
  /** Called when an operation has ended and its messages are sent. */
  ended(id: string): void;
  close(frame: CloseFrame): void;
}

/** Maximum size of a message, as of a request body (decisions A/B, 7). */
export const MAX_MESSAGE_BYTES = 256 * 1024;
/** Maximum size of the first message, as of HTTP headers: its sender is not authenticated yet. */
export const MAX_FIRST_MESSAGE_BYTES = 16 * 1024;
/** Maximum length of a client's operation id, which every response repeats. */
export const MAX_OPERATION_ID_LENGTH = 256;

/**
 * Processes the messages of a socket one at a time: the next one when the response to the previous one has left this
 * process. Until then the socket is paused, so that unread responses cannot accumulate here. Operations run
 * concurrently up to their limit, plus the one that exceeds it and is rejected.
 */
export function processMessages(socket: WebSocket, handlers: MessageHandlers): void {
  const waiting: Buffer[] = [];
  const operations = runningOperations();
  let isProcessing = false;
  const isOpen = () => socket.readyState === socket.OPEN;
  const handle = async (text: string) => (isOpen() ? handlers.handle(text) : undefined);
  const process = async () => {
    isProcessing = true;
    socket.pause();
    for (let data = waiting.shift(); data; data = waiting.shift()) {
      if (isOpen()) await handleMessage(data, { ...handlers, handle }, operations);
    }
    isProcessing = false;
    socket.resume();
  };
  socket.on('message', (data: Buffer) => {
    waiting.push(data);
    if (!isProcessing) void process();
  });
}

/** Resolves when the next message may be processed. */
async function handleMessage(
  data: Buffer,
  { isInitialised, handle, isEnding, ended, close }: MessageHandlers,
  operations: RunningOperations,
): Promise<void> {
  if (!isInitialised() && data.length > MAX_FIRST_MESSAGE_BYTES) return close(MESSAGE_TOO_LONG);
  const text = data.toString('utf8');
  const message = parsed(text);
  if (!message) return close(INVALID_MESSAGE);
  if (!isInitialised() && message.type !== MessageType.ConnectionInit) return close(NOT_INITIALISED);
  if (message.type === MessageType.Complete) operations.complete(message.id);
  if (message.type !== MessageType.Subscribe) return handle(text);
  if (message.id.length > MAX_OPERATION_ID_LENGTH) return close(INVALID_MESSAGE);
  if (operations.isActive(message.id)) return close(OPERATION_ACTIVE);
  const read = withoutUnread(message) ?? text;
  const { id } = message; // the function does not use the message, which would occupy memory as long as the operation runs
  return operations.start(id, async () => {
    if (isEnding()) return; // without a response: clients send the operation again on their next connection
    await handle(read).finally(() => ended(id));
  });
}

/**
 * Returns the text of an operation's message without what the gateway does not read, because graphql-ws keeps the text as
 * long as the operation runs. Returns undefined for a message that cannot be written again: with too many levels, or a number that JSON
 * cannot hold.
 */
function withoutUnread({ id, type, payload }: SubscribeMessage): string | undefined {
  const { query, operationName, variables, documentId } = payload as SubscribePayload & {
    readonly documentId?: unknown;
  };
  try {
    return JSON.stringify({ id, type, payload: { query, operationName, variables, documentId } }, finite);
  } catch {
    return undefined;
  }
}

function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON has no such number');
  return value;
}

function parsed(text: string): ReturnType<typeof parseMessage> | undefined {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
