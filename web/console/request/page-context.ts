import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { withSession } from '../../shared/operation-runner';
import { requestContexts } from '../../shared/request-context';
import type { Render } from '../../shared/templates';
import type { ConsoleOptions } from '../console-options';
import type { PageContext } from '../page';
import { CONSOLE_COOKIES, SESSION_LIFETIME_SECONDS, type Session } from './cookies';
import type { OpenStreams } from './open-streams';
import { sharedResults } from './shared-results';

/** Bounds the memory. To exceed it, a client would need an account's secret key and 10,000 sign-outs within two hours. */
const MAX_ENDED_SESSIONS = 10_000;

/** Bounds the memory of maps; one of the largest versions has some 6 million characters. */
const MAP_LIMITS = {
  maxResults: 50,
  maxSize: 32_000_000,
  sizeOf: ({ html }: { readonly html: string }) => html.length,
};

/**
 * Returns a function that makes the context of a request. The ids of sessions that a sign-out or another sign-in ended stay in memory until
 * the tokens of the sessions expire: a copied cookie with such an id is rejected. Another replica, or this process after a restart, still
 * accepts it; suspending the account ends the session everywhere.
 */
export function pageContexts(options: ConsoleOptions, streams: OpenStreams, render: Render) {
  const contextOf = requestContexts('console', options, CONSOLE_COOKIES);
  const ended = new LRUCache<string, true>({ max: MAX_ENDED_SESSIONS, ttl: SESSION_LIFETIME_SECONDS * 1_000 });
  const gridMaps = sharedResults(MAP_LIMITS);
  return (request: FastifyRequest, reply: FastifyReply): PageContext => {
    const context = contextOf(request, reply);
    const storedSession = context.encryptedCookies.read<Session>('session');
    const isEnded = () => storedSession === undefined || ended.has(storedSession.id);
    const currentSession = () => (isEnded() ? undefined : storedSession);
    const lastEventId = request.headers['last-event-id'];
    return {
      ...context,
      language: 'en',
      render,
      gridMaps,
      filesUrl: options.settings.filesUrl,
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
      get session() {
        return currentSession();
      },
      executeAsAccount: withSession(context.execute, () => currentSession()?.token),
      endSession() {
        if (storedSession === undefined) return [];
        ended.set(storedSession.id, true);
        return streams.ofSession(storedSession.id);
      },
    };
  };
}
