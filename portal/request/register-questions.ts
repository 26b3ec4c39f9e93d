import type { GraphClient, RequestFacts } from '../../gateway/client/graph-client';
import { traced } from '../../subgraphs/server/tracing';
import type { CookieName, Cookies } from './cookies';
import type { Visit } from '../page';
import { RegisterRefusal } from './register-refusal';

const SESSION: CookieName = 'session';

/** How pages ask the register: trusted documents by name, with the customer's own session or none. */
export function registerQuestions(
  graph: GraphClient,
  cookies: Cookies,
  facts: Omit<RequestFacts, 'authorization'>,
): Pick<Visit, 'ask' | 'askAsCustomer'> {
  const ask = async <Data>(operation: string, variables: Record<string, unknown>, authorization?: string) => {
    const { data, failures } = await traced(`portal ${operation}`, facts.transactionId, () =>
      graph.run(operation, variables, { ...facts, ...(authorization === undefined ? {} : { authorization }) }),
    );
    const [failure] = failures;
    if (failure) throw new RegisterRefusal(failure.code, failure.retryAfter);
    return data as Data;
  };
  return {
    ask: (operation, variables = {}) => ask(operation, variables),
    askAsCustomer(operation, variables = {}) {
      const token = cookies.read(SESSION);
      return token === undefined
        ? Promise.reject(new RegisterRefusal('AUT001'))
        : ask(operation, variables, `Bearer ${token}`);
    },
  };
}
