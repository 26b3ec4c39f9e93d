import { type MailMessage, htmlMail } from '../../server/mail-server';
import type { Alert } from './webhook-alert.repository';

/** Display name of the sender of mails. */
export const SENDER = 'Central Data Access Register';

/** Maximum events that a mail lists; the log of deliveries contains all. */
const MAX_LISTED = 200;

/** Returns the mail about undelivered events. It identifies events by id and contains no access key and no MPxN. */
export function alertMail({ wid, isSuspended, events }: Omit<Alert, 'alertEmail'>): MailMessage {
  const many = events.length > 1;
  const subject = `${events.length} webhook ${many ? 'deliveries' : 'delivery'} failed (${wid})`;
  const opening = [
    `${many ? 'These events' : 'This event'} could not be delivered to the callback URL of your webhook subscription ${wid}, and no attempt follows.`,
  ];
  const closing = [
    ...(events.length > MAX_LISTED ? [`And ${events.length - MAX_LISTED} more.`] : []),
    `${isSuspended ? 'Once your account is active again: ' : ''}GET /v1/webhooks/{wid}/deliveries shows the attempts of each event, none if the register could not create its body. POST /v1/webhooks/{wid}/deliveries/{event-id}/redeliver sends an event again: at once, and if that fails up to five more times.`,
  ];
  const lines = events
    .slice(0, MAX_LISTED)
    .map(({ eventId, eventType, occurredAt }) => `${eventId}  ${eventType}  ${occurredAt.toISOString()}`);
  return {
    subject,
    text: [SENDER, ...opening, lines.join('\n'), ...closing].join('\n\n') + '\n',
    html: htmlMail('en', subject, htmlBody(opening, lines, closing)),
  };
}

/** Escapes nothing: all texts are the register's own identifiers, types and times. */
function htmlBody(opening: readonly string[], lines: readonly string[], closing: readonly string[]): string {
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
  return `<h1 style="font-size: 24px;">${SENDER}</h1>
${paragraphs(opening)}
<pre style="font-size: 14px; overflow-wrap: anywhere; white-space: pre-wrap;">${lines.join('\n')}</pre>
${paragraphs(closing)}`;
}
