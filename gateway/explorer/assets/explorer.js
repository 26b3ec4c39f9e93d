/* global GraphiQL, React, ReactDOM, graphqlSse: loaded by the page before this file. */
const root = ReactDOM.createRoot(document.getElementById('explorer'));
const fetchOnce = GraphiQL.createFetcher({ url: '/graphql' });
const statusLine = document.getElementById('status');
const SIGN_IN = `mutation SignIn($accountId: String!, $secretKey: String!) {
  issueBearerToken(accountId: $accountId, secretKey: $secretKey) { bearerToken }
}`;
const ROLE = '{ viewer { role } }';
/** Stores nothing in the browser: tokens and queries may contain personal data. */
const NO_STORAGE = { length: 0, getItem: () => null, setItem() {}, removeItem() {}, clear() {} };

let editedQuery;

/** Runs subscriptions over Server-Sent Events, all other operations over plain HTTP. */
function fetcher(request, options) {
  const isSubscription = (options?.documentAST?.definitions ?? []).some(
    ({ operation, name }) =>
      operation === 'subscription' && (!request.operationName || name?.value === request.operationName),
  );
  if (!isSubscription) return fetchOnce(request, options);
  return graphqlSse.createClient({ url: '/graphql', headers: options.headers, retryAttempts: 0 }).iterate(request);
}

/** Renders the explorer. Introspection needs a token: without one, the explorer shows `schema`, that for clients. */
function show({ query, key, schema, token }) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  root.render(
    React.createElement(GraphiQL, {
      key: token ?? 'signed-out',
      fetcher,
      storage: NO_STORAGE,
      ...(token === undefined ? { schema } : {}),
      query: editedQuery ?? query,
      onEditQuery: (text) => {
        editedQuery = text === query ? undefined : text;
      },
      variables: JSON.stringify(query.includes('$key') ? { key } : {}, null, 2),
      headers: JSON.stringify(headers, null, 2),
      defaultEditorToolsVisibility: 'variables',
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
    }),
  );
}

async function post(body, headers = {}) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

async function signIn(variables) {
  const { bearerToken } = (await post({ query: SIGN_IN, variables })).issueBearerToken;
  const { viewer } = await post({ query: ROLE }, { authorization: `Bearer ${bearerToken}` });
  return { token: bearerToken, role: viewer.role };
}

async function getJson(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function start() {
  const [{ verify, samples, key }, schema] = await Promise.all([
    getJson('/explorer/sample.json'),
    getJson('/explorer/schema.json'),
  ]);
  show({ query: verify, key, schema });
  const signInForm = document.getElementById('sign-in');
  // Until now the button is disabled: the browser itself would send the secret key in the address.
  signInForm.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const { token, role } = await signIn(Object.fromEntries(new FormData(event.target)));
      show({ query: samples[role.toLowerCase()] ?? verify, key, token });
      statusLine.textContent = 'Signed in. The headers contain the token; the book icon opens the documentation.';
    } catch (error) {
      statusLine.textContent = error.message;
    }
  });
  signInForm.querySelector('button').disabled = false;
}

start().catch((error) => {
  statusLine.textContent = `The explorer did not load; reload the page. (${error.message})`;
});
