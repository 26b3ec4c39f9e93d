/* global GraphiQL, React, ReactDOM, graphqlSse: loaded by the page before this file. */
const root = ReactDOM.createRoot(document.getElementById('explorer'));
const fetchOnce = GraphiQL.createFetcher({ url: '/graphql' });
const told = document.getElementById('told');
const SIGN_IN = `mutation SignIn($accountId: String!, $secretKey: String!) {
  issueBearerToken(accountId: $accountId, secretKey: $secretKey) { bearerToken }
}`;
/** Nothing is kept between visits: no token, no query with somebody's data. */
const NO_STORAGE = { length: 0, getItem: () => null, setItem() {}, removeItem() {}, clear() {} };

let typed;

/** Subscriptions come as Server-Sent Events, everything else as one answer. */
function fetcher(request, options) {
  const isSubscription = (options?.documentAST?.definitions ?? []).some(
    ({ operation, name }) =>
      operation === 'subscription' && (!request.operationName || name?.value === request.operationName),
  );
  if (!isSubscription) return fetchOnce(request, options);
  return graphqlSse.createClient({ url: '/graphql', headers: options.headers, retryAttempts: 0 }).iterate(request);
}

/** The explorer; without a token the schema cannot be read, so it is not asked for. */
function show(query, key, token) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  root.render(
    React.createElement(GraphiQL, {
      key: token ?? 'nobody',
      fetcher,
      storage: NO_STORAGE,
      ...(token === undefined ? { schema: null } : {}),
      query: typed ?? query,
      onEditQuery: (text) => {
        typed = text === query ? undefined : text;
      },
      variables: JSON.stringify({ key }, null, 2),
      headers: JSON.stringify(headers, null, 2),
      defaultEditorToolsVisibility: 'variables',
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
    }),
  );
}

async function signIn(variables) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: SIGN_IN, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data.issueBearerToken.bearerToken;
}

async function start() {
  const { verify, sample, key } = await (await fetch('/explorer/sample.json')).json();
  show(verify, key);
  document.getElementById('sign-in').addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      show(sample, key, await signIn(Object.fromEntries(new FormData(event.target))));
      told.textContent = 'Signed in: the token is in the headers, the documentation behind the book.';
    } catch (error) {
      told.textContent = error.message;
    }
  });
}

start();
