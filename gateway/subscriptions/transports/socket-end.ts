import type { WebSocket } from 'ws';
import { CLOSE_FRAMES, type ConnectionEnd } from '../connection-end';
import type { SocketWriter } from './socket-writer';

/** Ends that wait for operations under way, whose caller was admitted. */
const GRACEFUL_ENDS: ReadonlySet<ConnectionEnd> = new Set(['AUT002', 'closing']);

/**
 * Ends a WebSocket on the register's initiative. When the token expires or the gateway stops, the close frame waits for operations with one
 * result: clients repeat an operation without a result on their next connection, also a mutation that was made.
 */
export class SocketEnd {
  /** Resolves when the close frame is sent or the socket is closed. */
  readonly frameSent: Promise<void>;
  private onFrameSent: (() => void) | undefined;
  /** Ids of the running operations with one result. */
  private readonly running = new Set<string>();
  /** Why the connection ends, while its close frame waits. */
  private waiting: ConnectionEnd | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly writer: SocketWriter,
  ) {
    this.frameSent = new Promise((resolve) => {
      this.onFrameSent = resolve;
      socket.once('close', () => resolve());
    });
  }

  /** Lets the end wait for an operation with one result. */
  waitFor(id: string): void {
    this.running.add(id);
  }

  /** Called when an operation has ended and its messages are sent. */
  ended(id: string): void {
    this.running.delete(id);
    if (this.running.size === 0) this.stopWaiting();
  }

  /** Ends the connection, at once or when its operations with one result have ended. */
  begin(reason: ConnectionEnd): void {
    if (GRACEFUL_ENDS.has(reason) && this.running.size > 0) this.waiting ??= reason;
    else this.close(reason);
  }

  /** Returns true while the close frame waits: the connection starts no operation. */
  isWaiting(): boolean {
    return this.waiting !== undefined;
  }

  /**
   * Returns whether a message is sent. While the close frame waits, only messages of the operations that it waits for are sent: clients
   * resume a subscription after the close frame, but not after a message that it is complete.
   */
  admits(message: string): boolean {
    if (this.waiting === undefined) return true;
    const { id } = JSON.parse(message) as { readonly id?: string };
    return id === undefined || this.running.has(id);
  }

  /** Sends the close frame if it waits. */
  stopWaiting(): void {
    if (this.waiting !== undefined) this.close(this.waiting);
  }

  private close(reason: ConnectionEnd): void {
    if (reason === 'too-slow') this.writer.drop();
    else this.writer.flush();
    const { code, text } = CLOSE_FRAMES[reason];
    this.socket.close(code, text);
    this.onFrameSent?.();
  }
}
