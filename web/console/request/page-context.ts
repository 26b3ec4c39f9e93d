import type { FastifyReply, FastifyRequest } from 'fastify';
import { withSession } from '../../shared/operation-runner';
import { requestContexts } from '../../shared/request-context';
import type { ConsoleOptions } from '../console-options';
import type { PageContext } from '../page';
import { CONSOLE_COOKIES, type Session } from './cookies';
import { endedSessions } from './ended-sessions';
import type { OpenStreams } from './open-streams';

/** Returns a function that makes the context of a request. */
export function pageContexts(options: ConsoleOptions, streams: OpenStreams) {
  const contextOf = requestContexts('console', options, CONSOLE_COOKIES);
  const ended = endedSessions();
  return (request: FastifyRequest, reply: FastifyReply): PageContext => {
    const context = contextOf(request, reply);
    const storedSession = context.encryptedCookies.read<Session>('session');
    const isEnded = () => storedSession === undefined || ended.has(storedSession.id);
    const currentSession = () => (isEnded() ? undefined : storedSession);
    const lastEventId = request.headers['last-event-id'];
    return {
      ...context,
      language: 'en',
      filesUrl: options.settings.filesUrl,
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
      get session() {
        return currentSession();
      },
      executeAsAccount: withSession(context.execute, () => currentSession()?.token),
      endSession() {
        if (storedSession === undefined) return [];
        ended.add(storedSession.id);
        return streams.ofSession(storedSession.id);
      },
    };
  };
}
