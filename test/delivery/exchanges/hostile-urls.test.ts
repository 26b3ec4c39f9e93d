import { isPublicAddress } from '../../../subgraphs/server/outgoing/addresses';
import { type Sender, callbackSender } from '../../../subgraphs/delivery/requests/sender';
import { callbackUrlViolation } from '../../../subgraphs/delivery/requests/callback-url';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver';

/** Spellings of addresses that are not public. */
const HOSTILE = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '167772161',
  '0xa000001',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.0.1',
  '192.168.1',
  '3232235521',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[::10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::a00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
];

describe('Callback URLs with forbidden addresses', () => {
  let receiver: WebhookReceiver;
  let sender: Sender;
  beforeAll(async () => {
    receiver = await webhookReceiver('::');
    sender = callbackSender({ allowLoopback: false, exchangeMs: 2_000 });
  });
  afterAll(async () => {
    sender.close();
    await receiver.close();
  });

  it.each(HOSTILE)('https://%s/ is rejected at registration', (host) => {
    expect(callbackUrlViolation(`https://${host}:8443/hook`, { allowLoopback: false, production: true })).toMatch(
      /machine|special/,
    );
  });

  it.each(HOSTILE)('nothing is sent to https://%s/', async (host) => {
    const url = `https://${host}:${receiver.port}/hook`;
    expect(await sender.send({ url, headers: {}, body: '{}' })).toMatchObject({
      status: null,
      error: 'blocked-address',
    });
    expect(receiver.connections()).toBe(0);
  });

  it('nothing is sent without TLS', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'receiver.example'])
      expect(await sender.send({ url: `http://${host}:${receiver.port}/`, headers: {}, body: '' })).toMatchObject({
        error: 'blocked-address',
      });
    expect(receiver.connections()).toBe(0);
  });

  it('are rejected for the same reason if loopback is admitted, unless they are loopback', async () => {
    const admitting = callbackSender({ allowLoopback: true, exchangeMs: 500 });
    for (const host of HOSTILE.filter(
      (each) => !/^127\.|^2130706433|^0x7f|^017|^%|^\[::1\]|^\[0:0|localhost/i.test(each),
    )) {
      const url = `https://${host}:${receiver.port}/`;
      expect(callbackUrlViolation(url, { allowLoopback: true, production: false })).toBe(
        'is a private or special address',
      );
      expect(await admitting.send({ url, headers: {}, body: '' })).toMatchObject({ error: 'blocked-address' });
    }
    admitting.close();
  });
});

describe('Ordinary addresses', () => {
  it.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '192.167.255.255', '2606:4700::1111', '2a00:1450:4009:80b::200e'])(
    '%s is a public address',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['receiver.example', '', '1.2.3', '::ffff:1.2.3.4', '1.2.3.4.5'])('"%s" is not a public address', (address) =>
    expect(isPublicAddress(address)).toBe(false),
  );
});

const UNENCODED = 'contains characters that must be encoded: in the host as Punycode (xn--), elsewhere as %XX';

describe('A callback URL', () => {
  it.each([
    ['https://receiver.example/hook', false, undefined],
    ['https://receiver.example:8443/hook?tenant=1', false, undefined],
    ['https://93.184.216.34/', false, undefined],
    ['https://[2606:4700::1111]/', false, undefined],
    ['http://receiver.example/', false, 'is not an https URL'],
    ['http://receiver.example/', true, 'is not an https URL'],
    ['http://93.184.216.34/', true, 'is not an https URL'],
    ['http://127.0.0.1:9000/hook', false, 'is not an https URL; leads to this machine'],
    ['http://10.0.0.8:0/hook', false, 'is not an https URL; has port 0; is a private or special address'],
    ['http://10.0.0.8/hook', true, 'is not an https URL; is a private or special address'],
    ['http://127.0.0.1:9000/hook', true, undefined],
    ['http://localhost:9000/hook', true, undefined],
    ['http://[::1]:9000/hook', true, undefined],
    ['https://localhost:9000/hook', true, undefined],
    ['https://user:password@receiver.example/', false, 'contains credentials'],
    ['ftp://receiver.example/', false, 'is not an https URL'],
    ['https:receiver.example', false, 'is not an https URL'],
    ['https://①②⑦.0.0.1/', false, UNENCODED],
    ['https://bücher.example/hook', false, UNENCODED],
    ['https://bücher.example/hook', true, UNENCODED],
    ['https://xn--bcher-kva.example/hook', false, undefined],
    [`https://receiver.example/${'a'.repeat(2_048)}`, false, 'is longer than 2048 characters'],
  ])('"%s", where own addresses are admitted (%s), has the violation: %s', (url, allowLoopback, violation) =>
    expect(callbackUrlViolation(url, { allowLoopback, production: !allowLoopback })).toBe(violation),
  );

  it('on this machine is rejected with the name of the setting that allows it, outside production', () => {
    const violationOf = (url: string, production: boolean) =>
      callbackUrlViolation(url, { allowLoopback: false, production });
    const remedy = 'leads to this machine, which needs WEBHOOK_ALLOW_LOOPBACK=true';
    expect(violationOf('http://localhost:9000/hook', false)).toBe(`is not an https URL; ${remedy}`);
    expect(violationOf('https://localhost:9000/hook', false)).toBe(remedy);
    expect(violationOf('https://localhost:9000/hook', true)).toBe('leads to this machine');
  });
});
