import type { FastifyRequest } from 'fastify';
import type { GraphClient } from '../../gateway/client/graph-client';
import { registerQuestions } from '../../web/register-questions';
import { RegisterRefusal } from '../../web/register-refusal';
import type { Visit } from '../page';
import type { PortalCookies } from './cookies';

/** How pages ask the register: with the customer's own session or none. */
export function customerQuestions(
  graph: GraphClient,
  request: FastifyRequest,
  cookies: PortalCookies,
): Pick<Visit, 'ask' | 'askAsCustomer'> {
  const ask = registerQuestions('portal', graph, request);
  return {
    ask: (operation, variables = {}) => ask(operation, variables, undefined),
    askAsCustomer(operation, variables = {}) {
      const token = cookies.read('session');
      return token === undefined ? Promise.reject(new RegisterRefusal('AUT001')) : ask(operation, variables, token);
    },
  };
}
