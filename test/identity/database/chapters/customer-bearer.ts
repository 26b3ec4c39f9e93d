import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { SignJWT, UnsecuredJWT } from 'jose';
import { RegisterError } from '../../../../schema/register-error';
import type { CallContext, Caller } from '../../../../subgraphs/server/caller';
import { remoteLink } from '../../../../subgraphs/server/remote-link';
import { SERVICE_TOKEN_HEADER, type ServiceTokens, serviceTokens } from '../../../../subgraphs/server/service-token';
import type { SubgraphLink } from '../../../../subgraphs/server/subgraph-link';
import { serveSubgraph } from '../../../../subgraphs/server/subgraph-server';
import { SESSION, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInRoom, roomOfThisFile } from '../../../support/sign-in-room';

export function customerBearer(): void {
  const key = randomBytes(32);
  const EMAIL = 'rowan@customer.example';

  let room: SignInRoom;
  let server: FastifyInstance;
  let token: string;
  beforeAll(async () => {
    room = await roomOfThisFile();
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
  afterAll(() => server?.close());

  const customer: Caller = { accountId: 'session', role: 'customer', duid: null, mpid: null };

  function linkWith(tokens: ServiceTokens): SubgraphLink {
    return remoteLink('identity', `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`, tokens);
  }

  /** What `identity`, a process of its own, answers to a question about the session. */
  async function ask(context: Partial<CallContext>, tokens = serviceTokens('gateway', key)): Promise<unknown> {
    const nobody = { caller: null, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
    const { data, errors } = await linkWith(tokens)
      .execute({ query: SESSION }, { ...nobody, ...context })
      .catch((error: RegisterError) => ({ data: undefined, errors: [error.toJSON()] }));
    return errors ? errors.map(({ extensions }) => extensions?.['code']) : data?.['customerSession'];
  }

  describe('A subgraph that is a process of its own', () => {
    it('believes the gateway that a customer asks, and looks the session up itself', async () => {
      expect(await ask({ caller: customer, bearer: token })).toMatchObject({ signedInBy: 'MAGIC_LINK' });
      expect(await ask({ caller: customer, bearer: `cst_${'A'.repeat(43)}` })).toEqual(['AUT001']);
    });

    it('believes nobody else', async () => {
      const stranger = serviceTokens('gateway', randomBytes(32));
      expect(await ask({ caller: customer, bearer: token }, stranger)).toEqual(['SYS002']);
    });

    it('takes the token of a session from customers only, and nothing else from them', async () => {
      expect(await ask({ caller: { ...customer, role: 'admin' }, bearer: token })).toEqual(['SYS002']);
      expect(await ask({ caller: customer, bearer: 'a JWT of somebody' })).toEqual(['SYS002']);
      expect(await ask({ caller: customer })).toEqual(['SYS002']);
    });
  });

  const FACTS = { transactionId: 'tid_test', clientAddress: '127.0.0.1', onOwnAccount: true };

  /** A service token as the gateway signs it, but for what is given. */
  function tokenFor({ alg = 'HS256', typ = 'register-service', aud = 'identity', exp = '30s', secret = key } = {}) {
    const signing = new SignJWT({ facts: FACTS }).setProtectedHeader({ alg, typ }).setIssuer('gateway').setIssuedAt();
    if (aud !== '') signing.setAudience(aud);
    return (exp === '' ? signing : signing.setExpirationTime(exp)).sign(secret);
  }

  /** What callers send who did not come through the gateway. */
  const STRANGERS: [what: string, token: () => string | undefined | Promise<string>][] = [
    ['nothing', () => undefined],
    ['an empty token', () => ''],
    ['no token', () => 'nonsense'],
    ['the bearer token of a customer', () => token],
    ['a token of the gateway for another service', () => serviceTokens('gateway', key).issue('access', FACTS)],
    ['a token of the gateway for nobody', () => tokenFor({ aud: '' })],
    ['a token that expired more than a minute ago', () => tokenFor({ exp: '-61s' })],
    ['a token that never expires', () => tokenFor({ exp: '' })],
    ['a token of another type', () => tokenFor({ typ: 'at+jwt' })],
    ['a token of another algorithm', () => tokenFor({ alg: 'HS512', secret: Buffer.concat([key, key]) })],
    ['a token signed by another key', () => tokenFor({ secret: randomBytes(32) })],
    ['a token of another installation', () => serviceTokens('gateway', randomBytes(32)).issue('identity', FACTS)],
    ['a token without a signature', () => new UnsecuredJWT({ facts: FACTS }).setAudience('identity').encode()],
    ['a token whose signature was taken away', async () => (await tokenFor()).replace(/[^.]+$/, '')],
  ];

  describe('Who did not come through the gateway', () => {
    const send = async (proof: string | undefined, authorization?: string) => {
      const { port } = server.server.address() as AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(proof === undefined ? {} : { [SERVICE_TOKEN_HEADER]: proof }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      return [response.status, await response.json()];
    };
    const REFUSED = [401, { errors: [expect.objectContaining({ extensions: { code: 'AUT001' } })] }];

    it.each(STRANGERS)('is refused by a subgraph, whatever is asked: with %s', async (_, make) => {
      const proof = await make();
      expect(await send(proof)).toEqual(REFUSED);
      expect(await send(proof, `Bearer ${token}`)).toEqual(REFUSED);
    });

    it('is told apart from the gateway by that alone', async () => {
      expect(await send(await tokenFor())).toEqual([200, { data: { __typename: 'Query' } }]);
      expect(await send(await tokenFor({ exp: '-50s' }))).toEqual([200, { data: { __typename: 'Query' } }]); // clocks differ
    });
  });
}
