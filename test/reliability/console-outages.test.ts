import type { Environment } from '../../process/environment';
import { type ConsoleVisitor, backOffice } from '../support/console-visitor';
import { type Customer, type DataUser, newCustomer, newDataUser } from '../support/customers';
import type { OpenStream } from '../support/event-source';
import { registered } from '../support/records';
import {
  type RegisterProcess,
  type TestRegister,
  freePort,
  startRegisterProcess,
  startTestRegister,
} from '../support/register';

let register: TestRegister;
let dataUser: DataUser;
let customer: Customer;
let visitor: ConsoleVisitor;
/** Beside the register, on its database: subgraphs, a gateway and a console as processes that can be killed. */
let subgraphs: RegisterProcess;
let gateway: RegisterProcess;
let console: RegisterProcess;
let beside: Environment;

const startBeside = (services: string) => startRegisterProcess({ ...beside, SERVICES: services });

beforeAll(async () => {
  register = await startTestRegister('one process');
  beside = {
    DATABASE_URL: register.databaseUrl,
    DATA_DIR: register.dataDir,
    RATE_LIMITS: 'off',
    REST_PORT: new URL(register.rest).port, // the issuer of tokens
    ACCESS_PORT: String(await freePort()),
    IDENTITY_PORT: String(await freePort()),
    GATEWAY_PORT: String(await freePort()),
    CONSOLE_PORT: String(await freePort()),
  };
  [subgraphs, gateway, console] = await Promise.all([
    startBeside('identity,access'),
    startBeside('gateway'),
    startBeside('console'),
  ]);
  dataUser = await newDataUser(register, 'https://larkhill.example/back');
  customer = await newCustomer(dataUser);
  visitor = await backOffice({ ...register, console: `http://localhost:${beside['CONSOLE_PORT']}` });
}, 120_000);

afterAll(async () => {
  await Promise.all([console?.stop(), gateway?.stop(), subgraphs?.stop()]);
  await register?.close();
});

/** Milliseconds after which a process that ends cuts the connections that are left. */
const CUT_AFTER = 5_000;

/** How many rows came by a stream, and how many of them were other events. */
function arrivals({ messages }: OpenStream): [rows: number, events: number] {
  const rows = messages.flatMap(({ event, data }) =>
    event === 'events' ? [...String(data.html).matchAll(/data-event="(\w+)"/g)].map(([, id]) => id) : [],
  );
  return [rows.length, new Set(rows).size];
}

const isConnected = (is: boolean) => (message: { data: { isConnected: boolean } }) => message.data.isConnected === is;

it('a live page goes on where it was when the gateway is killed: nothing is missed, nothing comes twice', async () => {
  const stream = await visitor.watch(`duid=${dataUser.duid}`);
  await stream.next('connection', isConnected(true));
  await registered(dataUser.rest, customer.ir);
  await stream.next('events');
  expect(arrivals(stream)).toEqual([1, 1]);

  await gateway.kill();
  await stream.next('connection', isConnected(false));
  for (let count = 0; count < 3; count++) await registered(dataUser.rest, customer.ir);
  const told = stream.messages.length;
  gateway = await startBeside('gateway');
  await stream.next('connection', (message) => stream.messages.indexOf(message) >= told && message.data.isConnected);
  await stream.next('events', (message) => stream.messages.indexOf(message) >= told);
  await registered(dataUser.rest, customer.ir);
  await stream.next('events', () => arrivals(stream)[0] >= 5);
  expect(arrivals(stream)).toEqual([5, 5]);
  stream.close();
});

it('pages that are open do not hold up the end of the console: their streams end at once', async () => {
  const stream = await visitor.watch();
  await stream.next('connection', isConnected(true));
  const since = performance.now();
  const stopped = console.stop();
  await stream.ended;
  expect(performance.now() - since).toBeLessThan(CUT_AFTER);
  await stopped;
  expect(console.output()).not.toMatch(/error|fatal/i);
});
