import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { exportTraces } from '../../subgraphs/server/tracing';
import { type TestRegister, startTestRegister } from '../support/register';
import { anonymousClient, signedInClient } from '../support/rest-client';

describe('A trace', () => {
  const exporter = new InMemorySpanExporter();
  const stopTraces = exportTraces('register', new SimpleSpanProcessor(exporter));
  let register: TestRegister;

  beforeAll(async () => {
    register = await startTestRegister('one process');
  });
  afterAll(async () => {
    await register.close();
    await stopTraces();
  });

  it('joins adapter, gateway and subgraph of a request, each with its transaction id', async () => {
    exporter.reset();
    const { body } = await anonymousClient(register.rest)(
      'GET',
      `/v1/access-records/${register.sandbox.samples.access_keys.active}`,
    );
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toEqual([
      'subgraph access',
      'gateway VerifyAccessRecord',
      'GET /v1/access-records/{ak}',
    ]);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    for (const { attributes } of spans)
      expect(attributes).toEqual({ 'transaction-id': body['response']['transaction-id'] });
  });

  it('holds no path value, query string or body', async () => {
    exporter.reset();
    const { mpxn, access_keys: keys } = register.sandbox.samples;
    const dataUser = await signedInClient(register, 'data_user');
    await dataUser('GET', `/v1/meter-points/${mpxn}/access-records`);
    await dataUser('GET', `/v1/identity-records?mpxn=${mpxn}`);
    await dataUser('GET', `/v1/access-records/${keys.active}`);
    const told = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    );
    expect(told).toContain('/v1/meter-points/{mpxn}/access-records');
    for (const secret of [mpxn, keys.active]) expect(told).not.toContain(secret);
  });
});
