import type { Letter } from '../../server/mail-server';
import type { Alert } from '../database/webhook-alert.repository';

/** Who sends the register's mails, as their reader sees it. */
export const SENDER = 'Central Data Access Register';

/** Events that a mail lists; the log of deliveries has them all. */
const MOST_LISTED = 200;

/** The letter about deliveries that were given up: events by id, no access key and no MPxN. */
export function alertLetter({ wid, events }: Omit<Alert, 'alertEmail'>): Letter {
  const many = events.length > 1;
  const subject = `${events.length} webhook ${many ? 'deliveries' : 'delivery'} failed (${wid})`;
  const opening = [
    `${many ? 'These events' : 'This event'} could not be delivered to the callback URL of your webhook subscription ${wid}: the last attempt has failed.`,
  ];
  const closing = [
    ...(events.length > MOST_LISTED ? [`And ${events.length - MOST_LISTED} more.`] : []),
    'GET /v1/webhooks/{wid}/deliveries shows every attempt. POST /v1/webhooks/{wid}/deliveries/{event-id}/redeliver sends an event once more.',
  ];
  const lines = events
    .slice(0, MOST_LISTED)
    .map(({ eventId, eventType, occurredAt }) => `${eventId}  ${eventType}  ${occurredAt.toISOString()}`);
  return {
    subject,
    text: [SENDER, ...opening, lines.join('\n'), ...closing].join('\n\n') + '\n',
    html: htmlPage(subject, opening, lines, closing),
  };
}

/** Every word is the register's own: identifiers, types and times need no escaping. */
function htmlPage(
  subject: string,
  opening: readonly string[],
  lines: readonly string[],
  closing: readonly string[],
): string {
  const paragraphs = (texts: readonly string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin: 0; padding: 24px; background: #ffffff; font-family: Arial, sans-serif; font-size: 18px; line-height: 1.5; color: #0b0c0c;">
<h1 style="font-size: 24px;">${SENDER}</h1>
${paragraphs(opening)}
<pre style="font-size: 14px; overflow-wrap: anywhere; white-space: pre-wrap;">${lines.join('\n')}</pre>
${paragraphs(closing)}
</body>
</html>
`;
}
