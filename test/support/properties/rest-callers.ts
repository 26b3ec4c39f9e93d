import fc from 'fast-check';
import { type JWK, decodeJwt, decodeProtectedHeader } from 'jose';
import { generatedKey } from '../../../process/settings/generated-key';
import { sandboxKeyVariables } from '../../../sandbox/keys';
import type { AccountRole } from '../../../schema/roles';
import { type SigningKeys, issueBearerToken } from '../../../subgraphs/server/callers/bearer-token';
import type { ConsumerParties } from '../consumer-parties';
import type { SharedRegister } from '../register';
import { accountOf, tokenOf } from '../rest-client';
import { TARIFF_AUDIENCES, tariffCallers } from './tariff-callers';
import type { RestCaller } from './rest-caller';

/**
 * Roles that may call each operation of Interfaces A, B and C (decisions A/B, 2 to 6 and 8; decisions C.1); undefined
 * if no token is necessary. Those of Interface D: `TARIFF_AUDIENCES`.
 */
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

  logIn: undefined,
  logInByPost: undefined,
  registerConsent: ['data_user'],
  showConsents: ['data_user'],

  listDevelopmentProjects: undefined,
  retrieveArchive: undefined,
  retrieveDifferenceModel: undefined,
  uploadArchive: undefined,
  checkArchive: undefined,
};

/** Operations that receive the account's secret. */
export const SIGN_INS: readonly string[] = ['obtainBearerToken', 'logIn', 'logInByPost'];

const ACCOUNT_ROLES: readonly AccountRole[] = [
  ...(['data_user', 'data_provider', 'communications_operator', 'portal', 'supplier', 'admin', 'analyst'] as const),
];

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Returns all callers of a register, by operation; the first permitted one is the usual one. */
export async function restCallers(
  register: SharedRegister,
  parties: ConsumerParties,
): Promise<(operationId: string) => RestCaller[]> {
  const tokens = new Map<AccountRole, string>();
  for (const role of ACCOUNT_ROLES) tokens.set(role, await tokenOf(register, role));
  const dataUser = tokens.get('data_user') as string;
  const unaccepted = await unacceptedCallers(register, dataUser);
  const accounts = (roles: readonly AccountRole[]): RestCaller[] => [
    ...[...tokens].map(([role, token]): RestCaller => {
      return { who: role, credential: bearer(token), rejectedWith: roles.includes(role) ? undefined : 'PRM001' };
    }),
    ...unaccepted,
  ];
  const ofTariffs = await tariffCallers(parties, accounts);
  return (operationId) => {
    if (SIGN_INS.includes(operationId)) return signInCallers(register, dataUser);
    if (operationId in TARIFF_AUDIENCES) return ofTariffs(operationId);
    const roles = ROLES[operationId];
    return accounts(roles ?? []).map((caller) => (roles ? caller : { ...caller, rejectedWith: undefined }));
  };
}

function signInCallers({ sandbox }: SharedRegister, token: string): RestCaller[] {
  const { account_id: id, secret_key: secret } = accountOf(sandbox, 'data_user');
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`,
  });
  return [
    { who: 'the account', credential: basic(String(secret)), rejectedWith: undefined },
    { who: 'a wrong secret', credential: basic('not-the-secret'), rejectedWith: 'AUT001' },
    { who: 'no credential', credential: {}, rejectedWith: 'AUT001' },
    { who: 'a bearer token', credential: bearer(token), rejectedWith: 'AUT001' },
  ];
}

async function unacceptedCallers(register: SharedRegister, token: string): Promise<RestCaller[]> {
  const forged = await forgedTokens(register, token);
  return [
    { who: 'no credential', credential: {}, rejectedWith: 'AUT001' },
    { who: 'an expired token', credential: bearer(await expiredToken(register, token)), rejectedWith: 'AUT002' },
    ...forged.map(([who, text]): RestCaller => ({ who, credential: bearer(text), rejectedWith: 'AUT001' })),
  ];
}

/** The permitted caller in most cases; sometimes another one. */
export function anyCaller(callers: readonly RestCaller[]): fc.Arbitrary<RestCaller> {
  const [usual] = callers.filter(({ rejectedWith }) => rejectedWith === undefined) as [RestCaller];
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...callers) });
}

async function signingKeysOf(register: SharedRegister, token: string): Promise<SigningKeys> {
  const { keys } = JSON.parse(sandboxKeyVariables(register.dataDir)['TOKEN_SIGNING_KEYS'] as string) as {
    keys: JWK[];
  };
  return { issuer: String(decodeJwt(token).iss), keys };
}

function callerOf(token: string) {
  const { sub, duid, role } = decodeJwt(token);
  return { accountId: String(sub), role: role as AccountRole, duid: String(duid), mpid: null };
}

async function expiredToken(register: SharedRegister, token: string): Promise<string> {
  const longAgo = new Date(Date.now() - 7_200_000 - 60_000);
  return issueBearerToken(await signingKeysOf(register, token), callerOf(token), longAgo);
}

async function forgedTokens(register: SharedRegister, token: string): Promise<[who: string, token: string][]> {
  const signing = await signingKeysOf(register, token);
  const { kid } = decodeProtectedHeader(token);
  const [head, payload, signature] = token.split('.') as [string, string, string];
  const foreign = { ...generatedKey('ed25519').export({ format: 'jwk' }), kid } as JWK;
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
