import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import type { Environment } from '../../process/environment';
import { sandboxKeyVariables } from '../../sandbox/keys';
import { type Graph, graphOf } from './graph';
import type { TestRegister } from './register';
import { anonymousClient } from './rest-client';

/** Runs `npm run admin -- <arguments>` against a register under test; answers what it printed. */
export async function runAdminCommand(register: TestRegister, ...words: string[]): Promise<string> {
  const keys = await sandboxKeyVariables(register.dataDir);
  return runAdmin({ ...keys, DATABASE_URL: register.databaseUrl, DATA_DIR: register.dataDir }, ...words);
}

/** Runs `admin.ts` with an environment of its own, and answers what it printed. */
export async function runAdmin(environment: Environment, ...words: string[]): Promise<string> {
  const command = ['-r', join(__dirname, 'swc-register.js'), join(REPOSITORY_ROOT, 'admin.ts'), ...words];
  const env = { PATH: process.env['PATH'], ...environment };
  return (await promisify(execFile)(process.execPath, command, { env })).stdout;
}

/** An account as an admin onboarded it. */
export interface OnboardedAccount {
  readonly accountId: string;
  readonly secretKey: string;
  readonly duid: string | null;
}

/** Onboards an account. */
export async function onboarded(admin: Graph, input: Record<string, unknown>): Promise<OnboardedAccount> {
  const query =
    'mutation ($input: AccountInput!) { onboardAccount(input: $input) { secretKey account { accountId duid } } }';
  const { data, errors } = await admin(query, { input });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const { secretKey, account } = data.onboardAccount;
  return { secretKey, ...account };
}

/** A new API key of a supplier's account; the one before is valid no more. */
export async function newApiKey(admin: Graph, accountId: string): Promise<string> {
  const { data } = await admin('mutation ($id: ID!) { issueSupplierApiKey(accountId: $id) { secretKey } }', {
    id: accountId,
  });
  return String(data.issueSupplierApiKey.secretKey);
}

/** The status of a sign-in, and the token when there is one. */
export async function signIn({ rest }: TestRegister, accountId: string, secretKey: string) {
  const basic = `Basic ${Buffer.from(`${accountId}:${secretKey}`).toString('base64')}`;
  const { status, body } = await anonymousClient(rest, basic)('GET', '/v1/auth/token');
  return { status, token: status === 200 ? String(body['bearer-token']) : '' };
}

/** A client of the graph for an account that just signed in. */
export async function graphFor(register: TestRegister, { accountId, secretKey }: OnboardedAccount): Promise<Graph> {
  return graphOf(register, (await signIn(register, accountId, secretKey)).token);
}
