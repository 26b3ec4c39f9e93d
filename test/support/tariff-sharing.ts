import { type DemoRtiUser, offerTariffSharing } from '../../sandbox/demo-rti';
import { publishDemoTariffs } from '../../sandbox/demo-tariffs';
import { graphqlClient } from '../../sandbox/graphql-client';
import type { SupplierLogin } from '../../sandbox/supplier/supplier-pages';
import { newApiKey, signIn } from './administration';
import { type OnboardedSupplier, newMpxn, newSupplier } from './customers';
import { graphAs } from './graph';
import type { SharedRegister } from './register';
import { tokenOf } from './rest-client';

/** A supplier whose tariffs consumers share with RTI Users, and one of its consumers. */
export interface TariffSharingFixture {
  readonly supplier: OnboardedSupplier;
  readonly apiKey: string;
  readonly rtiUsers: readonly DemoRtiUser[];
  readonly consumer: SupplierLogin;
  /** Issues a new API key; the previous one becomes invalid. */
  newApiKey(): Promise<string>;
  setRtiUserStatus(userId: string, status: string): Promise<void>;
}

/** Creates the supplier and its consumer, by the code of the sandbox. */
export async function tariffSharing(register: SharedRegister): Promise<TariffSharingFixture> {
  const supplier = await newSupplier(register);
  const consumer = { login: `consumer-${supplier.mpid}`, password: 'a long password', mpxns: [newMpxn()] };
  supplier.addLogins([consumer]);
  const clientOf = (token: string) => graphqlClient(register.gateway, token);
  const asAdmin = clientOf(await tokenOf(register, 'admin'));
  const { token } = await signIn(register, supplier.account.accountId, supplier.account.secretKey);
  await publishDemoTariffs({
    asAdmin,
    asSupplier: clientOf(token),
    supplier,
    mpxns: consumer.mpxns,
    restUrl: register.rest,
  });
  const rtiUsers = await offerTariffSharing({ asAdmin, mpid: supplier.mpid, supplier, stored: undefined });
  const admin = await graphAs(register, 'admin');
  const anotherApiKey = () => newApiKey(admin, supplier.account.accountId);
  return {
    supplier,
    apiKey: await anotherApiKey(),
    rtiUsers,
    consumer,
    newApiKey: anotherApiKey,
    async setRtiUserStatus(userId, status) {
      const set = `mutation ($userId: String!, $status: RegisterEntryStatus!) {
        setRtiUserStatus(userId: $userId, status: $status) { status } }`;
      const { errors } = await admin(set, { userId, status });
      if (errors.length > 0) throw new Error(JSON.stringify(errors));
    },
  };
}
