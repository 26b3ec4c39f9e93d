import { randomBytes } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWK, SignJWT, importJWK } from 'jose';
import { generatedKey } from '../../../../process/settings/generated-key';
import { remoteKeySet } from '../../../../rest-adapter/responses/remote-key-set';
import {
  type SigningKeys,
  type TokenVerifier,
  issueBearerToken,
  localVerifier,
  publicKeys,
  remoteVerifier,
} from '../../../../subgraphs/server/callers/bearer-token';
import { startTestGateway } from '../../../support/two-subgraphs';

export function keySetFaults(): void {
  const ISSUER = 'https://register.example/v1';
  const ACCOUNT = { accountId: 'acc:data_user', role: 'data_user', duid: null, mpid: null } as const;
  const DOCUMENTS = { ReadDataUser: 'query ReadDataUser($duid: DUID!) { dataUser(duid: $duid) { displayName } }' };

  let server: Server;
  let url: string;
  let prepared: (() => { status: number; body: string }) | undefined;
  let signing: SigningKeys;
  let token: string;

  const newKey = async (kid: string): Promise<JWK> => ({
    ...generatedKey('ed25519').export({ format: 'jwk' }),
    kid,
  });

  beforeAll(async () => {
    signing = { issuer: ISSUER, keys: [await newKey('one')] };
    token = await issueBearerToken(signing, ACCOUNT, new Date());
    server = createServer((_, response) => {
      const given = prepared?.();
      if (given) response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'accepted',
      (error: { code?: string }) => error.code,
    );

  const isGiven = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    );

  const FAULTS: [what: string, prepared: typeof prepared][] = [
    ['responds with 500', () => ({ status: 500, body: '{}' })],
    ['responds with a body that is not JSON', () => ({ status: 200, body: '<html>' })],
    ['responds with JSON that is not a key set', () => ({ status: 200, body: '{"keys":1}' })],
    ['does not respond', undefined],
  ];

  describe.each(FAULTS)('When the service with the keys %s', (_, fault) => {
    beforeEach(() => {
      prepared = fault;
    });

    it('a request with a token receives SYS002, not AUT001', async () => {
      expect(await codeOf(remoteVerifier(url, ISSUER, fetch).verify(token))).toBe('SYS002');
    });

    it('the adapter cannot publish a key set', async () => {
      expect(await isGiven(remoteKeySet(url, fetch)())).toBe(false);
    });
  });

  describe('When the service with the keys is unreachable', () => {
    it('the gateway responds with 503 to an operation that requires a token', async () => {
      const gateway = await startTestGateway(DOCUMENTS, {
        verifier: remoteVerifier('http://127.0.0.1:9/', ISSUER, fetch),
      });
      try {
        const response = await fetch(`${gateway.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ documentId: 'ReadDataUser', variables: { duid: `duid_${'a'.repeat(24)}` } }),
        });
        const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
        expect([response.status, errors.map(({ extensions }) => extensions.code)]).toEqual([503, ['SYS002']]);
      } finally {
        await gateway.close();
      }
    });

    it('the adapter cannot publish a key set', async () => {
      expect(await isGiven(remoteKeySet('http://127.0.0.1:9/', fetch)())).toBe(false);
    });
  });

  describe('When the signing keys are replaced', () => {
    const MINUTE = 60_000;
    let elapsed: number;
    let replicas: SigningKeys[];
    let [old, next]: JWK[] = [];
    let running: TokenVerifier;
    beforeEach(async () => {
      [old, next] = [await newKey('old'), await newKey('next')];
      elapsed = 0;
      const startedAt = Date.now();
      jest.spyOn(Date, 'now').mockImplementation(() => startedAt + elapsed);
      // the replica that restarts last responds: the worst case
      prepared = () => ({ status: 200, body: JSON.stringify(publicKeys(replicas.at(-1) as SigningKeys)) });
      running = remoteVerifier(url, ISSUER, fetch);
    });
    afterEach(() => jest.restoreAllMocks());

    /** Verifies a new token of each replica of `access` in a process that keeps running. */
    async function verified(...keysOfReplicas: (JWK | undefined)[][]) {
      replicas = keysOfReplicas.map((keys) => ({ issuer: ISSUER, keys: keys as JWK[] }));
      const issued = replicas.map((replica) => issueBearerToken(replica, ACCOUNT, new Date(Date.now())));
      const tokens = await Promise.all(issued);
      return { tokens, codes: await Promise.all(tokens.map((each) => codeOf(running.verify(each)))) };
    }
    const accepted = { codes: ['accepted', 'accepted'] };

    it('in the order of docs/operations.md, every token is accepted until it expires', async () => {
      expect(await verified([old], [old])).toMatchObject(accepted);
      expect(await verified([old, next], [old])).toMatchObject(accepted);
      const { tokens } = await verified([old, next], [old, next]);
      elapsed += 5 * MINUTE;
      expect(await verified([next, old], [old, next])).toMatchObject(accepted);
      expect(await verified([next, old], [next, old])).toMatchObject(accepted);
      const restarted = remoteVerifier(url, ISSUER, fetch);
      expect(await Promise.all(tokens.map((each) => codeOf(restarted.verify(each))))).toEqual(accepted.codes);
      elapsed += 120 * MINUTE;
      expect(await verified([next], [next, old])).toMatchObject(accepted);
      expect(await verified([next], [next])).toMatchObject(accepted);
    });

    it('without the first step and the wait, new tokens are rejected', async () => {
      expect(await verified([old], [old])).toMatchObject(accepted);
      expect((await verified([next, old], [old])).codes).toEqual(['AUT001', 'accepted']);
    });

    it('because one was stolen, a process that keeps running accepts its tokens, and one that restarts does not', async () => {
      const { tokens } = await verified([old]);
      await verified([next]);
      const [forged = ''] = tokens;
      expect(await codeOf(running.verify(forged))).toBe('accepted');
      expect(await codeOf(remoteVerifier(url, ISSUER, fetch).verify(forged))).toBe('AUT001');
    });
  });

  describe('When the service with the keys responds', () => {
    beforeEach(() => {
      prepared = () => ({ status: 200, body: JSON.stringify(publicKeys(signing)) });
    });

    it('its token is accepted and its key set published', async () => {
      expect(await codeOf(remoteVerifier(url, ISSUER, fetch).verify(token))).toBe('accepted');
      expect(await remoteKeySet(url, fetch)()).toEqual(publicKeys(signing));
    });

    const signed = async (header: object, claims: object, key?: JWK) =>
      new SignJWT({ duid: null, role: 'data_user', ...claims })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one', ...header })
        .sign(await importJWK(key ?? (signing.keys[0] as JWK), 'EdDSA'));
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

    const TOKENS: [what: string, make: () => string | Promise<string>][] = [
      ['that is not a JWT', () => 'nonsense'],
      ['that is empty', () => ''],
      ['of random bytes', () => [32, 64, 64].map((size) => randomBytes(size).toString('base64url')).join('.')],
      ['without a signature', () => `${part({ alg: 'none' })}.${part({ sub: 'x' })}.`],
      ['of another algorithm', () => `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'one' })}.${part({})}.AAAA`],
      ['with an unknown critical header', () => `${part({ alg: 'EdDSA', crit: ['x'], x: 1 })}.${part({})}.AAAA`],
      ['with an odd critical header', () => `${part({ alg: 'EdDSA', crit: 5 })}.${part({})}.AAAA`],
      ['whose header is not an object', () => `${part([1])}.${part({})}.AAAA`],
      ['with an odd algorithm', () => `${part({ alg: {}, typ: 'at+jwt' })}.${part({})}.AAAA`],
      ['with an odd key id', () => `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: {} })}.${part({})}.AAAA`],
      [
        'with a signature that is not base64url',
        () => `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one' })}.${part({})}.*`,
      ],
      ['with a payload that is not JSON', () => `${part({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one' })}.e30x.AAAA`],
      ['signed by another key with the same id', async () => signed({}, {}, await newKey('one'))],
      ['signed by an unknown key', async () => signed({ kid: 'two' }, {}, await newKey('two'))],
      ['of another type', () => signed({ typ: 'JWT' }, {})],
      ['without claims', () => signed({}, {})],
      ['of another issuer', () => issueBearerToken({ ...signing, issuer: 'https://x.example' }, ACCOUNT, new Date())],
      ['of an unknown role', () => issueBearerToken(signing, { ...ACCOUNT, role: 'x' as never }, new Date())],
    ];

    it.each(TOKENS)('a token %s is rejected with AUT001, in the same process and in another', async (_, make) => {
      const sent = await make();
      expect(await codeOf(localVerifier(signing).verify(sent))).toBe('AUT001');
      expect(await codeOf(remoteVerifier(url, ISSUER, fetch).verify(sent))).toBe('AUT001');
    });
  });
}
