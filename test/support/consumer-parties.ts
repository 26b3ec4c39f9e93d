import { randomInt, randomUUID } from 'node:crypto';
import { newApiKey, onboarded } from './administration';
import { type ConsumerIssuer, startConsumerIssuer } from './consumer-issuer';
import { newMpid, newMpxn } from './customers';
import { type Graph, graphAs } from './graph';
import { tariffInput, trf } from './tariff-graph';

/** A supplier with its own authorisation server, and its API key. */
export interface ConsumerSupplier {
  readonly mpid: string;
  readonly accountId: string;
  readonly secretKey: string;
  readonly apiKey: string;
  readonly issuer: ConsumerIssuer;
}

/** Two suppliers, RTI Users of every status, and a consumer of the first supplier whose meter point has a tariff. */
export interface ConsumerParties {
  readonly admin: Graph;
  readonly supplier: ConsumerSupplier;
  readonly otherSupplier: ConsumerSupplier;
  /** RTI Users, by status. */
  readonly users: Readonly<Record<(typeof STATUSES)[number], string>>;
  readonly tariffId: string;
  readonly mpxn: string;
  close(): Promise<void>;
}

const STATUSES = ['active', 'suspended', 'disabled', 'removed'] as const;

/** The names of the parties in a register. */
export interface PartyNames {
  readonly mpids: readonly [string, string];
  /** RTI Users, in the order of their statuses. */
  readonly userIds: readonly string[];
  readonly tariff: number;
  readonly mpxn: string;
}

/** Names in the examples of the documents: a register can have them only once. */
const USUAL_NAMES: PartyNames = {
  mpids: ['LARK', 'FENW'],
  userIds: STATUSES.map((_, index) => `usr_${String(index + 1).repeat(32)}`),
  tariff: 1,
  mpxn: '202233445566',
};

/** Returns unique names, for a shared register. */
export function namesOfTheirOwn(): PartyNames {
  return {
    mpids: [newMpid(), newMpid()],
    userIds: STATUSES.map(() => `usr_${randomUUID().replaceAll('-', '')}`),
    tariff: randomInt(2 ** 32, 2 ** 47),
    mpxn: newMpxn(),
  };
}

/** Adds the parties of Interface D to a register, as an admin would. */
export async function consumerParties(
  register: Parameters<typeof graphAs>[0],
  names = USUAL_NAMES,
): Promise<ConsumerParties> {
  const admin = demanding(await graphAs(register, 'admin'));
  const supplier = await enterSupplier(admin, names.mpids[0], 'Larkmoor Energy Supply Ltd');
  const otherSupplier = await enterSupplier(admin, names.mpids[1], 'Fenwick Power Ltd');
  const users: Record<string, string> = {};
  for (const [index, status] of STATUSES.entries()) {
    const userId = String(names.userIds[index]);
    users[status] = userId;
    await admin('mutation ($input: RtiUserInput!) { saveRtiUser(input: $input) { isNew } }', {
      input: { ...PENNYWISE, userId },
    });
    if (status !== 'active') await admin(SET_STATUS, { userId, status: status.toUpperCase() });
  }
  const { mpxn } = names;
  const tariffId = trf(names.tariff);
  await admin('mutation ($input: TariffInput!) { publishTariff(input: $input) { isNew } }', {
    input: tariffInput(names.tariff, { name: 'Lapwing Flat', mpid: supplier.mpid }),
  });
  await admin(ASSIGN, { mpxn, tariffId, from: new Date(Date.now() - 86_400_000).toISOString() });
  const close = async () => void (await Promise.all([supplier.issuer.close(), otherSupplier.issuer.close()]));
  return { admin, supplier, otherSupplier, users: users as ConsumerParties['users'], tariffId, mpxn, close };
}

const PENNYWISE = {
  name: 'Pennywise Tariff Watch Ltd',
  displayName: 'Pennywise',
  support: 'https://pennywise.example/help',
  webhookUrl: 'https://pennywise.example/tariff-events',
  contact: { name: 'Operations', email: 'operations@pennywise.example', telephone: '+44 1632 960001' },
};

const SET_STATUS =
  'mutation ($userId: String!, $status: RegisterEntryStatus!) { setRtiUserStatus(userId: $userId, status: $status) { status } }';
const ASSIGN = `mutation ($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from) { recordedAt }
}`;

/** Returns a client that throws on errors, for steps that are not under test. */
function demanding(graph: Graph): Graph {
  return async (query, variables) => {
    const response = await graph(query, variables);
    if (response.errors.length > 0) throw new Error(JSON.stringify(response.errors));
    return response;
  };
}

async function enterSupplier(admin: Graph, mpid: string, name: string): Promise<ConsumerSupplier> {
  const issuer = await startConsumerIssuer(`https://register.example/${mpid}`);
  const { accountId, secretKey } = await onboarded(admin, { role: 'SUPPLIER', displayName: name, mpid });
  const input = {
    ...{ mpid, name, displayName: name.split(' ')[0], support: `support@${mpid.toLowerCase()}.example` },
    ...{ apiUrl: `https://tariffs.${mpid.toLowerCase()}.example`, issuer: issuer.issuer, audience: issuer.audience },
  };
  await admin('mutation ($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }', { input });
  return { mpid, accountId, secretKey, apiKey: await newApiKey(admin, accountId), issuer };
}
