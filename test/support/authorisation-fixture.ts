import { type JWK, decodeJwt, decodeProtectedHeader } from 'jose';
import { generatedKey } from '../../process/settings/generated-key';
import { sandboxKeyVariables } from '../../sandbox/keys';
import type { AccountRole } from '../../schema/roles';
import { type SigningKeys, issueBearerToken } from '../../subgraphs/server/callers/bearer-token';
import { onboarded, signIn } from './administration';
import { type CallerName } from './authorisation-table';
import { type ConsumerParties, consumerParties } from './consumer-parties';
import { type Customer, type DataUser, customerToken, newCustomer } from './customers';
import { graphAs } from './graph';
import { type TestRegister, type Wiring, startTestRegister } from './register';
import { accountOf, anonymousClient, tokenOf } from './rest-client';

/** Headers with which a caller authenticates. */
export type Credential = Readonly<Record<string, string>>;

/** An account of a caller, with its secret. */
export interface CallerAccount {
  readonly id: string;
  readonly secret: string;
}

/** A register with every kind of caller, each signed in once. */
export interface AuthorisationFixture {
  readonly register: TestRegister;
  readonly parties: ConsumerParties;
  readonly credentials: Readonly<Record<CallerName, Credential>>;
  readonly accounts: Readonly<Partial<Record<CallerName, CallerAccount>>>;
  /** The Data Users, and the third-party portal. */
  readonly organisations: Readonly<Record<'owner' | 'other' | 'portal', DataUser>>;
  /** The customer who is the caller `customer`, of the Data User `owner`. */
  readonly customer: Customer;
  /** A valid token from the supplier for another consumer with another meter point. */
  readonly stranger: Credential;
  /** A token from the other supplier for the RTI User of the caller `consumer`. */
  readonly atRival: Credential;
  close(): Promise<void>;
}

/** Starts the register and signs in every caller. */
export async function authorisationFixture(wiring: Wiring): Promise<AuthorisationFixture> {
  const register = await startTestRegister(wiring);
  const parties = await consumerParties(register);
  const organisations = {
    owner: await organisation(register, 'data_user', 0),
    other: await organisation(register, 'data_user', 1),
    portal: await organisation(register, 'portal', 0),
  };
  const accounts = await accountsOf(register, parties);
  const customer = await newCustomer(organisations.owner);
  const { supplier, otherSupplier, users, mpxn } = parties;
  const consumer = { sub: 'anna', client_id: users.active, mpxn: [mpxn] };
  const credentials: Partial<Record<CallerName, Credential>> = {
    none: {},
    ...(await unaccepted(register, organisations.owner.token)),
    customer: bearer(await customerToken(register, customer)),
    consumer: bearer(await supplier.issuer.token(consumer)),
    key: { 'x-supplier-api-key': supplier.apiKey },
  };
  for (const [caller, { id, secret }] of Object.entries(accounts) as [CallerName, CallerAccount][])
    credentials[caller] = bearer((await signIn(register, id, secret)).token);
  await suspend(register, accounts.suspended as CallerAccount);
  return {
    ...{ register, parties, organisations, accounts, customer },
    credentials: credentials as AuthorisationFixture['credentials'],
    stranger: bearer(await supplier.issuer.token({ ...consumer, sub: 'ben', mpxn: ['202233445577'] })),
    atRival: bearer(await otherSupplier.issuer.token(consumer)),
    close: async () => {
      await parties.close();
      await register.close();
    },
  };
}

const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` });

async function organisation(register: TestRegister, role: AccountRole, index: number): Promise<DataUser> {
  const { name, duid = '', return_urls: [returnUrl = ''] = [] } = accountOf(register.sandbox, role, index);
  const token = await tokenOf(register, role, index);
  return { name, duid, token, returnUrl, rest: anonymousClient(register.rest, `Bearer ${token}`) };
}

async function accountsOf(
  register: TestRegister,
  { supplier, otherSupplier }: ConsumerParties,
): Promise<Partial<Record<CallerName, CallerAccount>>> {
  const demo = (role: AccountRole, index = 0): CallerAccount => {
    const { account_id: id, secret_key: secret } = accountOf(register.sandbox, role, index);
    return { id, secret };
  };
  const suspended = await onboarded(await graphAs(register, 'admin'), {
    ...{ role: 'DATA_USER', displayName: 'Fallowmere Advice Ltd', contactUrl: 'https://fallowmere.example/contact' },
  });
  return {
    suspended: { id: suspended.accountId, secret: suspended.secretKey },
    owner: demo('data_user'),
    other: demo('data_user', 1),
    provider: demo('data_provider'),
    operator: demo('communications_operator'),
    portal: demo('portal'),
    supplier: { id: supplier.accountId, secret: supplier.secretKey },
    rival: { id: otherSupplier.accountId, secret: otherSupplier.secretKey },
    admin: demo('admin'),
    analyst: demo('analyst'),
  };
}

async function suspend(register: TestRegister, { id }: CallerAccount): Promise<void> {
  const admin = await graphAs(register, 'admin');
  const { errors } = await admin('mutation ($id: ID!) { suspendAccount(accountId: $id) { status } }', { id });
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
}

/** Returns an expired token, and one signed by another key under the register's `kid`. */
async function unaccepted(register: TestRegister, token: string): Promise<Record<'expired' | 'forged', Credential>> {
  const variables = sandboxKeyVariables(register.dataDir);
  const { keys } = JSON.parse(variables['TOKEN_SIGNING_KEYS'] as string) as { keys: JWK[] };
  const { iss, sub, duid } = decodeJwt(token);
  const signing: SigningKeys = { issuer: String(iss), keys };
  const account = { accountId: String(sub), role: 'data_user', duid: String(duid), mpid: null } as const;
  const { kid } = decodeProtectedHeader(token);
  const foreign = { ...generatedKey('ed25519').export({ format: 'jwk' }), kid } as JWK;
  const longAgo = new Date(Date.now() - 3 * 3_600_000);
  return {
    expired: bearer(await issueBearerToken(signing, account, longAgo)),
    forged: bearer(await issueBearerToken({ ...signing, keys: [foreign] }, account, new Date())),
  };
}
