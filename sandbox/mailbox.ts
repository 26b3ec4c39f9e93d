import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A captured mail. */
export interface CapturedMail {
  readonly to: string;
  readonly subject: string;
  readonly received_at: string;
  readonly text: string;
  readonly html: string;
}

/** A mail server that delivers no mail and shows what it has received. */
export interface Mailbox {
  /** URL for senders of mails. */
  readonly smtpUrl: string;
  /** URL of the mails, newest first: JSON, or a page for browsers. `?to=` selects one recipient. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_MAILS = 1_000;
const MAX_MAIL_BYTES = 1_000_000;
const LOOPBACK = '127.0.0.1';

/** Starts the mailbox of a sandbox. Port 0 selects a free port. */
export async function startMailbox({ port, host }: { readonly port: number; readonly host: string }): Promise<Mailbox> {
  const mails: CapturedMail[] = [];
  const smtp = smtpServer((mail) => {
    mails.unshift(mail);
    mails.length = Math.min(mails.length, MAX_MAILS);
  });
  const http = createServer(({ method, url = '/', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://mailbox');
    if (method !== 'GET' || pathname !== '/') return void response.writeHead(method === 'GET' ? 404 : 405).end();
    const to = searchParams.get('to')?.toLowerCase();
    const selected = mails.filter((mail) => to === undefined || mail.to.toLowerCase() === to);
    const isBrowser = headers.accept?.includes('text/html') === true;
    response.writeHead(200, {
      ...HEADERS,
      'content-type': isBrowser ? 'text/html; charset=utf-8' : 'application/json',
    });
    response.end(isBrowser ? pageOf(selected) : JSON.stringify(selected));
  });
  const smtpPort = await listening(smtp.listen(0, LOOPBACK));
  const httpPort = await listening(http.listen(port, host));
  return {
    smtpUrl: `smtp://${LOOPBACK}:${smtpPort}`,
    url: `http://${host}:${httpPort}`,
    close: async () => {
      http.closeAllConnections();
      await Promise.all([closed(http), new Promise<void>((resolve) => void smtp.close(() => resolve()))]);
    },
  };
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function smtpServer(capture: (mail: CapturedMail) => void): SMTPServer {
  return new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: MAX_MAIL_BYTES,
    logger: false,
    closeTimeout: 500,
    onData(stream, { envelope }, respond) {
      textOf(stream)
        .then((raw) => PostalMime.parse(raw))
        .then(({ subject = '', text = '', html = '' }) => {
          const received_at = new Date().toISOString();
          for (const { address: to } of envelope.rcptTo) capture({ to, subject, received_at, text, html });
          respond();
        })
        .catch((error: Error) => respond(error));
    },
  });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('listening', () => resolve());
    server.once('error', reject);
  });
  return (server.address() as AddressInfo).port;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}

function pageOf(mails: readonly CapturedMail[]): string {
  const entries = mails.map(
    ({ to, subject, received_at, text }) =>
      `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to)}, ${received_at}</p><pre>${linked(escaped(text))}</pre></article>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Mailbox of the sandbox</title>
<style>body{font-family:Arial,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;overflow-wrap:anywhere}
article{border-top:1px solid #b1b4b6}</style></head><body>
<h1>Mailbox of the sandbox</h1><p>This register sends its mails only to this page. The newest mail is first.</p>
${entries.join('\n') || '<p>No mail yet.</p>'}</body></html>`;
}

/** Replaces the URLs of an escaped text by links. */
function linked(text: string): string {
  return text.replace(/https?:\/\/[^\s<]+/g, (address) => `<a href="${address}">${address}</a>`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
