import { isPermanentlyRejected, mailServer } from '../../server/mail-server';
import { decryptValue } from '../../server/encryption';
import { SupplierSignIns } from '../../../schema/generated/service-queries-to-access';
import { ofThisService, querySubgraph } from '../../server/graph/service-query';
import { NOTICE_HOURS, type OutgoingMail, recordIdsOf } from './outgoing-mail';
import type { SubgraphModule, IdentityDependencies } from '../dependencies';
import type { Attempt } from '../../server/jobs/jobs';
import { isReadable } from '../occupancy/occupancy';
import { organisations } from '../organisations.client';
import { requireEqualClocks } from '../../server/database/register-clock';
import { SENDER, mailMessage } from './mail-message.flow';
import { TASK } from './mail-queue.flow';

/**
 * Sends mails. A mail is dropped if no record of it is live and can be decrypted, its link has expired, or the address of its link was
 * rejected as a contact. While the mail server is unavailable, or a clock has jumped past that time, the job retries until then.
 */
export function mailModule(dependencies: IdentityDependencies): SubgraphModule {
  const { occupants, keys, urls, production, logger } = dependencies;
  const from = { name: SENDER, address: urls.mailFrom };
  const server = urls.smtpUrl === undefined ? undefined : mailServer(urls.smtpUrl, from, 'en, cy', production);
  const names = organisations(dependencies.access);
  const isPermitted = async (mail: OutgoingMail): Promise<boolean> => {
    if (mail.kind === 'sign-in-notice') return dependencies.mails.permitSignInNotice(mail);
    return mail.kind !== 'contest-notice' || dependencies.mails.permitContestNotice(mail);
  };
  /**
   * Adds what a mail takes from `access`; undefined if a limit of notices is reached. A notice counts once, however many attempts an
   * unavailable mail server costs.
   */
  const complete = async (mail: OutgoingMail, { number }: Attempt): Promise<OutgoingMail | undefined> => {
    if (number === 1 && !(await isPermitted(mail))) return undefined;
    const origin = ofThisService();
    if (mail.kind === 'sign-in-link' && mail.home) {
      const { displayName: organisation } = await names.of(mail.home.duid, origin);
      return { ...mail, home: { ...mail.home, organisation } };
    }
    if (mail.kind !== 'contest-notice') return mail;
    const { displayName: organisation } = await names.of(mail.duid, origin);
    const { supplierSignIns } = await querySubgraph(dependencies.access, 'identity', SupplierSignIns, {}, origin);
    return { ...mail, organisation, hasSupplierSignIn: supplierSignIns.length > 0 };
  };
  /**
   * Returns the address at the time of sending: of the first record of the mail that is live and can be decrypted. A notice goes to a rejected
   * address, too: the sign-in that it reports may have rejected it.
   */
  const addressFor = async (mail: OutgoingMail): Promise<string | undefined> => {
    if (await hasExpired(mail, dependencies)) return undefined;
    for (const id of recordIdsOf(mail)) {
      const record = await occupants.byId(id);
      if (record === undefined) continue;
      if (isReadable(record)) return ('at' in mail ? record.storedEmail : record.email) ?? undefined;
      logger.error({ mail: mail.kind, identityRecord: id }, 'mail not sent by its record, which cannot be decrypted');
    }
    return undefined;
  };
  const send = async (payload: unknown, attempt: Attempt): Promise<void> => {
    const mail = await complete(opened(keys.encryptionKey, payload), attempt);
    if (mail === undefined) return;
    const address = await addressFor(mail);
    if (address === undefined) return;
    if (server === undefined) return logger.warn({ mail: mail.kind }, 'mail not sent: no mail server is configured');
    await server.send(address, mailMessage(mail, urls)).catch((error: unknown) => {
      if (!isPermanentlyRejected(error)) throw error;
      logger.warn({ mail: mail.kind }, 'mail permanently rejected by the mail server');
    });
  };
  return { resolvers: [], tasks: { [TASK]: send } };
}

function usefulUntil(mail: OutgoingMail): Date {
  return 'at' in mail ? new Date(mail.at.getTime() + NOTICE_HOURS[mail.kind] * 3_600_000) : mail.expiresAt;
}

/** Whether a mail has expired. Throws CLOCKS_DIFFER if only a clock that has jumped says so: a notice that is dropped is lost. */
async function hasExpired(mail: OutgoingMail, { clock, database, logger }: IdentityDependencies): Promise<boolean> {
  const until = usefulUntil(mail);
  if (until > (await clock.now()) || until > (await requireEqualClocks(database.pool))) return false;
  logger.warn({ mail: mail.kind }, 'mail not sent before it expired');
  return true;
}

const INSTANTS: ReadonlySet<string> = new Set(['expiresAt', 'at', 'registeredAt']);

/** Decrypts a mail and converts its instants, strings in JSON, back into Dates. */
function opened(key: Buffer, payload: unknown): OutgoingMail {
  const { sealed } = payload as { sealed: string };
  return JSON.parse(decryptValue(key, Buffer.from(sealed, 'base64'), TASK).toString('utf8'), (name, value: unknown) =>
    INSTANTS.has(name) ? new Date(value as string) : value,
  ) as OutgoingMail;
}
