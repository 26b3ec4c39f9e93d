import { newCustomer, newDataUser } from '../../support/customers';
import { signedInVisitor } from '../../support/portal-sign-in';
import type { PortalVisitor } from '../../support/portal-visitor';
import { consentRecord } from '../../support/records';
import { sharedRegister } from '../../support/register';
import { good } from '../../support/rest-client';

/** More versions than a page of the portal shows. */
const CHANGES = 101;

let visitor: PortalVisitor;

beforeAll(async () => {
  const register = await sharedRegister();
  const dataUser = await newDataUser(register, 'https://larkhill.example/back');
  const customer = await newCustomer(dataUser);
  for (let change = 1; change <= CHANGES; change += 1) {
    const record = consentRecord(customer.ir, { purpose: `Purpose ${change}` });
    good(await dataUser.rest('PUT', `/v1/access-records/${customer.key}`, record));
  }
  visitor = await signedInVisitor(register, `mpxn=${customer.mpxn}`, customer.email);
});

describe('the downloads of an access that changed more than a hundred times', () => {
  it('contain every version, while the page refers to the downloads', async () => {
    const data = JSON.parse((await visitor.get('/history.json')).html);
    const [{ versions }] = data['access-records'] as [{ versions: { purpose: string }[] }];
    expect(versions).toHaveLength(CHANGES + 1);
    const purposes = versions.slice(0, CHANGES).map(({ purpose }) => purpose);
    expect(purposes).toEqual(Array.from({ length: CHANGES }, (_, index) => `Purpose ${CHANGES - index}`));
    expect((await visitor.get('/access')).text).toContain('The downloads contain them.');
  });

  it('contain the time of every change in the table', async () => {
    const { html } = await visitor.get('/history.csv');
    const changed = html.split(',').find((cell) => cell.includes('; 20'));
    expect(changed?.split('; ')).toHaveLength(CHANGES);
  });
});
