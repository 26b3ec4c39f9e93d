import type { Deferral, PendingRead } from './endpoints.repository';
import { MAX_LANES_PER_READ } from './endpoints.sql';
import { type Lane, LaneQueue } from './lane';
import type { LaneLimits } from './limits';
import { MAX_RESERVED, RequestSlots } from './requests/request-slots';

/** Number of ready lanes below which the table is read again at once. */
const MIN_READY_LANES = 20;
/** Interval between reads of a busy endpoint with few ready lanes, and delay before a step without effect is repeated. */
const INTERVAL_MS = 1_000;
/** Interval between reads of a busy endpoint with more ready lanes: such a read is large. */
const BACKLOG_INTERVAL_MS = 3_000;
/** Deferral with which an endpoint is released if the limits of this process admit none of its ready lanes. */
const NOT_ADMITTED: Deferral = { which: 'all', seconds: 1, isExternal: false };

/** A running lane, which counts towards a limit of the process. */
export interface RunningLane extends Lane {
  /** Moves the lane to the limit of slow lanes. */
  countAsSlow(): void;
  end(): void;
}

/** An endpoint that this process has leased, or whose lanes still run after the lease was lost. */
export class LeasedEndpoint {
  readonly lanes = new LaneQueue();
  readonly requests: RequestSlots;
  /** Number of the lease, from 1: another lease can start before the release of this one is confirmed. */
  lease = 0;
  /** Generation of the last read. */
  generation = '';
  /** Whether the table may contain due lanes that are not in `lanes`. */
  mayHaveMore = true;
  /** Whether the next step reads the table even if lanes are ready: urgent deliveries may be due, a deferral may be over, or a statement failed. */
  isWoken = true;
  /** Whether the next read is a statement of its own, because the last one failed: it may fail again. */
  readsAlone = false;
  /** Whether the running read may miss deliveries that have become due. */
  private mayHaveMissed = false;
  /** Number of running urgent lanes. */
  private urgentCount = 0;
  /** Whether a release is running. */
  isReleasing = false;
  private deferral: Deferral | undefined;
  /** `performance.now()` before which the endpoint is not released, because the last release had no effect. */
  private retainedUntil = 0;
  /** `performance.now()` before which no statement is run, because the last one failed. */
  private pausedUntil = 0;
  /** When the last read started. */
  private readAt = 0;
  /** When the last read started or the last lane ended. */
  private activeAt = 0;
  /** Whether the last read found lanes that were running, or that ended during it. */
  private hasSkipped = false;

  constructor(
    readonly id: string,
    /** Owner of the endpoint; its id until the first delivery is assembled. */
    public owner: string,
    wasSlow: boolean,
    private readonly limits: LaneLimits,
  ) {
    this.requests = new RequestSlots(wasSlow);
  }

  /**
   * Makes a step read the table, because deliveries may have become due: the next step if they are urgent, if a deferral may be over, or
   * if a running release may miss them; otherwise one with few ready lanes.
   */
  wake(isUrgent: boolean): void {
    this.expectMore();
    if (isUrgent || this.isReleasing || this.deferral !== undefined) this.isWoken = true;
  }

  /** Makes a step with few ready lanes read the table, also if a running read ends before. */
  private expectMore(): void {
    this.mayHaveMore = true;
    if (this.lanes.isReading) this.mayHaveMissed = true;
  }

  /**
   * Returns the statement that the dispatcher runs next for the endpoint. The first line that applies decides:
   *
   * 1. None while a read or a release runs, or shortly after a statement failed.
   * 2. Release if the limits of this process have admitted no ready lane for a second: other processes may have capacity.
   * 3. Read if urgent deliveries may be due, a deferral may be over, or a statement failed (`isWoken`).
   * 4. Read if few lanes are ready and the table may contain more.
   * 5. Read from time to time while lanes are ready or run: an urgent retry becomes due without a notification, and a read skips an urgent
   *    delivery whose lane runs. Both go ahead of ready lanes.
   * 6. Release if no lane is ready or runs.
   */
  nextStep(now: number): 'read' | 'release' | undefined {
    if (this.isReleasing || this.lanes.isReading || now < this.pausedUntil) return undefined;
    const { readyCount, busyCount } = this.lanes;
    const isNotAdmitted = busyCount === 0 && readyCount > 0 && now - this.activeAt >= INTERVAL_MS;
    if (isNotAdmitted && !this.isWoken) return 'release';
    const isIdle = busyCount === 0 && readyCount === 0;
    const isShort = readyCount < MIN_READY_LANES;
    const needsMore = isShort && this.deferral === undefined && this.mayHaveMore;
    const interval = isShort ? INTERVAL_MS : BACKLOG_INTERVAL_MS;
    if (this.isWoken || needsMore || (!isIdle && now - this.readAt >= interval)) return 'read';
    return isIdle && now >= this.retainedUntil ? 'release' : undefined;
  }

  /** Starts a new lease: the state of an earlier one is out of date, except running lanes. */
  startLease(): void {
    this.lease += 1;
    this.isWoken = true;
    this.deferral = undefined;
    this.pausedUntil = 0;
    this.lanes.drop('all');
  }

  /** Drops the ready lanes: whatever the release does, a read follows, under this lease or a later one. */
  startRelease() {
    const deferral = this.lanes.readyCount > 0 ? NOT_ADMITTED : this.deferral;
    this.isReleasing = true;
    this.isWoken = false;
    this.lanes.drop('all');
    return { id: this.id, generation: this.generation, deferral };
  }

  /** The release had no effect: reads at once, and releases later. */
  retain(now: number): void {
    this.retainedUntil = now + INTERVAL_MS;
    this.isWoken = true;
  }

  startRead(now: number): void {
    this.isWoken = this.mayHaveMissed = false;
    this.readAt = this.activeAt = now;
    this.lanes.startRead();
  }

  finishRead({ generation, deliveries }: PendingRead): void {
    if (generation !== this.generation) this.deferral = undefined;
    this.generation = generation;
    this.readsAlone = false;
    const { found, ready } = this.lanes.finishRead(deliveries);
    this.hasSkipped = ready < found;
    this.mayHaveMore = found >= MAX_LANES_PER_READ || this.mayHaveMissed;
    if (this.deferral !== undefined) this.lanes.drop(this.deferral.which);
  }

  /** The read failed or found no lease. The read of an earlier lease does not delay the present one. */
  failRead(lease: number): void {
    this.lanes.finishRead([]);
    this.readsAlone = true;
    if (lease === this.lease) this.pause();
  }

  /** A statement failed: runs no statement for a while, and reads then. */
  pause(): void {
    this.pausedUntil = performance.now() + INTERVAL_MS;
    this.isWoken = true;
  }

  /** Defers lanes, unless the endpoint was woken since the read of this generation. */
  defer(deferral: Deferral, generation: string): void {
    if (generation !== this.generation) return this.expectMore();
    if (this.deferral?.which !== 'all') this.deferral = deferral;
    this.lanes.drop(deferral.which);
  }

  /** Starts the next ready lane; undefined if none is ready or the limits do not admit it. */
  startLane(): RunningLane | undefined {
    const lane = this.lanes.peek();
    const { isSlow, maxLanes } = this.requests;
    if (lane === undefined) return undefined;
    const { urgent } = lane;
    if (this.lanes.busyCount >= maxLanes && !(urgent && this.urgentCount < MAX_RESERVED)) return undefined;
    const slowClass = urgent ? 'slow-urgent' : 'slow';
    const laneClass = isSlow ? slowClass : urgent ? 'urgent' : 'quick';
    if (!this.limits.admits(laneClass, this.owner)) return undefined;
    this.lanes.start();
    if (urgent) this.urgentCount += 1;
    let leaveLimit = this.limits.enter(laneClass, this.owner);
    const countAsSlow = () => {
      leaveLimit();
      leaveLimit = this.limits.enter(slowClass, this.owner);
    };
    const end = () => {
      leaveLimit();
      this.lanes.end(lane.subject);
      if (urgent) this.urgentCount -= 1;
      this.activeAt = performance.now();
      if (this.hasSkipped) this.mayHaveMore = true;
    };
    return { ...lane, countAsSlow, end };
  }

  /** Waits for a request slot; false if the lane ends instead, because the endpoint is slow. */
  async acquireRequest(urgent: boolean): Promise<boolean> {
    const isAcquired = await this.requests.acquire(urgent);
    if (!isAcquired) this.isWoken = true;
    return isAcquired;
  }
}
