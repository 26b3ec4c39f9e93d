import type { Graph } from '../graph';
import { legacyConsent, registered } from '../records';
import { type RestClient, good } from '../rest-client';
import type { WireResponse, WireRequest } from './http-exchange';
import { type Samples, subscribed } from './property-samples';

/**
 * Objects that requests name and may end. Targets contain their name in braces, which is replaced by the current
 * object.
 */
export const MOMENTARY = ['ak', 'wid', 'event-id', 'ck', 'registration_id', 'webhook_id', 'token'] as const;

/** Name of such an object. */
export type Momentary = (typeof MOMENTARY)[number];

/** Placeholder of such an object in a target. */
export function placeholder(name: Momentary): string {
  return `{${name}}`;
}

/** Clients that create the objects. */
export interface ObjectMakers {
  readonly samples: Samples;
  readonly dataUser: RestClient;
  /** With a consumer's token. */
  readonly consumer: RestClient;
  readonly admin: Graph;
}

/** The current objects. */
export type Objects = Record<Momentary, string>;

/** Keeps one object of each kind alive: creates a new one after a request ended it. */
export interface MomentaryObjects {
  readonly now: Readonly<Objects>;
  /** Replaces the placeholders in the target of a request. */
  named(target: string): Promise<string>;
  /** Checks a response, and replaces the object that it ended. */
  after(sent: WireRequest, response: WireResponse): Promise<void>;
}

/** Interval for renewing an upload address, which is valid for ten minutes. */
const UPLOAD_ADDRESS = 300_000;

/** Creates the first objects. */
export async function momentaryObjects(makers: ObjectMakers): Promise<MomentaryObjects> {
  const now = Object.assign({}, ...(await Promise.all(Object.values(MAKERS).map((make) => make(makers))))) as Objects;
  let uploadFrom = Date.now();
  const renew = async (name: keyof typeof MAKERS) => void Object.assign(now, await MAKERS[name](makers));
  return {
    now,
    async named(target) {
      if (/\{token\}/i.test(target) && Date.now() > uploadFrom + UPLOAD_ADDRESS) {
        await renew('upload');
        uploadFrom = Date.now();
      }
      return MOMENTARY.reduce((all, name) => all.replace(new RegExp(`\\{${name}\\}`, 'i'), () => now[name]), target);
    },
    async after({ method, target }, { status }) {
      if (![200, 201, 204].includes(status)) return;
      const ended = ENDINGS.find(([methods, path]) => methods.includes(method) && path.test(readable(target)));
      if (ended) await renew(ended[2]);
    },
  };
}

/** Successful requests that end or change an object. */
const ENDINGS: readonly (readonly [methods: readonly string[], path: RegExp, object: keyof typeof MAKERS])[] = [
  [['PUT'], /\/uploads\//, 'upload'],
  [['PUT', 'DELETE'], /\/v1\/access-records\//, 'record'],
  [['DELETE'], /\/v1\/webhooks\//, 'subscription'],
  [['POST'], /\/register-consent/, 'legacyConsent'],
  [['DELETE'], /\/v1\/consent\//, 'tariffConsent'],
  [['DELETE'], /\/v1\/webhook\//, 'tariffWebhook'],
];

/** A target as the register parses it. */
function readable(target: string): string {
  try {
    return decodeURI(target.split('?')[0] as string);
  } catch {
    return '';
  }
}

type Made = Partial<Objects>;

const MAKERS = {
  record: async ({ dataUser, samples }: ObjectMakers): Promise<Made> => ({
    ak: await registered(dataUser, samples.ir),
  }),
  async subscription({ dataUser }: ObjectMakers): Promise<Made> {
    const { wid, eventId } = await subscribed(dataUser);
    return { wid, 'event-id': eventId };
  },
  async legacyConsent({ dataUser, samples }: ObjectMakers): Promise<Made> {
    const { body } = good(await dataUser('POST', '/register-consent', legacyConsent(samples.duid, samples.legacyMpxn)));
    return { ck: String(body['consent-token'].key) };
  },
  async tariffConsent({ consumer }: ObjectMakers): Promise<Made> {
    const { body } = good(await consumer('POST', '/v1/consent', {}));
    return { registration_id: String(body['data'].registration_id) };
  },
  async tariffWebhook({ consumer }: ObjectMakers): Promise<Made> {
    const { body } = good(await consumer('POST', '/v1/webhook', { webhook_url: 'https://webhooks.example/tariffs' }));
    return { webhook_id: String(body['webhook_id']) };
  },
  async upload({ admin, samples: { grid } }: ObjectMakers): Promise<Made> {
    const { area, year: publicationYear } = grid;
    const input = { area, publicationYear, period: '02', projectId: 'Uploaded' };
    const { data } = await admin(PREPARE, { input });
    return { token: String(data.prepareGridPublication.address).split('/').at(-1) as string };
  },
} satisfies Record<string, (makers: ObjectMakers) => Promise<Made>>;

const PREPARE = 'mutation ($input: GridPublicationInput!) { prepareGridPublication(input: $input) { address } }';
