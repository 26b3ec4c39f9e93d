import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import { RegisterError } from '../../../schema/register-error';
import type { ServiceName } from '../callers/caller';
import { LinkConnection, type LinkDocument } from './link-connection';
import { LINK_PATH, LINK_PROTOCOL, PING_INTERVAL_MS, SOCKET_OPTIONS } from './link-messages';
import { CONNECT_TIMEOUT_MS, ServiceAgent } from './peer-check';
import { ReplicaReadiness } from './replica-readiness';
import { type Family, addressFamilies } from './service-addresses';
import type { ServiceIdentity } from './service-identity';

/** Calls of one service to another one. */
export interface ServiceLink {
  /** Sends a request and resolves with its result; throws SYS002 if none arrives. */
  call(payload: unknown, document?: LinkDocument): Promise<unknown>;
  /** Returns true if a replica that is not stopping responds within 3 s that it can serve requests. */
  ready(): Promise<boolean>;
  close(): void;
}

/** Maximum wait of a call for a connection, also while a name server does not respond. */
const MAX_CONNECT_WAIT_MS = 5_000;
/** Maximum wait for the readiness of the replicas. */
const READINESS_TIMEOUT_MS = 3_000;
/** Interval in which the readiness of replicas is requested, if there are several. */
const PROBE_INTERVAL_MS = 2_000;

/** Interval in which the addresses of the name are resolved again. */
const RESOLVE_INTERVAL_MS = 30_000;
const SWEEP_INTERVAL_MS = 500;
/** Pauses between attempts to connect: the first one, doubled up to the maximum, shortened at random by up to half. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** Opens the link of a service to the replicas of another one. It connects at the first call, and again after a loss. */
export function serviceLink(identity: ServiceIdentity, to: ServiceName, url: string, logger: Logger): ServiceLink {
  return new ReplicaLinks(identity, to, url, logger);
}

/**
 * One connection for each address of a service; a request goes to a ready replica, if there is one, with the fewest requests that await their
 * response. A replica without its database would otherwise receive most requests, because it rejects them fastest.
 */
class ReplicaLinks implements ServiceLink {
  /** Connections that take requests, by address. */
  private readonly connections = new Map<string, LinkConnection>();
  /** All open connections, also those that only wait for responses. */
  private readonly open = new Set<LinkConnection>();
  private readonly readiness = new ReplicaReadiness();
  private readonly agent: ServiceAgent;
  private readonly timers: readonly NodeJS.Timeout[];
  private connecting: Promise<void> | undefined;
  private failures = 0;
  private isClosed = false;

  private readonly from: ServiceName;

  constructor(
    identity: ServiceIdentity,
    private readonly to: ServiceName,
    private readonly url: string,
    private readonly logger: Logger,
  ) {
    this.from = identity.name;
    this.agent = new ServiceAgent(identity, to);
    this.timers = [
      setInterval(() => this.open.forEach((connection) => connection.sweep()), SWEEP_INTERVAL_MS).unref(),
      setInterval(() => this.open.forEach(({ heartbeat }) => heartbeat.beat()), PING_INTERVAL_MS).unref(),
      setInterval(() => void (this.connections.size > 0 && this.connect()), RESOLVE_INTERVAL_MS).unref(),
      setInterval(() => void (this.connections.size > 1 && this.ready()), PROBE_INTERVAL_MS).unref(),
    ];
  }

  async call(payload: unknown, document?: LinkDocument): Promise<unknown> {
    const startedAt = performance.now();
    if (this.connections.size === 0) await this.connectInTime();
    let best: LinkConnection | undefined;
    for (const each of this.connections.values()) if (best === undefined || this.isBetter(each, best)) best = each;
    if (best === undefined) throw new RegisterError('SYS002');
    return best.call(payload, document, startedAt);
  }

  ready(): Promise<boolean> {
    const probe = () => this.readiness.anyReady(this.connections.values());
    const probed = this.connections.size === 0 ? this.connectInTime().then(probe) : probe();
    return Promise.race([probed, pause(READINESS_TIMEOUT_MS, false, { ref: false })]);
  }

  /** Ready replicas come first, and those of any readiness that take no more requests last. */
  private isBetter(one: LinkConnection, other: LinkConnection): boolean {
    const difference = this.rank(one) - this.rank(other);
    return difference === 0 ? one.load < other.load : difference < 0;
  }

  private rank(connection: LinkConnection): number {
    if (connection.isFull()) return 2;
    return this.readiness.isUnready(connection) ? 1 : 0;
  }

  private connectInTime(): Promise<void> {
    return Promise.race([this.connect(), pause(MAX_CONNECT_WAIT_MS, undefined, { ref: false })]);
  }

  close(): void {
    this.isClosed = true;
    for (const timer of this.timers) clearInterval(timer);
    for (const connection of this.open) connection.terminate();
    this.agent.destroy();
  }

  /** Connects to every address without a connection; resolves when the first attempt succeeds or all have failed. */
  private connect(): Promise<void> {
    this.connecting ??= this.attempt().finally(() => (this.connecting = undefined));
    return this.connecting;
  }

  private async attempt(): Promise<void> {
    if (this.failures > 0) await pause(this.pauseMs());
    try {
      await this.openToFamily(await addressFamilies(this.url));
      this.failures = 0;
    } catch (error) {
      if (this.connections.size > 0) return; // other replicas serve
      this.report(error);
      this.failures += 1;
    }
  }

  private pauseMs(): number {
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.failures - 1)) * (1 - Math.random() / 2);
  }

  /**
   * Connects to the addresses of one family: a replica with both would get two connections. Prefers the family in use; tries the other one
   * if no address of the first accepts a connection, because a service may listen on one family of the name's addresses only.
   */
  private async openToFamily(families: readonly Family[]): Promise<void> {
    const isInUse = (addresses: Family) => addresses.some((address) => this.connections.has(address));
    this.drainExcept(families.flat());
    let failure: unknown;
    for (const addresses of families.toSorted((one, other) => Number(isInUse(other)) - Number(isInUse(one)))) {
      const missing = addresses.filter((address) => !this.connections.has(address));
      try {
        if (missing.length > 0) await Promise.any(missing.map((address) => this.openTo(address)));
      } catch (error) {
        failure ??= error;
        if (!isInUse(addresses)) continue;
      }
      return this.drainExcept(addresses);
    }
    throw failure;
  }

  private drainExcept(addresses: Family): void {
    for (const [address, connection] of this.connections) if (!addresses.includes(address)) connection.drain();
  }

  private openTo(address: string): Promise<void> {
    const target = new URL(LINK_PATH, this.url.replace(/^http/, 'ws'));
    target.hostname = address.includes(':') ? `[${address}]` : address;
    const options = { agent: this.agent, handshakeTimeout: CONNECT_TIMEOUT_MS, ...SOCKET_OPTIONS };
    const socket = new WebSocket(target, LINK_PROTOCOL, options);
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () => {
        if (this.isClosed) return socket.terminate();
        const onStopping = () => {
          if (this.connections.get(address) === connection) this.connections.delete(address);
        };
        const connection = new LinkConnection(socket, onStopping, (bytes) => {
          this.logger.warn({ from: this.from, service: this.to, bytes }, 'request too large to be sent');
        });
        this.connections.set(address, connection);
        this.open.add(connection);
        socket.once('close', () => this.open.delete(connection));
        resolve();
      });
    });
  }

  /** Logs the first of a series of failed attempts. */
  private report(error: unknown): void {
    if (this.failures > 0 || this.isClosed) return;
    const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    const { code, message } = first as { code?: string; message: string };
    this.logger.warn({ service: this.to, failure: code ?? message }, 'service unreachable');
  }
}
