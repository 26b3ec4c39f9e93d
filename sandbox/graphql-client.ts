/** The first error of a GraphQL result. */
export class GraphqlFailure extends Error {
  constructor(
    message: string,
    readonly extensions: { readonly violations?: readonly { readonly path: readonly (string | number)[] }[] },
  ) {
    super(`${message} ${JSON.stringify(extensions)}`);
    this.name = 'GraphqlFailure';
  }
}

/** Executes an operation and returns its data. Throws the first error as {@link GraphqlFailure}. */
export type GraphqlClient = <Data>(query: string, variables?: Record<string, unknown>) => Promise<Data>;

/** Creates a client of the gateway that sends operations and an optional bearer token over HTTP, as users do. */
export function graphqlClient(gatewayUrl: string, token?: string): GraphqlClient {
  return async <Data>(query: string, variables: Record<string, unknown> = {}) => {
    const response = await fetch(`${gatewayUrl}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as {
      data?: Data;
      errors?: { message: string; extensions?: GraphqlFailure['extensions'] }[];
    };
    if (errors?.[0] || !data)
      throw new GraphqlFailure(errors?.[0]?.message ?? 'no data', errors?.[0]?.extensions ?? {});
    return data;
  };
}
