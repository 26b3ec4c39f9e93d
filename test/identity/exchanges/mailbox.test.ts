import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createTransport } from 'nodemailer';
import { type CapturedMail, type Mailbox, startMailbox } from '../../../sandbox/mailbox';
import { isDefinitelyRejected, mailServer } from '../../../subgraphs/server/mail-server';

describe('The mailbox of a sandbox', () => {
  let mailbox: Mailbox;
  beforeAll(async () => {
    mailbox = await startMailbox({ port: 0, host: 'localhost' });
    const transport = createTransport({ url: mailbox.smtpUrl });
    const mail = {
      from: 'a@register.example',
      text: 'Go to https://portal.example/sign-in/link/x <b>now</b>',
      html: '<p>Go</p>',
    };
    await transport.sendMail({ ...mail, to: 'Ada@customer.example', subject: 'The first' });
    await transport.sendMail({ ...mail, to: 'bo@customer.example', subject: 'The <second>' });
  });
  afterAll(() => mailbox.close());

  const mails = async (query = '') => (await (await fetch(`${mailbox.url}/${query}`)).json()) as CapturedMail[];

  it('returns its mails, newest first, with both parts', async () => {
    expect(await mails()).toEqual([
      expect.objectContaining({ to: 'bo@customer.example', subject: 'The <second>' }),
      {
        to: 'Ada@customer.example',
        subject: 'The first',
        received_at: expect.stringMatching(/^\d{4}-.*Z$/),
        text: expect.stringContaining('https://portal.example/sign-in/link/x'),
        html: expect.stringContaining('<p>Go</p>'),
      },
    ]);
  });

  it('returns the mails of one recipient, in any spelling of the address', async () => {
    expect((await mails('?to=ADA@customer.example')).map(({ subject }) => subject)).toEqual(['The first']);
    expect(await mails('?to=nobody@customer.example')).toEqual([]);
  });

  it('is a page for browsers with clickable links, which shows mails as text', async () => {
    const response = await fetch(mailbox.url, { headers: { accept: 'text/html,*/*' } });
    const page = await response.text();
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page).toContain('<a href="https://portal.example/sign-in/link/x">https://portal.example/sign-in/link/x</a>');
    expect(page).not.toMatch(/<b>now|<second>/);
  });

  it('serves nothing else', async () => {
    expect((await fetch(`${mailbox.url}/other`)).status).toBe(404);
    expect((await fetch(mailbox.url, { method: 'POST' })).status).toBe(405);
  });
});

describe('A mail server that does not respond', () => {
  it('is tried again after a pause, in which each mail fails at once', async () => {
    let connections = 0;
    const silent = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const server = mailServer(
      `smtp://127.0.0.1:${port}`,
      { name: 'Register', address: 'a@register.example' },
      'en',
      false,
    );
    const send = () =>
      server.send('ada@customer.example', { subject: 's', text: 't', html: 'h' }).catch(isDefinitelyRejected);
    expect([await send(), await send(), connections]).toEqual([true, true, 1]);
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 5_000);
    expect([await send(), connections]).toEqual([true, 2]);
    jest.restoreAllMocks();
    silent.close();
  }, 30_000);
});
