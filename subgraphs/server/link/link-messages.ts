import type { WebSocket } from 'ws';
import { JsonText, type JsonWithTexts, jsonWithTexts } from '../graph/json-text';

/** WebSocket subprotocol: the version of the messages. */
export const LINK_PROTOCOL = 'register.1';
/** Path of the WebSocket. */
export const LINK_PATH = '/link';
/** Options of the WebSocket at both ends. */
export const SOCKET_OPTIONS = { perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 } as const;

/**
 * One request: id, payload, document and trace headers. The text of a fixed document is sent once on a connection, with
 * a number, and afterwards only the number.
 */
export type LinkRequest = readonly [
  id: number,
  payload: unknown,
  document?: string | number | readonly [number: number, text: string] | null,
  trace?: Readonly<Record<string, string>>,
];

/** The response to the request of an id; without a result, the request failed. */
export type LinkResponse = readonly [id: number, result?: unknown];

/**
 * A frame in which the called service announces that it stops: the caller sends no further requests on this connection.
 */
export const STOPPING = '"stopping"';

/** Payload of the request for readiness; the result is true if the called service can serve requests. */
export const READINESS = 'readiness';

/** Fixed documents of a connection that are numbered; further ones are sent as text each time. */
export const MAX_NUMBERED_DOCUMENTS = 1_000;
/** Maximum requests of a connection that await their response. */
export const MAX_UNANSWERED = 512;

/** Maximum messages of a frame. */
const MAX_BATCH_MESSAGES = 64;
const MAX_BATCH_CHARACTERS = 256 * 1024;
/** Bytes of a message; with a batch before it, it fits into `maxPayload`. A year of prices has up to six million bytes. */
const MAX_MESSAGE_BYTES = 15 * 1024 * 1024;
const MAX_BYTES_PER_CHARACTER = 3;

/** Sends the messages of one event-loop tick in one frame: a JSON array. */
export class FrameBatcher {
  private batch: string[] = [];
  private characters = 0;

  /** @param onSent called when a frame has left this process */
  constructor(
    private readonly socket: WebSocket,
    private readonly onSent: () => void = () => undefined,
  ) {}

  /** Queues a message. Returns its bytes if it is too large to be sent, else undefined. */
  send(message: LinkRequest | LinkResponse): number | undefined {
    const body = jsonWithTexts(message);
    if (body.texts.length > 0) return this.sendWithTexts(body);
    const { json } = body;
    if (json.length * MAX_BYTES_PER_CHARACTER > MAX_MESSAGE_BYTES) {
      const bytes = Buffer.byteLength(json);
      if (bytes > MAX_MESSAGE_BYTES) return bytes;
    }
    if (this.batch.length === 0) setImmediate(() => this.flush());
    this.batch.push(json);
    this.characters += json.length;
    if (this.batch.length === MAX_BATCH_MESSAGES || this.characters > MAX_BATCH_CHARACTERS) this.flush();
    return undefined;
  }

  /** Sends a message with texts in a frame of its own, after what is queued. */
  private sendWithTexts(body: JsonWithTexts): number | undefined {
    const frame = frameWithTexts(body);
    if (frame.length > MAX_MESSAGE_BYTES) return frame.length;
    this.flush();
    this.socket.send(frame, this.onSent);
    return undefined;
  }

  /** Sends what is queued. */
  flush(): void {
    if (this.batch.length === 0) return;
    const frame = `[${this.batch.join(',')}]`;
    this.batch = [];
    this.characters = 0;
    this.socket.send(frame, this.onSent); // a lost connection fails its requests when it closes
  }
}

/**
 * Returns the binary frame of a message with texts: a line with the placeholder and the length of each text, a line with the JSON of the
 * message, and the texts. Neither side parses them.
 */
function frameWithTexts({ json, placeholder, texts }: JsonWithTexts): Buffer {
  const head = [placeholder, ...texts.map(({ bytes }) => bytes.length)].join(' ');
  return Buffer.concat([Buffer.from(`${head}\n${json}\n`), ...texts.map(({ bytes }) => bytes)]);
}

/** Returns the response of a binary frame, with its texts as {@link JsonText}; undefined if the frame is malformed. */
export function responseWithTexts(frame: Buffer): LinkResponse | undefined {
  const endOfHead = frame.indexOf('\n');
  const endOfJson = frame.indexOf('\n', endOfHead + 1);
  const [placeholder, ...lengths] = frame.toString('latin1', 0, endOfHead).split(' ');
  let at = endOfJson + 1;
  const texts = lengths.map((length) => new JsonText(frame.subarray(at, (at += Number(length)))));
  const inserted = (_: string, value: unknown) => (value === placeholder ? texts.shift() : value);
  try {
    const response: unknown = JSON.parse(frame.toString('utf8', endOfHead + 1, endOfJson), inserted);
    return isMessage(response) ? (response as LinkResponse) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the messages of a frame; undefined if it is not a JSON array of at most {@link MAX_BATCH_MESSAGES} arrays that start with an id. */
export function messagesOf<Message extends LinkRequest | LinkResponse>(frame: string): readonly Message[] | undefined {
  try {
    const messages: unknown = JSON.parse(frame);
    if (!Array.isArray(messages) || messages.length > MAX_BATCH_MESSAGES) return undefined;
    return messages.every(isMessage) ? (messages as readonly Message[]) : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(message: unknown): boolean {
  return Array.isArray(message) && Number.isSafeInteger(message[0]);
}

/** Maximum consecutive pings without a response; then the connection is cut. */
const MAX_MISSED_PINGS = 2;

/** Detects a peer that is gone without closing the connection. */
export class Heartbeat {
  private missed = 0;

  constructor(private readonly socket: WebSocket) {
    socket.on('pong', () => (this.missed = 0));
  }

  /** Sends a ping; cuts the connection if the last pings had no response. */
  beat(): void {
    if (this.missed === MAX_MISSED_PINGS) return this.socket.terminate();
    this.missed += 1;
    this.socket.ping(undefined, undefined, () => undefined);
  }
}

/** Interval of pings. */
export const PING_INTERVAL_MS = 10_000;
