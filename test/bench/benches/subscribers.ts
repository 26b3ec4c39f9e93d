import { once } from 'node:events';
import { WebSocket } from 'ws';
import { REGISTRATION } from '../bare/registration-body';
import type { Bench } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import { percentile } from '../event-load';
import { ROUNDS } from '../limits';
import { type ProcessorClock, processesClock } from '../processor-time';
import { progress, reached } from '../progress';
import { median } from '../rounds';
import { startBare } from '../server-processes';
import { type Measurement, rounded } from '../verdict';

const SUBSCRIBERS = 1_000;
const EVENTS = 100;
/** Number of concurrent registrations. */
const WRITERS = 8;

const QUERY =
  'subscription { registerEvents { id cursor type recordedAt dataUser { displayName } accessRecord { purpose state } } }';

/** A thousand subscribers receive a hundred events each, against a bare server that sends them the same messages. */
export const subscribers: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const count = context.scaled(SUBSCRIBERS);
  const listeners = await Promise.all(Array.from({ length: count }, () => subscribed(register)));
  await untilStarted(register, count);
  const bare = await startBroadcast(register, count);
  try {
    const product: Round[] = [];
    const baseline: Round[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const mine = await measured(listeners, [register.product, fixture.postgres], () => registerEvents(register));
      const theirs = await measured(bare.listeners, [bare.clock], () => bare.fire(mine.sample));
      const speeds = [mine, theirs].map(({ perSecond }) => Math.round(perSecond));
      progress(`round ${round} of ${ROUNDS}, messages per second: product ${speeds[0]}, bare ${speeds[1]}`);
      if (round === 0) continue; // warm-up
      product.push(mine);
      baseline.push(theirs);
    }
    return [comparedRounds(product, baseline, count)];
  } finally {
    for (const { socket } of listeners) socket.terminate();
    await bare.stop();
  }
};

/** A client, with the messages that it received and their times. */
interface Listener {
  readonly socket: WebSocket;
  readonly messages: { readonly text: string; readonly at: number }[];
}

interface Round {
  readonly perSecond: number;
  /** Microseconds of processor time per message: of the servers, and of everything else in the round. */
  readonly cpu: readonly (number | undefined)[];
  /** Milliseconds from the transaction of each event to its arrival at each subscriber. */
  readonly delays: readonly number[];
  /** A message as it was sent. */
  readonly sample: string;
}

function listening(socket: WebSocket): Listener {
  const listener: Listener = { socket, messages: [] };
  socket.on('error', () => undefined); // its server has stopped
  socket.on('message', (data: Buffer) => void listener.messages.push({ text: data.toString(), at: Date.now() }));
  return listener;
}

async function subscribed({ gateway, token }: BenchRegister): Promise<Listener> {
  const socket = new WebSocket(`${gateway.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
  await once(socket, 'message');
  const listener = listening(socket);
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }));
  return listener;
}

/** Waits until the gateway has started all subscriptions. */
async function untilStarted({ gateway }: BenchRegister, count: number): Promise<void> {
  await reached('subscriptions are begun', count, async () => {
    const metrics = await (await fetch(`${gateway}/metrics`)).text();
    return Number(/^gateway_subscriptions\{transport="websocket"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  });
}

async function startBroadcast({ logFile }: BenchRegister, count: number) {
  const server = await startBare('broadcast', {}, logFile('broadcast'));
  const opened = async () => {
    const socket = new WebSocket(server.address);
    await once(socket, 'open');
    return socket;
  };
  const source = await opened();
  const listeners = (await Promise.all(Array.from({ length: count }, opened))).map(listening);
  return {
    listeners,
    clock: processesClock([server.pid]),
    fire: async (text: string) => source.send(JSON.stringify({ text, times: EVENTS })),
    async stop() {
      for (const { socket } of listeners) socket.terminate();
      source.terminate();
      await server.stop();
    },
  };
}

async function registerEvents({ rest, token, rows }: BenchRegister): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < EVENTS) {
      const ref = rows.identityRecords[(next += 1) % rows.identityRecords.length];
      const metadata = { ...REGISTRATION['record-metadata'], 'identity-record-ref': ref };
      const { status } = await fetch(`${rest}/v1/access-records`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...REGISTRATION, 'record-metadata': metadata }),
      });
      if (status !== 201) throw new Error(`a registration received the response ${status}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

/** Causes the events and waits until every client has received all of them. */
async function measured(
  listeners: readonly Listener[],
  clocks: readonly ProcessorClock[],
  fire: () => Promise<void>,
): Promise<Round> {
  for (const { messages } of listeners) messages.length = 0;
  const [before, begin] = [clocks.map((clock) => clock()), performance.now()];
  await fire();
  await reached('messages', listeners.length * EVENTS, () =>
    listeners.reduce((sum, { messages }) => sum + Math.min(messages.length, EVENTS), 0),
  );
  const seconds = (performance.now() - begin) / 1000;
  const all = listeners.flatMap(({ messages }) => messages);
  if (all.length !== listeners.length * EVENTS) throw new Error('a subscriber got an event twice');
  return {
    perSecond: all.length / seconds,
    cpu: clocks.map((clock, index) => {
      const [from, to] = [before[index], clock()];
      return from === undefined || to === undefined ? undefined : ((to - from) * 1e6) / all.length;
    }),
    delays: all.flatMap(({ text, at }) => {
      const recorded = /"recordedAt":"([^"]+)"/.exec(text)?.[1];
      return recorded === undefined ? [] : [at - Date.parse(recorded)];
    }),
    sample: (all[0] as Listener['messages'][number]).text,
  };
}

function comparedRounds(product: readonly Round[], baseline: readonly Round[], count: number): Measurement {
  const cost = (rounds: readonly Round[], index: number) => median(rounds.map(({ cpu }) => cpu[index] ?? Number.NaN));
  const speed = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond));
  const [servers, postgres, bare] = [cost(product, 0), cost(product, 1), cost(baseline, 0)];
  const delays = product.flatMap((round) => round.delays);
  const ratio = bare / (servers + postgres);
  return {
    name: 'subscribers',
    ratio: Number.isNaN(ratio) ? speed(product) / speed(baseline) : ratio,
    baseline: 'bare-ws-broadcast',
    beside: {
      subscribers: count,
      events: EVENTS,
      'messages-per-second': `${Math.round(speed(product))}:${Math.round(speed(baseline))}`,
      'p50-ms': rounded(percentile(delays, 50)),
      'p99-ms': rounded(percentile(delays, 99)),
      'cpu-us': `${Math.round(servers)}+${Math.round(postgres)}:${Math.round(bare)}`,
    },
  };
}
