import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { type JWK, decodeJwt, decodeProtectedHeader } from 'jose';
import { sandboxKeyVariables } from '../../sandbox/keys';
import type { AccountRole } from '../../schema/roles';
import { type SigningKeys, issueBearerToken } from '../../subgraphs/server/bearer-token';
import type { TestRegister } from '../support/register';
import { accountOf, tokenOf } from '../support/rest-client';

/** Roles that may call each operation (2-decisions-a-b.md, sections 2 to 6); undefined where nobody needs a token. */
export const ROLES: Readonly<Record<string, readonly AccountRole[] | undefined>> = {
  obtainBearerToken: undefined,
  verifyAccessRecord: undefined,
  registerAccessRecord: ['data_user'],
  replaceAccessRecord: ['data_user'],
  revokeAccessRecord: ['data_user', 'portal'],
  listAccessRecords: ['data_user'],
  listMeterPointAccessRecords: ['data_user', 'portal'],
  lookUpDataUser: ['data_user', 'data_provider', 'communications_operator', 'portal', 'supplier', 'admin', 'analyst'],
  registerIdentityRecord: ['data_user'],
  readIdentityRecord: ['data_user'],
  findIdentityRecords: ['data_user'],
  checkIdentityRecordExistence: ['data_user', 'portal'],
  anonymiseIdentityRecord: ['data_user'],
  removeCredential: ['data_user'],
  reidentify: ['data_user', 'portal'],
  confirmReidentification: ['data_user', 'portal'],
  reidentifyOwn: ['data_user'],
  confirmOwnReidentification: ['data_user'],
  listWebhooks: ['data_user'],
  registerWebhook: ['data_user'],
  readWebhook: ['data_user'],
  updateWebhook: ['data_user'],
  deleteWebhook: ['data_user'],
  listWebhookDeliveries: ['data_user'],
  redeliverEvent: ['data_user'],
  testWebhook: ['data_user'],
  reportDiscoveredAccess: ['communications_operator'],
  recordChangeOfTenancy: ['communications_operator'],
};

const ACCOUNT_ROLES: readonly AccountRole[] = [
  ...(['data_user', 'data_provider', 'communications_operator', 'portal', 'supplier', 'admin', 'analyst'] as const),
];

/** A caller of an operation: its `Authorization`, and what it must be answered whatever else it sends. */
export interface RestCaller {
  readonly who: string;
  readonly authorization: string | undefined;
  /** Undefined: it may call the operation. */
  readonly refusedWith: 'AUT001' | 'AUT002' | 'PRM001' | undefined;
}

/** All callers of a register, by operation. */
export async function restCallers(register: TestRegister): Promise<(operationId: string) => RestCaller[]> {
  const tokens = new Map<AccountRole, string>();
  for (const role of ACCOUNT_ROLES) tokens.set(role, await tokenOf(register, role));
  const dataUser = tokens.get('data_user') as string;
  const unaccepted: RestCaller[] = [
    { who: 'nobody', authorization: undefined, refusedWith: 'AUT001' },
    {
      who: 'an expired token',
      authorization: `Bearer ${await expiredToken(register, dataUser)}`,
      refusedWith: 'AUT002',
    },
    ...(await forgedTokens(register, dataUser)).map(([who, token]): RestCaller => ({
      who,
      authorization: `Bearer ${token}`,
      refusedWith: 'AUT001',
    })),
  ];
  const { account_id: id, secret_key: secret } = accountOf(register.sandbox, 'data_user');
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return (operationId) => {
    if (operationId === 'obtainBearerToken') {
      const wrong = `Basic ${Buffer.from(`${id}:not-the-secret`).toString('base64')}`;
      return [
        { who: 'the account', authorization: basic, refusedWith: undefined },
        { who: 'a wrong secret', authorization: wrong, refusedWith: 'AUT001' },
        { who: 'nobody', authorization: undefined, refusedWith: 'AUT001' },
        { who: 'a bearer token', authorization: `Bearer ${dataUser}`, refusedWith: 'AUT001' },
      ];
    }
    const roles = ROLES[operationId];
    const all = [...tokens].map(([role, token]): RestCaller => {
      return {
        who: role,
        authorization: `Bearer ${token}`,
        refusedWith: roles && !roles.includes(role) ? 'PRM001' : undefined,
      };
    });
    return [...all, ...unaccepted.map((caller) => (roles ? caller : { ...caller, refusedWith: undefined }))];
  };
}

/** The one that may call, mostly; any other now and then. */
export function anyCaller(callers: readonly RestCaller[]): fc.Arbitrary<RestCaller> {
  const [usual] = callers.filter(({ refusedWith }) => refusedWith === undefined) as [RestCaller];
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...callers) });
}

async function signingKeysOf(register: TestRegister, token: string): Promise<SigningKeys> {
  const { keys } = JSON.parse((await sandboxKeyVariables(register.dataDir))['TOKEN_SIGNING_KEYS'] as string) as {
    keys: JWK[];
  };
  return { issuer: String(decodeJwt(token).iss), keys };
}

function callerOf(token: string) {
  const { sub, duid, role } = decodeJwt(token);
  return { accountId: String(sub), role: role as AccountRole, duid: String(duid), mpid: null };
}

async function expiredToken(register: TestRegister, token: string): Promise<string> {
  const longAgo = new Date(Date.now() - 7_200_000 - 60_000);
  return issueBearerToken(await signingKeysOf(register, token), callerOf(token), longAgo);
}

async function forgedTokens(register: TestRegister, token: string): Promise<[who: string, token: string][]> {
  const signing = await signingKeysOf(register, token);
  const { kid } = decodeProtectedHeader(token);
  const [head, payload, signature] = token.split('.') as [string, string, string];
  const foreign = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid } as JWK;
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [
    ['a token of another key', await issueBearerToken({ ...signing, keys: [foreign] }, callerOf(token), new Date())],
    [
      'a token of another issuer',
      await issueBearerToken({ ...signing, issuer: 'https://elsewhere.example/v1' }, callerOf(token), new Date()),
    ],
    ['a token without signature', `${encoded({ ...decodeProtectedHeader(token), alg: 'none' })}.${payload}.`],
    ['a changed token', `${head}.${encoded({ ...decodeJwt(token), role: 'admin' })}.${signature}`],
    ['half a token', token.slice(0, token.length / 2)],
  ];
}
