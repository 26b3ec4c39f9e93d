import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { errorFields } from '../server/observability/failures';
import { logError } from '../server/observability/error-log';
import type { Attempt } from './attempt';
import type { Endpoints } from './endpoints.repository';
import { LeasedEndpoint, type RunningLane } from './leased-endpoint';
import type { LaneLimits } from './limits';

/** Dependencies of a dispatcher. */
interface DispatcherDependencies {
  readonly endpoints: Endpoints;
  /** Returns the worker id of this process; undefined while its session is lost or uncertain. */
  readonly workerId: () => string | undefined;
  readonly attempt: Attempt;
  readonly limits: LaneLimits;
  readonly logger: Logger;
}

/** Number of leased endpoints at which a process claims no more. */
const MAX_LEASED = 1_000;
/** Maximum urgent and maximum ordinary endpoints that one statement claims. */
const CLAIM_SIZE = 32;
/** Deferral of an endpoint after a statement of one of its lanes failed. */
const FAILED_SECONDS = 3;
/** Number of endpoints whose owner and speed are cached beyond their lease. */
const ENDPOINT_CACHE_SIZE = 10_000;

/**
 * Makes the deliveries that are due: claims endpoints, reads what is due there, runs lanes within the limits, and
 * releases endpoints. All steps overlap. A lane takes one of the request slots of its endpoint only while it sends.
 */
export class Dispatcher {
  private readonly leased = new Map<string, LeasedEndpoint>();
  /** Endpoints with ready lanes; the first one is next. */
  private readonly ready = new Set<LeasedEndpoint>();
  private readonly cache = new LRUCache<string, { owner: string; isSlow: boolean }>({ max: ENDPOINT_CACHE_SIZE });
  private readonly running = new Set<Promise<void>>();
  private workerId: string | undefined;
  private isScheduled = false;
  private isClaiming = false;
  private needsClaim = true;
  private isStopping = false;

  constructor(private readonly dependencies: DispatcherDependencies) {}

  /** Reads these endpoints again, or claims those that this process has not leased; without ids, all endpoints. */
  wake(ids: readonly string[], isUrgent: boolean): void {
    const leased = ids.length === 0 ? [...this.leased.values()] : ids.flatMap((id) => this.leased.get(id) ?? []);
    for (const endpoint of leased) endpoint.wake(isUrgent);
    if (leased.length < ids.length || ids.length === 0) this.needsClaim = true;
    this.schedule();
  }

  /** Called every second, because deliveries become due without any event. */
  tick(): void {
    this.needsClaim = true;
    this.schedule();
  }

  /** Starts no more lanes; resolves when none is running. */
  async stop(): Promise<void> {
    this.isStopping = true;
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  private schedule(): void {
    if (this.isScheduled || this.isStopping) return;
    this.isScheduled = true;
    setImmediate(() => this.step());
  }

  private step(): void {
    this.isScheduled = false;
    if (this.isStopping) return;
    const worker = this.dependencies.workerId();
    if (worker !== this.workerId) this.loseLeases(worker);
    if (worker === undefined) return;
    this.startLanes(worker);
    const now = performance.now();
    for (const endpoint of this.leased.values()) {
      const next = endpoint.nextStep(now);
      if (next === 'read') this.run(this.readPending(worker, endpoint, now));
      else if (next === 'release') this.run(this.release(worker, endpoint));
    }
    if (this.needsClaim && !this.isClaiming && this.leased.size < MAX_LEASED) this.run(this.claim(worker));
  }

  /** Starts lanes, one per endpoint in rotation. An endpoint that the limits do not admit keeps its position. */
  private startLanes(worker: string): void {
    for (const endpoint of this.ready) {
      const lane = endpoint.startLane();
      if (lane === undefined) continue;
      this.ready.delete(endpoint);
      if (endpoint.lanes.readyCount > 0) this.ready.add(endpoint);
      this.run(this.runLane(worker, endpoint, lane));
    }
  }

  private async runLane(worker: string, endpoint: LeasedEndpoint, lane: RunningLane): Promise<void> {
    const { attempt, endpoints, logger, workerId } = this.dependencies;
    const isLeased = () => !this.isStopping && this.workerId === worker && workerId() === worker;
    const { generation } = endpoint;
    try {
      for (let part = lane.deliveries; part.length > 0; part = await endpoints.readRest(worker, part)) {
        for (const delivery of part) if (!(await attempt(delivery, { endpoint, lane, isLeased }))) return;
      }
    } catch (error) {
      endpoint.defer({ which: 'all', seconds: FAILED_SECONDS, isExternal: false }, generation);
      logError(logger, 'warn', error, { failure: errorFields(error) }, 'delivery lane failed');
    } finally {
      lane.end();
    }
  }

  private async readPending(worker: string, endpoint: LeasedEndpoint, now: number): Promise<void> {
    const { id, lease, readsAlone } = endpoint;
    endpoint.startRead(now);
    const read = await this.dependencies.endpoints.readPending({ worker, id }, readsAlone).catch((error: unknown) => {
      endpoint.failRead(lease);
      throw error;
    });
    if (read !== undefined && this.isCurrent(worker, endpoint, lease)) {
      endpoint.finishRead(read);
      if (endpoint.lanes.readyCount > 0) this.ready.add(endpoint);
    } else {
      endpoint.failRead(lease);
      if (endpoint.lease === lease) this.discard(endpoint);
    }
  }

  private async release(worker: string, endpoint: LeasedEndpoint): Promise<void> {
    const { lease } = endpoint;
    this.ready.delete(endpoint);
    try {
      const outcome = await this.dependencies.endpoints.release({ worker, ...endpoint.startRelease() });
      // A later claim of this process may have leased the endpoint again before this release completed.
      if (!this.isCurrent(worker, endpoint, lease)) return;
      if (outcome === 'retained') return endpoint.retain(performance.now());
      this.discard(endpoint);
      if (endpoint.isWoken || outcome === 'released-due') this.needsClaim = true;
    } catch (error) {
      endpoint.pause();
      throw error;
    } finally {
      endpoint.isReleasing = false;
    }
  }

  private async claim(worker: string): Promise<void> {
    this.isClaiming = true;
    this.needsClaim = false;
    const claimed = await this.dependencies.endpoints
      .claim(worker, CLAIM_SIZE, [...this.leased.keys()])
      .finally(() => (this.isClaiming = false));
    if (this.workerId === worker) for (const id of claimed) this.startLease(id);
    if (claimed.length >= CLAIM_SIZE) this.needsClaim = true;
  }

  private startLease(id: string): void {
    const { owner = id, isSlow = false } = this.cache.get(id) ?? {};
    const endpoint = this.leased.get(id) ?? new LeasedEndpoint(id, owner, isSlow, this.dependencies.limits);
    endpoint.startLease();
    this.leased.set(id, endpoint);
  }

  /** Removes an endpoint whose lease has ended. It stays while lanes run, so that none of them starts twice. */
  private discard(endpoint: LeasedEndpoint): void {
    this.ready.delete(endpoint);
    this.cache.set(endpoint.id, { owner: endpoint.owner, isSlow: endpoint.requests.isSlow });
    endpoint.lanes.drop('all');
    const isCurrent = this.leased.get(endpoint.id) === endpoint; // false after a new claim of this process
    if (isCurrent && endpoint.lanes.busyCount === 0) this.leased.delete(endpoint.id);
  }

  /** Discards all leases: the session of the worker is lost, uncertain or a new one. */
  private loseLeases(worker: string | undefined): void {
    this.workerId = worker;
    for (const endpoint of this.leased.values()) this.discard(endpoint);
    this.needsClaim = true;
  }

  /** Returns whether a result is about the present lease of an endpoint. */
  private isCurrent(worker: string, endpoint: LeasedEndpoint, lease: number): boolean {
    return this.workerId === worker && this.leased.get(endpoint.id) === endpoint && endpoint.lease === lease;
  }

  private run(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => {
        const fields = { failure: errorFields(error) };
        logError(this.dependencies.logger, 'warn', error, fields, 'dispatcher statement failed');
      })
      .finally(() => {
        this.running.delete(running);
        this.schedule();
      });
    this.running.add(running);
  }
}
