import { type DataUser, newCustomer, newDataUser } from '../../support/customers';
import { type Graph, graphOf } from '../../support/graph';
import { consentRecord } from '../../support/records';
import { sharedRegister } from '../../support/register';

/** Members whose texts are names of enums in the graph. */
const ENUMS = new Set(['arrangement-type', 'role', 'legal-basis', 'data-types', 'consent-type']);

/** Returns a body of Interface A as input of the graph. */
function inputOf(value: unknown, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => inputOf(item, member));
  if (typeof value === 'string') return ENUMS.has(member) ? value.toUpperCase().replaceAll('-', '_') : value;
  if (value === null || typeof value !== 'object') return value;
  const camelCase = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [camelCase(name), inputOf(each, name)]));
}

describe('A fault has one code, over REST and in GraphQL', () => {
  let dataUser: DataUser;
  let graph: Graph;
  let ir: string;
  beforeAll(async () => {
    const register = await sharedRegister();
    dataUser = await newDataUser(register, 'https://larkhill.example/back');
    graph = graphOf(register, dataUser.token);
    ({ ir } = await newCustomer(dataUser));
  });

  /**
   * Sends a body to both. Returns the violations of the REST response, and those of the graph at the same fields, as code and path. REST
   * reports the violations of its contract alone, so that the graph may report more.
   */
  async function violationsOf(path: string, mutation: string, body: object) {
    const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9/]/g, '');
    const { body: response } = await dataUser.rest('POST', path, body);
    const rest = (response['errors'] as { 'error-code': string; message: string }[]).map(
      ({ 'error-code': code, message }) => `${code} ${plain(message.split(':')[0] as string)}`,
    );
    const { errors } = await graph(mutation, { input: inputOf(body) });
    const graphs = (errors[0]?.extensions.violations ?? []).map(
      (each) => `${each.code} /${plain(each.path.join('/'))}`,
    );
    const fields = new Set(rest.map((line) => line.split(' ')[1]));
    return { rest, graph: graphs.filter((line) => fields.has(line.split(' ')[1])) };
  }

  type AccessRecord = ReturnType<typeof consentRecord>;
  const joint = { 'arrangement-type': 'joint', 'art26-reference': 'Section 4' };
  const noticeOf = (controller: string) => ({
    'controller-name': controller,
    'terms-url': 'https://a.example',
    'notice-version': '1',
  });
  const arrange = (record: AccessRecord, arrangement: object) =>
    void Object.assign(record['record-metadata']['controller-arrangement'], arrangement);

  it.each<[fault: string, code: string, change: (record: AccessRecord) => void]>([
    ['no controller', 'VAL003', (record) => arrange(record, { controllers: [] })],
    ['no controller of a joint arrangement', 'VAL003', (record) => arrange(record, { ...joint, controllers: [] })],
    [
      'one notice',
      'VAL003',
      ({ notice }) => void Object.assign(notice, { 'shared-notice': null, notices: [noticeOf('A')] }),
    ],
    [
      'a reference that is too long and superfluous',
      'VAL003',
      (record) => arrange(record, { 'art26-reference': 'r'.repeat(501) }),
    ],
    ['no data type', 'VAL003', ({ processing }) => void (processing['data-types'] = [])],
    [
      'a data type that is named twice',
      'VAL003',
      ({ processing }) => void processing['data-types'].push('HH-CONSUMPTION'),
    ],
    ['an empty purpose', 'VAL003', ({ processing }) => void (processing.purpose = '')],
    [
      'a language that is none',
      'VAL001',
      ({ notice }) => void Object.assign(notice['shared-notice'], { 'notice-language': 'English' }),
    ],
  ])('of a registration of access: %s', async (_, code, change) => {
    const record = consentRecord(ir);
    change(record);
    const mutation = 'mutation ($input: AccessRecordInput!) { registerAccessRecord(input: $input) { replayed } }';
    const violations = await violationsOf('/v1/access-records', mutation, record);
    expect(violations.rest).toEqual([expect.stringMatching(`^${code} /`)]);
    expect(violations.graph).toEqual(violations.rest);
  });

  it.each([
    ['is empty', 'VAL001', ''],
    ['has no domain', 'VAL001', 'operations'],
    ['is no address and too long', 'VAL001', 'a'.repeat(400)],
    ['is too long', 'VAL003', `a@${'b.'.repeat(124)}cdefg`],
    ['is far too long', 'VAL003', `a@${'b.'.repeat(200)}cdefg`],
    ['is too long with its surrounding white space', 'VAL003', ` a@${'b.'.repeat(124)}cde `],
    ['has a local part that is too long', 'VAL001', `${'a'.repeat(65)}@b.example`],
  ])('of a webhook whose alert-email %s', async (_, code, alertEmail) => {
    const body = { 'callback-url': 'https://larkhill.example/hook', 'alert-email': alertEmail };
    const mutation = 'mutation ($input: WebhookInput!) { registerWebhook(input: $input) { replayed } }';
    const violations = await violationsOf('/v1/webhooks', mutation, body);
    expect(violations).toEqual({ rest: [`${code} /alertemail`], graph: [`${code} /alertemail`] });
  });
});
