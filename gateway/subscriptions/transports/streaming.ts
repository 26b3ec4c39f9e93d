import type { FastifyInstance, FastifyReply } from 'fastify';
import { newIdentifier } from '../../../schema/identifiers';
import type { ServiceSockets } from '../../../subgraphs/server/link/service-server';
import type { AdHocRequest } from '../../requests/graph-request';
import type { RequestMetadata } from '../../client/graph-client';
import { requestMetadata } from '../../requests/request-metadata';
import type { StreamingDependencies } from './started-operation';
import { serverSentEvents, acceptsEvents } from './server-sent-events';
import type { Subscriptions } from '../subscriptions';
import { type Upgrade, acceptUpgrades, rejectUpgrade } from './upgrades';
import { webSockets } from './web-sockets';

/** Streaming transports of the gateway: WebSockets and Server-Sent Events. */
export interface Streaming {
  /**
   * Returns true if the response to a request must be Server-Sent Events: it accepts nothing else, or accepts them and
   * is a subscription.
   */
  requiresEvents(request: AdHocRequest, accept: string | undefined): boolean;
  answer(request: AdHocRequest, metadata: RequestMetadata, reply: FastifyReply): Promise<void>;
  /**
   * Ends all streams, and each WebSocket once its operations with one result have ended, or when `forced` aborts. Clients can resume at
   * another replica after their last cursor.
   */
  close(forced: AbortSignal): Promise<void>;
}

/** Serves WebSockets at a path, and Server-Sent Events for its requests. */
export function addStreaming(app: FastifyInstance, path: string, dependencies: StreamingDependencies): Streaming {
  const sockets = webSockets(dependencies);
  const events = serverSentEvents(dependencies);
  acceptUpgrades(app, path, (upgrade, request) => acceptBy(sockets, upgrade, requestMetadata(request), dependencies));
  return {
    requiresEvents(request, accept) {
      const accepts = acceptsEvents(accept);
      return accepts.onlyEvents || (accepts.includesEvents && isSubscription(request, dependencies.subscriptions));
    },
    answer: events.answer,
    async close(forced) {
      dependencies.subscriptions.close();
      await sockets.close(forced);
    },
  };
}

/**
 * Serves WebSockets at a path to services of other processes, which pass on the credentials of their clients in `connection_init`.
 */
export function serviceSockets(path: string, dependencies: StreamingDependencies): ServiceSockets {
  const sockets = webSockets(dependencies);
  return {
    path,
    accept(upgrade) {
      upgrade.socket.on('error', () => upgrade.socket.destroy());
      const clientAddress = upgrade.socket.remoteAddress ?? '';
      acceptBy(sockets, upgrade, { transactionId: newIdentifier('tid'), clientAddress }, dependencies);
    },
    close: (forced) => sockets.close(forced),
  };
}

function acceptBy(
  sockets: ReturnType<typeof webSockets>,
  upgrade: Upgrade,
  metadata: RequestMetadata,
  { report }: StreamingDependencies,
): void {
  try {
    sockets.accept(upgrade, metadata);
  } catch (error) {
    report(error, metadata.transactionId);
    rejectUpgrade(upgrade, error, metadata.transactionId);
  }
}

/** Returns false for a document with errors: it is rejected like any other. */
function isSubscription(request: AdHocRequest, { parse }: Subscriptions): boolean {
  try {
    return parse(request).streamed !== undefined;
  } catch {
    return false;
  }
}
