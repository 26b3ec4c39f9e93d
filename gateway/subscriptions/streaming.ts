import type { FastifyInstance, FastifyReply } from 'fastify';
import { newIdentifier } from '../../schema/identifiers';
import type { ServiceTokens } from '../../subgraphs/server/service-token';
import type { AdHocRequest } from '../ad-hoc-operations';
import type { RequestFacts } from '../client/graph-client';
import { factsOf } from '../request-facts';
import type { OperationParts } from './operations';
import { serverSentEvents, takesEvents } from './server-sent-events';
import type { Subscriptions } from './subscriptions';
import { acceptUpgrades, refuseUpgrade } from './upgrades';
import { webSockets } from './web-sockets';

/** The ways in which the gateway answers an operation more than once. */
export interface Streaming {
  /** Whether a request is to be answered by Server-Sent Events: it takes nothing else, or is a subscription and takes them too. */
  isWanted(request: AdHocRequest, accept: string | undefined): boolean;
  answer(request: AdHocRequest, facts: RequestFacts, reply: FastifyReply): Promise<void>;
  /** Ends all streams and WebSockets; their clients go on where they were at another replica. */
  close(): Promise<void>;
}

/** Adds WebSockets at a path of the server, and Server-Sent Events for its requests. */
export function addStreaming(
  app: FastifyInstance,
  path: string,
  parts: OperationParts,
  tokens: ServiceTokens,
): Streaming {
  const sockets = webSockets(parts);
  const events = serverSentEvents(parts);
  acceptUpgrades(app, path, (upgrade, request) => {
    factsOf(request, tokens)
      .then((facts) => sockets.accept(upgrade, facts))
      .catch((error: unknown) => {
        const transactionId = newIdentifier('tid');
        parts.report(error, transactionId);
        refuseUpgrade(upgrade, error, transactionId);
      });
  });
  return {
    isWanted(request, accept) {
      const takes = takesEvents(accept);
      return takes.only || (takes.also && isSubscription(request, parts.subscriptions));
    },
    answer: events.answer,
    async close() {
      parts.subscriptions.close();
      await sockets.close();
    },
  };
}

/** A text that cannot be read is none: it is refused as any other. */
function isSubscription(request: AdHocRequest, { read }: Subscriptions): boolean {
  try {
    return read(request).streamed !== undefined;
  } catch {
    return false;
  }
}
