import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookiesOf } from '../../web/cookies';
import { formFields } from '../../web/form-fields';
import { RegisterRefusal } from '../../web/register-refusal';
import { registerQuestions } from '../../web/register-questions';
import { sealedCookies } from '../../web/sealed-cookies';
import type { ConsoleOptions } from '../console-options';
import type { Visit } from '../page';
import { CONSOLE_COOKIES, type Session } from './cookies';
import { endedSessions } from './ended-sessions';
import type { OpenStreams } from './open-streams';

/** Makes visits of requests. */
export function visits({ graph, settings, key }: ConsoleOptions, streams: OpenStreams) {
  const sealedWithin = sealedCookies(key);
  const ended = endedSessions();
  return (request: FastifyRequest, reply: FastifyReply): Visit => {
    const cookies = cookiesOf(CONSOLE_COOKIES, request, reply, settings.production);
    const sealed = sealedWithin(cookies);
    const kept = sealed.read<Session>('session');
    const present = () => (kept === undefined || ended.has(kept.id) ? undefined : kept);
    const ask = registerQuestions('console', graph, request);
    const lastEventId = request.headers['last-event-id'];
    return {
      params: (request.params ?? {}) as Record<string, string>,
      query: (request.query ?? {}) as Record<string, unknown>,
      form: formFields(request.body),
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : undefined,
      cookies,
      sealed,
      get session() {
        return present();
      },
      ask: (operation, variables, token) => ask(operation, variables, token),
      askAsAccount: (operation, variables = {}) => {
        const session = present();
        if (session === undefined) return Promise.reject(new RegisterRefusal('AUT001'));
        return ask(operation, variables, session.token);
      },
      endSession() {
        if (kept === undefined) return [];
        ended.add(kept.id);
        return streams.ofSession(kept.id);
      },
    };
  };
}
