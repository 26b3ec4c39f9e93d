import type { WebSocket } from 'ws';
import { RegisterError } from '../../../schema/register-error';
import { traceHeaders } from '../observability/tracing';
import {
  Heartbeat,
  type LinkRequest,
  type LinkResponse,
  MAX_NUMBERED_DOCUMENTS,
  MAX_UNANSWERED,
  FrameBatcher,
  STOPPING,
  messagesOf,
  responseWithTexts,
} from './link-messages';

/** A document that a request names. */
export interface LinkDocument {
  readonly text: string;
  /** Whether the document is one of a fixed set; a connection sends the text of each once. */
  readonly fixed: boolean;
}

/** Maximum time from a call to its response, with the wait for a connection; below the ten seconds within which every request receives one. */
const RESPONSE_TIMEOUT_MS = 8_500;

/** Unsent bytes of a connection above which it takes no more requests: the service is frozen or reads too slowly. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

interface Unanswered {
  readonly startedAt: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * An open connection to a service. Requests that fail here throw SYS002 and are never sent again, because the other
 * service may have executed them.
 */
export class LinkConnection {
  readonly heartbeat: Heartbeat;
  private readonly unanswered = new Map<number, Unanswered>();
  private readonly numbers = new Map<string, number>();
  private readonly frames: FrameBatcher;
  private lastId = 0;
  private stopping = false;

  /**
   * @param onStopping called once when the connection takes no more requests: the other service stops, or it is lost
   * @param onTooLarge called with the bytes of a request that is too large to be sent, and therefore fails
   */
  constructor(
    private readonly socket: WebSocket,
    private readonly onStopping: () => void,
    private readonly onTooLarge: (bytes: number) => void,
  ) {
    this.frames = new FrameBatcher(socket);
    this.heartbeat = new Heartbeat(socket);
    socket.on('message', (frame: Buffer, isBinary) => (isBinary ? this.readTexts(frame) : this.read(String(frame))));
    socket.on('error', () => undefined); // `close` follows
    socket.on('close', () => this.lost());
  }

  /** Number of requests that await their response. */
  get load(): number {
    return this.unanswered.size;
  }

  /** Sends a request of a call that started at this time, by `performance.now()`; resolves with the result. */
  call(payload: unknown, document: LinkDocument | undefined, startedAt: number): Promise<unknown> {
    if (this.isFull()) return Promise.reject(new RegisterError('SYS002'));
    return new Promise((resolve, reject) => {
      const id = (this.lastId += 1);
      const trace = traceHeaders();
      const reference = document && this.referenceTo(document);
      const isTraced = Object.keys(trace).length > 0;
      const request: LinkRequest = isTraced ? [id, payload, reference ?? null, trace] : [id, payload, reference];
      const tooLarge = this.frames.send(request);
      if (tooLarge !== undefined) {
        this.onTooLarge(tooLarge);
        return reject(new RegisterError('SYS002'));
      }
      if (Array.isArray(reference)) this.numbers.set(reference[1], reference[0]); // only after its text is sent
      this.unanswered.set(id, { startedAt, resolve, reject });
    });
  }

  /** Fails requests that await their response for too long. */
  sweep(): void {
    const oldest = performance.now() - RESPONSE_TIMEOUT_MS;
    for (const [id, { startedAt, reject }] of this.unanswered) {
      if (startedAt > oldest) continue;
      this.unanswered.delete(id);
      reject(new RegisterError('SYS002'));
    }
    this.closeWhenDone();
  }

  /** Takes no more requests; closes when all have their response. */
  drain(): void {
    if (!this.stopping) this.onStopping();
    this.stopping = true;
    this.closeWhenDone();
  }

  terminate(): void {
    this.socket.terminate();
  }

  /** Returns whether the connection takes no further request now. */
  isFull(): boolean {
    return this.unanswered.size >= MAX_UNANSWERED || this.socket.bufferedAmount > MAX_UNSENT_BYTES;
  }

  private referenceTo({ text, fixed }: LinkDocument): LinkRequest[2] {
    if (!fixed) return text;
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    if (this.numbers.size === MAX_NUMBERED_DOCUMENTS) return text;
    return [this.numbers.size, text];
  }

  private read(frame: string): void {
    if (frame === STOPPING) return this.drain();
    const responses = messagesOf<LinkResponse>(frame);
    if (responses === undefined) return this.socket.terminate();
    for (const response of responses) this.finish(response);
    this.closeWhenDone();
  }

  private readTexts(frame: Buffer): void {
    const response = responseWithTexts(frame);
    if (response === undefined) return this.socket.terminate();
    this.finish(response);
    this.closeWhenDone();
  }

  private finish(response: LinkResponse): void {
    const [id, result] = response;
    const request = this.unanswered.get(id);
    this.unanswered.delete(id);
    if (response.length > 1) request?.resolve(result);
    else request?.reject(new RegisterError('SYS002'));
  }

  private closeWhenDone(): void {
    if (this.stopping && this.unanswered.size === 0) this.socket.close();
  }

  private lost(): void {
    this.drain();
    for (const { reject } of this.unanswered.values()) reject(new RegisterError('SYS002'));
    this.unanswered.clear();
  }
}
