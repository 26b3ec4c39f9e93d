import { repeated } from '../../support/confirmed-tokens';
import { type DataUser, newDataUser } from '../../support/customers';
import { graphOf } from '../../support/graph';
import { sharedRegister } from '../../support/register';
import { good } from '../../support/rest-client';

const MAX_SUBSCRIPTIONS = 100;
/** Registrations of one Data User wait for each other: more at once would leave other tests without sessions. */
const AT_ONCE = 4;
const MESSAGE = 'The Data User has 100 subscriptions, which is the maximum.';
const REGISTER = `mutation ($url: URI!) {
  registerWebhook(input: { callbackUrl: $url, alertEmail: "alerts@larkhill.example" }) { webhook { wid } } }`;

const urlOf = (number: number) => `https://larkhill.example/hook?tenant=${number}`;
const register = ({ rest }: DataUser, number: number) =>
  rest('POST', '/v1/webhooks', { 'callback-url': urlOf(number), 'alert-email': 'alerts@larkhill.example' });

describe('A Data User with 100 subscriptions', () => {
  it('can register another one, over REST or GraphQL, only after one is deleted', async () => {
    const shared = await sharedRegister();
    const dataUser = await newDataUser(shared, 'https://larkhill.example/return');
    const graph = graphOf(shared, dataUser.token);
    const first = good(await register(dataUser, 1)).body['webhook'].wid as string;
    const others = await repeated(MAX_SUBSCRIPTIONS - 1, (index) => register(dataUser, index + 2), AT_ONCE);
    others.forEach(good);
    const overRest = await register(dataUser, 101);
    expect([overRest.status, overRest.body['errors']]).toEqual([409, [{ 'error-code': 'CNF002', message: MESSAGE }]]);
    const { errors } = await graph(REGISTER, { url: urlOf(101) });
    expect(errors.map(({ extensions, message }) => [extensions.code, message])).toEqual([['CNF002', MESSAGE]]);
    good(await dataUser.rest('DELETE', `/v1/webhooks/${first}`));
    expect((await graph(REGISTER, { url: urlOf(101) })).errors).toEqual([]);
    expect((await register(dataUser, 102)).status).toBe(409);
  });
});
