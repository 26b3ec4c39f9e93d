import type { AccountRole } from '../../../schema/roles';
import type { ConsumerParties } from '../consumer-parties';
import type { RestCaller } from './rest-caller';

/** The callers that an operation of Interface D admits (decisions C/D, D.1). */
export interface TariffAudience {
  /** Every caller, unless it sends an invalid credential. */
  readonly everybody: boolean;
  /** An RTI User with the token of a consumer that has the scope. */
  readonly consumers: boolean;
  /** Suppliers by API key, and accounts by bearer token. */
  readonly accounts: readonly AccountRole[];
}

const EVERYBODY: TariffAudience = { everybody: true, consumers: true, accounts: [] };
const CONSUMERS: TariffAudience = { everybody: false, consumers: true, accounts: [] };

/** The audiences of the operations. */
export const TARIFF_AUDIENCES: Readonly<Record<string, TariffAudience>> = {
  listSuppliers: EVERYBODY,
  listRtiUsers: EVERYBODY,
  retrieveRtiUser: EVERYBODY,
  listTariffs: EVERYBODY,
  retrieveTariff: EVERYBODY,
  listCustomerTariffs: CONSUMERS,
  giveTariffConsent: CONSUMERS,
  revokeTariffConsent: { ...CONSUMERS, accounts: ['admin'] },
  registerRtiWebhook: CONSUMERS,
  removeRtiWebhook: CONSUMERS,
  submitPerformanceReport: { everybody: false, consumers: false, accounts: ['supplier'] },
};

/** Error words of Interface D for invalid credentials and missing rights, by code. */
const WORDS = { AUT001: 'unauthorized', AUT002: 'token_expired', PRM001: 'forbidden' } as const;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Seconds for which a token is valid: longer than the long form takes. */
const DAY = 86_400;

/** Returns the usual claims of a consumer's token. */
export function consumerClaims({ users, mpxn }: ConsumerParties): Readonly<Record<string, unknown>> {
  return { sub: 'anna', client_id: users.active, mpxn: [mpxn], exp: Math.floor(Date.now() / 1000) + DAY };
}

/**
 * Returns the callers of each operation of Interface D; `accounts` returns those of every interface, with the codes of
 * Interface A.
 */
export async function tariffCallers(
  parties: ConsumerParties,
  accounts: (roles: readonly AccountRole[]) => readonly RestCaller[],
): Promise<(operationId: string) => RestCaller[]> {
  const { supplier, users } = parties;
  const claims = consumerClaims(parties);
  const token = (change: object) => supplier.issuer.token({ ...claims, ...change });
  const key = { 'x-supplier-api-key': supplier.apiKey };
  const consumer = bearer(await token({}));
  const bad: RestCaller[] = [
    { who: 'a forged consumer', credential: bearer(await supplier.issuer.forged(claims)), refusedWith: WORDS.AUT001 },
    { who: 'an expired consumer', credential: bearer(await token({ exp: 1_000_000_000 })), refusedWith: WORDS.AUT002 },
    {
      who: 'a consumer for others',
      credential: bearer(await token({ aud: 'https://a.example' })),
      refusedWith: WORDS.AUT001,
    },
    {
      who: 'no key of any supplier',
      credential: { 'x-supplier-api-key': `sk_${'A'.repeat(43)}` },
      refusedWith: 'invalid_api_key',
    },
    { who: 'key and token', credential: { ...key, ...consumer }, refusedWith: WORDS.AUT001 },
  ];
  const withoutScope = bearer(await token({ scope: 'profile' }));
  const inactive = await Promise.all(
    (['suspended', 'disabled', 'removed'] as const).map(async (status) => {
      return [`a ${status} RTI User`, bearer(await token({ client_id: users[status] }))] as const;
    }),
  );
  return (operationId) => {
    const { everybody, consumers, accounts: roles } = TARIFF_AUDIENCES[operationId] as TariffAudience;
    const unless = (isLetIn: boolean, word: string) => (everybody || isLetIn ? undefined : word);
    const known = accounts(roles).map(({ refusedWith, ...caller }) => {
      const isStranger = caller.credential['authorization'] === undefined || refusedWith === 'PRM001';
      const word = refusedWith && WORDS[refusedWith as keyof typeof WORDS];
      return { ...caller, refusedWith: everybody && isStranger ? undefined : word };
    });
    return [
      { who: 'the consumer', credential: consumer, refusedWith: unless(consumers, 'forbidden') },
      { who: 'the supplier', credential: key, refusedWith: unless(roles.includes('supplier'), 'forbidden') },
      { who: 'without a scope', credential: withoutScope, refusedWith: unless(false, 'forbidden') },
      ...inactive.map(([who, credential]) => {
        return { who, credential, refusedWith: unless(false, 'rti_user_not_active') };
      }),
      ...known,
      ...bad,
    ];
  };
}
