import { randomInt } from 'node:crypto';
import type { AccountRole } from '../schema/roles';
import { type DemoRecord, demoRecords } from './demo-records';
import type { DemoGrid } from './demo-grid';
import type { DemoRtiUser } from './demo-rti';
import type { DemoTariffs } from './demo-tariffs';
import { type SupplierCredentials, supplierCredentials } from './demo-supplier';
import { type GraphqlClient, GraphqlFailure } from './graphql-client';

/** A demo login, as `sandbox.json` lists it. */
export interface DemoAccount {
  readonly name: string;
  readonly role: AccountRole;
  readonly account_id: string;
  readonly secret_key: string;
  readonly duid?: string;
  readonly return_urls?: readonly string[];
  readonly mpid?: string;
  readonly api_key?: string;
}

/** A demo customer, as `sandbox.json` lists it. */
export interface DemoCustomer extends SupplierCredentials {
  readonly mpxn: string;
  readonly email: string;
  readonly ir: string;
}

/** The demo data, as `sandbox.json` lists it. */
export interface DemoData {
  readonly accounts: readonly DemoAccount[];
  readonly samples: {
    readonly access_keys: Readonly<Record<'active' | 'revoked' | 'expired' | 'discovered', string>>;
    readonly identity_record: string;
    readonly mpxn: string;
  };
  readonly customers: readonly DemoCustomer[];
  readonly grid: DemoGrid;
  /** A tariff of the demo supplier. */
  readonly tariff: DemoTariffs;
  /** With which the demo customers can share their tariffs. */
  readonly rti_users: readonly DemoRtiUser[];
}

/** The samples of the first Data User, as the reference page shows them. */
export function samplesOf({ accounts, customers, samples }: DemoData) {
  const duid = accounts.find(({ role }) => role === 'data_user')?.duid ?? '';
  const { mpxn, identity_record: identityRecord } = samples;
  const email = customers.find((customer) => customer.mpxn === mpxn)?.email;
  return {
    accessKey: samples.access_keys.active,
    identityRecord,
    mpxn,
    duid,
    ...(email === undefined ? {} : { email }),
  };
}

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

/** The last one's identity could not be verified: only the supplier can tell who lives there. */
const CUSTOMERS = [
  { mpxn: '1012345678', email: 'rowan.ashdown@customer.example', addressLine1: '4 Lantern Row', postcode: 'NR1 4AB' },
  { mpxn: '1098765432', email: 'isla.penhale@customer.example', addressLine1: '19 Quarry Steps', postcode: 'TR7 2QQ' },
  { mpxn: '1055501234', email: 'gwen.morris@customer.example', addressLine1: '2 Heol y Bryn', postcode: 'CF10 3NP' },
  { mpxn: '1066609876', email: 'tomos.ellery@customer.example', addressLine1: '8 Weir Lane', postcode: 'YO1 7HH' },
] as const;
const UNVERIFIED = CUSTOMERS[3];

const ONBOARD = `mutation Onboard($input: AccountInput!) {
  onboardAccount(input: $input) { secretKey account { accountId displayName role duid mpid returnUrls } }
}`;
const SIGN_IN = `mutation SignIn($accountId: String!, $secretKey: String!) {
  issueBearerToken(accountId: $accountId, secretKey: $secretKey) { bearerToken }
}`;
const API_KEY = `mutation ApiKey($accountId: ID!) { issueSupplierApiKey(accountId: $accountId) { secretKey } }`;
const REGISTER_IDENTITY = `mutation RegisterIdentity($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }`;
const REGISTER = `mutation Register($input: AccessRecordInput!) { registerAccessRecord(input: $input) { accessToken { key } } }`;
const REVOKE = `mutation Revoke($key: AccessKey!, $reason: RevocationReason) { revokeAccessRecord(key: $key, reason: $reason) { ak } }`;

const REPORT_DISCOVERED = `mutation Report($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { ak } }`;

/** An organisation that the operator saw reading meter data, and that is no Data User. */
const DISCOVERED = {
  mpxn: CUSTOMERS[0].mpxn,
  organisationName: 'Quillmoor Analytics Ltd',
  organisationReference: 'QUILLMOOR-0042',
  firstSeen: '2024-11-03',
  lastSeen: '2025-03-18',
  dataTypesObserved: ['HH_CONSUMPTION'],
  sourceReference: 'Sandbox report 1',
};

/** A client of the graph with a bearer token, or without one. */
export type ClientOf = (token?: string) => GraphqlClient;

/** Makes the demo data of accounts and records: accounts by the admin, records by the two Data Users. */
export async function createDemoData(
  admin: DemoAccount,
  clientOf: ClientOf,
): Promise<Omit<DemoData, 'grid' | 'tariff' | 'rti_users'>> {
  const asAdmin = await signedIn(admin, clientOf);
  const accounts: DemoAccount[] = [admin];
  for (const organisation of ORGANISATIONS) accounts.push(await onboard(organisation, asAdmin));
  const [first, second] = accounts.filter(({ role }) => role === 'data_user') as [DemoAccount, DemoAccount];
  const [asFirst, asSecond] = [await signedIn(first, clientOf), await signedIn(second, clientOf)];
  const customers = await registerCustomers(asFirst);
  const secondRef = await registerCustomer(CUSTOMERS[0], asSecond);
  const refs = customers.map(({ ir }) => ir);
  const records = demoRecords(new Date());
  const keys = new Map<string, string>();
  for (const [index, record] of records.entries()) {
    const bySecond = index % 4 === 3;
    const ofFirst = index - Math.floor(index / 4);
    const ref = bySecond ? secondRef : (refs[ofFirst % refs.length] as string);
    keys.set(record.title, await registerRecord(record, ref, bySecond ? asSecond : asFirst));
  }
  const key = (title: string) => keys.get(title) as string;
  const discovered = await discoveredAccess(accounts, clientOf);
  return {
    accounts,
    samples: {
      access_keys: { active: key('active'), revoked: key('revoked'), expired: key('expired'), discovered },
      identity_record: refs[0] as string,
      mpxn: CUSTOMERS[0].mpxn,
    },
    customers,
  };
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

const MOST_DRAWS = 20;

/** Onboards under a market participant id that is drawn, again if an earlier sandbox in the same database has it. */
async function withFreeMpid(input: object, asAdmin: GraphqlClient, draws = MOST_DRAWS): Promise<Onboarding> {
  try {
    return await onboardedBy(asAdmin, { ...input, mpid: drawnMpid() });
  } catch (error) {
    const isInUse = error instanceof GraphqlFailure && error.extensions.violations?.[0]?.path[0] === 'mpid';
    if (!isInUse || draws === 1) throw error;
    return withFreeMpid(input, asAdmin, draws - 1);
  }
}

/** `T` and three letters or digits. */
function drawnMpid(): string {
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

/** The graph as an account that has signed in. */
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

async function registerCustomers(client: GraphqlClient): Promise<DemoCustomer[]> {
  const customers = [];
  for (const customer of CUSTOMERS) {
    const { mpxn, email } = customer;
    customers.push({ mpxn, email, ir: await registerCustomer(customer, client), ...supplierCredentials(email) });
  }
  return customers;
}

async function registerCustomer(customer: (typeof CUSTOMERS)[number], client: GraphqlClient): Promise<string> {
  const { mpxn, email, addressLine1, postcode } = customer;
  const outcome = customer === UNVERIFIED ? 'PARTIAL' : 'VERIFIED';
  const input = {
    piiPrincipal: { mpxn, moveInDate: '2021-04-01', address: { addressLine1, townCity: 'Exampleford', postcode } },
    expressedBy: 'DATA_SUBJECT',
    principalVerification: { method: 'Bill and bank card', verifiedAt: '2026-01-12T10:00:00Z', outcome },
    email,
  };
  return (await client<{ registerIdentityRecord: { ir: string } }>(REGISTER_IDENTITY, { input })).registerIdentityRecord
    .ir;
}

/** What the operator reported; a repeat answers the same key. */
export async function discoveredAccess(accounts: readonly DemoAccount[], clientOf: ClientOf): Promise<string> {
  const operator = accounts.find(({ role }) => role === 'communications_operator') as DemoAccount;
  const asOperator = await signedIn(operator, clientOf);
  const { reportDiscoveredAccess } = await asOperator<{ reportDiscoveredAccess: { ak: string } }>(REPORT_DISCOVERED, {
    input: DISCOVERED,
  });
  return reportDiscoveredAccess.ak;
}

async function registerRecord({ input, revoke }: DemoRecord, ref: string, client: GraphqlClient): Promise<string> {
  const { registerAccessRecord } = await client<{ registerAccessRecord: { accessToken: { key: string } } }>(REGISTER, {
    input: input(ref),
  });
  const { key } = registerAccessRecord.accessToken;
  if (revoke) await client(REVOKE, { key, reason: 'CUSTOMER_REQUEST' });
  return key;
}
