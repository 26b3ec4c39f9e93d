import { sign } from 'node:crypto';
import { type ConsumerFixture, consumerFixture } from '../../../support/consumer-fixture';
import { keyPair } from '../../../support/key-pair';
import { type Misbehaviour, type TokenIssuer, newIssuerKey, startTokenIssuer } from '../../../support/token-issuer';
import { until } from '../../../support/until';

export function consumerIssuers(): void {
  const AUDIENCE = 'https://register.example/tariffs';
  const USER = `usr_${'a'.repeat(32)}`;
  const DISCOVERY = '/.well-known/openid-configuration';

  let fixture: ConsumerFixture;
  let issuer: TokenIssuer;
  let suppliers = 0;
  beforeAll(async () => {
    fixture = await consumerFixture();
    await fixture.addRtiUser(USER);
  });
  beforeEach(async () => {
    issuer = await startTokenIssuer();
    await addSupplier(issuer.issuer);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return issuer.close();
  });
  afterAll(() => fixture?.close());

  function addSupplier(named: string): Promise<void> {
    return fixture.addSupplier(`S${String((suppliers += 1)).padStart(3, '0')}`, named, AUDIENCE);
  }

  function newToken(
    changed: Record<string, unknown> = {},
    ...signing: [header?: object, key?: TokenIssuer['keys'][number]]
  ) {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{
        iss: issuer.issuer,
        sub: 'consumer',
        aud: AUDIENCE,
        client_id: USER,
        scope: 'tariff:read',
        mpxn: '1012345678',
      },
      ...{ iat: now, exp: now + 600, jti: Math.random().toString(36) },
      ...changed,
    };
    return issuer.token(claims, ...signing);
  }

  /** Returns `let in`, or the error code. */
  function outcome(token: string, tokens = fixture.tokens): Promise<unknown> {
    return tokens.verified(token).then(
      () => 'let in',
      (error: unknown) => (error as { code?: unknown }).code ?? error,
    );
  }

  describe('An issuer that is unavailable', () => {
    it.each<[string, Misbehaviour, string]>([
      ['responds with an error', { status: 500 }, 'status-500'],
      ['redirects to another address', { redirectTo: 'http://169.254.169.254/latest' }, 'status-302'],
      ['publishes the metadata of another issuer', { namesItself: 'https://another.example' }, 'not-its-metadata'],
      ['responds without JSON', { text: '<html>' }, 'SyntaxError'],
      ['responds with JSON that is not its metadata', { text: 'null' }, 'not-its-metadata'],
      ['responds with more than the maximum', { text: `{"x":"${'x'.repeat(300_000)}"}` }, 'too-long'],
      ['does not respond within three seconds', { silent: true }, 'timeout'],
    ])('that %s causes SYS002, and the next token causes another request', async (_, misbehaviour, fault) => {
      Object.assign(issuer.misbehaviour, misbehaviour);
      expect(await outcome(await newToken())).toBe('SYS002');
      expect(fixture.log()).toContain(`"issuer":"${issuer.issuer}","fault":"${fault}"`);
      for (const name of Object.keys(misbehaviour)) delete (issuer.misbehaviour as Record<string, unknown>)[name];
      expect(await outcome(await newToken())).toBe('let in');
    });

    it('does not respond: SYS002, but tokens that were verified before remain valid', async () => {
      const token = await newToken();
      expect(await outcome(token)).toBe('let in');
      await issuer.close();
      expect(await outcome(token)).toBe('let in');
      expect(await outcome(await newToken(), fixture.elsewhere())).toBe('SYS002');
    });

    it('redirects elsewhere, and the redirect is not followed', async () => {
      const target = await startTokenIssuer();
      issuer.misbehaviour.redirectTo = `${target.issuer}/keys`;
      expect(await outcome(await newToken())).toBe('SYS002');
      expect(target.requests).toEqual([]);
      await target.close();
    });

    it('has an empty key set: AUT001, because it did respond', async () => {
      issuer.keys.length = 0;
      const key = await newIssuerKey();
      expect(await outcome(await newToken({}, {}, key))).toBe('AUT001');
    });
  });

  describe('An issuer', () => {
    it('that withdrew a key has its tokens accepted for at most a minute longer than its cached key set', async () => {
      const tokens = fixture.elsewhere({ cacheTtlMs: 1, cooldownMs: 0 });
      const token = await newToken();
      expect(await outcome(token, tokens)).toBe('let in');
      issuer.keys.splice(0, 1, await newIssuerKey());
      const began = performance.now();
      const clock = jest.spyOn(performance, 'now');
      clock.mockImplementation(() => began + 50_000);
      expect(await outcome(token, tokens)).toBe('let in');
      clock.mockImplementation(() => began + 61_000);
      await until(async () => ((await outcome(token, tokens)) === 'AUT001' ? true : undefined));
    });

    it('that signs with an RSA key that is too short: AUT001, which is logged', async () => {
      const { publicKey, privateKey } = keyPair('RS256', 1_024);
      const short = { kid: 'short', alg: 'RS256', use: 'sig' };
      issuer.keys.push({ ...short, jwk: { ...publicKey.export({ format: 'jwk' }), ...short } } as never);
      const [, payload] = (await newToken()).split('.');
      const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'short', typ: 'at+jwt' })).toString('base64url');
      const signature = sign('sha256', Buffer.from(`${header}.${payload}`), privateKey).toString('base64url');
      expect(await outcome(`${header}.${payload}.${signature}`)).toBe('AUT001');
      expect(fixture.log()).toContain(`"issuer":"${issuer.issuer}","fault":"short-key"`);
    });

    it('whose key is unusable does not make the token invalid: SYS002, which is logged', async () => {
      const [key] = issuer.keys;
      Object.assign(key?.jwk ?? {}, { key_ops: ['verify'], x: 'AA' });
      expect(await outcome(await newToken())).toBe('SYS002');
      expect(fixture.log()).toMatch(new RegExp(`"issuer":"${issuer.issuer}","fault":"[A-Za-z]+Error"`));
    });

    it('receives one request for all concurrent tokens', async () => {
      const tokens = await Promise.all(Array.from({ length: 30 }, () => newToken()));
      const outcomes = await Promise.all(tokens.map((token) => outcome(token)));
      expect(new Set(outcomes)).toEqual(new Set(['let in']));
      expect(issuer.requests).toEqual([DISCOVERY, '/keys']);
    });

    it('receives another request for a new key, and tokens of both keys are valid', async () => {
      const tokens = fixture.elsewhere({ cooldownMs: 0 });
      expect(await outcome(await newToken(), tokens)).toBe('let in');
      const next = await newIssuerKey('RS256');
      expect(await outcome(await newToken({}, {}, next), tokens)).toBe('AUT001');
      issuer.keys.push(next);
      expect(await outcome(await newToken({}, {}, next), tokens)).toBe('let in');
      expect(await outcome(await newToken(), tokens)).toBe('let in');
    });

    it('does not receive a request for every unknown key, but at most one per interval', async () => {
      expect(await outcome(await newToken())).toBe('let in');
      const unknown = await newIssuerKey();
      for (let count = 0; count < 20; count++) expect(await outcome(await newToken({}, {}, unknown))).toBe('AUT001');
      expect(issuer.requests).toEqual([DISCOVERY, '/keys']);
    });

    it('that withdrew a key has its tokens rejected after the cache has expired', async () => {
      const tokens = fixture.elsewhere({ cacheTtlMs: 5 });
      const [withdrawn] = issuer.keys;
      expect(await outcome(await newToken(), tokens)).toBe('let in');
      issuer.keys[0] = await newIssuerKey();
      const isRejected = async () =>
        (await outcome(await newToken({}, {}, withdrawn), tokens)) === 'AUT001' || undefined;
      await until(isRejected);
      expect(await outcome(await newToken(), tokens)).toBe('let in');
    });

    it('with one key accepts tokens that name none; with two keys a token must name one', async () => {
      const tokens = fixture.elsewhere({ cooldownMs: 0 });
      expect(await outcome(await newToken({}, { kid: undefined }), tokens)).toBe('let in');
      issuer.keys.push(await newIssuerKey());
      expect(await outcome(await newToken({}, { kid: undefined }), fixture.elsewhere())).toBe('AUT001');
    });

    it('may serve several suppliers, which the audience distinguishes', async () => {
      await fixture.addSupplier('TWOA', issuer.issuer, 'audience-a');
      await fixture.addSupplier('TWOB', issuer.issuer, 'audience-b');
      expect(await fixture.tokens.verified(await newToken({ aud: 'audience-b' }))).toMatchObject({ mpid: 'TWOB' });
      expect(await fixture.tokens.verified(await newToken({ aud: ['audience-a', 'x'] }))).toMatchObject({
        mpid: 'TWOA',
      });
      expect(await outcome(await newToken({ aud: ['audience-a', 'audience-b'] }))).toBe('AUT001');
    });
  });

  describe('In production an issuer', () => {
    it.each([
      ['is called by https only', (port: string) => `http://127.0.0.1:${port}`],
      ['is not called at an address of this machine', (port: string) => `https://127.0.0.1:${port}`],
      ['is not called by a name of this machine', (port: string) => `https://localhost:${port}`],
      ['is not called at a private address', () => 'https://10.0.0.1'],
      ['is not called at the address of a cloud’s metadata', () => 'https://169.254.169.254'],
      [
        'is not called at an address that means this machine in IPv6',
        (port: string) => `https://[::ffff:127.0.0.1]:${port}`,
      ],
    ])('%s', async (_, named) => {
      const iss = named(new URL(issuer.issuer).port);
      if (iss !== issuer.issuer) await addSupplier(iss);
      expect(await outcome(await newToken({ iss }), fixture.elsewhere({ production: true }))).toBe('SYS002');
      expect(issuer.requests).toEqual([]);
      expect(fixture.log()).toMatch(
        new RegExp(`"issuer":"${iss.replace(/[[\].]/g, '\\$&')}","fault":"(blocked-address|BLOCKED)"`),
      );
    });
  });
}
