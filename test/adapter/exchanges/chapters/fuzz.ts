import Ajv2020 from 'ajv/dist/2020';
import * as fc from 'fast-check';
import { type ContractOperation, loadContract } from '../../../../rest-adapter/contract/contract';
import { INTERFACE_A } from '../../../../rest-adapter/contract/interfaces';
import {
  AK,
  CREDENTIAL,
  DUID,
  EVENT,
  IR,
  MPXN,
  TOKEN_REF,
  type TestAdapter,
  WID,
  accessRecord,
  changeOfTenancy,
  delivery,
  discoveredAccess,
  registration,
  reidentification,
  startTestAdapter,
  webhook,
} from '../../../support/rest-graph';
import type { ContractSchema } from '../../../../rest-adapter/contract/contract-schema';

export function fuzz(): void {
  const RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);

  const contract = loadContract(INTERFACE_A);
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const fitsError = ajv.compile(schemaOf('ErrorResponse'));
  const fits = new Map(
    contract.operations.map(({ operationId, responseBody }) => [
      operationId,
      responseBody && ajv.compile(responseBody),
    ]),
  );

  /** Returns a named schema of the contract with references resolved. The error envelope is the same everywhere. */
  function schemaOf(name: string): object {
    return { $ref: `#/components/schemas/${name}`, components: contract.document['components'] };
  }

  const bodies: Readonly<Record<string, unknown>> = {
    registerAccessRecord: registration(),
    replaceAccessRecord: registration(),
    registerIdentityRecord: {
      'pii-principal': { mpxn: MPXN, 'move-in-date': '2021-03-01' },
      'expressed-by': 'data-subject',
      'principal-verification': {
        method: 'm',
        'verified-at': '2026-11-19T16:20:00Z',
        outcome: 'verified',
        detail: { a: [1] },
      },
      email: 'resident@wexbridge.example',
    },
    reidentify: { mpxn: MPXN, method: 'magic-link', 'redirect-url': 'https://harbourlight.example/return' },
    reidentifyOwn: { method: 'passkey-assert', 'passkey-return-url': 'https://harbourlight.example/return' },
    registerWebhook: {
      'callback-url': 'https://harbourlight.example/register-events',
      'alert-email': 'operations@harbourlight.example',
      'notify-days-before': 7,
      'event-types': ['consent.withdrawal'],
    },
    updateWebhook: { 'notify-days-before': 60, 'event-types': ['tenancy.change'], 'rotate-secret': true },
    reportDiscoveredAccess: {
      mpxn: MPXN,
      'organisation-name': 'Saltmarsh Energy Advice Ltd',
      'organisation-reference': 'ORG-4471',
      'first-seen': '2025-02-03',
      'data-types-observed': ['HH-CONSUMPTION'],
      'source-reference': 'DISC-2026-0093',
      'last-seen': null,
    },
    recordChangeOfTenancy: { mpxn: MPXN, 'effective-date': '2026-11-18', 'source-reference': 'COT-2026-118' },
  };

  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(
      null,
      '',
      '\0',
      '\ud800',
      'x'.repeat(3000),
      -1,
      1e300,
      [],
      {},
      [null],
      JSON.parse('{"__proto__":1}'),
      true,
      '2026-02-30',
      'sole',
    ),
  );

  /** A body with one to three values replaced, removed or added. */
  function mutated(body: unknown): fc.Arbitrary<unknown> {
    const places = placesOf(body);
    const change = fc.tuple(fc.constantFrom(...places), fc.constantFrom('replace', 'remove', 'add'), odd);
    return fc
      .array(change, { minLength: 1, maxLength: 3 })
      .map((changes) => changes.reduce(changed, structuredClone(body)));
  }

  function placesOf(value: unknown, path: string[] = []): string[][] {
    if (typeof value !== 'object' || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([name, member]) => placesOf(member, [...path, name]))];
  }

  function changed(body: unknown, [path, how, given]: [string[], string, unknown]): unknown {
    const value = structuredClone(given); // a later mutation may change it again
    const last = path.at(-1);
    if (last === undefined) return how === 'replace' ? value : body;
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], body);
    if (typeof parent !== 'object' || parent === null) return body;
    if (how === 'replace') Object.assign(parent, { [last]: value });
    if (how === 'add') Object.assign(parent, { [`${last}-more`]: value });
    if (how === 'remove') Reflect.deleteProperty(parent, last);
    return body;
  }

  const text = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(
      AK,
      IR,
      TOKEN_REF,
      CREDENTIAL,
      DUID,
      MPXN,
      WID,
      EVENT,
      '%',
      '%00',
      '..',
      'ACTIVE',
      'uk-consent',
      '5',
      '-1',
      '9'.repeat(40),
      'é',
      '"3"',
      '*',
    ),
  );

  function requestOf({ operationId, method, path, parameters, body }: ContractOperation) {
    const query = fc.dictionary(fc.constantFrom(...parameters.map(({ name }) => name), 'other'), text, { maxKeys: 3 });
    const payload = body
      ? fc.oneof(mutated(bodies[operationId]), fc.constant(bodies[operationId]), odd)
      : fc.constant(undefined);
    const raw = fc.tuple(fc.boolean(), fc.boolean());
    return fc.tuple(text, query, payload, raw).map(([value, pairs, content, [asIs, isRaw]]) => ({
      method: method as 'GET',
      url: `${path.replace(/\{[^}]+\}/g, asIs ? printable(value) : encodeURIComponent(value.replace(/\p{Surrogate}/gu, 'x')))}?${new URLSearchParams(pairs)}`,
      headers: {
        authorization: 'Bearer good',
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        'if-match': printable(value),
        'idempotency-key': printable(value),
      },
      ...(content === undefined
        ? {}
        : { payload: isRaw ? JSON.stringify(content).slice(0, -1) : JSON.stringify(content) }),
    }));
  }

  /** Replaces the characters that an HTTP client cannot send unencoded in a header or a path. */
  function printable(value: string): string {
    return value.replace(/[^\x21-\x7e]|[?#]/g, 'x') || 'x';
  }

  describe('malformed and mutated requests', () => {
    let test: TestAdapter;
    beforeAll(async () => {
      test = await startTestAdapter();
      const registered = {
        accessToken: { key: AK, expiry: null },
        replayed: false,
        version: 2,
        ir: IR,
        passkeyRegistrationRedirect: null,
      };
      test.graph.roots = {
        accessRecord: ({ key }: { key: string }) => (key === AK ? accessRecord : discoveredAccess),
        registerAccessRecord: () => registered,
        replaceAccessRecord: () => registered,
        revokeAccessRecord: () => ({ ak: AK, revokedAt: new Date(0) }),
        registerIdentityRecord: () => registered,
        accessRecords: () => ({ nodes: [], totalCount: 0, nextCursor: null }),
        meterPoint: () => ({ accessRecords: () => ({ nodes: [], nextCursor: null }) }),
        dataUser: () => null,
        identityRecord: () => null,
        identityRecords: () => [],
        anonymiseIdentityRecord: () => ({ ir: IR, anonymisedAt: new Date(0) }),
        removeCredential: () => ({ credentialId: CREDENTIAL }),
        reidentify: () => reidentification,
        reidentifyOwn: () => reidentification,
        reidentification: () => null,
        ownReidentification: () => ({ method: 'MAGIC_LINK', status: 'PENDING', confirmedAt: null }),
        webhooks: () => [webhook],
        webhook: ({ wid }: { wid: string }) =>
          wid === WID ? { ...webhook, deliveries: () => ({ nodes: [delivery], nextCursor: null }) } : null,
        registerWebhook: () => ({ webhook, signingSecret: 'whsec_c2VjcmV0', replayed: false }),
        updateWebhook: ({ input }: { input: { rotateSecret: boolean } }) => ({
          webhook,
          signingSecret: input.rotateSecret ? 'whsec_c2VjcmV0' : null,
        }),
        deleteWebhook: () => ({ wid: WID }),
        redeliverEvent: () => ({ eventId: EVENT, replayed: false }),
        testWebhook: () => ({ eventId: EVENT, replayed: false }),
        reportDiscoveredAccess: () => ({ ak: AK, state: 'DISCOVERED', isNew: false, replayed: false }),
        recordChangeOfTenancy: () => changeOfTenancy,
        identityRecordExistence: () => ({ mpxn: MPXN, exists: false, availableMethods: [] }),
      } as never;
    });
    afterAll(() => test.adapter.close());

    it.each(contract.operations.map((operation) => [operation.operationId, operation] as const))(
      'to %s receive a response as in the contract, and accepted ones are valid in the graph',
      async (operationId, operation) => {
        await fc.assert(
          fc.asyncProperty(requestOf(operation), async (request) => {
            const response = await test.adapter.app.inject(request);
            const body: unknown = response.body === '' ? undefined : response.json();
            expect(response.statusCode).toBeLessThan(500);
            const fitsResponse = fits.get(operationId) ?? ((none: unknown) => none === undefined);
            expect(response.statusCode < 300 ? fitsResponse(body) : fitsError(body)).toBe(true);
            expect(test.lines.at(-1)?.['status']).toBe(response.statusCode);
          }),
          { numRuns: RUNS },
        );
      },
    );
  });

  /** The unmutated requests must be valid: otherwise the fuzzer would test rejections only. */
  describe('the unmutated requests', () => {
    it.each(Object.entries(bodies))('are valid for %s', (operationId, body) => {
      const { body: schema } = contract.operations.find((operation) => operation.operationId === operationId) as {
        body: ContractSchema;
      };
      expect(ajv.compile(schema)(body)).toBe(true);
    });
  });
}
