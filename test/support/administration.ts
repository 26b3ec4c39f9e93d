import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../../process/settings/environment';
import { sandboxKeyVariables } from '../../sandbox/keys';
import { type Graph, graphOf, persistentGraph } from './graph';
import { childEnvironment } from './run/left-processes';
import { PRODUCT, productCommand } from './run/product-command';
import type { SharedRegister } from './register';
import { MAX_REPEATS, anonymousClient } from './rest-client';

/** Runs `npm run admin -- <arguments>` against a register under test; returns its output. */
export async function runAdminCommand(register: SharedRegister, ...words: string[]): Promise<string> {
  const keys = sandboxKeyVariables(register.dataDir);
  return runAdmin({ ...keys, DATABASE_URL: register.databaseUrl, DATA_DIR: register.dataDir }, ...words);
}

/** Runs `admin.ts` with the given environment; returns its output. */
export async function runAdmin(environment: Environment, ...words: string[]): Promise<string> {
  const command = [...productCommand(process.env[PRODUCT], 'commands/admin'), ...words];
  return (await promisify(execFile)(process.execPath, command, { env: childEnvironment(environment) })).stdout;
}

/** An account that an admin has onboarded. */
export interface OnboardedAccount {
  readonly accountId: string;
  readonly secretKey: string;
  readonly duid: string | null;
}

/** Onboards an account, if need be by several attempts; a Data User gets a privacy notice even if the test gives none. */
export async function onboarded(admin: Graph, fields: Record<string, unknown>): Promise<OnboardedAccount> {
  const input = fields['role'] === 'DATA_USER' ? { privacyUrl: 'https://larkhill.example/privacy', ...fields } : fields;
  const query =
    'mutation ($input: AccountInput!) { onboardAccount(input: $input) { secretKey account { accountId duid } } }';
  const { data, errors } = await persistentGraph(admin, MAX_REPEATS)(query, { input });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const { secretKey, account } = data.onboardAccount;
  return { secretKey, ...account };
}

/** Issues a new API key for a supplier's account; the previous key becomes invalid. */
export async function newApiKey(admin: Graph, accountId: string): Promise<string> {
  const { data } = await admin('mutation ($id: ID!) { issueSupplierApiKey(accountId: $id) { secretKey } }', {
    id: accountId,
  });
  return String(data.issueSupplierApiKey.secretKey);
}

/** Signs in; returns the status, and the token if there is one. */
export async function signIn({ rest }: Pick<SharedRegister, 'rest'>, accountId: string, secretKey: string) {
  const basic = `Basic ${Buffer.from(`${accountId}:${secretKey}`).toString('base64')}`;
  const { status, body } = await anonymousClient(rest, basic)('GET', '/v1/auth/token');
  return { status, token: status === 200 ? String(body['bearer-token']) : '' };
}

/** Returns a client of the graph for an account, with a new token. */
export async function graphFor(register: SharedRegister, { accountId, secretKey }: OnboardedAccount): Promise<Graph> {
  return graphOf(register, (await signIn(register, accountId, secretKey)).token);
}
