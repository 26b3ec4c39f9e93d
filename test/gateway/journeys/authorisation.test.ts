import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { generatedSchema } from '../../../schema/generated-schema';
import { ACCOUNT_ROLES, type Role } from '../../../schema/roles';
import { OBJECT_FIELDS } from '../../support/authorisation-fields';
import { FIELD_TABLES, GRAPH_TABLES } from '../../support/authorisation-graph';
import { GRAPH_REQUESTS, type GraphOperation, REACHED } from '../../support/authorisation-graph-requests';
import { type AuthorisationObjects, authorisationObjects } from '../../support/authorisation-objects';
import { ABSENT, type AuthorisationRequest, REQUESTS } from '../../support/authorisation-requests';
import { REST_TABLES } from '../../support/authorisation-rest';
import { MAY, type MayCall, WITHOUT_OWNER } from '../../support/authorisation-roles';
import { type AuthorisationFixture, authorisationFixture } from '../../support/authorisation-fixture';
import { GUESSES, lookalikes, statusOf } from '../../support/authorisation-surface';
import { type AuthorisationRow, CALLERS, type CallerName, authorisationRows } from '../../support/authorisation-table';
import type { GraphError } from '../../support/graph';
import { minimalOperation } from '../../support/minimal-operation';
import { usualWirings } from '../../support/register';

/** Paths of the served contracts. */
const DOCUMENTS = { A: '/openapi.json', B: '/openapi/b.json', C: '/openapi/c.json', D: '/openapi/d.json' } as const;

const REST_ROWS = authorisationRows(...Object.values(REST_TABLES).flat());
const GRAPH_ROWS = authorisationRows(...GRAPH_TABLES);
/** Each path with its methods. */
const PATHS = [...new Set(REST_ROWS.map(({ route }) => route.split(' ')[1] as string))].map((path) => {
  const routes = [...new Set(REST_ROWS.map(({ route }) => route))].map((route) => route.split(' '));
  return [path, routes.flatMap(([method, of]) => (of === path ? [method as string] : []))] as const;
});
const FIELD_ROWS = authorisationRows(...FIELD_TABLES);

/** Letters of the tables, by codes of Interfaces A and B and GraphQL, and by codes of Interface D. */
const LETTERS: Readonly<Record<string, string>> = {
  AUT001: 'u',
  unauthorized: 'u',
  AUT002: 'x',
  token_expired: 'x',
  PRM001: 'r',
  forbidden: 'r',
  PRM002: 'o',
  PRM003: 'p',
};

/** Expected errors of callers without a valid credential. */
const WITHOUT_CREDENTIAL: Readonly<Partial<Record<CallerName, string>>> = {
  none: 'u',
  expired: 'x',
  forged: 'u',
  suspended: 'u',
};

/** Roles of callers with a valid credential. */
const ROLES: Readonly<Partial<Record<CallerName, Role>>> = {
  owner: 'data_user',
  other: 'data_user',
  provider: 'data_provider',
  operator: 'communications_operator',
  portal: 'portal',
  supplier: 'supplier',
  rival: 'supplier',
  admin: 'admin',
  analyst: 'analyst',
  customer: 'customer',
  consumer: 'consumer',
  key: 'supplier',
};

/** Fields requested by POST. The tables list the callers of subscriptions. */
const FIELDS = Object.entries(MAY).filter(([field]) => !field.startsWith('Subscription.'));

/** Readable fields that name no object; the tables cover the others for every caller. */
const SHOWN = FIELDS.filter(
  (each): each is [string, Exclude<MayCall, 'services'>] =>
    each[1] !== 'services' && !GRAPH_ROWS.some(({ route }) => route === each[0]),
);

const ROOTS = ['Query', 'Mutation', 'Subscription'];

describe.each(usualWirings())('The register (%s)', (wiring) => {
  let fixture: AuthorisationFixture;
  let objects: AuthorisationObjects;
  let schema: GraphQLSchema;
  beforeAll(async () => {
    fixture = await authorisationFixture(wiring);
    objects = authorisationObjects(fixture);
    schema = buildClientSchema((await execute('admin', { query: getIntrospectionQuery() })).data);
  }, 300_000);
  afterAll(() => fixture?.close());

  describe('over REST', () => {
    it.each(Object.entries(DOCUMENTS))(
      'serves the paths of Interface %s in its table, and no other',
      async (name, path) => {
        const rows = authorisationRows(...REST_TABLES[name as keyof typeof DOCUMENTS]);
        const document = (await (await fetch(`${fixture.register.rest}${path}`)).json()) as ServedDocument;
        expect(routesOf(document).toSorted()).toEqual([...new Set(rows.map(({ route }) => route))].toSorted());
      },
    );

    it.each(REST_ROWS)('responds to $route, $object, as in the table', async (row) => {
      const isGood = (cell: string) => cell.startsWith('2');
      const found = await cellsByCaller(row, isGood, async (caller) => {
        const request = await (REQUESTS[row.route] as (typeof REQUESTS)[string])({ ...row, caller, fixture, objects });
        return [await restCell(row.route, caller, request), request.uses];
      });
      expect(found).toEqual(row.expected);
    });
  });

  describe('in the graph', () => {
    it('has the listed fields, and no other', () => {
      const served = Object.values(schema.getTypeMap()).flatMap((type) =>
        isObjectType(type) && !type.name.startsWith('__') && !ROOTS.includes(type.name)
          ? [`${type.name}: ${Object.keys(type.getFields()).toSorted().join(' ')}`]
          : [],
      );
      const listed = OBJECT_FIELDS.trim().replaceAll(/\n +/g, ' ').split('\n');
      expect(served.toSorted()).toEqual(listed.toSorted());
    });

    it('has the root fields of the table, each for the callers of the table', () => {
      const declared = Object.entries(generatedSchema().audiences).map(([field, audience]) => [field, mayOf(audience)]);
      expect(Object.fromEntries(declared)).toEqual(MAY);
      const shown = Object.entries(MAY).flatMap(([field, may]) => (may === 'services' ? [] : [field]));
      const served = ROOTS.flatMap((root) => Object.keys(fieldsOf(root)).map((field) => `${root}.${field}`));
      expect(served.toSorted()).toEqual(shown.toSorted());
    });

    it('has a row for every root field that identifies an object with an owner', () => {
      const rows = new Set(GRAPH_ROWS.map(({ route }) => route));
      const named = Object.entries(MAY).filter(([field, may]) => Array.isArray(may) && namesAnObject(field));
      const unowned = named.filter(([field, may]) => may.toString() === 'admin' || WITHOUT_OWNER.includes(field));
      const owned = named.filter((each) => !unowned.includes(each)).map(([field]) => field);
      expect(owned.filter((field) => !rows.has(field))).toEqual([]);
      expect(WITHOUT_OWNER.filter((field) => rows.has(field))).toEqual([]);
    });

    it.each(GRAPH_ROWS)('responds to $route, $object, as in the table', async (row) => {
      const isGood = (cell: string) => ['ok', 'null', 'e'].includes(cell);
      const found = await cellsByCaller(row, isGood, async (caller) => {
        const cellOf = GRAPH_REQUESTS[row.route] as (typeof GRAPH_REQUESTS)[string];
        const operation = await cellOf({ ...row, caller, fixture, objects });
        return [await graphCell(caller, operation), operation.uses];
      });
      expect(found).toEqual(row.expected);
    });

    it.each(FIELD_ROWS)('returns $route, $object, to the callers in the table', async (row) => {
      const [type = '', field = ''] = row.route.split('.');
      const isMetadata = type === 'RecordMetadata';
      const found = await cellsByCaller(
        row,
        (cell) => cell === 'ok',
        async (caller) => {
          if (row.expected[caller] === '-') return ['-', undefined];
          const reach = REACHED[`${isMetadata ? 'AccessRecord' : type} ${row.object}`] as (typeof REACHED)[string];
          const selection = `${field}${isLeafType(getNamedType(fieldOf(type, field).type)) ? '' : ' { __typename }'}`;
          const text = (await reach({ ...row, caller, fixture, objects }))(
            isMetadata ? `recordMetadata { ${selection} }` : selection,
          );
          return [await graphCell(caller, { query: text }, field), undefined];
        },
      );
      expect(found).toEqual(row.expected);
    });

    it.each(Object.keys(REACHED))('returns all other fields of %s to every caller that can reach it', async (place) => {
      const [, type = '', object = ''] = /^(\w+) (.*)$/.exec(place) ?? [];
      const rows = FIELD_ROWS.filter((row) => row.route.startsWith(`${type}.`) && row.object === object);
      const restricted = rows.map(({ route }) => route.split('.')[1] as string);
      const open = Object.values(fieldsOf(type)).filter(
        ({ name, args }) => !restricted.includes(name) && !args.some(isRequiredArgument),
      );
      const selection = open.map(
        ({ name, type: of }) => `${name}${isLeafType(getNamedType(of)) ? '' : ' { __typename }'}`,
      );
      const [row] = rows as [AuthorisationRow];
      const callers = CALLERS.filter(
        (caller) => !['-', 'x'].includes(row.expected[caller]) && !isRejectedBefore(type, caller),
      );
      for (const caller of callers) {
        const query = (await (REACHED[place] as (typeof REACHED)[string])({ ...row, caller, fixture, objects }))(
          selection.join(' '),
        );
        expect([caller, (await execute(caller, { query })).errors]).toEqual([caller, undefined]);
      }
    });

    it.each(CALLERS)('hides the fields between services from %s', async (caller) => {
      const hidden = FIELDS.filter(([, may]) => may === 'services').map(([field]) => field.split('.'));
      for (const root of ['Query', 'Mutation']) {
        const names = hidden.filter(([of]) => of === root).map(([, name]) => name as string);
        const { errors = [] } = await execute(caller, { query: `${root.toLowerCase()} { ${names.join(' ')} }` });
        expect(errors.map(({ message }) => /^Cannot query field "(\w+)"/.exec(message)?.[1])).toEqual(names);
      }
    });

    it('accepts the sign-in of every account, and rejects an operation field by field', async () => {
      const { errors = [] } = await execute('none', { query: minimalOperation(schema, 'Mutation.issueBearerToken') });
      expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['issueBearerToken'], 'AUT001']]);
      const partly = await execute('provider', { query: '{ viewer { role } accounts { totalCount } }' });
      expect(partly.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([[['accounts'], 'PRM001']]);
      expect(partly.data?.accounts ?? null).toBeNull();
    });

    it.each(SHOWN)('admits the callers in the table to %s', async (field, may) => {
      const query = minimalOperation(schema, field);
      const found: Record<string, string> = {};
      await Promise.all(CALLERS.map(async (caller) => void (found[caller] = await admission(caller, query))));
      expect(found).toEqual(Object.fromEntries(CALLERS.map((caller) => [caller, expectedAdmission(may, caller)])));
    });
  });

  /** Reads that write an access log or audit entry, and sign-ins. */
  const HAS_EFFECT =
    /^GET (\/v1\/(auth\/token|records|access-records\/\{ak\}|meter-points\/.*|identity-records\/(exists|\{ir\}))|\/login|\/show-consents\/.*)$/;

  describe('at paths that no document lists', () => {
    const CALLING_PAIRS = ['admin', 'owner', 'none'] as const;

    it.each(GUESSES)(
      'responds on the server %s to "%s %s" with %i for every caller',
      async (server, method, path, status) => {
        for (const caller of CALLING_PAIRS)
          expect(await statusOf(fixture.register[server], method, path, fixture.credentials[caller])).toBe(status);
      },
    );

    it.each(PATHS)('serves %s with no other method', async (path, methods) => {
      const address = await addressOf(path);
      const others = METHODS.map((method) => method.toUpperCase()).filter((method) => !methods.includes(method));
      const isHeadServed = methods.includes('GET') && !HAS_EFFECT.test(`GET ${path}`);
      const silent = isHeadServed ? others.filter((method) => method !== 'HEAD') : others;
      for (const method of silent)
        expect([method, await statusOf(fixture.register.rest, method, address, fixture.credentials.owner)]).toEqual([
          method,
          405,
        ]);
    });

    it.each(PATHS)('does not serve paths similar to %s', async (path, methods) => {
      for (const address of lookalikes(await addressOf(path))) {
        for (const caller of ['owner', 'none'] as const) {
          const status = await statusOf(
            fixture.register.rest,
            methods[0] as string,
            address,
            fixture.credentials[caller],
          );
          expect([address, REJECTIONS.includes(status) || status]).toEqual([address, true]);
        }
      }
    });

    it('requires the same authentication for HEAD as for GET, where GET has no effect', async () => {
      const closed = REST_ROWS.filter(
        ({ route, expected }) => route.startsWith('GET ') && expected.none.startsWith('401'),
      );
      for (const { route } of closed) {
        const address = await addressOf(route.replace('GET ', ''));
        const status = HAS_EFFECT.test(route) ? 405 : 401;
        expect([route, await statusOf(fixture.register.rest, 'HEAD', address)]).toEqual([route, status]);
      }
    });

    async function addressOf(path: string): Promise<string> {
      const [customer, webhook] = [await objects.get('customer of owner'), await objects.get('webhook of owner')];
      const known: Record<string, string> = { ...ABSENT, ...customer, ...webhook, cimFile: 'EQ.xml' };
      return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => known[name] ?? '');
    }
  });

  /**
   * Sends the requests of rejected callers first, concurrently. The others follow one by one: they succeed only if
   * nothing has changed.
   */
  async function cellsByCaller(
    { expected }: AuthorisationRow,
    isGood: (cell: string) => boolean,
    cellOf: (caller: CallerName) => Promise<[cell: string, uses: string | undefined]>,
  ): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const requestFor = async (caller: CallerName) => {
      const [cell, uses] = await cellOf(caller);
      if (isGood(cell) && uses !== undefined) objects.usedUp(uses);
      found[caller] = cell;
    };
    const isRejected = (caller: CallerName) => /[uxrop]$/.test(expected[caller]) && !isGood(expected[caller]);
    await Promise.all(CALLERS.filter(isRejected).map(requestFor));
    for (const caller of CALLERS) if (!isRejected(caller)) await requestFor(caller);
    return found;
  }

  async function restCell(route: string, caller: CallerName, request: AuthorisationRequest): Promise<string> {
    const [method = '', template = ''] = route.split(' ');
    const { path = {}, query = {}, body, credential = fixture.credentials[caller] } = request;
    const address = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => path[name] ?? '');
    const search = new URLSearchParams(query).toString();
    const response = await fetch(`${fixture.register.rest}${address}${search && `?${search}`}`, {
      method,
      headers: { ...credential, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return `${response.status}${isJson ? mailMessage(response.ok, method, JSON.parse(text)) : ''}`;
  }

  async function execute(caller: CallerName, { query, variables = {} }: GraphOperation): Promise<GraphResult> {
    const response = await fetch(`${fixture.register.gateway}/graphql`, {
      method: 'POST',
      headers: { ...fixture.credentials[caller], 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    return { ...((await response.json()) as GraphResult), status: response.status };
  }

  /** Returns the first result of a subscription, which starts in the past and therefore has one. */
  async function subscribed(caller: CallerName, { query }: GraphOperation): Promise<GraphResult> {
    const abort = new AbortController();
    const response = await fetch(`${fixture.register.gateway}/graphql`, {
      method: 'POST',
      headers: { ...fixture.credentials[caller], 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
      signal: abort.signal,
    });
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (/^data: \{.*\n/m.test(text)) break;
    }
    abort.abort();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as GraphResult;
  }

  async function graphCell(caller: CallerName, operation: GraphOperation, field?: string): Promise<string> {
    const isSubscription = operation.query.startsWith('subscription');
    const {
      status,
      data,
      errors = [],
    } = await (isSubscription ? subscribed(caller, operation) : execute(caller, operation));
    const [error] = errors;
    if (error) {
      const { code } = error.extensions;
      if (field === undefined && /^(AUT|PRM001)/.test(code)) expect(data ?? null).toBeNull();
      if (field === undefined && code.startsWith('AUT') && !isSubscription) expect(status).toBe(401);
      return letterOfCode(code);
    }
    const value = valueIn(Object.values(data ?? {})[0], field);
    if (value === null || value === undefined) return 'null';
    return isEmpty(value) || isEmpty((value as { nodes?: unknown }).nodes) ? 'e' : 'ok';
  }

  /** Returns the error of a caller before the field executes; empty if the caller is admitted. */
  async function admission(caller: CallerName, query: string): Promise<string> {
    const { status, data, errors = [] } = await execute(caller, { query });
    const rejection = errors.find(
      ({ path, extensions: { code } }) => code === 'PRM001' || (code.startsWith('AUT') && !path),
    );
    if (rejection === undefined) return '';
    const { code } = rejection.extensions;
    expect([data ?? null, status]).toEqual([null, code.startsWith('AUT') ? 401 : expect.any(Number)]);
    return letterOfCode(code);
  }

  const fieldsOf = (type: string): Record<string, GraphQLField<unknown, unknown>> => {
    const found = schema.getType(type);
    return isObjectType(found) ? found.getFields() : {};
  };
  const fieldOf = (type: string, field: string) => fieldsOf(type)[field] as GraphQLField<unknown, unknown>;

  function namesAnObject(field: string): boolean {
    const [root = '', name = ''] = field.split('.');
    return fieldOf(root, name).args.some(({ name: argument, type }) => isIdentifier(argument, type));
  }
});

/** A GraphQL response. */
interface GraphResult {
  readonly status?: number;
  readonly data: ReturnType<typeof JSON.parse>;
  readonly errors?: readonly GraphError[];
}

/** The parts of a served contract that list operations. */
interface ServedDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An encoded slash may split one parameter in two: the form or the caller is then rejected. */
const REJECTIONS = [400, 401, 403, 404, 405];

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function routesOf({ servers: [server], paths }: ServedDocument): string[] {
  const base = (server?.url ?? '').replace(/^(https?:\/\/[^/]+|\{\w+\})/, '').replace(/\/$/, '');
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => METHODS.includes(key))
      .map((method) => `${method.toUpperCase()} ${base}${path}`),
  );
}

function mailMessage(isGood: boolean, method: string, body: Record<string, unknown>): string {
  if (isGood) return method === 'GET' && Object.values(body).some(isEmpty) ? 'e' : '';
  const [{ 'error-code': code = body['code'] } = {}] = (body['errors'] ?? []) as { 'error-code'?: string }[];
  return LETTERS[String(code)] ?? '';
}

const letterOfCode = (code: string): string =>
  LETTERS[code] ?? (code.startsWith('NTF') ? 'n' : code.startsWith('CNF') ? 'c' : code);

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Returns the value of a field anywhere in a response; the response itself without a field name. */
function valueIn(value: unknown, field: string | undefined): unknown {
  if (field === undefined || typeof value !== 'object' || value === null) return value;
  if (field in value) return (value as Record<string, unknown>)[field];
  return Object.values(value).reduce<unknown>((found, each) => found ?? valueIn(each, field), undefined);
}

function mayOf(audience: readonly string[]): MayCall {
  if (audience.includes('anyone')) return 'anyone';
  if (audience.includes('public')) return 'public';
  if (audience.some((each) => each.startsWith('service:'))) return 'services';
  const roles: readonly Role[] = [...ACCOUNT_ROLES, 'customer', 'consumer'];
  return roles.filter((role) => audience.some((each) => each.split(':')[0] === role));
}

function expectedAdmission(may: Exclude<MayCall, 'services'>, caller: CallerName): string {
  if (may === 'anyone') return '';
  const withoutCredential = WITHOUT_CREDENTIAL[caller];
  if (withoutCredential !== undefined) return may === 'public' && caller === 'none' ? '' : withoutCredential;
  return may === 'public' || may.includes(ROLES[caller] as Role) ? '' : 'r';
}

/** Whether a root field that is open to everyone leads to the type, and rejects the caller's credential, which is not valid. */
const isRejectedBefore = (type: string, caller: CallerName): boolean =>
  ['RtiUser', 'Supplier'].includes(type) && caller !== 'none' && WITHOUT_CREDENTIAL[caller] !== undefined;

const IDENTIFIERS = /^(AccessKey|ConsentKey|IdentityRecordKey|DUID|CredentialId|TokenRef|WebhookId|EventId|MPxN|ID)$/;
const NAMES = /^(mpid|mpxn|email|\w*Id)$/;

/** Returns true if an argument or an input field is an identifier: by its type or, for plain text, by its name. */
function isIdentifier(name: string, given: GraphQLInputType): boolean {
  const type = getNamedType(given);
  if (isInputObjectType(type))
    return Object.values(type.getFields()).some((field) => isIdentifier(field.name, field.type));
  return IDENTIFIERS.test(type.name) || NAMES.test(name);
}
