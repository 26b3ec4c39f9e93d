import { createTransport } from 'nodemailer';

/** A mail as it is sent: one subject, the same content as text and as HTML. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Whom mails are from: the name that their reader sees, and the address. */
export interface MailSender {
  readonly name: string;
  readonly address: string;
}

/** The way to the mail server of the installation. */
export interface MailServer {
  /** Resolves when the server took the mail; from then on the mail is in its hands. */
  send(address: string, letter: Letter): Promise<void>;
}

/** Milliseconds that a mail server may take for each step. */
const STEP = 5_000;
/** Milliseconds after which a mail is given up and tried again later. */
const LONGEST = 20_000;

/**
 * A mail server by its URL; `languages` are those of the letters (Content-Language). In production the connection is encrypted,
 * by `smtps://` or STARTTLS; a relay that has no TLS must be named as such (`smtp://relay?requireTLS=false`).
 */
export function mailServer(url: string, from: MailSender, languages: string, production: boolean): MailServer {
  const timeouts = { connectionTimeout: STEP, greetingTimeout: STEP, dnsTimeout: STEP, socketTimeout: STEP };
  const transport = createTransport({
    requireTLS: production && !/[?&]requireTLS=false\b/.test(url),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
    url,
  });
  return {
    async send(address, { subject, text, html }) {
      await transport.sendMail({
        from,
        to: { name: '', address },
        envelope: { from: from.address, to: [address] },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': languages },
        signal: AbortSignal.timeout(LONGEST),
      });
    },
  };
}

/** Whether the server will never take this mail (RFC 5321, a 5yz reply to the recipient or to the content). */
export function isRefusedForGood(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}

/** How no connection came about, or none on which a mail could be given. */
const NEVER_GIVEN = /^(EDNS|EAUTH|ENOAUTH|EOAUTH2|ETLS|EREQUIRETLS|EENVELOPE|ECONFIG)$/;
const UNCONNECTED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const BEFORE_THE_MAIL = /^(CONNECT|GREETING|UPGRADE)_TIMEOUT$/;

/**
 * Whether the server surely did not take a mail: it said so, or was never given it. Any other failure may have come after it took the
 * mail, such as a time-out while its reply was awaited.
 */
export function isSurelyNotTaken(error: unknown): boolean {
  const { code, originalCode, timeoutType, responseCode } = error as Record<string, unknown>;
  const isRefused = typeof responseCode === 'number' && responseCode >= 400;
  return (
    isRefused ||
    NEVER_GIVEN.test(String(code)) ||
    UNCONNECTED.test(String(originalCode)) ||
    BEFORE_THE_MAIL.test(String(timeoutType))
  );
}
