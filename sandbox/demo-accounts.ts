import { randomInt } from 'node:crypto';
import type { AccountRole } from '../schema/roles';
import { type GraphqlClient, GraphqlFailure } from './graphql-client';
import type { DemoAccount } from './sandbox-file';

/** Fictional organisations; their domains are reserved for examples. */
const ORGANISATIONS: readonly { role: AccountRole; displayName: string; site?: string }[] = [
  { role: 'data_user', displayName: 'Harbourlight Energy Insight Ltd', site: 'harbourlight.example' },
  { role: 'data_user', displayName: 'Moorland Flexibility Services Ltd', site: 'moorland.example' },
  { role: 'data_provider', displayName: 'Brackenfield Meter Data Ltd', site: 'brackenfield.example' },
  { role: 'communications_operator', displayName: 'Crossfell Communications plc', site: 'crossfell.example' },
  { role: 'portal', displayName: 'My Meter Consents CIC', site: 'my-meter-consents.example' },
  { role: 'supplier', displayName: 'Tidewater Supply Ltd', site: 'tidewater.example' },
  { role: 'analyst', displayName: 'Register Analysts' },
];

const ONBOARD = `mutation Onboard($input: AccountInput!) {
  onboardAccount(input: $input) { secretKey account { accountId displayName role duid mpid returnUrls } }
}`;
const SIGN_IN = `mutation SignIn($accountId: String!, $secretKey: String!) {
  issueBearerToken(accountId: $accountId, secretKey: $secretKey) { bearerToken }
}`;
const API_KEY = `mutation ApiKey($accountId: ID!) { issueSupplierApiKey(accountId: $accountId) { secretKey } }`;
/** Creates a client of the graph, with or without a bearer token. */
export type ClientOf = (token?: string) => GraphqlClient;

/** Onboards the organisations as the admin. */
export async function onboardOrganisations(asAdmin: GraphqlClient): Promise<DemoAccount[]> {
  const accounts: DemoAccount[] = [];
  for (const organisation of ORGANISATIONS) accounts.push(await onboard(organisation, asAdmin));
  return accounts;
}

async function onboard(
  { site, ...organisation }: (typeof ORGANISATIONS)[number],
  asAdmin: GraphqlClient,
): Promise<DemoAccount> {
  const { role, displayName } = organisation;
  const hasDuid = role === 'data_user' || role === 'portal';
  const input = {
    ...organisation,
    role: role.toUpperCase(),
    ...(site === undefined ? {} : { contactUrl: `https://${site}/contact`, privacyUrl: `https://${site}/privacy` }),
    ...(hasDuid ? { dataTypesSupported: ['HH_CONSUMPTION', 'HH_EXPORT'], returnUrls: [`https://${site}/return`] } : {}),
  };
  const { onboardAccount } = await (role === 'supplier' ? withFreeMpid(input, asAdmin) : onboardedBy(asAdmin, input));
  const { accountId, duid, mpid, returnUrls } = onboardAccount.account;
  return {
    name: displayName,
    role,
    account_id: accountId,
    secret_key: onboardAccount.secretKey,
    ...(duid === null ? {} : { duid, return_urls: returnUrls }),
    ...(mpid === null ? {} : { mpid, api_key: await apiKey(accountId, asAdmin) }),
  };
}

interface Onboarding {
  readonly onboardAccount: { readonly secretKey: string; readonly account: OnboardedAccount };
}

const onboardedBy = (asAdmin: GraphqlClient, input: object) => asAdmin<Onboarding>(ONBOARD, { input });

const MAX_MPID_ATTEMPTS = 20;

/**
 * Onboards under a random market participant id. Tries another one if an earlier sandbox in the same database uses it.
 */
async function withFreeMpid(input: object, asAdmin: GraphqlClient, attempts = MAX_MPID_ATTEMPTS): Promise<Onboarding> {
  try {
    return await onboardedBy(asAdmin, { ...input, mpid: randomMpid() });
  } catch (error) {
    const isInUse = error instanceof GraphqlFailure && error.extensions.violations?.[0]?.path[0] === 'mpid';
    if (!isInUse || attempts === 1) throw error;
    return withFreeMpid(input, asAdmin, attempts - 1);
  }
}

/** Returns `T` and three letters or digits. */
function randomMpid(): string {
  return `T${randomInt(36 ** 3)
    .toString(36)
    .padStart(3, '0')
    .toUpperCase()}`;
}

interface OnboardedAccount {
  readonly accountId: string;
  readonly duid: string | null;
  readonly mpid: string | null;
  readonly returnUrls: readonly string[];
}

async function apiKey(accountId: string, asAdmin: GraphqlClient): Promise<string> {
  return (await asAdmin<{ issueSupplierApiKey: { secretKey: string } }>(API_KEY, { accountId })).issueSupplierApiKey
    .secretKey;
}

/** Signs an account in; returns its client of the graph. */
export async function signedIn(
  { account_id: accountId, secret_key: secretKey }: DemoAccount,
  clientOf: ClientOf,
): Promise<GraphqlClient> {
  const { issueBearerToken } = await clientOf()<{ issueBearerToken: { bearerToken: string } }>(SIGN_IN, {
    accountId,
    secretKey,
  });
  return clientOf(issueBearerToken.bearerToken);
}
