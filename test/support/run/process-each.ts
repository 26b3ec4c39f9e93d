import { randomUUID } from 'node:crypto';
import type { Environment } from '../../../process/settings/environment';
import { SERVICES } from '../../../process/settings/keys';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import { startMailbox } from '../../../sandbox/mailbox';
import { type SandboxOptions, loadSandbox } from '../../../sandbox/sandbox';
import { startSupplier } from '../../../sandbox/supplier/supplier';
import { openAccounts } from '../../../subgraphs/access/access.module';
import { databaseAddress } from '../../../subgraphs/server/database/database-login';
import { type LoggedProcess, loggedProcess } from './logged-process';
import { type Urls, urlsOf } from './register-urls';
import { readSettings } from '../../../process/settings/read-settings';
import type { Start, Started } from './started-register';

/** Starts the services as processes, and the parts of the sandbox that a register in one process contains. */
export async function startProcesses({ environment, dataDir, product }: Start): Promise<Started> {
  const urls = urlsOf(environment);
  const mailbox = await startMailbox({ port: 0, host: 'localhost' });
  const supplier = await startSupplier({
    port: 0,
    host: 'localhost',
    redirectUris: [`${urls.portal}/sign-in/supplier/callback`],
    client: { id: 'register-under-test', secret: randomUUID() },
  });
  const processes: LoggedProcess[] = [];
  const close = async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await Promise.all([supplier.close(), mailbox.close()]);
  };
  const common = { SMTP_URL: mailbox.smtpUrl, ...environment };
  const starts = SERVICES.map(async (service) => {
    const log = `${dataDir}-${service}.log`;
    processes.push(await loggedProcess(product, { ...common, SERVICES: service }, log));
  });
  const failure = (await Promise.allSettled(starts)).find((start) => start.status === 'rejected');
  if (failure !== undefined) {
    await close();
    throw failure.reason;
  }
  await fillSandbox(common, { dataDir, urls, mailbox: mailbox.url, supplier });
  return { mailbox: mailbox.url, logFiles: processes.map(({ logFile }) => logFile), close };
}

async function fillSandbox(
  environment: Environment,
  { dataDir, urls, mailbox, supplier }: Omit<SandboxOptions, 'accounts' | 'urls'> & { urls: Urls },
): Promise<void> {
  const { keys } = readSettings({ ...sandboxKeyVariables(dataDir), ...environment });
  const { accessHashKey: hashKey, accessEncryptionKey: encryptionKey } = keys as Required<typeof keys>;
  const accessKeys = { hashKey, encryptionKey };
  const { accounts, close } = await openAccounts(
    databaseAddress(String(environment['DATABASE_URL']), 'access', accessKeys.hashKey),
    accessKeys,
  );
  try {
    await loadSandbox({ dataDir, urls: { ...urls, identity: `${urls.portal}/identify` }, mailbox, accounts, supplier });
  } finally {
    await close();
  }
}
