import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, Caller } from '../../subgraphs/server/caller';
import { remoteLink } from '../../subgraphs/server/remote-link';
import { type ServiceTokens, serviceTokens } from '../../subgraphs/server/service-token';
import type { SubgraphLink } from '../../subgraphs/server/subgraph-link';
import { serveSubgraph } from '../../subgraphs/server/subgraph-server';
import { SESSION, signedInByLink } from '../support/sign-in-operations';
import { type SignInRoom, startSignInRoom } from '../support/sign-in-room';

const key = randomBytes(32);
const EMAIL = 'rowan@customer.example';

let room: SignInRoom;
let server: FastifyInstance;
let token: string;
beforeAll(async () => {
  room = await startSignInRoom();
  server = await serveSubgraph({
    name: 'identity',
    link: room.identity,
    ready: () => Promise.resolve(true),
    tokens: serviceTokens('identity', key),
    verifier: { verify: () => Promise.reject(new RegisterError('AUT001')) }, // none of these tokens is a JWT
    port: 0,
    host: '127.0.0.1',
  });
  await room.newRecord(await room.dataUser(), { email: EMAIL });
  ({ token } = await signedInByLink(room, { email: EMAIL }, EMAIL));
});
afterAll(async () => {
  await server?.close();
  await room?.close();
});

const customer: Caller = { accountId: 'session', role: 'customer', duid: null, mpid: null };

function linkWith(tokens: ServiceTokens): SubgraphLink {
  return remoteLink('identity', `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`, tokens);
}

/** What `identity`, a process of its own, answers to a question about the session. */
async function ask(context: Partial<CallContext>, tokens = serviceTokens('gateway', key)): Promise<unknown> {
  const nobody = { caller: null, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
  const { data, errors } = await linkWith(tokens).execute({ query: SESSION }, { ...nobody, ...context });
  return errors ? errors.map(({ extensions }) => extensions?.['code']) : data?.['customerSession'];
}

describe('A subgraph that is a process of its own', () => {
  it('believes the gateway that a customer asks, and looks the session up itself', async () => {
    expect(await ask({ caller: customer, bearer: token })).toMatchObject({ signedInBy: 'MAGIC_LINK' });
    expect(await ask({ caller: customer, bearer: `cst_${'A'.repeat(43)}` })).toEqual(['AUT001']);
  });

  it('believes nobody else', async () => {
    const stranger = serviceTokens('gateway', randomBytes(32));
    expect(await ask({ caller: customer, bearer: token }, stranger)).toEqual(['AUT001']);
  });

  it('takes the token of a session from customers only, and nothing else from them', async () => {
    expect(await ask({ caller: { ...customer, role: 'admin' }, bearer: token })).toEqual(['AUT001']);
    expect(await ask({ caller: customer, bearer: 'a JWT of somebody' })).toEqual(['AUT001']);
    expect(await ask({ caller: customer })).toEqual(['AUT001']);
  });
});
