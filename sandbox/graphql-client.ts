/** Sends one operation and answers its data; the first error as an exception. */
export type GraphqlClient = <Data>(query: string, variables?: Record<string, unknown>) => Promise<Data>;

/** A client of the gateway, as any user's: an operation and a bearer token over HTTP. */
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
      errors?: { message: string; extensions?: unknown }[];
    };
    if (errors?.[0] || !data)
      throw new Error(`${errors?.[0]?.message ?? 'no data'} ${JSON.stringify(errors?.[0]?.extensions ?? {})}`);
    return data;
  };
}
