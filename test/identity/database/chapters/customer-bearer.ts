import { RegisterError } from '../../../../schema/register-error';
import type { CallContext, Caller } from '../../../../subgraphs/server/callers/caller';
import { remoteLink } from '../../../../subgraphs/server/graph/remote-link';
import { subgraphCalls } from '../../../../subgraphs/server/graph/subgraph-calls';
import type { SubgraphLink } from '../../../../subgraphs/server/graph/subgraph-link';
import { LinkedServices } from '../../../support/linked-installation';
import { SESSION, signedInByLink } from '../../../support/sign-in-operations';
import { type SignInFixture, fixtureOfThisFile } from '../../../support/sign-in-fixture';

export function customerBearer(): void {
  const EMAIL = 'rowan@customer.example';

  let fixture: SignInFixture;
  let services: LinkedServices;
  let link: SubgraphLink;
  let token: string;
  beforeAll(async () => {
    fixture = await fixtureOfThisFile();
    services = new LinkedServices();
    const verifier = { verify: () => Promise.reject(new RegisterError('AUT001')) }; // none of these tokens is a JWT
    const { url } = await services.serve(
      'identity',
      subgraphCalls({ name: 'identity', link: fixture.identity, verifier }),
    );
    link = remoteLink('identity', services.link('gateway', 'identity', url));
    await fixture.newRecord(await fixture.dataUser(), { email: EMAIL });
    ({ token } = await signedInByLink(fixture, { email: EMAIL }, EMAIL));
  });
  afterAll(() => services?.close());

  const customer: Caller = { accountId: 'session', role: 'customer', duid: null, mpid: null };

  /**
   * Sends the session query to `identity` in another process, as the gateway does; returns the session or the error
   * codes.
   */
  async function execute(context: Partial<CallContext>): Promise<unknown> {
    const anonymous = { caller: null, service: null, transactionId: 'tid_test', clientAddress: '127.0.0.1' };
    const { data, errors } = await link
      .execute({ query: SESSION }, { ...anonymous, ...context })
      .catch((error: RegisterError) => ({ data: undefined, errors: [error.toJSON()] }));
    return errors ? errors.map(({ extensions }) => extensions?.['code']) : data?.['customerSession'];
  }

  describe('A subgraph in another process', () => {
    it('accepts a customer from the gateway, and verifies the session token itself', async () => {
      expect(await execute({ caller: customer, bearer: token })).toMatchObject({ signedInBy: 'MAGIC_LINK' });
      expect(await execute({ caller: customer, bearer: `cst_${'A'.repeat(43)}` })).toEqual(['AUT001']);
    });

    it('accepts session tokens only from customers, and no other token from them', async () => {
      expect(await execute({ caller: { ...customer, role: 'admin' }, bearer: token })).toEqual(['SYS002']);
      expect(await execute({ caller: customer, bearer: 'a JWT of an account' })).toEqual(['SYS002']);
      expect(await execute({ caller: customer })).toEqual(['SYS002']);
    });
  });
}
