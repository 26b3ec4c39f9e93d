import type { DemoCustomer } from '../../../sandbox/sandbox-file';
import { isLinkMail, mailsOf, secretIn } from '../../support/sign-in-mails';
import {
  END_SESSION,
  FINISH_SUPPLIER,
  REQUEST_LINK,
  SESSION,
  SIGN_IN_WITH_LINK,
  START_SUPPLIER,
} from '../../support/sign-in-operations';
import { type GraphResponse, failuresOf, graphAs, graphOf } from '../../support/graph';
import { type Customer, newCustomer, newDataUser, newMpxn } from '../../support/customers';
import { type SharedRegister, sharedRegister, usualWirings } from '../../support/register';
import { accountOf } from '../../support/rest-client';
import { signInAtSupplier } from '../../support/supplier-browser';

/** The parts of a response that must be equal for known and unknown customers. */
const shapeOf = ({ status, headers, text }: GraphResponse) => ({
  status,
  body: text.replaceAll(/tid_[0-9a-f]{24}/g, 'tid'),
  headers: [...headers].filter(([name]) => !['date', 'transaction-id'].includes(name)),
});

describe.each(usualWirings())('A customer (%s)', (wiring) => {
  let register: SharedRegister;
  let customer: Customer;
  beforeAll(async () => {
    register = await sharedRegister(wiring);
    customer = await newCustomer(await newDataUser(register, 'https://larkhill.example/return'));
  });

  const anonymous = () => graphOf(register);
  const as = (token: string) => graphOf(register, token);
  const mails = (to: string, count: number) => mailsOf({ mailbox: { url: register.mailbox } }, to, count);
  let linksSent = 0;

  /** Signs in by a mailed link; returns the session token. */
  async function signedIn(): Promise<string> {
    const { mpxn, email } = customer;
    const { data: requested } = await anonymous()(REQUEST_LINK, { entry: { mpxn }, language: 'EN' });
    expect(requested).toEqual({ requestSignInLink: true });
    const all = await mails(email, (linksSent += 1));
    const { data } = await anonymous()(SIGN_IN_WITH_LINK, { secret: secretIn(all.filter(isLinkMail)) });
    return data.signInWithLink.token;
  }

  it('signs in by a mailed link and reads their data, from all subgraphs', async () => {
    const session = as(await signedIn());
    const { data, errors } = await session(SESSION);
    expect(errors).toEqual([]);
    expect(data.customerSession).toMatchObject({ mpxn: customer.mpxn, signedInBy: 'MAGIC_LINK' });
    const duid = accountOf(register.sandbox, 'data_user').duid;
    const organisation = await session('query ($duid: DUID!) { dataUser(duid: $duid) { displayName } }', { duid });
    expect(organisation.data.dataUser.displayName).toBe('Harbourlight Energy Insight Ltd');
    const records = await session('{ customerAccessRecords(part: CURRENT) { totalCount } }');
    expect(records.errors).toEqual([]);
    expect(records.data.customerAccessRecords.totalCount).toBe(1);
  });

  it('signs in at the supplier if there is no verified record', async () => {
    const { mpxn, oidc_login: login, oidc_password: password } = register.sandbox.customers.at(-1) as DemoCustomer;
    const { mpid } = accountOf(register.sandbox, 'supplier');
    const offered = await anonymous()('{ supplierSignIns { mpid displayName } }');
    expect(offered.data.supplierSignIns).toContainEqual({ mpid, displayName: 'Tidewater Supply Ltd' });
    const started = await anonymous()(START_SUPPLIER, { mpid, entry: { mpxn } });
    const { secret, url } = started.data.startSupplierSignIn;
    const callbackUrl = await signInAtSupplier(url, { login, password });
    expect(callbackUrl.startsWith(`${register.portal}/sign-in/supplier/callback?`)).toBe(true);
    const finished = await anonymous()(FINISH_SUPPLIER, { secret, callbackUrl });
    const { data } = await as(finished.data.finishSupplierSignIn.token)(SESSION);
    expect(data.customerSession).toMatchObject({ mpxn, signedInBy: 'SUPPLIER', isCurrent: true });
  });

  it('is rejected after signing out', async () => {
    const token = await signedIn();
    expect((await as(token)(END_SESSION)).data).toEqual({ endCustomerSession: true });
    for (const query of [SESSION, END_SESSION, '{ customerAccessRecords(part: CURRENT) { totalCount } }']) {
      const response = await as(token)(query);
      expect([response.status, failuresOf(response)]).toEqual([401, ['AUT001']]);
    }
  });

  it('may call only the operations for customers', async () => {
    const session = as(await signedIn());
    for (const query of [
      '{ viewer { accountId } }',
      '{ accessRecords { totalCount } }',
      '{ accounts { totalCount } }',
      `{ identityRecords(mpxn: "${register.sandbox.samples.mpxn}") { ir } }`,
      `{ meterPoint(mpxn: "${register.sandbox.samples.mpxn}") { id } }`,
    ])
      expect([query, failuresOf(await session(query))]).toEqual([query, ['PRM001']]);
    expect((await session('{ __schema { queryType { name } } }')).status).toBe(200);
  });

  it('is rejected with an unknown session token', async () => {
    for (const token of ['cst_', `cst_${'A'.repeat(43)}`, `cst_${'A'.repeat(44)}`, `CST_${'A'.repeat(43)}`])
      expect([token, failuresOf(await as(token)(SESSION))]).toEqual([token, ['AUT001']]);
    const open = await as(`cst_${'A'.repeat(43)}`)('{ supplierSignIns { mpid } }');
    expect(open.errors).toEqual([]);
  });

  it('is the only role that may read the session', async () => {
    for (const role of ['data_user', 'portal', 'admin'] as const)
      expect(failuresOf(await (await graphAs(register, role))(SESSION))).toEqual(['PRM001']);
    expect(failuresOf(await anonymous()(SESSION))).toEqual(['AUT001']);
  });

  it('receives the same response, whether known or unknown', async () => {
    const { mpxn, email, ir } = await newCustomer(await newDataUser(register, 'https://larkhill.example/return'));
    const known = [{ mpxn }, { email }, { ir }];
    const unknown = [{ mpxn: newMpxn() }, { email: 'no-one@customer.example' }, { ir: `ir_${'0'.repeat(24)}` }];
    const responses = [];
    for (const entry of [...known, ...unknown])
      responses.push(shapeOf(await anonymous()(REQUEST_LINK, { entry, language: 'EN' })));
    for (const response of responses) expect(response).toEqual(responses[0]);
    expect(responses[0]?.status).toBe(200);
  });
});
