import type { Graph } from '../graph';
import { legacyConsent, registered } from '../records';
import { type RestClient, good } from '../rest-client';
import type { WireAnswer, WireRequest } from './http-exchange';
import { type Samples, subscribed } from './property-samples';

/**
 * What requests name and may end: it stands in their targets by its name in braces, and is put there when it is known which one it is.
 */
export const MOMENTARY = ['ak', 'wid', 'event-id', 'ck', 'registration_id', 'webhook_id', 'token'] as const;

/** The name of such an object. */
export type Momentary = (typeof MOMENTARY)[number];

/** How such an object stands in a target. */
export function placeholder(name: Momentary): string {
  return `{${name}}`;
}

/** Who makes them. */
export interface ObjectMakers {
  readonly samples: Samples;
  readonly dataUser: RestClient;
  /** With the token of a consumer. */
  readonly consumer: RestClient;
  readonly admin: Graph;
}

/** The objects of the moment. */
export type Objects = Record<Momentary, string>;

/** Objects that stay what they are called: whatever a request ended is there anew before the next. */
export interface MomentaryObjects {
  readonly now: Readonly<Objects>;
  /** The target of a request with the names of the objects in it. */
  named(target: string): Promise<string>;
  /** Looks at an answer: makes another object in place of what it ended. */
  after(sent: WireRequest, answer: WireAnswer): Promise<void>;
}

/** Milliseconds after which an upload address is renewed; it is good for ten minutes. */
const UPLOAD_ADDRESS = 300_000;

/** Makes the first of them. */
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
      if (status !== 200 && status !== 204) return;
      const ended = ENDINGS.find(([methods, path]) => methods.includes(method) && path.test(readable(target)));
      if (ended) await renew(ended[2]);
    },
  };
}

/** Good answers after which an object is no longer what it was. */
const ENDINGS: readonly (readonly [methods: readonly string[], path: RegExp, object: keyof typeof MAKERS])[] = [
  [['PUT', 'DELETE'], /\/v1\/access-records\//, 'record'],
  [['DELETE'], /\/v1\/webhooks\//, 'subscription'],
  [['POST'], /\/register-consent/, 'legacyConsent'],
  [['DELETE'], /\/v1\/consent\//, 'tariffConsent'],
  [['DELETE'], /\/v1\/webhook\//, 'tariffWebhook'],
];

/** A target as the register reads it. */
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
