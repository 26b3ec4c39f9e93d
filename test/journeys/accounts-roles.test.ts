import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { generatedSchema } from '../../schema/generated-schema';
import { ACCOUNT_ROLES, type Role } from '../../schema/roles';
import { consumerToken } from '../support/consumer-sign-in';
import { customerToken } from '../support/customers';
import { type Graph, failuresOf, graphAs, graphOf } from '../support/graph';
import { minimalOperation } from '../support/minimal-operation';
import { type TestRegister, startTestRegister, usualWirings } from '../support/register';

const ACCOUNTS: readonly Role[] = ACCOUNT_ROLES;
/** Whom the register itself knows; a consumer comes with a token of a supplier. */
const OWN_ROLES: readonly Role[] = [...ACCOUNT_ROLES, 'customer'];
const EVERY_ROLE: readonly Role[] = [...OWN_ROLES, 'consumer'];

/** Who may do what: the table of the specification and its decisions. `nobody` is asked for by services only. */
const MAY: Readonly<Record<string, readonly Role[] | 'anyone' | 'nobody'>> = {
  'Query.accessRecord': 'anyone',
  'Query.accessRecords': ['data_user'],
  'Query.allAccessRecords': ['admin', 'analyst'],
  'Query.accounts': ['admin'],
  'Query.auditEntries': ['admin'],
  'Query.dataUser': OWN_ROLES,
  'Query.viewer': ACCOUNTS,
  'Query.identityRecord': ['data_user'],
  'Query.identityRecords': ['data_user'],
  'Query.identityRecordExistence': ['data_user', 'portal'],
  'Query.meterPoint': ['data_user', 'portal'],
  'Query.admission': 'nobody',
  'Query.identityRecordLinks': 'nobody',
  'Query.organisations': 'nobody',
  'Query.supplierClient': 'nobody',
  'Query.customerScope': 'nobody',
  'Query.reidentificationProof': 'nobody',
  'Query.reidentification': ['data_user', 'portal'],
  'Query.ownReidentification': ['data_user'],
  'Query.ceremony': 'anyone',
  'Query.signInLink': 'anyone',
  'Query.supplierSignIns': 'anyone',
  'Query.customerSession': ['customer'],
  'Query.customerAccessRecords': ['customer'],
  'Query.customerAccessRecord': ['customer'],
  'Query.accessLooks': ['customer'],
  'Query.identityLooks': ['customer'],
  'Query.webhooks': ['data_user'],
  'Query.webhook': ['data_user'],
  'Query.deliveryHealth': ['admin', 'analyst'],
  'Query.registerEvent': ['data_user', 'admin', 'analyst'],
  'Query.registerEvents': ['data_user', 'admin', 'analyst'],
  'Query.latestRegisterEvents': ['data_user', 'admin', 'analyst'],
  'Query.registerEventCounts': ['admin', 'analyst'],
  'Query.eventLog': 'nobody',
  'Query.accountStandings': 'nobody',
  'Query.identityRecordMpxns': 'nobody',
  'Query.licenceAreas': 'anyone',
  'Query.developmentProjects': 'anyone',
  'Query.developmentProject': 'anyone',
  'Query.differenceModel': 'anyone',
  'Query.differenceModels': 'anyone',
  'Query.publishedFile': 'anyone',
  'Query.publishedArchive': 'anyone',
  'Query.suppliers': 'anyone',
  'Query.supplier': 'anyone',
  'Query.supplierPage': 'anyone',
  'Query.rtiUsers': 'anyone',
  'Query.rtiUser': 'anyone',
  'Query.rtiUserPage': 'anyone',
  'Query.tariffs': 'anyone',
  'Query.tariff': 'anyone',
  'Query.registerTime': 'anyone',
  'Query.customerTariffs': ['consumer'],
  'Query.tariffAssignments': ['supplier', 'admin'],
  'Query.appliedTariff': ['supplier', 'admin'],
  'Query.performanceReports': ['supplier', 'admin', 'analyst'],
  'Query.tariffConsents': ['supplier', 'admin', 'analyst'],
  'Query.rtiWebhooks': ['supplier', 'admin', 'analyst'],
  'Query.tariffEvent': ['supplier', 'admin', 'analyst'],
  'Query.tariffEvents': ['supplier', 'admin', 'analyst'],
  'Query.tariffEventLog': 'nobody',
  'Query.consumerAdmission': 'nobody',
  'Query.supplierAdmission': 'nobody',
  'Query.liveSupplierKeys': 'nobody',
  'Query.activeSuppliers': 'nobody',
  'Subscription.tariffEvents': ['supplier', 'admin', 'analyst'],
  'Subscription.registerEvents': ['data_user', 'admin', 'analyst'],
  'Mutation.issueBearerToken': 'anyone',
  'Mutation.registerAccessRecord': ['data_user'],
  'Mutation.replaceAccessRecord': ['data_user'],
  'Mutation.revokeAccessRecord': ['data_user', 'portal'],
  'Mutation.registerIdentityRecord': ['data_user'],
  'Mutation.anonymiseIdentityRecord': ['data_user'],
  'Mutation.removeCredential': ['data_user'],
  'Mutation.closeIdentityRecord': 'nobody',
  'Mutation.reidentify': ['data_user', 'portal'],
  'Mutation.reidentifyOwn': ['data_user'],
  'Mutation.confirmCeremonyLink': 'anyone',
  'Mutation.passkeyCeremonyOptions': 'anyone',
  'Mutation.finishPasskeyCeremony': 'anyone',
  'Mutation.mailCeremonyProof': 'anyone',
  'Mutation.requestSignInLink': 'anyone',
  'Mutation.signInWithLink': 'anyone',
  'Mutation.startPasskeySignIn': 'anyone',
  'Mutation.signInWithPasskey': 'anyone',
  'Mutation.startSupplierSignIn': 'anyone',
  'Mutation.finishSupplierSignIn': 'anyone',
  'Mutation.withdrawConsent': ['customer'],
  'Mutation.registerWebhook': ['data_user'],
  'Mutation.updateWebhook': ['data_user'],
  'Mutation.deleteWebhook': ['data_user'],
  'Mutation.redeliverEvent': ['data_user'],
  'Mutation.testWebhook': ['data_user'],
  'Mutation.reportDiscoveredAccess': ['communications_operator'],
  'Mutation.keepDiscoveredMeterPoint': 'nobody',
  'Mutation.recordChangeOfTenancy': ['communications_operator'],
  'Mutation.announceChangeOfTenancy': 'nobody',
  'Mutation.onboardAccount': ['admin'],
  'Mutation.rotateAccountSecret': ['admin'],
  'Mutation.suspendAccount': ['admin'],
  'Mutation.reactivateAccount': ['admin'],
  'Mutation.terminateAccount': ['admin'],
  'Mutation.setContactUrl': ['admin'],
  'Mutation.setPrivacyUrl': ['admin'],
  'Mutation.setDataTypesSupported': ['admin'],
  'Mutation.setOrganisationReference': ['admin'],
  'Mutation.setReturnUrls': ['admin'],
  'Mutation.setSupplierOAuth': ['admin'],
  'Mutation.issueSupplierApiKey': ['admin'],
  'Mutation.setClockOffset': ['admin'],
  'Mutation.prepareGridPublication': ['admin'],
  'Mutation.publishTariff': ['supplier', 'admin'],
  'Mutation.assignTariff': ['supplier', 'admin'],
  'Mutation.endTariffAssignment': ['supplier', 'admin'],
  'Mutation.submitPerformanceReport': ['supplier'],
  'Mutation.saveSupplier': ['admin'],
  'Mutation.setSupplierStatus': ['admin'],
  'Mutation.saveRtiUser': ['admin'],
  'Mutation.setRtiUserStatus': ['admin'],
  'Mutation.giveTariffConsent': ['consumer'],
  'Mutation.revokeTariffConsent': ['admin', 'consumer'],
  'Mutation.registerRtiWebhook': ['consumer'],
  'Mutation.removeRtiWebhook': ['consumer'],
  // Asked last: the customer of this test has no session afterwards.
  'Mutation.endCustomerSession': ['customer'],
};

/** A token for everything that a demo customer may allow a demo RTI User. */
async function tokenOfConsumer({ gateway, sandbox }: TestRegister): Promise<string> {
  const { tariff, rti_users: users, customers } = sandbox;
  const { data } = await graphOf({ gateway } as TestRegister)(`{ supplier(mpid: "${tariff.mpid}") { oauthUrl } }`);
  const [{ client_id: id, client_secret: secret }, { oidc_login: login, oidc_password: password }] = [
    users[0] as (typeof users)[number],
    customers[0] as (typeof customers)[number],
  ];
  return consumerToken({ issuer: String(data.supplier.oauthUrl) }, { id, secret }, { login, password });
}

/** What is asked by POST; a subscription is no such question, its roles are those of its events. */
const rows = Object.entries(MAY).filter(([field]) => !field.startsWith('Subscription.'));

describe('The table of roles', () => {
  it('is what the subgraphs declare, field by field', () => {
    const declared = Object.entries(generatedSchema().audiences).map(([field, audience]) => {
      if (audience.includes('anyone') || audience.includes('public')) return [field, 'anyone'];
      if (audience.includes('service')) return [field, 'nobody'];
      return [field, EVERY_ROLE.filter((role) => audience.some((each) => each.split(':')[0] === role))];
    });
    expect(Object.fromEntries(declared)).toEqual(MAY);
  });
});

describe.each(usualWirings())('The graph (%s)', (wiring) => {
  let register: TestRegister;
  let schema: GraphQLSchema;
  const graphs = new Map<Role, Graph>();
  beforeAll(async () => {
    register = await startTestRegister(wiring);
    for (const role of ACCOUNT_ROLES) graphs.set(role, await graphAs(register, role));
    const [customer] = register.sandbox.customers;
    if (customer) graphs.set('customer', graphOf(register, await customerToken(register, customer)));
    graphs.set('consumer', graphOf(register, await tokenOfConsumer(register)));
    const { data } = await (graphs.get('admin') as Graph)(getIntrospectionQuery());
    schema = buildClientSchema(data as IntrospectionQuery);
  });
  afterAll(() => register.close());

  describe.each(EVERY_ROLE)('asked by the role %s', (role) => {
    it.each(rows.filter(([, may]) => may !== 'nobody'))('%s', async (field, may) => {
      const answer = await (graphs.get(role) as Graph)(minimalOperation(schema, field));
      const allowed = may === 'anyone' || may.includes(role);
      const refused = failuresOf(answer).filter((failure) => failure.startsWith('PRM001'));
      expect(refused).toEqual(allowed ? [] : ['PRM001']);
      if (!allowed) expect(answer.data).toBeNull();
    });
  });

  describe('asked without a token', () => {
    it.each(rows.filter(([, may]) => may !== 'nobody' && may !== 'anyone'))('%s', async (field) => {
      const answer = await graphOf(register)(minimalOperation(schema, field));
      expect([answer.status, answer.data, ...failuresOf(answer)]).toEqual([401, null, 'AUT001']);
    });

    it('lets anyone verify an access record and sign in', async () => {
      const verified = await graphOf(register)(minimalOperation(schema, 'Query.accessRecord'));
      expect(verified).toMatchObject({ status: 200, data: { accessRecord: null }, errors: [] });
      const signedIn = await graphOf(register)(minimalOperation(schema, 'Mutation.issueBearerToken'));
      expect(failuresOf(signedIn)).toEqual(['AUT001 issueBearerToken']);
    });
  });

  it.each(rows.filter(([, may]) => may === 'nobody'))('shows %s to nobody', (field) => {
    expect(() => minimalOperation(schema, field)).toThrow('the API schema has no');
  });

  it('refuses an operation field by field: what is allowed is answered, what is not is an error', async () => {
    const answer = await (graphs.get('data_provider') as Graph)('{ viewer { role } accounts { totalCount } }');
    expect(failuresOf(answer)).toEqual([expect.stringContaining('PRM001')]);
    expect(answer.data?.accounts ?? null).toBeNull();
  });
});
