import { RegisterError } from '../../schema/register-error';
import { clientNetwork } from '../../subgraphs/server/rate-limits';
import type { ConnectionEnd } from './connection-end';
import type { SubscriptionMetrics, Transport } from './subscription-metrics';

/** A connection that is held open: a WebSocket, or a response of Server-Sent Events. */
export interface Connection {
  readonly transport: Transport;
  /** Counts it for its account, too; LIM002 when that has too many already, which ends it. */
  countFor(accountId: string): void;
  /** Ends it from the register's side. */
  end(reason: ConnectionEnd): void;
  /** It is closed, by whomever: it counts no more. */
  closed(): void;
}

/** Connections held open at this gateway, and how many of them one account and one address may have. */
export interface OpenConnections {
  /** Counts a connection of an address until it is closed; LIM002 when the address has too many already. */
  open(clientAddress: string, transport: Transport, end: (reason: ConnectionEnd) => void): Connection;
}

/** Connections that one account, and one address, may hold open at one gateway. */
export const CONNECTION_LIMITS = { account: 100, address: 200 } as const;

type Holder = keyof typeof CONNECTION_LIMITS;

/** Counts connections. Each that the register ends or refuses is counted once, however many subscriptions it has. */
export function openConnections(metrics: SubscriptionMetrics, isUnlimited: boolean): OpenConnections {
  const tallies = { account: new Map<string, number>(), address: new Map<string, number>() };
  const count = (holder: Holder, name: string): (() => void) | undefined => {
    const tally = tallies[holder];
    const held = tally.get(name) ?? 0;
    if (held >= CONNECTION_LIMITS[holder] && !isUnlimited) return undefined;
    tally.set(name, held + 1);
    return () => {
      const left = (tally.get(name) ?? 0) - 1;
      if (left > 0) tally.set(name, left);
      else tally.delete(name);
    };
  };
  return {
    open(clientAddress, transport, end) {
      const leaveAddress = count('address', clientNetwork(clientAddress));
      if (!leaveAddress) {
        metrics.ended('too-many');
        throw tooMany('address');
      }
      return new CountedConnection(transport, {
        count: (accountId) => count('account', accountId),
        end,
        ended: (reason) => metrics.ended(reason),
        left: leaveAddress,
      });
    },
  };
}

interface ConnectionSteps {
  /** Counts it for an account and answers how to take that back; undefined when it has too many. */
  count(accountId: string): (() => void) | undefined;
  end(reason: ConnectionEnd): void;
  /** Told once, at the first end. */
  ended(reason: ConnectionEnd): void;
  left(): void;
}

class CountedConnection implements Connection {
  private leaveAccount: (() => void) | undefined;
  private isEnded = false;
  private isClosed = false;

  constructor(
    readonly transport: Transport,
    private readonly steps: ConnectionSteps,
  ) {}

  countFor(accountId: string): void {
    if (this.isClosed || this.leaveAccount) return;
    this.leaveAccount = this.steps.count(accountId);
    if (this.leaveAccount) return;
    this.end('too-many');
    throw tooMany('account');
  }

  end(reason: ConnectionEnd): void {
    if (this.isClosed) return;
    if (!this.isEnded) this.steps.ended(reason);
    this.isEnded = true;
    this.steps.end(reason);
  }

  closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leaveAccount?.();
    this.steps.left();
  }
}

function tooMany(holder: Holder): RegisterError {
  return new RegisterError(
    'LIM002',
    `Too many connections: this ${holder} holds ${CONNECTION_LIMITS[holder]} open. Close one first.`,
  );
}
