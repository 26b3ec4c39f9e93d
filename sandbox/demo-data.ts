import { type ClientOf, onboardOrganisations, signedIn } from './demo-accounts';
import { type DemoRecord, demoRecords } from './demo-records';
import type { GraphqlClient } from './graphql-client';
import type { DemoAccount, DemoCustomer, DemoData } from './sandbox-file';
import { supplierCredentials } from './supplier/supplier-credentials';

/** The identity of the last customer is not verified, so that the customer needs the supplier sign-in. */
const CUSTOMERS = [
  { mpxn: '1012345678', email: 'rowan.ashdown@customer.example', addressLine1: '4 Lantern Row', postcode: 'NR1 4AB' },
  { mpxn: '1098765432', email: 'isla.penhale@customer.example', addressLine1: '19 Quarry Steps', postcode: 'TR7 2QQ' },
  { mpxn: '1055501234', email: 'gwen.morris@customer.example', addressLine1: '2 Heol y Bryn', postcode: 'CF10 3NP' },
  { mpxn: '1066609876', email: 'tomos.ellery@customer.example', addressLine1: '8 Weir Lane', postcode: 'YO1 7HH' },
] as const;
const UNVERIFIED = CUSTOMERS[3];

const REGISTER_IDENTITY = `mutation RegisterIdentity($input: IdentityRecordInput!) { registerIdentityRecord(input: $input) { ir } }`;
const REGISTER = `mutation Register($input: AccessRecordInput!) { registerAccessRecord(input: $input) { accessToken { key } } }`;
const REVOKE = `mutation Revoke($key: AccessKey!, $reason: RevocationReason) { revokeAccessRecord(key: $key, reason: $reason) { ak } }`;
const REPORT_DISCOVERED = `mutation Report($input: DiscoveredAccessInput!) { reportDiscoveredAccess(input: $input) { ak } }`;

/** An organisation that reads meter data according to the communications operator, and that is not a Data User. */
const DISCOVERED = {
  mpxn: CUSTOMERS[0].mpxn,
  organisationName: 'Quillmoor Analytics Ltd',
  organisationReference: 'QUILLMOOR-0042',
  firstSeen: '2024-11-03',
  lastSeen: '2025-03-18',
  dataTypesObserved: ['HH_CONSUMPTION'],
  sourceReference: 'Sandbox report 1',
};

/** Creates the demo accounts as the admin, and the demo records as the two Data Users. */
export async function createDemoData(
  admin: DemoAccount,
  clientOf: ClientOf,
): Promise<Omit<DemoData, 'grid' | 'tariff' | 'rti_users'>> {
  const accounts = [admin, ...(await onboardOrganisations(await signedIn(admin, clientOf)))];
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

/** Reports the discovered access as the operator; returns its access key. A repeated report returns the same key. */
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
