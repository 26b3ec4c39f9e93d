import { createTransport } from 'nodemailer';

/** A mail: its subject, and the same content as text and as HTML. */
export interface MailMessage {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Returns the HTML page of a mail. `title` and `body` are HTML, too. */
export function htmlMail(language: string, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body style="margin: 0; padding: 24px; background: #ffffff; font-family: Arial, sans-serif; font-size: 18px; line-height: 1.5; color: #0b0c0c;">
${body}
</body>
</html>
`;
}

/** The sender of mails: display name and address. */
interface MailSender {
  readonly name: string;
  readonly address: string;
}

/** The mail server of the installation. */
export interface MailServer {
  /**
   * Resolves when the server has accepted the mail and is responsible for its delivery. Fails at once for some seconds after the server did not
   * respond.
   */
  send(address: string, message: MailMessage): Promise<void>;
}

/** Timeout of each step of a connection: name lookup, connection, greeting. */
const STEP_TIMEOUT_MS = 5_000;
/** Timeout of a reply. It also runs while the greeting is awaited, whose own timeout must end first: it shows that no mail was sent. */
const REPLY_TIMEOUT_MS = 6_000;
/** Time after which sending a mail fails; callers try again later. */
const SEND_TIMEOUT_MS = 20_000;
/** Time in which no mail is tried after the server did not respond: mails that wait for a timeout would occupy all workers of jobs. */
const PAUSE_MS = 5_000;

/**
 * Creates the client of a mail server. `languages` is the Content-Language of all mails. In production the connection
 * is encrypted by `smtps://` or STARTTLS, unless the URL names a relay without TLS (`smtp://relay?requireTLS=false`).
 */
export function mailServer(url: string, from: MailSender, languages: string, production: boolean): MailServer {
  const timeouts = {
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
    socketTimeout: REPLY_TIMEOUT_MS,
  };
  const transport = createTransport({
    requireTLS: production && !/[?&]requireTLS=false\b/.test(url),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...timeouts,
    url,
  });
  const sent = (address: string, { subject, text, html }: MailMessage) =>
    transport.sendMail({
      from,
      to: { name: '', address },
      envelope: { from: from.address, to: [address] },
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': languages },
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
  let unresponsive: { readonly error: Error; readonly at: number } | undefined;
  return {
    async send(address, message) {
      if (unresponsive && performance.now() - unresponsive.at < PAUSE_MS) throw unresponsive.error;
      await sent(address, message).catch((error: Error) => {
        if (isUnresponsive(error)) unresponsive = { error, at: performance.now() };
        throw error;
      });
    },
  };
}

/**
 * Returns true if the server rejected the recipient or the content permanently (RFC 5321 section 4.2.1, a 5yz reply). A rejected sender is
 * a fault of the installation, which its operator mends: the mail is sent then.
 */
export function isPermanentlyRejected(error: unknown): boolean {
  const { code, responseCode, command } = error as { code?: unknown; responseCode?: unknown; command?: unknown };
  if (command === 'MAIL FROM') return false;
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}

/** Error codes of nodemailer, Node and a timeout that occur before the content of a mail is sent. */
const FAILED_BEFORE_CONTENT = /^(EDNS|EAUTH|ENOAUTH|EOAUTH2|ETLS|EREQUIRETLS|EENVELOPE|ECONFIG)$/;
const NOT_CONNECTED = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const TIMED_OUT_BEFORE_CONTENT = /^(CONNECT|GREETING|UPGRADE)_TIMEOUT$/;

/** Returns true if no connection to the server was established in time. */
function isUnresponsive(error: unknown): boolean {
  return TIMED_OUT_BEFORE_CONTENT.test(String((error as { timeoutType?: unknown }).timeoutType));
}

/**
 * Returns true if the server cannot have accepted a mail: it rejected the mail or never received the content. Every
 * other error may have occurred after acceptance, such as a timeout while the client waits for the reply.
 */
export function isDefinitelyRejected(error: unknown): boolean {
  const { code, originalCode, responseCode } = error as Record<string, unknown>;
  const isRejected = typeof responseCode === 'number' && responseCode >= 400;
  return (
    isRejected ||
    FAILED_BEFORE_CONTENT.test(String(code)) ||
    NOT_CONNECTED.test(String(originalCode)) ||
    isUnresponsive(error)
  );
}
