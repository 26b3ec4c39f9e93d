import type { AccountRole } from '../../schema/roles';
import type { SharedRegister } from './register';
import { tokenOf } from './rest-client';
import { until } from './until';

/** An error of a GraphQL response. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly violations?: readonly {
      readonly code: string;
      readonly path: readonly (string | number)[];
      readonly message: string;
    }[];
  };
}

/** Data of any kind: tests read its fields by name. */
type ResultData = ReturnType<typeof JSON.parse>;

/** A GraphQL response, as received. */
export interface GraphResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly data: ResultData;
  readonly errors: readonly GraphError[];
  readonly extensions: Record<string, unknown>;
}

/** Sends one operation to the gateway. */
export type Graph = (query: string, variables?: Record<string, unknown>) => Promise<GraphResponse>;

/** Returns a client of the graph, with or without a bearer token. */
export function graphOf({ gateway }: Pick<SharedRegister, 'gateway'>, token?: string): Graph {
  return async (query, variables = {}) => {
    const response = await fetch(`${gateway}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const text = await response.text();
    const { data = null, errors = [], extensions = {} } = JSON.parse(text) as Partial<GraphResponse>;
    return { status: response.status, headers: response.headers, text, data, errors, extensions };
  };
}

/**
 * Sends an operation that may run twice as a client does on a busy register: repeats it while it fails with SYS002. After `maxRepeats`
 * it returns that failure.
 */
export function persistentGraph(send: Graph, maxRepeats = Infinity): Graph {
  return (query, variables) => {
    let repeats = 0;
    return until(async () => {
      const response = await send(query, variables);
      const isBusy = response.errors.some(({ extensions }) => extensions.code === 'SYS002');
      return isBusy && repeats++ < maxRepeats ? undefined : response;
    });
  };
}

/** Returns a client of the graph that is signed in with a demo account. */
export async function graphAs(
  register: Pick<SharedRegister, 'gateway' | 'rest' | 'sandbox'>,
  role: AccountRole,
  index = 0,
): Promise<Graph> {
  return graphOf(register, await tokenOf(register, role, index));
}

/** Returns the error codes of a response with their paths: `PRM002 accessRecord.identityRecord`. */
export function failuresOf({ errors }: GraphResponse): string[] {
  return errors.map(({ extensions, path }) => [extensions.code, path?.join('.')].filter(Boolean).join(' '));
}
