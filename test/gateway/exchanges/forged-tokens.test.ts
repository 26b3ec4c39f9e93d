import { type JWK, exportJWK } from 'jose';
import { newKeyVariables } from '../../../process/settings/new-keys';
import { issueBearerToken } from '../../../subgraphs/server/callers/bearer-token';
import { type WireResponse, wireClient } from '../../support/properties/http-exchange';
import { onboarded, signIn } from '../../support/administration';
import { type Customer, type DataUser, customerToken, newCustomer, newDataUser } from '../../support/customers';
import { FORGERIES, type ForgersTools } from '../../support/forged-tokens';
import { graphAs, graphOf } from '../../support/graph';
import { type TestRegister, startTestRegister } from '../../support/register';
import { accountOf, anonymousClient, tokenOf } from '../../support/rest-client';
import { overWebSocket } from '../../support/subscriber';
import { type IssuerKey, type TokenIssuer, startTokenIssuer } from '../../support/token-issuer';

const REVOKE = 'mutation ($key: AccessKey!) { revokeAccessRecord(key: $key) { revokedAt } }';
const REALM = 'Bearer realm="Central Data Access Register"';
const EXPIRED = ', error_description="The token has expired"';

let register: TestRegister;
let forger: TokenIssuer;
let dataUser: DataUser;
let tools: ForgersTools;
/** Customers whose access the tokens try to revoke, one per transport. */
let aims: { readonly rest: Customer; readonly graph: Customer; readonly socket: Customer };
let wire: ReturnType<typeof wireClient>;

async function newSigningKey(): Promise<JWK> {
  const { TOKEN_SIGNING_KEYS } = newKeyVariables();
  return (JSON.parse(TOKEN_SIGNING_KEYS as string) as { keys: [JWK] }).keys[0];
}

beforeAll(async () => {
  const [signingKey, retiredKey] = [await newSigningKey(), await newSigningKey()];
  const environment = { TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signingKey] }), LOG_LEVEL: 'error' };
  forger = await startTokenIssuer('EdDSA');
  register = await startTestRegister('one process', { environment });
  wire = wireClient(register.rest);
  dataUser = await newDataUser(register, 'https://larkhill.example/return');
  const [rest, graph, socket] = [await newCustomer(dataUser), await newCustomer(dataUser), await newCustomer(dataUser)];
  aims = { rest, graph, socket };
  const { account_id: accountId, duid } = accountOf(register.sandbox, 'data_user');
  tools = {
    good: dataUser.token,
    another: await tokenOf(register, 'data_user'),
    signingKey,
    retiredKey,
    forgersKey: await exportJWK((forger.keys[0] as IssuerKey).privateKey),
    forgersKeySet: `${forger.issuer}/keys`,
    otherAccount: { accountId, duid: String(duid) },
  };
});
afterAll(async () => {
  wire?.close();
  await register?.close();
  await forger?.close();
});

/** Attempts a revocation over REST; returns status, code and challenge. */
async function overRest(token: string) {
  const client = anonymousClient(register.rest, `Bearer ${token}`);
  const { status, headers, body } = await client('DELETE', `/v1/access-records/${aims.rest.key}`);
  return [status, body['errors']?.[0]['error-code'], headers.get('www-authenticate')];
}

/** Attempts a revocation by a mutation. */
async function overGraphQL(token: string) {
  const { status, errors, headers } = await graphOf(register, token)(REVOKE, { key: aims.graph.key });
  return [status, errors[0]?.extensions.code, headers.get('www-authenticate')];
}

/** Attempts a revocation over a WebSocket; returns the code of the response, or how the connection ended. */
async function overSocket(token: string) {
  const subscriber = overWebSocket(register.gateway, token, { query: REVOKE, variables: { key: aims.socket.key } });
  const ending = await subscriber.ended;
  await subscriber.stop();
  if (ending.kind === 'closed') return [ending.code, ending.reason.slice(0, 6)];
  return [ending.kind, subscriber.messages[0]?.errors?.[0]?.extensions.code];
}

const rejections = (token: string) => Promise.all([overRest(token), overGraphQL(token), overSocket(token)]);

const REJECTED = {
  AUT001: [
    [401, 'AUT001', `${REALM}, error="invalid_token"`],
    [401, 'AUT001', 'Bearer error="invalid_token"'],
    [4401, 'AUT001'],
  ],
  AUT002: [
    [401, 'AUT002', `${REALM}, error="invalid_token"${EXPIRED}`],
    [401, 'AUT002', 'Bearer error="invalid_token"'],
    [4403, 'AUT002'],
  ],
} as const;

describe('A token is rejected over REST, GraphQL and WebSocket', () => {
  it.each(FORGERIES)('%s', async (_, make, code) => {
    expect(await rejections(await make(tools))).toEqual(REJECTED[code]);
  });

  it('of another register, also one that claims to be this register', async () => {
    const key = await newSigningKey();
    const caller = { accountId: accountOf(register.sandbox, 'data_user').account_id, role: 'data_user' as const };
    const issued = (issuer: string) =>
      issueBearerToken({ issuer, keys: [key] }, { ...caller, duid: dataUser.duid, mpid: null }, new Date());
    expect(await rejections(await issued('https://other-register.example/v1'))).toEqual(REJECTED.AUT001);
    expect(await rejections(await issued(`${register.rest}/v1`))).toEqual(REJECTED.AUT001);
  });

  it.each([
    ['suspended', 'suspendAccount'],
    ['terminated', 'terminateAccount'],
  ])('that was valid until its account was %s', async (_, change) => {
    const admin = await graphAs(register, 'admin');
    const contact = { displayName: 'Moorgate Metering', contactUrl: 'https://moorgate.example' };
    const { accountId, secretKey } = await onboarded(admin, { role: 'DATA_USER', ...contact });
    const { token } = await signIn(register, accountId, secretKey);
    expect((await graphOf(register, token)('{ viewer { accountId } }')).status).toBe(200);
    expect(
      (await admin(`mutation ($id: ID!) { ${change}(accountId: $id) { status } }`, { id: accountId })).errors,
    ).toEqual([]);
    expect(await rejections(token)).toEqual(REJECTED.AUT001);
  });
});

/** Invalid ways to send a valid token (RFC 6750 section 2; RFC 9110 section 11.6.2), and two tokens at once. */
const WAYS: [
  what: string,
  send: (good: string, path: string) => { headers: Record<string, string | string[]>; target: string },
][] = [
  ['in the query', (good, path) => ({ headers: {}, target: `${path}?access_token=${good}` })],
  [
    'as a cookie',
    (good, target) => ({ headers: { cookie: `authorization=Bearer ${good}; access_token=${good}` }, target }),
  ],
  [
    'in headers of other names',
    (good, target) => ({
      headers: { 'proxy-authorization': `Bearer ${good}`, 'x-authorization': `Bearer ${good}`, 'x-access-token': good },
      target,
    }),
  ],
  ['as Basic', (good, target) => ({ headers: { authorization: `Basic ${good}` }, target })],
  ['as the secret of Basic', (good, target) => ({ headers: { authorization: `Basic ${btoa(`x:${good}`)}` }, target })],
  ...['Token', 'DPoP', 'JWT', 'Bearer Bearer', 'Bearer,', 'Bearer:', ''].map((scheme): (typeof WAYS)[number] => [
    `as ${JSON.stringify(scheme)}`,
    (good, target) => ({ headers: { authorization: `${scheme} ${good}`.trim() }, target }),
  ]),
  ['as Bearer without a space', (good, target) => ({ headers: { authorization: `Bearer${good}` }, target })],
  ['twice in a header', (good, target) => ({ headers: { authorization: `Bearer ${good}, Bearer ${good}` }, target })],
  ['in two headers', (good, target) => ({ headers: { authorization: [`Bearer ${good}`, `Bearer ${good}`] }, target })],
  [
    'in two headers, the second of them forged',
    (good, target) => ({ headers: { authorization: [`Bearer ${good}`, 'Bearer x'] }, target }),
  ],
  [
    'in two headers, the first of them forged',
    (good, target) => ({ headers: { authorization: ['Bearer x', `Bearer ${good}`] }, target }),
  ],
  ['with another word behind it', (good, target) => ({ headers: { authorization: `Bearer ${good} x` }, target })],
];

const codeOf = ({ text }: WireResponse) => /"(?:error-code|code)":"(\w+)"/.exec(text)?.[1];

describe('A valid token does not authenticate', () => {
  it.each(WAYS)('%s', async (_, send) => {
    const { headers, target } = send(tools.good, `/v1/access-records/${aims.rest.key}`);
    const response = await wire.send({ method: 'DELETE', target, headers });
    expect([response.status, codeOf(response)]).toEqual([401, 'AUT001']);
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm=/);

    const graph = wireClient(register.gateway);
    const sent = send(tools.good, '/graphql');
    const body = Buffer.from(
      JSON.stringify({ query: REVOKE, variables: { key: aims.graph.key }, access_token: tools.good }),
    );
    const rejected = await graph.send({
      method: 'POST',
      target: sent.target,
      headers: { ...sent.headers, 'content-type': 'application/json' },
      body,
    });
    graph.close();
    expect([rejected.status, codeOf(rejected)]).toEqual([401, 'AUT001']);
    expect(rejected.headers['www-authenticate']).toMatch(/^Bearer/);
  });
});

describe('A token for another purpose', () => {
  it('does not authenticate an account: a customer is rejected (403), and nothing changes', async () => {
    const token = await customerToken(register, aims.rest);
    expect(await overRest(token)).toEqual([403, 'PRM001', null]);
    expect((await overGraphQL(token)).slice(0, 2)).toEqual([403, 'PRM001']);
    expect(await overSocket(token)).toEqual(['complete', 'PRM001']);
  });
});

describe('All these attempts', () => {
  it('have changed nothing, and the valid token revokes each access', async () => {
    const states = () =>
      Promise.all(
        Object.values(aims).map(async ({ key }) => {
          const { body } = await anonymousClient(register.rest)('GET', `/v1/access-records/${key}`);
          return body['access-record']?.['access-event'].state;
        }),
      );
    expect(await states()).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE']);
    expect(await overRest(tools.good)).toEqual([200, undefined, null]);
    expect(await overGraphQL(tools.good)).toEqual([200, undefined, null]);
    expect(await overSocket(tools.good)).toEqual(['complete', undefined]);
    expect(await states()).toEqual(['REVOKED', 'REVOKED', 'REVOKED']);
  });

  it('never made the register request keys from the forger', () => {
    expect(forger.requests).toEqual([]);
  });
});
