import { createSecretKey } from 'node:crypto';
import { type CryptoKey, SignJWT, UnsecuredJWT, exportSPKI, importJWK } from 'jose';
import { identifiedConsumer } from '../../../../gateway/callers/admission';
import type { CallContext } from '../../../../subgraphs/server/callers/caller';
import { REGISTER_ENTRY_STATUSES } from '../../../../subgraphs/tariffs/register-entries/register-entry-status';
import { type ConsumerFixture, consumerFixture } from '../../../support/consumer-fixture';
import { type TariffGraph, tariffGraph } from '../../../support/tariff-graph';
import { type IssuerKey, type TokenIssuer, newIssuerKey, startTokenIssuer } from '../../../support/token-issuer';

export function consumerTokens(): void {
  const MPID = 'TIDE';
  const OTHER_MPID = 'FELL';
  const AUDIENCE = 'https://register.example/tariffs';
  const USER = `usr_${'a'.repeat(32)}`;
  const OTHER_USER = `usr_${'b'.repeat(32)}`;
  const MPXN = '1012345678';

  let fixture: ConsumerFixture;
  let supplier: TokenIssuer;
  let other: TokenIssuer;
  let unpublished: IssuerKey;
  beforeAll(async () => {
    [fixture, supplier, other, unpublished] = await Promise.all([
      consumerFixture(),
      startTokenIssuer(),
      startTokenIssuer(),
      newIssuerKey(),
    ]);
    await fixture.addSupplier(MPID, supplier.issuer, AUDIENCE);
    await fixture.addSupplier(OTHER_MPID, other.issuer, AUDIENCE);
    await fixture.addRtiUser(USER);
    await fixture.addRtiUser(OTHER_USER);
  });
  afterEach(async () => {
    await fixture.moveClock(0);
    await fixture.setStatus({ mpid: MPID }, 'active');
    await fixture.setStatus({ userId: USER }, 'active');
    for (const name of Object.keys(supplier.misbehaviour))
      delete (supplier.misbehaviour as Record<string, unknown>)[name];
  });
  afterAll(async () => {
    await Promise.all([supplier?.close(), other?.close()]);
    await fixture?.close();
  });

  type Claims = Record<string, unknown>;

  const now = () => Math.floor(Date.now() / 1000);

  /** Returns the claims of a valid token with changes; undefined removes a claim. */
  function claims(changed: Claims = {}): Claims {
    const right = {
      iss: supplier.issuer,
      sub: 'consumer-1',
      aud: AUDIENCE,
      client_id: USER,
      scope: 'tariff:read consent:write webhook:write',
      mpxn: [MPXN],
      iat: now(),
      exp: now() + 600,
      jti: Math.random().toString(36),
    };
    return Object.fromEntries(Object.entries({ ...right, ...changed }).filter(([, value]) => value !== undefined));
  }

  /** Returns the consumer that a token admits to all operations, or the error code. */
  async function outcome(token: string, tokens = fixture.tokens): Promise<unknown> {
    return tokens.verified(token).then(
      ({ inactive, ...consumer }) => inactive ?? consumer,
      (error: unknown) => (error as { code?: unknown }).code ?? error,
    );
  }

  const LET_IN = {
    get issuer() {
      return supplier.issuer;
    },
    mpid: MPID,
    subject: 'consumer-1',
    userId: USER,
    mpxns: [MPXN],
    scopes: ['tariff:read', 'consent:write', 'webhook:write'],
    issuedAt: expect.any(Date) as Date,
  };

  describe('The token of a supplier', () => {
    it.each<[string, Claims, Partial<typeof LET_IN>]>([
      ['for one of its consumers', {}, {}],
      ['with one meter point, not in a list', { mpxn: MPXN }, {}],
      ['that names a meter point twice', { mpxn: [MPXN, '1098765432', MPXN] }, { mpxns: [MPXN, '1098765432'] }],
      ['for the register among other audiences', { aud: ['https://other.example', AUDIENCE] }, {}],
      ['with one scope', { scope: 'tariff:read' }, { scopes: ['tariff:read'] }],
      [
        'with scopes that the register does not know',
        { scope: 'openid  tariff:read' },
        { scopes: ['openid', 'tariff:read'] },
      ],
      ['without a scope of any use', { scope: '' }, { scopes: [] }],
      ['issued a minute ago', { iat: now() - 60.5 }, { issuedAt: new Date(now() * 1_000 - 60_500) }],
      ['for a consumer without a current meter point', { mpxn: [] }, { mpxns: [] }],
      [
        'for webhooks only, of no meter point',
        { scope: 'webhook:write', mpxn: undefined },
        { scopes: ['webhook:write'], mpxns: [] },
      ],
      ['whose issuer has a clock that is half a minute ahead', { nbf: now() + 30, iat: now() + 30 }, {}],
      ['with claims that the register does not know', { acr: 'urn:x', cnf: undefined, amr: ['pwd'] }, {}],
    ])('%s admits its RTI User', async (_, changed, expected) => {
      expect(await outcome(await supplier.token(claims(changed)))).toEqual({ ...LET_IN, ...expected });
    });

    it.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'JWT', undefined])('may be of type %s', async (typ) => {
      expect(await outcome(await supplier.token(claims(), { typ }))).toEqual(LET_IN);
    });

    it.each(['RS256', 'PS256', 'ES256', 'EdDSA', 'RS384', 'PS512', 'ES384', 'ES512'])(
      'may be signed by %s',
      async (alg) => {
        const signing = await startTokenIssuer(alg);
        const mpid = `Z${alg.slice(0, 1)}${alg.slice(-2)}`.toUpperCase();
        await fixture.addSupplier(mpid, signing.issuer, AUDIENCE);
        expect(await outcome(await signing.token(claims({ iss: signing.issuer })))).toEqual({
          ...{ ...LET_IN, mpid },
          issuer: signing.issuer,
        });
        await signing.close();
      },
    );
  });

  describe('An invalid token', () => {
    const forged: [string, () => Promise<string> | string][] = [
      ['is no JWT at all', () => 'not a token'],
      ['is empty', () => ''],
      ['has three parts that are no base64url of JSON', () => 'a.b.c'],
      ['is signed by a key that the issuer does not publish', () => supplier.token(claims(), {}, unpublished)],
      [
        'names a published key and is signed by another',
        () => supplier.token(claims(), { kid: supplier.keys[0]?.kid as string }, unpublished),
      ],
      ['is signed by the key of another supplier, and names that', () => supplier.token(claims(), {}, other.keys[0])],
      ['is another supplier’s in the name of this one', () => other.token(claims())],
      [
        'has been changed after it was signed',
        async () => changedPayload(await supplier.token(claims()), { client_id: OTHER_USER }),
      ],
      ['has lost its signature', async () => (await supplier.token(claims())).replace(/[^.]+$/, '')],
      ['has one character of its signature changed', async () => flipped(await supplier.token(claims()))],
      ['is unsigned (alg none)', () => new UnsecuredJWT(claims()).encode()],
      ['has alg none and a signature', async () => changedHeader(await supplier.token(claims()), { alg: 'none' })],
      ['is signed by HS256 with the public key as PEM', () => signedWithPublicKey('pem')],
      ['is signed by HS256 with the public key as JWK', () => signedWithPublicKey('jwk')],
      [
        'names an algorithm of another kind of key',
        async () => changedHeader(await supplier.token(claims()), { alg: 'RS256' }),
      ],
      ['has another type', () => supplier.token(claims(), { typ: 'logout+jwt' })],
      ['has the type of an ID token', () => supplier.token(claims(), { typ: 'id+jwt' })],
      ['has a type that is not text', () => supplier.token(claims(), { typ: 7 as never })],
      ['requires an extension (crit)', () => critical()],
      ['names a key set of its own (jku)', () => withOwnKey({ jku: `${other.issuer}/keys` })],
      ['contains its own key (jwk)', () => withOwnKey({ jwk: unpublished.jwk })],
      ['names certificates of its own (x5u)', () => withOwnKey({ x5u: `${other.issuer}/keys` })],
      ['names no key of a set that has several', () => supplier.token(claims(), { kid: 'unknown' })],
      ['is from an issuer that no supplier has', () => other.token(claims({ iss: 'http://127.0.0.1:1' }))],
      ['is from an issuer with an additional slash', () => supplier.token(claims({ iss: `${supplier.issuer}/` }))],
      ['is for another audience', () => supplier.token(claims({ aud: 'https://other.example' }))],
      ['is for other audiences', () => supplier.token(claims({ aud: ['https://other.example', 'x'] }))],
      ['is for no audience', () => supplier.token(claims({ aud: [] }))],
      ['is for an audience that is not text', () => supplier.token(claims({ aud: [7] }))],
      ['is not valid yet (nbf)', () => supplier.token(claims({ nbf: now() + 300 }))],
      ['has an invalid nbf', () => supplier.token(claims({ nbf: 'soon' }))],
      ['has an invalid exp', () => supplier.token(claims({ exp: 'never' }))],
      ['has an exp out of range', () => supplier.token(claims({ exp: 1e300 }))],
      ['was issued in five minutes', () => supplier.token(claims({ iat: now() + 300 }))],
      ['has an invalid iat', () => supplier.token(claims({ iat: '2026-06-01' }))],
      ['has an empty subject', () => supplier.token(claims({ sub: '' }))],
      ['has a subject that cannot be stored', () => supplier.token(claims({ sub: 'a\0b' }))],
      ['has a subject that is too long', () => supplier.token(claims({ sub: 'c'.repeat(256) }))],
      ['has a number as subject', () => supplier.token(claims({ sub: 12 }))],
      ['was issued to a client that is not an RTI User', () => supplier.token(claims({ client_id: 'some-client' }))],
      ['was issued to an id in capitals', () => supplier.token(claims({ client_id: USER.toUpperCase() }))],
      ['was issued to several RTI Users', () => supplier.token(claims({ client_id: [USER] }))],
      [
        'was issued to an RTI User that there is not',
        () => supplier.token(claims({ client_id: `usr_${'c'.repeat(32)}` })),
      ],
      ['has scopes in a list', () => supplier.token(claims({ scope: ['tariff:read'] }))],
      ['names a malformed meter point', () => supplier.token(claims({ mpxn: ['12'] }))],
      ['names a malformed meter point among good ones', () => supplier.token(claims({ mpxn: [MPXN, 'x'] }))],
      ['names a meter point that is a number', () => supplier.token(claims({ mpxn: 1_012_345_678 }))],
      ['names meter points by an object', () => supplier.token(claims({ mpxn: { a: MPXN } }))],
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'client_id', 'scope'].map((claim): [string, () => Promise<string>] => [
        `lacks ${claim}`,
        () => supplier.token(claims({ [claim]: undefined })),
      ]),
      ['is longer than any token', () => supplier.token(claims({ padding: 'x'.repeat(16_384) }))],
      ['is encrypted', () => 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aaaa.bbbb.cccc'],
    ];

    it.each(forged)('that %s is rejected with AUT001', async (_, forge) => {
      expect(await outcome(await forge())).toBe('AUT001');
    });

    it('causes no request to any address that it contains', async () => {
      const requests = other.requests.length;
      await outcome(
        await withOwnKey({ jku: `${other.issuer}/keys`, x5u: `${other.issuer}/keys` }),
        fixture.elsewhere(),
      );
      expect(other.requests.length).toBe(requests);
      expect(supplier.requests).toContain('/keys');
    });

    it('is not logged, nor are its claims, even if the unavailable issuer echoes it', async () => {
      const token = await supplier.token(claims());
      supplier.misbehaviour.text = token;
      expect(await outcome(token, fixture.elsewhere())).toBe('SYS002');
      expect(fixture.log()).toContain(`"issuer":"${supplier.issuer}","fault":"SyntaxError"`);
      for (const secret of [MPXN, 'consumer-1', USER, 'eyJ']) expect(fixture.log()).not.toContain(secret);
    });
  });

  describe('A valid token', () => {
    it("that has expired by the register's clock: AUT002, even if it is cached", async () => {
      const token = await supplier.token(claims());
      expect(await outcome(token)).toEqual(LET_IN);
      await fixture.moveClock(601);
      expect(await outcome(token)).toBe('AUT002');
      expect(await outcome(token, fixture.elsewhere())).toBe('AUT002');
    });

    it('that has expired and is forged: AUT001', async () => {
      const token = await supplier.token(claims({ exp: now() - 60 }), {}, unpublished);
      expect(await outcome(token)).toBe('AUT001');
    });

    it.each(REGISTER_ENTRY_STATUSES.filter((status) => status !== 'active'))(
      'of an RTI User that is %s is rejected with RTI001 at once, and valid again after the reactivation',
      async (status) => {
        const token = await supplier.token(claims());
        expect(await outcome(token)).toEqual(LET_IN);
        await fixture.setStatus({ userId: USER }, status);
        expect(await outcome(token)).toBe('RTI001');
        await fixture.setStatus({ userId: USER }, 'active');
        expect(await outcome(token)).toEqual(LET_IN);
      },
    );

    it('that has expired, of an RTI User that is suspended: AUT002 precedes RTI001', async () => {
      await fixture.setStatus({ userId: USER }, 'suspended');
      expect(await outcome(await supplier.token(claims({ exp: now() - 1 })))).toBe('AUT002');
    });

    it.each(REGISTER_ENTRY_STATUSES.filter((status) => status !== 'active'))(
      'of a supplier that is %s is rejected with AUT001 at once',
      async (status) => {
        const token = await supplier.token(claims());
        expect(await outcome(token)).toEqual(LET_IN);
        await fixture.setStatus({ mpid: MPID }, status);
        expect(await outcome(token)).toBe('AUT001');
      },
    );

    it.each([
      ['RTI User', 'suspended', { userId: USER }, 'RTI001'],
      ['RTI User', 'disabled', { userId: USER }, 'RTI001'],
      ['supplier', 'suspended', { mpid: MPID }, 'AUT001'],
      ['supplier', 'disabled', { mpid: MPID }, 'AUT001'],
    ] as const)('is verified also while its %s is %s', async (_, status, entry, inactive) => {
      await fixture.setStatus(entry, status);
      const token = await supplier.token(claims());
      expect(await fixture.tokens.verified(token)).toEqual({ ...LET_IN, inactive });
      expect(await fixture.elsewhere().caller(token)).toMatchObject({ accountId: USER, mpid: MPID });
      await expect(fixture.tokens.verified(await supplier.token(claims(), {}, unpublished))).rejects.toMatchObject({
        code: 'AUT001',
      });
    });

    it.each([
      ['RTI User', { userId: USER }, 'RTI001'],
      ['supplier', { mpid: MPID }, 'AUT001'],
    ] as const)('is not verified once its %s is removed', async (_, entry, code) => {
      await fixture.setStatus(entry, 'removed');
      await expect(fixture.tokens.verified(await supplier.token(claims()))).rejects.toMatchObject({ code });
    });

    it('costs one statement, verified or cached, and all cost one request to their issuer', async () => {
      const tokens = fixture.elsewhere();
      const [before, requests] = [fixture.reads(), supplier.requests.length];
      const token = await supplier.token(claims());
      await outcome(token, tokens);
      await outcome(token, tokens);
      await outcome(await supplier.token(claims()), tokens);
      expect(fixture.reads() - before).toBe(3);
      expect(supplier.requests.slice(requests)).toEqual(['/.well-known/openid-configuration', '/keys']);
    });

    it('belongs to another supplier as soon as its issuer and audience do, cached or not', async () => {
      const moved = await startTokenIssuer();
      await fixture.addSupplier('MOVA', moved.issuer, AUDIENCE);
      await fixture.addSupplier('MOVB', 'https://elsewhere.example', AUDIENCE);
      const token = await moved.token(claims({ iss: moved.issuer }));
      expect(await outcome(token)).toMatchObject({ mpid: 'MOVA' });
      await fixture.moveIssuer('MOVA', 'MOVB');
      expect(await outcome(token)).toMatchObject({ mpid: 'MOVB' });
      expect(await fixture.tokens.caller(token)).toMatchObject({ mpid: 'MOVB', consumer: { issuer: moved.issuer } });
      await moved.close();
    });

    it('is verified again in a separate process, which reads the database only if the token is not cached', async () => {
      const tokens = fixture.elsewhere();
      const token = await supplier.token(claims());
      const caller = { accountId: USER, role: 'consumer', duid: null, mpid: MPID };
      const before = fixture.reads();
      expect(await tokens.caller(token)).toMatchObject({
        ...caller,
        consumer: { subject: 'consumer-1', mpxns: [MPXN] },
      });
      expect(await tokens.caller(token)).toMatchObject(caller);
      expect(fixture.reads() - before).toBe(1);
      await expect(tokens.caller(await supplier.token(claims(), {}, unpublished))).rejects.toMatchObject({
        code: 'AUT001',
      });
    });
  });

  describe('Tokens at the gateway', () => {
    const FAILURES = 3;
    let graph: TariffGraph | undefined;
    afterEach(() => graph?.close());

    async function started(limits?: { failedSignIns: number }): Promise<TariffGraph> {
      graph = await tariffGraph(limits);
      await graph.owner.query(
        `insert into supplier (mpid, name, display_name, support, api_url, issuer, audience)
       values ($1, 'Supplier', 'Supplier', 'support', 'https://api.example', $2, $3)`,
        [MPID, supplier.issuer, AUDIENCE],
      );
      await graph.owner.query(
        `insert into rti_user (user_id, name, display_name, support) values ($1, 'User', 'User', 'support')`,
        [USER],
      );
      return graph;
    }

    const admitted = async (
      token: string,
      { running }: TariffGraph,
      clientAddress = '192.0.2.1',
      isCounted = false,
    ): Promise<unknown> => {
      const context: CallContext = { caller: null, service: null, transactionId: 'tid', clientAddress };
      return identifiedConsumer({ token, isCounted }, { link: running.link, from: 'gateway' }, context).then(
        ({ caller }) => caller.accountId,
        ({ code, extensions }) => (extensions?.retryAfter === undefined ? code : [code, extensions.retryAfter]),
      );
    };

    it('that are invalid are limited by network, with the seconds to wait; a valid one does not count and is admitted all the same', async () => {
      const limited = await started({ failedSignIns: FAILURES });
      for (let count = 0; count <= FAILURES; count++)
        expect(await admitted(await supplier.token(claims()), limited)).toBe(USER);
      expect(await admitted(await supplier.token(claims({ exp: now() - 1 })), limited)).toBe('AUT002');
      for (let count = 0; count < FAILURES; count++)
        expect(await admitted(await supplier.token(claims(), {}, unpublished), limited)).toBe('AUT001');
      for (const token of ['not a token', await supplier.token(claims(), {}, unpublished)])
        expect(await admitted(token, limited)).toEqual(['LIM002', expect.any(Number)]);
      expect(await admitted('not a token', limited, '192.0.2.2')).toBe('AUT001');
      expect(await admitted(await supplier.token(claims()), limited)).toBe(USER);
    });

    it('that are valid count one request, also if its body arrives after its admission', async () => {
      const limited = await started({ failedSignIns: FAILURES });
      for (const isCounted of [false, true])
        expect(await admitted(await supplier.token(claims()), limited, '192.0.2.1', isCounted)).toBe(USER);
      const counted = `select points from rate_limit where key like 'consumer-requests:%'`;
      expect((await limited.owner.query(counted)).rows).toEqual([{ points: 1 }]);
    });

    it('that are invalid are not limited with RATE_LIMITS=off', async () => {
      const unlimited = await started();
      for (let count = 0; count < 15; count++) expect(await admitted('not a token', unlimited)).toBe('AUT001');
    });
  });

  async function signedWithPublicKey(form: 'pem' | 'jwk'): Promise<string> {
    const { jwk, kid, alg } = supplier.keys[0] as IssuerKey;
    const text = form === 'jwk' ? JSON.stringify(jwk) : await exportSPKI((await importJWK(jwk, alg)) as CryptoKey);
    return new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid, typ: 'at+jwt' })
      .sign(createSecretKey(Buffer.from(text)));
  }

  function critical(): Promise<string> {
    const { kid, alg, privateKey } = supplier.keys[0] as IssuerKey;
    return new SignJWT(claims())
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', crit: ['urn:example:new'], 'urn:example:new': true })
      .sign(privateKey, { crit: { 'urn:example:new': true } });
  }

  /** Returns a token that is signed by a key in its own header. */
  function withOwnKey(header: Record<string, unknown>): Promise<string> {
    return supplier.token(claims(), header, unpublished);
  }

  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString()) as object;

  function changedHeader(token: string, changed: object): string {
    const [header, ...rest] = token.split('.');
    return [encoded({ ...decoded(header), ...changed }), ...rest].join('.');
  }

  function changedPayload(token: string, changed: object): string {
    const [header, payload, signature] = token.split('.');
    return [header, encoded({ ...decoded(payload), ...changed }), signature].join('.');
  }

  function flipped(token: string): string {
    const at = token.lastIndexOf('.') + 5;
    return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
  }
}
