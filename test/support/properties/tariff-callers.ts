import type { AccountRole } from '../../../schema/roles';
import type { ConsumerParties } from '../consumer-parties';
import type { RestCaller } from './rest-caller';

/** The callers that an operation of Interface D admits (decisions C/D, D.1). */
export interface TariffAudience {
  /** Every caller, unless it sends an invalid credential. */
  readonly allCallers: boolean;
  /** An RTI User with the token of a consumer that has the scope. */
  readonly consumers: boolean;
  /** The same while the RTI User is suspended or disabled. */
  readonly inactive?: boolean;
  /** Suppliers by API key, and accounts by bearer token. */
  readonly accounts: readonly AccountRole[];
}

const ALL_CALLERS: TariffAudience = { allCallers: true, consumers: true, accounts: [] };
const CONSUMERS: TariffAudience = { allCallers: false, consumers: true, accounts: [] };

/** The audiences of the operations. */
export const TARIFF_AUDIENCES: Readonly<Record<string, TariffAudience>> = {
  listSuppliers: ALL_CALLERS,
  listRtiUsers: ALL_CALLERS,
  retrieveRtiUser: ALL_CALLERS,
  listTariffs: ALL_CALLERS,
  retrieveTariff: ALL_CALLERS,
  listCustomerTariffs: CONSUMERS,
  giveTariffConsent: CONSUMERS,
  revokeTariffConsent: { ...CONSUMERS, inactive: true, accounts: ['admin'] },
  registerRtiWebhook: CONSUMERS,
  removeRtiWebhook: { ...CONSUMERS, accounts: ['supplier', 'admin'] },
  submitPerformanceReport: { allCallers: false, consumers: false, accounts: ['supplier'] },
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
    { who: 'a forged consumer', credential: bearer(await supplier.issuer.forged(claims)), rejectedWith: WORDS.AUT001 },
    { who: 'an expired consumer', credential: bearer(await token({ exp: 1_000_000_000 })), rejectedWith: WORDS.AUT002 },
    {
      who: 'a consumer for others',
      credential: bearer(await token({ aud: 'https://a.example' })),
      rejectedWith: WORDS.AUT001,
    },
    {
      who: 'no key of any supplier',
      credential: { 'x-supplier-api-key': `sk_${'A'.repeat(43)}` },
      rejectedWith: 'invalid_api_key',
    },
    { who: 'key and token', credential: { ...key, ...consumer }, rejectedWith: WORDS.AUT001 },
  ];
  const withoutScope = bearer(await token({ scope: 'profile' }));
  const inactive = await Promise.all(
    (['suspended', 'disabled', 'removed'] as const).map(async (status) => {
      return [status, bearer(await token({ client_id: users[status] }))] as const;
    }),
  );
  return (operationId) => {
    const {
      allCallers,
      consumers,
      inactive: admitsInactive = false,
      accounts: roles,
    } = TARIFF_AUDIENCES[operationId] as TariffAudience;
    const unless = (isLetIn: boolean, word: string) => (allCallers || isLetIn ? undefined : word);
    const known = accounts(roles).map(({ rejectedWith, ...caller }) => {
      const isStranger = caller.credential['authorization'] === undefined || rejectedWith === 'PRM001';
      const word = rejectedWith && WORDS[rejectedWith as keyof typeof WORDS];
      return { ...caller, rejectedWith: allCallers && isStranger ? undefined : word };
    });
    return [
      { who: 'the consumer', credential: consumer, rejectedWith: unless(consumers, 'forbidden') },
      { who: 'the supplier', credential: key, rejectedWith: unless(roles.includes('supplier'), 'forbidden') },
      { who: 'without a scope', credential: withoutScope, rejectedWith: unless(false, 'forbidden') },
      ...inactive.map(([status, credential]) => {
        const rejectedWith = unless(admitsInactive && status !== 'removed', 'rti_user_not_active');
        return { who: `a ${status} RTI User`, credential, rejectedWith };
      }),
      ...known,
      ...bad,
    ];
  };
}
