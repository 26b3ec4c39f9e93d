import type { AccountRole } from '../../schema/roles';
import type { SharedRegister } from './register';
import { tokenOf } from './rest-client';

/** An error of a GraphQL answer. */
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

/** Data of any kind: tests look into it by name. */
type AnswerData = ReturnType<typeof JSON.parse>;

/** A GraphQL answer as it came. */
export interface GraphAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly data: AnswerData;
  readonly errors: readonly GraphError[];
  readonly extensions: Record<string, unknown>;
}

/** Sends one operation to the gateway. */
export type Graph = (query: string, variables?: Record<string, unknown>) => Promise<GraphAnswer>;

/** A client of the graph, with a bearer token or without one. */
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
    const { data = null, errors = [], extensions = {} } = JSON.parse(text) as Partial<GraphAnswer>;
    return { status: response.status, headers: response.headers, text, data, errors, extensions };
  };
}

/** A client of the graph signed in as a demo account. */
export async function graphAs(
  register: Pick<SharedRegister, 'gateway' | 'rest' | 'sandbox'>,
  role: AccountRole,
  index = 0,
): Promise<Graph> {
  return graphOf(register, await tokenOf(register, role, index));
}

/** Codes of an answer's errors with their paths: `PRM002 accessRecord.identityRecord`. */
export function failuresOf({ errors }: GraphAnswer): string[] {
  return errors.map(({ extensions, path }) => [extensions.code, path?.join('.')].filter(Boolean).join(' '));
}
