import type { SendResult } from './sender';

/** Duration of a response from which its endpoint is slow. */
export const SLOW_RESPONSE_MS = 500;
/** Maximum requests to an endpoint at the same time. */
const MAX_REQUESTS = { quick: 8, slow: 2 };
/** Maximum running lanes of an endpoint. A quick one runs more lanes than requests, because lanes also assemble and record. */
const MAX_LANES = { quick: 24, slow: 2 };

/** Requests, and running lanes, of an endpoint that only urgent deliveries may take beyond these maximums. */
export const MAX_RESERVED = 2;

/** Bounds the requests to one endpoint, and measures whether the endpoint is slow. */
export class RequestSlots {
  private taken = 0;
  private urgentTaken = 0;
  private lateRequests = 0;
  private readonly waiting: { readonly urgent: boolean; readonly resolve: (isAcquired: boolean) => void }[] = [];

  /** @param wasSlow whether the last response, under an earlier lease, was slow */
  constructor(private wasSlow: boolean) {}

  /** An endpoint is slow if its last response was, or while a response is overdue. */
  get isSlow(): boolean {
    return this.wasSlow || this.lateRequests > 0;
  }

  /** Maximum running lanes of the endpoint. */
  get maxLanes(): number {
    return this.isSlow ? MAX_LANES.slow : MAX_LANES.quick;
  }

  private get max(): number {
    return this.isSlow ? MAX_REQUESTS.slow : MAX_REQUESTS.quick;
  }

  /** Waits for a slot, urgent requests first. Resolves to false if none is free and the endpoint is slow, or becomes slow meanwhile. */
  acquire(urgent: boolean): Promise<boolean> {
    if (this.isFree(urgent)) {
      this.take(urgent);
      return Promise.resolve(true);
    }
    if (this.isSlow) return Promise.resolve(false);
    return new Promise((resolve) => {
      const index = urgent ? this.waiting.findIndex((each) => !each.urgent) : -1;
      this.waiting.splice(index === -1 ? this.waiting.length : index, 0, { urgent, resolve });
    });
  }

  /** Returns a slot, which goes to the first waiting request. */
  release(urgent: boolean): void {
    this.taken -= 1;
    if (urgent) this.urgentTaken -= 1;
    const [next] = this.waiting;
    if (next === undefined || !this.isFree(next.urgent)) return;
    this.waiting.shift();
    this.take(next.urgent);
    next.resolve(true);
  }

  private isFree(urgent: boolean): boolean {
    return this.taken < this.max || (urgent && this.urgentTaken < MAX_RESERVED);
  }

  private take(urgent: boolean): void {
    this.taken += 1;
    if (urgent) this.urgentTaken += 1;
  }

  /** Measures a request until its response; undefined if none was sent. Calls `onLate` once the response is overdue. */
  async track<Sent extends SendResult | undefined>(sending: Promise<Sent>, onLate: () => void): Promise<Sent> {
    let isOver = false;
    let isLate = false;
    const setLate = () => {
      if (isOver) return;
      isLate = true;
      this.lateRequests += 1;
      onLate();
      for (const { resolve } of this.waiting.splice(0)) resolve(false);
    };
    // A busy process first reads the responses that have arrived: hence `setImmediate`.
    const timer = setTimeout(() => void setImmediate(setLate), SLOW_RESPONSE_MS);
    try {
      const result = await sending;
      if (result) this.wasSlow = result.error === 'timeout' || result.durationMs >= SLOW_RESPONSE_MS;
      return result;
    } finally {
      isOver = true;
      clearTimeout(timer);
      if (isLate) this.lateRequests -= 1;
    }
  }
}
