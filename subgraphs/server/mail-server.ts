import { createTransport } from 'nodemailer';
import { type Letter, SENDER } from './letter';

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
 * A mail server by its URL. In production the connection is encrypted, by `smtps://` or STARTTLS; a relay that has no TLS must be
 * named as such (`smtp://relay?requireTLS=false`).
 */
export function mailServer(url: string, from: string, production: boolean): MailServer {
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
        from: { name: SENDER, address: from },
        to: { name: '', address },
        envelope: { from, to: [address] },
        subject,
        text,
        html,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': 'en, cy' },
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
