import { randomInt, randomUUID } from 'node:crypto';
import type { CapturedMail } from '../../sandbox/mailbox';
import type * as Supplier from '../../sandbox/supplier/supplier';
import { type OnboardedAccount, onboarded, signIn } from './administration';
import { failuresOf, graphAs, graphOf, persistentGraph } from './graph';
import { consentRecord } from './records';
import type { SharedRegister } from './register';
import { type RestClient, anonymousClient } from './rest-client';
import { until } from './until';

/** A customer of a Data User, and the access that they consented to. */
export interface Customer {
  readonly mpxn: string;
  readonly email: string;
  readonly ir: string;
  /** Access key of the record that the Data User registered. */
  readonly key: string;
}

/** A new Data User, with a site to which customers return. */
export interface DataUser {
  readonly name: string;
  readonly duid: string;
  readonly rest: RestClient;
  readonly token: string;
  readonly returnUrl: string;
}

const ANONYMISE = 'mutation Anonymise($ir: IdentityRecordKey!) { anonymiseIdentityRecord(ref: $ir) { anonymisedAt } }';

/** Anonymises an Identity Record of a Data User, for steps that are not under test. */
export async function anonymise(
  register: Pick<SharedRegister, 'gateway'>,
  { token }: Pick<DataUser, 'token'>,
  ir: string,
): Promise<void> {
  const failures = failuresOf(await persistentGraph(graphOf(register, token))(ANONYMISE, { ir }));
  if (failures.length > 0) throw new Error(failures.join());
}

/** Onboards a Data User (or, with another role, a third-party portal). */
export async function newDataUser(register: SharedRegister, returnUrl: string, role = 'DATA_USER'): Promise<DataUser> {
  const name = `Larkhill Insight ${randomInt(1e9)}`;
  const account = await onboarded(await graphAs(register, 'admin'), {
    role,
    displayName: name,
    contactUrl: 'https://larkhill.example/contact',
    returnUrls: [returnUrl],
  });
  const { token } = await signIn(register, account.accountId, account.secretKey);
  const rest = anonymousClient(register.rest, `Bearer ${token}`);
  return { name, duid: account.duid as string, rest, token, returnUrl };
}

/** A meter point number that no other test has. */
export function newMpxn(): string {
  return String(randomInt(1e9, 1e10 - 1)).padStart(10, '0');
}

/** The MPID of a supplier that no other test has: of 1.7 million. */
export function newMpid(): string {
  return randomInt(36 ** 4)
    .toString(36)
    .padStart(4, '0')
    .toUpperCase();
}

/** Returns an Identity Record in the form that a Data User sends. */
export function identityRecord(mpxn: string, email: string | null, outcome: 'verified' | 'failed' | null = 'verified') {
  return {
    'pii-principal': {
      mpxn,
      'move-in-date': '2021-04-01',
      address: { addressLine1: '4 Lantern Row', townCity: 'Exampleford', postcode: 'NR1 4AB' },
    },
    'expressed-by': 'data-subject',
    'principal-verification':
      outcome === null ? null : { method: 'Bill and bank card', 'verified-at': '2026-01-12T10:00:00Z', outcome },
    email,
  };
}

/** Registers a customer with a consent; returns both. */
export async function newCustomer({ rest }: DataUser, change: Record<string, unknown> = {}): Promise<Customer> {
  const mpxn = newMpxn();
  const email = `customer-${mpxn}@customer.example`;
  const { status, body } = await rest('POST', '/v1/identity-records', { ...identityRecord(mpxn, email), ...change });
  if (status !== 201) throw new Error(`the identity record received the response ${status}: ${JSON.stringify(body)}`);
  const ir = String(body['ir']);
  const registered = await rest('POST', '/v1/access-records', consentRecord(ir));
  if (registered.status !== 201) throw new Error(`the access record received the response ${registered.status}`);
  return { mpxn, email, ir, key: String(registered.body['access-token'].key) };
}

/** Returns all mails to an address, the newest first. */
export async function mailsTo({ mailbox }: SharedRegister, address: string): Promise<readonly CapturedMail[]> {
  const response = await fetch(`${mailbox}?to=${encodeURIComponent(address)}`);
  return (await response.json()) as CapturedMail[];
}

/** Waits for a number of mails to an address; returns the newest. */
export async function nextMail(register: SharedRegister, address: string, count = 1): Promise<CapturedMail> {
  const mails = await until(async () => {
    const all = await mailsTo(register, address);
    return all.length >= count ? all : undefined;
  });
  return mails[0] as CapturedMail;
}

/** Returns the only link to the register's pages in a mail. */
export function linkIn({ text }: CapturedMail): string {
  const [link] = /https?:\/\/\S+\/(?:link|proof)\/[\w-]{43}/.exec(text) ?? [];
  if (link === undefined) throw new Error('the mail has no link');
  return link;
}

/** A new supplier with an account, and its OpenID provider. */
export interface OnboardedSupplier extends Supplier.RunningSupplier {
  readonly name: string;
  readonly mpid: string;
  readonly account: OnboardedAccount;
}

/** Loaded when it is needed: it contains an OpenID provider. */
const supplierModule = () => require('../../sandbox/supplier/supplier') as typeof Supplier;

/** Onboards a supplier at which customers sign in, and starts its OpenID provider. */
export async function newSupplier(register: SharedRegister): Promise<OnboardedSupplier> {
  const admin = await graphAs(register, 'admin');
  const client = { id: 'register-under-test', secret: randomUUID() };
  const redirectUris = [`${register.portal}/sign-in/supplier/callback`];
  const supplier = await supplierModule().startSupplier({ port: 0, host: 'localhost', redirectUris, client });
  const name = `Wheatley Supply ${randomInt(1e9)}`;
  const mpid = newMpid();
  const account = await onboarded(admin, { role: 'SUPPLIER', displayName: name, mpid });
  const { errors } = await admin(
    `mutation ($accountId: ID!, $issuer: URI!, $clientId: String!, $clientSecret: String!) {
      setSupplierOAuth(accountId: $accountId, issuer: $issuer, clientId: $clientId, clientSecret: $clientSecret) { accountId } }`,
    { accountId: account.accountId, issuer: supplier.issuer, clientId: client.id, clientSecret: client.secret },
  );
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return { ...supplier, name, mpid, account };
}

/** Signs a customer in by a mailed link; returns the token. */
export async function customerToken(
  register: SharedRegister,
  { ir, email }: Pick<Customer, 'ir' | 'email'>,
): Promise<string> {
  const graph = graphOf(register);
  const before = (await mailsTo(register, email)).length;
  await graph('mutation ($ir: IdentityRecordKey!) { requestSignInLink(entry: { ir: $ir }, language: EN) }', { ir });
  const secret = linkIn(await nextMail(register, email, before + 1))
    .split('/')
    .at(-1);
  const { data } = await graph('mutation ($secret: String!) { signInWithLink(secret: $secret) { token } }', { secret });
  return String(data.signInWithLink.token);
}
