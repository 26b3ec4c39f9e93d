import { type MailMessage, htmlMail } from '../../server/mail-server';
import type { Alert } from './webhook-alert.repository';

/** Display name of the sender of mails. */
export const SENDER = 'Central Data Access Register';

/** Returns the mail about undelivered events. It identifies events by id and contains no access key and no MPxN. */
export function alertMail({ wid, isSuspended, eventIds, listed }: Omit<Alert, 'alertEmail'>): MailMessage {
  const many = eventIds.length > 1;
  const unlisted = eventIds.length - listed.length;
  const subject = `${eventIds.length} webhook ${many ? 'deliveries' : 'delivery'} failed (${wid})`;
  const opening = [
    `${many ? 'These events' : 'This event'} could not be delivered to the callback URL of your webhook subscription ${wid}, and no attempt follows.`,
  ];
  const closing = [
    ...(unlisted > 0 ? [`And ${unlisted} more.`] : []),
    `${isSuspended ? 'Once your account is active again: ' : ''}GET /v1/webhooks/{wid}/deliveries shows the attempts of each event, none if the register could not create its body. POST /v1/webhooks/{wid}/deliveries/{event-id}/redeliver sends an event again: at once, and if that fails up to five more times.`,
  ];
  const lines = listed.map(
    ({ eventId, eventType, occurredAt }) => `${eventId}  ${eventType}  ${occurredAt.toISOString()}`,
  );
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
