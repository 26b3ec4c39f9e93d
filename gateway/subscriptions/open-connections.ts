import { RegisterError } from '../../schema/register-error';
import { clientNetwork } from '../../subgraphs/server/callers/resource-owner';
import type { ConnectionEnd } from './connection-end';
import type { SubscriptionMetrics, Transport } from './subscription-metrics';

/** An open connection: a WebSocket or a response of Server-Sent Events. */
export interface Connection {
  readonly transport: Transport;
  /**
   * Counts the connection for an account, and no longer for its client network: the callers behind one address, such as all
   * users of the console, have separate limits. Throws LIM002 and ends the connection if the account has too many.
   */
  countFor(accountId: string): void;
  /** Ends the connection on the register's initiative. */
  end(reason: ConnectionEnd): void;
  /**
   * Calls `end` when the register ends the connection or either side closes it, at once if that has happened, so that none of
   * its streams remains. Returns the function that undoes this.
   */
  onEnd(end: () => void): () => void;
  /** Stops counting the connection and ends its streams; called when it is closed by either side. */
  closed(): void;
}

/** Connections open at this gateway, limited per account, or per client network until their account is known. */
export interface OpenConnections {
  /** Counts a connection of a client network until its account is known or it is closed. Throws LIM002 if the network has too many. */
  open(clientAddress: string, transport: Transport, end: (reason: ConnectionEnd) => void): Connection;
}

/** Maximum number of open connections per gateway: of one account, and of one client network without a known account. */
export const CONNECTION_LIMITS = { account: 100, network: 200 } as const;

type LimitedBy = keyof typeof CONNECTION_LIMITS;

/**
 * Counts open connections. The metric counts each ended or rejected connection once, however many subscriptions it has.
 */
export function openConnections(metrics: SubscriptionMetrics, isUnlimited: boolean): OpenConnections {
  const counts = { account: new Map<string, number>(), network: new Map<string, number>() };
  const count = (limitedBy: LimitedBy, name: string): (() => void) | undefined => {
    const openByName = counts[limitedBy];
    const open = openByName.get(name) ?? 0;
    if (open >= CONNECTION_LIMITS[limitedBy] && !isUnlimited) return undefined;
    openByName.set(name, open + 1);
    return () => {
      const remaining = (openByName.get(name) ?? 0) - 1;
      if (remaining > 0) openByName.set(name, remaining);
      else openByName.delete(name);
    };
  };
  return {
    open(clientAddress, transport, end) {
      const releaseNetwork = count('network', clientNetwork(clientAddress));
      if (!releaseNetwork) {
        metrics.ended('too-many');
        throw tooMany('network');
      }
      return new CountedConnection(transport, {
        count: (accountId) => count('account', accountId),
        end,
        ended: (reason) => metrics.ended(reason),
        releaseNetwork,
      });
    },
  };
}

interface ConnectionCallbacks {
  /**
   * Counts the connection for an account. Returns the function that undoes it, or undefined if the account has too
   * many.
   */
  count(accountId: string): (() => void) | undefined;
  end(reason: ConnectionEnd): void;
  /** Called once, at the first end. */
  ended(reason: ConnectionEnd): void;
  releaseNetwork(): void;
}

class CountedConnection implements Connection {
  private releaseAccount: (() => void) | undefined;
  private isCountedForNetwork = true;
  private isEnded = false;
  private isClosed = false;
  private readonly streamEnds = new Set<() => void>();

  constructor(
    readonly transport: Transport,
    private readonly callbacks: ConnectionCallbacks,
  ) {}

  countFor(accountId: string): void {
    if (this.isClosed || this.releaseAccount) return;
    this.releaseAccount = this.callbacks.count(accountId);
    if (this.releaseAccount) return this.releaseNetwork();
    this.end('too-many');
    throw tooMany('account');
  }

  end(reason: ConnectionEnd): void {
    if (this.isClosed) return;
    if (!this.isEnded) this.callbacks.ended(reason);
    this.isEnded = true;
    this.callbacks.end(reason);
    this.endStreams();
  }

  closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.releaseAccount?.();
    this.releaseNetwork();
    this.endStreams();
  }

  onEnd(end: () => void): () => void {
    if (this.isEnded || this.isClosed) end();
    else this.streamEnds.add(end);
    return () => void this.streamEnds.delete(end);
  }

  private endStreams(): void {
    for (const end of this.streamEnds) end();
  }

  private releaseNetwork(): void {
    if (this.isCountedForNetwork) this.callbacks.releaseNetwork();
    this.isCountedForNetwork = false;
  }
}

function tooMany(limitedBy: LimitedBy): RegisterError {
  const limit = CONNECTION_LIMITS[limitedBy];
  const open =
    limitedBy === 'account' ? `account has ${limit} open` : `client network has ${limit} open without a caller`;
  return new RegisterError('LIM002', `Too many connections: this ${open}. Close one first.`);
}
